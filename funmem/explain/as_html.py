"""An explanation as one self-contained HTML page without scripts."""

from collections.abc import Iterator

from funmem.codegen.memory_plan import BlockPlan
from funmem.codegen.memory_plan.formula import show, show_size
from funmem.explain.as_text import arrays_in_words, moment, peak_lines, place
from funmem.explain.drawing import drawings
from funmem.explain.markup import code, table, tag, text
from funmem.explain.report import EntryReport, Explanation, lifetime
from funmem.explain.style import STYLE
from funmem.explain.timeline import Numbers, human, numbers, timeline
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.passes.mem.copying import ArrayCopy


def to_html(x: Explanation) -> str:
    """Return the page."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = (
        '<meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        + tag("title", text(f"{x.source}: memory"))
        + tag("style", STYLE)
    )
    lead = tag("header", tag("h1", text(x.source)), tag("p", "Use of memory"))
    passes = tag("details", tag("summary", "The passes"), tag("p", code(x.pipeline)))
    entries = [_entry(r, x) for r in x.entries]
    body = tag("body", tag("main", lead, *entries, passes))
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>{body}</html>\n'


def _entry(r: EntryReport, x: Explanation) -> str:
    n = numbers(r)
    parts = [
        tag("h2", text(r.name)),
        tag("p", code(r.head)),
        _peak(r, n),
        tag("h3", "Blocks over time"),
        _assumed(n),
        tag("div", timeline(r, n), class_="wide"),
        _LEGEND,
        _blocks(r, n),
        _thread_blocks(r),
    ]
    if r.tree is not None:
        parts += [
            tag("h3", "Copies that stay"),
            _kept(r, x),
            tag("h3", "Copies that went"),
            _gone(r, x),
            tag("h3", "Index functions"),
            drawings(r),
        ]
    parts += [tag("details", tag("summary", "The steps of the host"), _steps(r, n))]
    return tag("section", *parts)


def _peak(r: EntryReport, n: Numbers) -> str:
    first, *more = peak_lines(r)
    formula = first.removeprefix("Peak: ")
    number = "" if n.assumed else tag("p", text(human(n.peak)), class_="number")
    notes = "".join(tag("p", text(line.strip()), class_="small") for line in more)
    what = tag("p", "Peak", class_="small")
    return tag("div", what, number, tag("p", code(formula), class_="formula"), notes, class_="card")


def _assumed(n: Numbers) -> str:
    if not n.assumed or not n.values:
        return ""
    shown = [f"{x} = {v}" for x, v in sorted(n.values.items()) if x in n.given]
    more = len(n.values) - len(shown)
    names = ", ".join(shown) + (f" (and the same for {more} other quantities)" if more else "")
    return tag("p", text(f"Drawn for {names}; --sizes sets other values."), class_="small")


_LEGEND = tag(
    "p",
    *(
        tag("span", tag("i", class_=f"key {kind}"), what)
        for kind, what in (
            ("argument", "argument"),
            ("inner", "intermediate"),
            ("result", "result"),
            ("band", "loop or branch"),
            ("inner maybe", "this block or another one"),
        )
    ),
    class_="legend",
)


# ---------------------------------------------------------------------- tables


def _blocks(r: EntryReport, n: Numbers) -> str:
    head = ("block", "bytes", "" if n.assumed else "here", "held", "arrays in it")
    return table(head, (_block(b, r, n) for b in r.plan.blocks))


def _block(b: BlockPlan, r: EntryReport, n: Numbers) -> Iterator[str]:
    first, last = lifetime(b, r)
    yield code(b.name)
    yield code(show(b.bytes, r.peak.atoms))
    yield "" if n.assumed else text(f"{n.blocks.get(b.site, 0):,}")
    yield f"{_words(moment(first, 'start'))} – {_words(moment(last, 'end'))}"
    yield text(arrays_in_words(r.arrays.get(b.name, ())))


def _thread_blocks(r: EntryReport) -> str:
    """Return the table of the blocks in registers or on a thread's stack."""
    rows = [
        (code(b.name), code(show_size(b.bytes)), text(b.space.value), text(place(b.at)))
        for b in r.thread_blocks
    ]
    head = ("block of each thread", "bytes", "space", "where")
    return table(head, rows) if rows else ""


def _words(words: str) -> str:
    """Return text as markup; text between backticks is code."""
    return code(words.strip("`")) if words.startswith("`") else text(words)


def _kept(r: EntryReport, x: Explanation) -> str:
    if not r.kept:
        return tag("p", "None.")
    rows = (
        (
            _place(k.copy.at, x),
            _copy(k.copy),
            code(show_size(k.copy.bytes)) + _around(k.copy),
            tag("b", text(k.reason.condition)) + tag("br") + text(k.reason.reason),
        )
        for k in r.kept
    )
    return table(("where", "copy", "bytes", "the condition that fails, and why"), rows, "copies")


def _gone(r: EntryReport, x: Explanation) -> str:
    if not r.gone:
        return tag("p", "None.")
    rows = ((_place(g.copy.at, x), _copy(g.copy), text(g.pass_name), text(g.how)) for g in r.gone)
    return table(("where", "copy", "pass", "how"), rows, "copies")


def _place(at: Span, x: Explanation) -> str:
    """Return a line's number and its text."""
    if at.file != x.source or not 0 < at.line < len(x.lines):
        return "" if at == NOWHERE else text(at)
    line = x.lines[at.line].strip()
    short = line if len(line) <= _LINE else f"{line[: _LINE - 1]}…"
    return text(f"line {at.line}") + tag("br") + code(short)


_LINE = 48


def _copy(c: ArrayCopy) -> str:
    to = f" → {code(c.dest)}" if c.dest != c.source else ""
    return f"{text(c.kind.value)}{tag('br')}{code(c.source)}{to}"


def _around(c: ArrayCopy) -> str:
    lines = []
    for a in c.around:
        times = "" if a.times is None else f", {show_size(a.times)} times"
        at = "" if a.at == NOWHERE else f" of line {a.at.line}"
        lines.append(tag("br") + tag("span", text(f"in the {a.what}{at}{times}"), class_="small"))
    return "".join(lines)


def _steps(r: EntryReport, n: Numbers) -> str:
    """Return the table of the host's steps in order: work, memory and control."""
    number = {m.step: k for k, m in enumerate((m for m in r.moments if m.work), 1)}
    rows = (
        (
            text(number.get(m.step, "")),
            text("" if m.at == NOWHERE else m.at.line),
            tag("span", code(m.what), style=f"margin-left:{1.2 * m.depth}em"),
            text(f"{n.live.get(m.step, 0):,}") if m.work else "",
        )
        for m in r.moments
        if m.work or m.memory_or_control
    )
    return table(("step", "line", "what", "bytes held"), rows, "steps")
