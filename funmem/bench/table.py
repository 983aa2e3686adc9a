"""Rows as text tables."""

from collections.abc import Iterator, Sequence

from funmem.bench.limits import Limits
from funmem.bench.rows import Change, Row

KEYS = ("via", "kernels")
"""The engine, and whether kernels check bounds (safe) or not (fast)."""

OURS = ("compile", "build", "transfer", "run ms", "spread", "of triad", "of f32")


RATIOS = "funmem's time / the peer's time"


def table(rows: Sequence[Row], limits: Limits | None) -> Iterator[str]:
    """Yield the lines of two tables: funmem's times, and their ratios to the peers' times.  Skipped
    peers, tunings and wrong results follow.
    """
    if limits is not None:
        yield f"limits of this machine: {limits}"
        yield ""
    yield from aligned(_times(rows))
    if any((r.bandwidth_share or 0) > 1 for r in rows):
        yield "more than 100% of triad: the data fits in the caches, which are faster than memory"
    if any(r.ratios for r in rows):
        yield ""
        yield RATIOS
        yield from aligned(_ratios(rows))
    absent: dict[tuple[str, str], list[str]] = {}
    for r in rows:
        for peer, why in r.absent.items():
            absent.setdefault((peer, why), []).append(r.name)
    for (peer, why), names in absent.items():
        all_of_them = len(set(names)) == len({r.name for r in rows})
        which = "" if all_of_them else f" ({', '.join(dict.fromkeys(names))})"
        yield f"skipped {peer}{which}: {why}"
    for r in rows:
        if r.tuned:
            yield f"{r.name}, {r.via}: tuned: {', '.join(f'{x}={n}' for x, n in r.tuned.items())}"
    for r in rows:
        if not r.verified:
            yield f"{r.name}, {r.via}: not verified: {r.error}"


def in_a_line(r: Row) -> str:
    """Return the time of a row and its ratios to the peers' times, in one line."""
    if r.funmem_ms is None:
        return f"{r.name}, {r.via}: not verified: {r.error}"
    ratios = [f"{peer} {_number(x, 2)}" for peer, x in r.ratios.items()]
    return f"{r.name}, {r.via}: {', '.join([f'{_number(r.funmem_ms, 3)} ms', *ratios])}"


def document(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the two tables in Markdown."""
    yield from markdown(_times(rows))
    if any(r.ratios for r in rows):
        yield ""
        yield f"{RATIOS}:"
        yield ""
        yield from markdown(_ratios(rows))


def _times(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    return [("", *KEYS, *OURS), *(_ours(r) for r in rows)]


def _ratios(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    peers = list(dict.fromkeys(p for r in rows for p in r.ratios))
    ratios = [[_number(r.ratios.get(p), 2) for p in peers] for r in rows]
    lines = [(r.name, r.via, r.kernels, *x) for r, x in zip(rows, ratios, strict=True)]
    return [("", *KEYS, *peers), *lines]


def markdown(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table in Markdown; the first row is its head."""
    for k, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if k == 0:
            yield "|" + "---|" * len(row)


def changes(found: Sequence[Change]) -> Iterator[str]:
    """Yield the lines of a table that compares rows with earlier ones."""
    if not found:
        yield "no row of the earlier file is comparable"
        return
    lines = [("", "via", "new time / old time", "relative to")]
    for c in found:
        by = c.by or "nothing: the machine's load may differ"
        lines.append((c.name, c.via, f"{c.factor:.2f}", by))
    yield from aligned(lines, words=2)


def _ours(r: Row) -> tuple[str, ...]:
    if r.funmem_ms is None:
        return (r.name, r.via, r.kernels, *["-"] * len(OURS))
    sign = ">" if r.at_least else ""
    return (
        r.name,
        r.via,
        r.kernels,
        _number(r.compile_ms, 0),
        _number(r.build_ms, 0),
        _number(r.transfer_ms, 2),
        _number(r.funmem_ms, 3),
        _percent(r.spread),
        sign + _percent(r.bandwidth_share),
        sign + _percent(r.flops_share),
    )


def _number(x: float | None, digits: int) -> str:
    return "-" if x is None else f"{x:.{digits}f}"


def _percent(x: float | None) -> str:
    return "-" if x is None else f"{100 * x:.0f}%"


def aligned(lines: Sequence[Sequence[str]], words: int = 1 + len(KEYS)) -> Iterator[str]:
    """Yield aligned lines: the first ``words`` columns to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = zip(line, widths, strict=True)
        yield "  ".join(
            x.ljust(w) if k < words else x.rjust(w) for k, (x, w) in enumerate(cells)
        ).rstrip()
