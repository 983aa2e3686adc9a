"""An explanation as text for a terminal."""

from collections.abc import Iterator, Sequence

from funmem.codegen.memory_plan import BlockPlan
from funmem.codegen.memory_plan.formula import show, show_size
from funmem.codegen.memory_plan.state import LARGEST
from funmem.explain.as_json import block_value
from funmem.explain.report import (
    Crossing,
    EntryReport,
    Explanation,
    GoneCopy,
    KeptCopy,
    Moment,
    OwnedArray,
    lifetime,
    status_words,
)
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.passes.mem.copying import ArrayCopy

MOST_ARRAYS = 4
"""The maximum number of a block's arrays that are listed by name."""


def to_text(x: Explanation) -> str:
    """Return the explanation of a program as text."""
    entries = (line for r in x.entries for line in (*_entry(r), ""))
    return "\n".join((*entries, *_operations(x))).rstrip("\n") + "\n"


def _operations(x: Explanation) -> Iterator[str]:
    """Yield the lines on array operations that allocate or recurse, if there are any."""
    if x.operations:
        yield "Array operations that allocate or recurse"
        yield from (f"  {r.place}: {r.reason}" for r in x.operations)


def _entry(r: EntryReport) -> Iterator[str]:
    yield r.head
    yield ""
    yield from peak_lines(r)
    yield ""
    yield "Blocks"
    yield from _indented(_table([_block_row(b, r) for b in r.plan.blocks]), "  none")
    if r.thread_blocks:
        yield ""
        yield "Private blocks of each thread"
        rows = [(b.name, show_size(b.bytes), b.space.value, place(b.at)) for b in r.thread_blocks]
        yield from _indented(_table(rows), "")
    if r.tree is None:
        return
    yield ""
    yield "Copies that stay"
    yield from _indented([x for k in r.kept for x in _kept(k)], "  none")
    yield ""
    yield "Copies that went"
    yield from _indented([_gone(g) for g in r.gone], "  none")
    if r.crossings:
        yield ""
        yield "Copies to and from foreign functions"
        yield from _indented([_crossing(c) for c in r.crossings], "")


def _crossing(c: Crossing) -> str:
    what = "to" if c.taken else "from"
    return f"{place(c.at)}: {what} {c.function}: array {c.k + 1} of its {_SIDES[c.taken]}"


_SIDES = {True: "arguments", False: "results"}


def peak_lines(r: EntryReport) -> Iterator[str]:
    """Yield the lines on the peak: the formula, its conditions, its quantities, and the number."""
    at_most = "" if r.peak.exact else "at most "
    yield f"Peak: {at_most}{r.peak} bytes"
    short = str(r.peak.for_positive_sizes())
    if short != str(r.peak):
        yield f"  where no size is 0: {short} bytes"
    if r.peak.conditions:
        yield f"  exact where {', and '.join(_conditions(r.peak.conditions))}"
    for q in r.peak.quantities:
        if (what := MEANING.get(q.kind.value)) is not None:
            at = r.place(q.of)
            where = f" (line {at.line})" if at != NOWHERE else ""
            value = "" if r.measured is None else f"; here {r.measured.quantities[q.name]}"
            yield f"  {q.name}: {what.format(q.of)}{where}{value}"
    if r.measured is not None:
        given = ", ".join(f"{x} = {v}" for x, v in r.scalars.items())
        yield f"  {r.measured.peak} bytes{f' for {given}' if given else ''}"
        if not r.peak.holds(r.measured.quantities):
            yield "  the formula does not hold here: a number that it depends on wraps around"
    if words := status_words(r.plan.entry):
        yield f"  plus {8 * words} bytes in every call for reports from kernels"


def _conditions(every: Sequence[str]) -> Iterator[str]:
    """Conditions, of which those about many blocks become one."""
    blocks = [c.removesuffix(LARGEST) for c in every if c.endswith(LARGEST)]
    yield from (c for c in every if not c.endswith(LARGEST))
    if len(blocks) > MOST_ARRAYS:
        yield f"{blocks[0]} and {len(blocks) - 1} other blocks are as large as they ever are"
    else:
        yield from (b + LARGEST for b in blocks)


MEANING = {
    "data": "computed from the data",
    "branch": "depends on a condition",
    "final": "the final value of a loop variable",
    "largest": "the largest `{}` in a loop",
    "bytes": "the largest size of block `{}` in bytes",
}
"""Kind of a quantity -> its meaning.  Sizes and scalar arguments need no explanation."""


# ---------------------------------------------------------------------- blocks


def _block_row(b: BlockPlan, r: EntryReport) -> tuple[str, ...]:
    first, last = lifetime(b, r)
    size = show(b.bytes, r.peak.atoms)
    value = block_value(b, r)
    return (
        b.name,
        size if value is None or size == str(value) else f"{size} = {value}",
        f"{moment(first, 'start')} to {moment(last, 'end')}",
        arrays_in_words(r.arrays.get(b.name, ())),
    )


def arrays_in_words(arrays: Sequence[OwnedArray]) -> str:
    """Return the names and lines of arrays: ``x (line 3), y (line 4) and 2 more``."""
    shown = [f"{a.name} ({place(a.at)})".replace(" ()", "") for a in arrays[:MOST_ARRAYS]]
    more = len(arrays) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def place(at: Span) -> str:
    """Return ``line 3``, or "" for a place that is not in the source."""
    return "" if at == NOWHERE else f"line {at.line}"


def moment(m: Moment | None, otherwise: str) -> str:
    """Return the line of a moment, or its text if it has no line."""
    if m is None:
        return otherwise
    if m.at != NOWHERE:
        return f"line {m.at.line}"
    return f"`{m.what if len(m.what) <= _WORDS else f'{m.what[: _WORDS - 1]}…'}`"


_WORDS = 32


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    for row in rows:
        yield "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip()


def _indented(lines: Iterator[str] | Sequence[str], otherwise: str) -> Iterator[str]:
    found = False
    for line in lines:
        found = True
        yield f"  {line}"
    if not found:
        yield otherwise


# ---------------------------------------------------------------------- copies


def _kept(k: KeptCopy) -> Iterator[str]:
    yield f"{_copy(k.copy)}: {show_size(k.copy.bytes)} bytes{_around(k.copy)}"
    source = f"{k.reason.pass_name}: " if k.reason.pass_name else ""
    yield f"  {source}{k.reason}"


def _gone(g: GoneCopy) -> str:
    how = f": {g.how}" if g.how else ""
    return f"{_copy(g.copy)}, by {g.pass_name}{how}"


def _copy(c: ArrayCopy) -> str:
    to = f" to {c.dest}" if c.dest != c.source else ""
    where = f"line {c.at.line}" if c.at != NOWHERE else f"`{c.statement}`"
    return f"{where}: {c.kind.value}: {c.source}{to}"


def _around(c: ArrayCopy) -> str:
    """Return the loops and kernels around a copy: `` in the loop of line 5, n times``."""
    parts = []
    for a in c.around:
        times = "" if a.times is None else f", {show_size(a.times)} times"
        at = "" if a.at == NOWHERE else f" of {place(a.at)}"
        parts.append(f" in the {a.what}{at}{times}")
    return "".join(parts)
