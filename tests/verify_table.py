"""How much the static verifier decides, after which passes: ``python -m tests.verify_table``.

Nearly all of it is proved, for all inputs; what is not is tried out.  Of tests/corpus, examples and
papers/applications; ``--seeded`` verifies what faulty variants of passes make of their programs
instead: none may be PROVED, and those that break memory are REFUTED.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from attrs import define, field

from funmem.driver.source import read
from funmem.driver.stages import default_pipeline, language
from funmem.ir.fun import Ann, Program
from funmem.ir.functions import bodies
from funmem.ir.imp import ImpProgram
from funmem.ir.verify import Certificate, Kind, Verdict, verify
from funmem.ir.verify.checks import judged as judged_checks
from funmem.passes.framework import Level, Pass, as_tree, levels_of
from funmem.passes.lower import entry_point
from funmem.passes.runner import PassFailed
from funmem.verify import judge
from funmem.verify.replay import replayed
from tests.seeded.bug import Caught, SeededBug
from tests.seeded.judge import load, with_pass
from tests.seeded.table import BUGS
from tests.seeded.world import Crashed, faulty
from tests.support.memory_check import ALLOCATED, CORPUS, EXAMPLES, EXPANDED, HOISTED, through
from tests.support.paths import TESTS

APPLICATIONS = sorted((TESTS.parent / "papers" / "applications").glob("*/*.fut"))
STAGES = {
    "allocate": ALLOCATED,
    "expand": EXPANDED,
    "merge": f"{EXPANDED},merge",
    "short-circuit": f"{HOISTED},short-circuit",
    "default": "",
}
"""Passes up to each stage; the default ones are those of ``funmem verify``."""

TRIED = 20
"""Inputs on which an obligation that is not proved is tried."""

STATIC = {
    Caught.HEAP,
    Caught.RACE,
    Caught.POISON,
    Caught.OUTSIDE,
    Caught.INCOHERENT,
    Caught.OVERLAP,
    Caught.CLOBBERED,
}
"""Bugs that break memory, and nothing else."""


def staged(path: Path, stage: str) -> Program[Ann]:
    """A program after the passes of a stage."""
    program = as_tree(read(str(path)).parse())
    if STAGES[stage]:
        return through(program, STAGES[stage])
    return as_tree(default_pipeline(language(program), Level.FUNMEM).run(program))


@define
class Row:
    """A stage's numbers."""

    counts: Counter[tuple[Kind, Verdict]] = field(factory=Counter)
    ms: list[float] = field(factory=list)
    open: list[str] = field(factory=list)

    def add(self, name: str, c: Certificate) -> None:
        for o in c.obligations:
            self.counts[o.kind, o.verdict] += 1
            self.ms.append(o.ms)
            if o.verdict is not Verdict.PROVED:
                self.open.append(f"{name}: {o.verdict.value} {o.kind.value} {o.place}: {o.why}")

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def share(self, *verdicts: Verdict) -> str:
        """How many obligations have one of the verdicts."""
        part = sum(n for (_, v), n in self.counts.items() if v in verdicts)
        return f"{100 * part / max(1, self.total):.2f}%"

    def show(self, stage: str) -> str:
        decided = (Verdict.PROVED, Verdict.TRAPS, Verdict.REFUTED)
        left = ((k, v, n) for (k, v), n in self.counts.items() if v is not Verdict.PROVED)
        open_ = ", ".join(f"{k.value} {n} {v.value}" for k, v, n in sorted(left, key=str))
        return (
            f"| {stage} | {self.total} | {self.share(Verdict.PROVED)} | {self.share(*decided)} "
            f"| {open_ or 'none'} | {median(self.ms):.3f} | {max(self.ms):.0f} |"
        )


HEAD = """\
| after | obligations | PROVED | decided | not proved | median ms | slowest ms |
|---|---|---|---|---|---|---|"""


def table(paths: Sequence[Path], stages: Sequence[str], *, every: bool) -> Iterator[str]:
    """The table, line by line."""
    yield HEAD
    for stage in stages:
        row = Row()
        for path in paths:
            program = staged(path, stage)
            row.add(path.name, replayed(program, verify(program), TRIED))
        yield row.show(stage)
        if every:
            yield from (f"    {line}" for line in row.open)


def checks(paths: Sequence[Path], *, every: bool) -> Iterator[str]:
    """Of each program the dynamic checks after the default passes, and how many are proved."""
    total: Counter[bool] = Counter()
    yield "| program | checks | PROVED |\n|---|---|---|"
    for path in paths:
        entries = bodies(staged(path, "default"))
        found = [o for e in entries for o in judged_checks(e, entry_point).obligations]
        proved = Counter(o.verdict is Verdict.PROVED for o in found)
        total += proved
        yield f"| {path.stem} | {proved.total()} | {proved[True]} |"
        if every:
            yield from (f"    {o.place}" for o in found if o.verdict is not Verdict.PROVED)
    yield f"| all | {total.total()} | {total[True]} |"


# ---------------------------------------------------------------------- seeded bugs


def judged(bug: SeededBug, bad: Pass, inputs: int = 100) -> Certificate | None:
    """The certificate of what a faulty pass makes of its program; None: it makes no FUNMEM."""
    source = load(bug.program)
    try:
        result = with_pass(bug, bad).run(source, verify=False)
    except (Crashed, PassFailed):
        return None
    if isinstance(result, ImpProgram) or Level.FUNMEM not in levels_of(result):
        return None
    return judge(result, source, inputs=inputs)


def seeded() -> Iterator[str]:
    """What the verifier says of each bug, and a summary."""
    counts: Counter[tuple[bool, str]] = Counter()
    for bug in BUGS:
        certificate = judged(bug, faulty(bug))
        if certificate is not None:
            verdict = certificate.verdict.value
            counts[bug.caught in STATIC, verdict] += 1
            yield f"{bug.name}: {verdict} ({bug.caught.value})"
    for (static, verdict), n in sorted(counts.items()):
        yield f"{'of memory' if static else 'of types or meaning'}: {n} {verdict}"


def main(args: Sequence[str]) -> None:
    """The command line."""
    parser = ArgumentParser(prog="python -m tests.verify_table", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--stage", choices=STAGES, action="append")
    parser.add_argument("--open", action="store_true", help="list what was not proved")
    parser.add_argument("--seeded", action="store_true")
    parser.add_argument("--checks", action="store_true", help="dynamic checks, of the applications")
    given = parser.parse_args(args)
    start = perf_counter()
    if given.seeded:
        lines = seeded()
    elif given.checks:
        lines = checks(given.paths or APPLICATIONS, every=given.open)
    else:
        paths = given.paths or [*CORPUS, *EXAMPLES, *APPLICATIONS]
        lines = table(paths, given.stage or list(STAGES), every=given.open)
    for line in lines:
        print(line, flush=True)
    print(f"{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
