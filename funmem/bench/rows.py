"""The results of a benchmark: a row for each task and engine; JSON files; comparison of files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, field

from funmem.bench.limits import Limits
from funmem.bench.rounds import Times, ratio
from funmem.bench.work import Work
from funmem.codegen.files import write_file
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.record import frozen

FORMAT = 2


@frozen
class Row:
    """The results of one task on one engine.

    Times are medians over the rounds, in milliseconds.  ``spread`` is the interquartile range,
    relative to the median.  ``ratios``: funmem's time over the peer's, median over the rounds.
    ``absent``: skipped peers, and why.  ``bytes``, ``flops``: the work, a lower bound if
    ``at_least``.  ``tuned``: the tuning that was used.  ``safe``: True if funmem's kernels check
    bounds.
    """

    name: str
    via: str
    sizes: Mapping[str, int]
    verified: bool
    judge: str
    funmem_ms: float | None = None
    spread: float | None = None
    compile_ms: float | None = None
    build_ms: float | None = None
    first_ms: float | None = None
    transfer_ms: float | None = None
    rounds_ms: tuple[float, ...] = ()
    peers_ms: Mapping[str, float] = field(factory=dict)
    ratios: Mapping[str, float] = field(factory=dict)
    absent: Mapping[str, str] = field(factory=dict)
    bytes: float | None = None
    flops: float | None = None
    at_least: bool = False
    bandwidth_share: float | None = None
    flops_share: float | None = None
    tuned: Mapping[str, int] = field(factory=dict)
    safe: bool = True
    error: str = ""

    @property
    def kernels(self) -> str:
        """The word for ``safe`` in tables."""
        return "safe" if self.safe else "fast"


def row_of(
    name: str,
    via: str,
    sizes: Mapping[str, int],
    judge: str,
    ours: Times,
    prepared: Mapping[str, float],
    peers: Sequence[Times],
    absent: Mapping[str, str],
    work: Work,
    limits: Limits | None,
) -> Row:
    """Return the row of a task whose results are correct."""
    seconds = ours.median
    return Row(
        name=name,
        via=via,
        sizes=sizes,
        verified=True,
        judge=judge,
        funmem_ms=_ms(seconds),
        spread=round(ours.spread, 3),
        compile_ms=_ms(prepared.get("compile", 0.0)),
        build_ms=_ms(prepared.get("build", 0.0)),
        first_ms=_ms(ours.first),
        transfer_ms=_ms(ours.transfer),
        rounds_ms=tuple(map(_ms, ours.rounds)),
        peers_ms={p.name: _ms(p.median) for p in peers},
        ratios={p.name: round(ratio(ours, p), 3) for p in peers},
        absent=absent,
        bytes=work.bytes,
        flops=work.flops,
        at_least=work.least,
        bandwidth_share=_share(work.bytes, seconds, limits.bandwidth if limits else None),
        flops_share=_share(work.flops, seconds, limits.flops if limits else None),
    )


def _ms(seconds: float) -> float:
    return round(1e3 * seconds, 4)


def _share(amount: float, seconds: float, limit: float | None) -> float | None:
    return None if not limit or not seconds else round(amount / seconds / limit, 4)


# ---------------------------------------------------------------------- files


def to_json(
    rows: Sequence[Row], limits: Limits | None, settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return all rows, the limits of the machine that they were measured on, and the settings."""
    found = None
    if limits is not None:
        found = {"triad_bytes_per_s": limits.bandwidth, "f32_flops": limits.flops}
    head = {"format": FORMAT, "limits": found, "settings": dict(settings or {})}
    return head | {"rows": [asdict(r) for r in rows]}


def write(
    path: Path,
    rows: Sequence[Row],
    limits: Limits | None,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write the rows as JSON.  Raises UsageError if the file cannot be written."""
    write_file(path, json.dumps(to_json(rows, limits, settings), indent=1) + "\n")


def read_rows(path: Path, settings: Mapping[str, Any]) -> list[Row]:
    """Read all rows of a run that had these settings, for a run that continues it.

    Raises UsageError if the file cannot be read, or if its settings were others.
    """
    try:
        found = json.loads(path.read_text("utf-8"))
        before, rows = found["settings"], [Row(**r) for r in found["rows"]]
    except OSError as error:
        raise _usage(f"cannot read `{path}`: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise _usage(f"`{path}` was not written by `funmem bench --json`") from None
    for key, value in settings.items():
        if before.get(key) != value:
            what = f"its {key} is {before.get(key)!r}, and this run's {value!r}"
            raise _usage(f"the run of `{path}` cannot be resumed: {what}")
    return rows


@frozen
class Old:
    """The part of an earlier row that a comparison needs.  ``safe`` is None in old files."""

    funmem_ms: float
    ratios: Mapping[str, float]
    sizes: Mapping[str, int]
    safe: bool | None = True


def read(path: Path) -> dict[tuple[str, str], Old]:
    """Read earlier rows that have a time, by name and engine.  Raises UsageError."""
    try:
        found = json.loads(path.read_text("utf-8"))
        rows = found["rows"]
        return {
            (r["name"], r["via"]): Old(r["funmem_ms"], r["ratios"], r["sizes"], r.get("safe"))
            for r in rows
            if r["funmem_ms"] is not None
        }
    except OSError as error:
        raise _usage(f"cannot read `{path}`: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise _usage(f"`{path}` was not written by `funmem bench --json`") from None


@frozen
class Change:
    """A row's time over its earlier time.

    ``by`` is a peer that both benchmarks measured; the factor is then the quotient of the ratios.
    Without such a peer (""), it is the quotient of the times, which also depends on the machine's
    load.
    """

    name: str
    via: str
    factor: float
    by: str


def compare(rows: Sequence[Row], old: Mapping[tuple[str, str], Old]) -> list[Change]:
    """Compare the rows that both benchmarks have, with the same sizes and the same ``safe``."""
    changes = []
    for r in rows:
        before = old.get((r.name, r.via))
        if before is None or r.funmem_ms is None or before.safe is not r.safe:
            continue
        if dict(before.sizes) != dict(r.sizes):
            continue
        common = [p for p in r.ratios if before.ratios.get(p)]
        if common:
            factor, by = r.ratios[common[0]] / before.ratios[common[0]], common[0]
        else:
            factor, by = r.funmem_ms / max(before.funmem_ms, 1e-9), ""
        changes.append(Change(r.name, r.via, round(factor, 3), by))
    return changes


def _usage(message: str) -> UsageError:
    return UsageError(Diagnostic(NOWHERE, "bench", message))
