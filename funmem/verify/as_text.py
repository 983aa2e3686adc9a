"""Certificates as text for people."""

from collections import Counter
from collections.abc import Iterator

from funmem.ir.diagnostics import NOWHERE
from funmem.ir.verify.certificate import Certificate, Kind, Obligation, Step, Verdict


def to_text(c: Certificate, *, everything: bool = False) -> str:
    """Return a table of proved obligations, then those that are not proved."""
    lines = list(_table(c))
    for o in c.obligations:
        tested = o.kind is Kind.MEANING and o.verdict is Verdict.BOUNDED
        if everything or not (o.verdict is Verdict.PROVED or tested):
            lines += _obligation(o)
    lines.append(f"{c.verdict.value}: {_summary(c)}")
    return "".join(f"{line}\n" for line in lines)


def _table(c: Certificate) -> Iterator[str]:
    for kind in Kind:
        mine = [o for o in c.obligations if o.kind is kind]
        if kind is Kind.MEANING and mine:
            tried = ", ".join(f"{o.verdict.value}({o.bound})" for o in mine)
            yield f"{kind.value:2}  {kind.meaning}: {tried}"
        elif mine:
            proved = [o for o in mine if o.verdict is Verdict.PROVED]
            steps = Counter(o.step for o in proved)
            how = ", ".join(f"{steps[s]} {s.value}" for s in Step if steps[s])
            count = f"{len(proved)} of {len(mine)}"
            yield f"{kind.value:2}  {kind.meaning}: {count}" + (f" ({how})" if how else "")


def _obligation(o: Obligation) -> Iterator[str]:
    where = "" if o.at == NOWHERE else f" at {o.at}"
    bound = f"({o.bound})" if o.verdict is Verdict.BOUNDED else ""
    yield f"{o.verdict.value}{bound} {o.kind.value} {o.place}{where}"
    if o.why:
        yield f"    {o.why}"
    if o.counterexample is not None:
        args = " ".join(o.counterexample.args)
        yield f"    entry {o.counterexample.entry}, input {args}"
        yield from (f"    {line}" for line in o.counterexample.message.splitlines())


def _summary(c: Certificate) -> str:
    mine = [o for o in c.obligations if o.kind.of_memory]
    counts = Counter(o.verdict for o in mine)
    return f"{len(mine)} obligations, " + ", ".join(
        f"{counts[v]} {v.value}" for v in Verdict if counts[v]
    )
