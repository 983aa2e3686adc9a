"""Draw the timeline: the live range of each block over the steps, and above it the bytes held."""

from collections.abc import Mapping, Sequence
from enum import Enum

from funmem.codegen.memory_plan import BlockPlan
from funmem.codegen.memory_plan.symbols import QuantityKind
from funmem.codegen.plan import For, If, While
from funmem.explain.markup import tag, text
from funmem.explain.report import EntryReport, Moment, nodes_of
from funmem.ir.diagnostics import NOWHERE
from funmem.ir.names import Name
from funmem.ir.record import frozen

NOMINAL = 1000
"""The value of sizes that are not given."""

LEFT, RIGHT, TOP, CURVE, ROW, AXIS = 210, 90, 26, 130, 24, 40
"""Pixels of: labels, sizes, the bands' names, the curve, one block, the axis."""


@frozen
class Column:
    """A step that works, or the start or the end of the call."""

    step: int
    label: str
    line: str
    title: str
    live: int


@frozen
class Numbers:
    """The bytes of each block (by its site), the bytes held after each step, and the peak.

    They hold for ``values``, of which the caller of the program chooses those in ``given``.
    ``assumed``: True if the values are assumed and not measured.
    """

    blocks: Mapping[int, int]
    live: Mapping[int, int]
    peak: int
    values: Mapping[Name, int]
    given: frozenset[Name]
    assumed: bool


def numbers(r: EntryReport) -> Numbers:
    """Return the measured numbers, or else the formulas' values for NOMINAL quantities."""
    m = r.measured
    if m is not None:
        values = {x: v for x, v in r.scalars.items() if isinstance(v, int)}
        return Numbers(m.blocks, m.live, m.peak, values, frozenset(values), False)
    atoms = r.peak.atoms
    sizes = [*(b.bytes for b in r.plan.blocks), *r.plan.live.values()]
    used = atoms.used(sizes)
    every = {q.name: NOMINAL for q in used}
    given = frozenset(q.name for q in used if q.kind in (QuantityKind.SIZE, QuantityKind.ARGUMENT))
    blocks = {b.site: atoms.evaluate(b.bytes, every) for b in r.plan.blocks}
    live = {step: atoms.evaluate(d, every) for step, d in r.plan.live.items()}
    return Numbers(blocks, live, max(live.values(), default=0), every, given, True)


def timeline(r: EntryReport, n: Numbers) -> str:
    """Return the drawing as SVG."""
    columns = _columns(r, n)
    wide = max(16, min(150, 760 // len(columns)))
    width = LEFT + wide * len(columns) + RIGHT
    blocks = r.plan.blocks
    height = TOP + CURVE + 14 + ROW * len(blocks) + AXIS
    parts = [
        *_bands(r, columns, wide, height),
        *_curve(columns, n, wide),
        *(_row(r, b, k, columns, n, wide) for k, b in enumerate(blocks)),
        *_axis(columns, wide, height),
    ]
    label = f"Timeline of the blocks of {r.name}"
    return tag(
        "svg",
        *parts,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
    )


def _columns(r: EntryReport, n: Numbers) -> tuple[Column, ...]:
    works = [m for m in r.moments if m.work]
    start = Column(-1, "start", "", "the arguments", n.live.get(-1, 0))
    inner = [
        Column(m.step, str(k), _line(m), _title(k, m), n.live.get(m.step, 0))
        for k, m in enumerate(works, 1)
    ]
    after = len(r.moments)
    end = Column(after, "end", "", "the results", n.live.get(after, 0))
    return (start, *inner, end)


def _line(m: Moment) -> str:
    return str(m.at.line) if m.at != NOWHERE else ""


def _title(k: int, m: Moment) -> str:
    at = f", line {m.at.line}" if m.at != NOWHERE else ""
    return f"{k}{at}: {m.what}"


def _rect(x: float, y: float, width: float, height: float, class_: str, title: str) -> str:
    label = tag("title", text(title))
    return tag("rect", label, x=x, y=y, width=width, height=height, rx=3, class_=class_)


# ---------------------------------------------------------------------- bands


def _bands(r: EntryReport, columns: Sequence[Column], wide: int, height: int) -> list[str]:
    """Draw loops and branches as shaded bands behind their steps."""
    drawn: list[str] = []
    for node in nodes_of(r):
        inside = [k for k, c in enumerate(columns) if node.index < c.step <= node.last]
        if not isinstance(node.step, For | While | If) or not inside:
            continue
        what = r.moments[node.index].what
        x, w = LEFT + inside[0] * wide, len(inside) * wide
        shade = _rect(x, TOP - 14, w, height - TOP - AXIS + 14, "band", what)
        room = max(3, w // 7)
        short = what if len(what) <= room else f"{what[: room - 1]}…"
        drawn.append(shade)
        if node.depth == 0 or isinstance(node.step, For | While):
            drawn.append(tag("text", text(short), x=x + 4, y=TOP - 4, class_="small"))
    return drawn


# ---------------------------------------------------------------------- the curve


def _curve(columns: Sequence[Column], n: Numbers, wide: int) -> list[str]:
    top = max(1, n.peak, *(c.live for c in columns))
    base = TOP + CURVE

    def y(live: int) -> float:
        return round(base - live / top * (CURVE - 16), 1)

    lines = []
    for share in (0.5, 1):
        at = y(round(top * share))
        end = LEFT + wide * len(columns)
        lines.append(tag("line", x1=LEFT, x2=end, y1=at, y2=at, class_="grid"))
        label = tag("text", text(human(round(top * share))), x=LEFT - 8, y=at + 4, class_="right")
        lines.append(label)
    points = [f"M{LEFT} {base}"]
    for k, c in enumerate(columns):
        points.append(f"L{LEFT + k * wide} {y(c.live)} L{LEFT + (k + 1) * wide} {y(c.live)}")
    points.append(f"L{LEFT + len(columns) * wide} {base} Z")
    area = tag("path", tag("title", "bytes held"), d=" ".join(points), class_="area")
    where = max(range(len(columns)), key=lambda k: columns[k].live)
    x = LEFT + where * wide + wide / 2
    mark = tag("circle", cx=x, cy=y(columns[where].live), r=3.5, class_="mark")
    name = tag("text", "bytes held", x=8, y=base - 4, class_="small")
    floor = tag("line", x1=LEFT, x2=LEFT + wide * len(columns), y1=base, y2=base, class_="axis")
    return [*lines, area, mark, name, floor]


# ---------------------------------------------------------------------- blocks


def _row(
    r: EntryReport, b: BlockPlan, k: int, columns: Sequence[Column], n: Numbers, wide: int
) -> str:
    """Draw a block's name, its bars and its size."""
    y = TOP + CURVE + 14 + k * ROW
    size = n.blocks.get(b.site, 0)
    held = [_held(b, c, columns, j, r) for j, c in enumerate(columns)]
    what = f"{b.name}: {size} bytes"
    kind = "argument" if b.step is None else "result" if b.result else "inner"
    bars = [
        _rect(
            LEFT + first * wide + 1,
            y + 4,
            (last - first + 1) * wide - 2,
            ROW - 8,
            kind if sure else f"{kind} maybe",
            what if sure else f"{what}; this block or another one",
        )
        for first, last, sure in _runs(held)
    ]
    name = b.name if len(b.name) <= _NAME else f"{b.name[: _NAME - 1]}…"
    label = tag(
        "text", tag("title", text(b.name)), text(name), x=LEFT - 8, y=y + 16, class_="right code"
    )
    end = LEFT + wide * len(columns)
    number = tag("text", text(human(size)), x=end + 8, y=y + 16, class_="small")
    line = tag("line", x1=LEFT, x2=end, y1=y + ROW, y2=y + ROW, class_="grid")
    return line + label + "".join(bars) + number


_NAME = 26
"""The maximum number of letters of a block's name."""


class Bar(Enum):
    """The state of a block in a column: free, possibly live, or live."""

    NO = 0
    MAYBE = 1
    YES = 2


def _held(b: BlockPlan, c: Column, columns: Sequence[Column], k: int, r: EntryReport) -> Bar:
    """Return the measured state of a block in a column, or else the plan's.

    A block that no working step needs is shown where it is allocated.
    """
    if not any(x.step in b.held for x in columns) and k + 1 < len(columns):
        here = b.step is not None and c.step < b.step <= columns[k + 1].step
        return Bar.YES if here else Bar.NO
    if r.measured is not None:
        return Bar.YES if b.site in r.measured.held.get(c.step, ()) else Bar.NO
    if c.step not in b.held:
        return Bar.NO
    return Bar.MAYBE if c.step in b.maybe else Bar.YES


def _runs(held: Sequence[Bar]) -> list[tuple[int, int, bool]]:
    """Return the ranges of columns in which a block is live: first and last index, and True if this
    is certain.
    """
    runs: list[tuple[int, int, bool]] = []
    for k, here in enumerate(held):
        sure = here is Bar.YES
        if here is Bar.NO:
            continue
        if runs and runs[-1][1:] == (k - 1, sure):
            runs[-1] = (runs[-1][0], k, sure)
        else:
            runs.append((k, k, sure))
    return runs


# ---------------------------------------------------------------------- the axis


def _axis(columns: Sequence[Column], wide: int, height: int) -> list[str]:
    y = height - AXIS
    every = max(1, -(-30 // wide)) if len(columns) > 2 else 1
    drawn = []
    for k, c in enumerate(columns):
        x = LEFT + k * wide
        shown = k in (0, len(columns) - 1) or k % every == 0
        title = tag("title", text(c.title))
        drawn.append(tag("rect", title, x=x, y=TOP, width=wide, height=y - TOP, class_="hover"))
        if shown:
            drawn.append(tag("text", text(c.label), x=x + wide / 2, y=y + 16, class_="middle"))
            line = text(c.line)
            drawn.append(tag("text", line, x=x + wide / 2, y=y + 32, class_="small middle"))
    drawn.append(tag("text", "step", x=8, y=y + 16, class_="small"))
    drawn.append(tag("text", "line", x=8, y=y + 32, class_="small"))
    return drawn


UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def human(n: int) -> str:
    """Return a number of bytes with a unit: 1536 -> ``1.5 KiB``."""
    power = min(max(n.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    return f"{n / (1 << 10 * power):.4g} {UNITS[power]}"
