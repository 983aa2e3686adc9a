"""The result of a search, as text and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from funmem.tune.search import Tried, Verdict
from funmem.tune.subject import Answer


def lines(a: Answer) -> Iterator[str]:
    """Yield the lines of a table of the candidates, and then the best one."""
    sizes = "".join(f", {x}={n}" for x, n in a.sizes.items())
    default = f"{1e3 * a.found.default_seconds:.3f} ms, noise {100 * a.found.noise:.0f}%"
    what = f"{a.name}, entry {a.entry}" if a.entry else f"{a.name}, built-in kernels"
    yield f"{what}, {a.place}{sizes}: default {default}; checked by {a.judge}"
    shown = [t for t in a.found.tried if t.verdict is not Verdict.SAME]
    rows = [("tried", "time / best", "verdict"), *map(_row, shown)] if shown else []
    widths = [max(len(row[k]) for row in rows) for k in range(3)] if rows else []
    for row in rows:
        yield f"  {row[0].ljust(widths[0])}  {row[1].rjust(widths[1])}  {row[2]}"
    same = len(a.found.tried) - len(shown)
    if same:
        yield f"  {same} other candidate(s) give the same code as earlier ones"
    if not a.found.complete:
        yield f"  the budget of {a.budget:g} s is spent; --budget gives more"
    yield f"best: {_best(a)}"


def _row(t: Tried) -> tuple[str, str, str]:
    ratio = "-" if t.ratio is None else f"{t.ratio:.2f}"
    return str(t.tuning), ratio, t.verdict.value + (f": {t.why}" if t.why else "")


def _best(a: Answer) -> str:
    found = a.found
    if not found.tuning.changes():
        return "the defaults"
    gain = f"{found.ratio:.2f} of the default's time in {found.rounds} rounds"
    stored = f"; stored for {a.place}" if a.kept else "; not stored"
    return f"{found.tuning} ({gain}){stored}"


def to_json(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return all answers as JSON."""
    return {"format": 1, "entries": [_answer(a) for a in answers]}


def _answer(a: Answer) -> dict[str, Any]:
    found = a.found
    return {
        "name": a.name,
        "entry": a.entry,
        "via": a.via,
        "place": a.place,
        "sizes": a.sizes,
        "judge": a.judge,
        "default_ms": round(1e3 * found.default_seconds, 4),
        "noise": round(found.noise, 4),
        "tuned": found.tuning.changes(),
        "ratio": round(found.ratio, 4),
        "kept": a.kept,
        "complete": found.complete,
        "budget_seconds": a.budget,
        "seconds": round(a.seconds, 3),
        "tried": [
            {
                "tuning": t.tuning.changes(),
                "verdict": t.verdict.value,
                "ratio": None if t.ratio is None else round(t.ratio, 4),
                "why": t.why,
            }
            for t in found.tried
        ],
    }
