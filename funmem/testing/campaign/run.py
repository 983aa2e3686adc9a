"""Campaigns over many generated programs: the engine of ``funmem fuzz``.

A :class:`Runner` distributes the seeds in batches to processes or to Dask workers.  The state file
has one line for each finished batch, so that a stopped campaign can continue.  Several machines can
share the seeds (:func:`batches`).
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, get_args, get_origin

from attrs import asdict

from funmem.codegen.files import append, make_folder, write_file
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.fun import Collective, Exp
from funmem.testing.campaign.batch import Settings, Task, Work, name_of, run_batch
from funmem.testing.campaign.on_processes import Runner
from funmem.testing.campaign.trial import Disagreement, Trial

BATCH = 20
"""Seeds in a batch: a process reports after each batch."""


def batches(first: int, count: int, shard: tuple[int, int] = (1, 1)) -> list[range]:
    """Return the batches of ``count`` seeds; for shard i of n, every n-th one from the i-th on."""
    i, n = shard
    starts = range(first, first + count, BATCH)
    return [range(k, min(k + BATCH, first + count)) for k in starts][i - 1 :: n]


def campaign(
    settings: Settings,
    todo: Sequence[range],
    *,
    runner: Runner,
    out: Path,
    state: Path | None = None,
    after: Callable[[Trial], None] = lambda _: None,
    work: Work = run_batch,
) -> tuple[Trial, int]:
    """Run all batches.  Return the totals, and the number of programs that an earlier run had done.

    ``work`` processes a batch, and ``runner`` runs it in some process.  Results are recorded here,
    each once, and passed to ``after``.  Disagreements are written to ``out`` when they are found,
    as reproducers if they can be reduced.  With ``state``, batches of an earlier run are skipped.
    Raises UsageError if ``state`` belongs to a different campaign, DeviceError if a requested
    device is missing, and what ``runner`` raises.
    """
    total = Trial()
    with _State(state, settings) as record:
        for known in record.earlier(todo):
            total.add(known)
            after(known)
        before = total.programs
        left = [p for p in todo if p.start not in record.known]
        with closing(runner(Task(settings, work), left)) as results:
            for batch, done in results:
                for d in done.trial.disagreements:
                    write(d, out, done.reduced.get(d.seed))
                record.write(batch, done.trial)
                total.add(done.trial)
                after(done.trial)
    return total, before


# ---------------------------------------------------------------------- files


def write(d: Disagreement, out: Path, reduced: str | None = None) -> None:
    """Write a disagreement to a file: the reduced reproducer, or the program where it failed."""
    make_folder(out)
    if reduced is not None:
        write_file(out / name_of(d), reduced)
        return
    head = f"seed {d.seed}\npipeline {d.passes}\nengine {d.engine}\ncode {d.code}\n{d.message}\n"
    head += f"again: funmem fuzz -n 1 --seed {d.seed}, with the same other options\n"
    comment = "".join(f"-- {line}\n" for line in head.splitlines())
    (out / name_of(d)).unlink(missing_ok=True)  # a file of an earlier campaign
    write_file(_unreduced(d, out), comment + d.text)


def file_of(d: Disagreement, out: Path) -> Path:
    """Return the file to which a disagreement was written."""
    reduced = out / name_of(d)
    return reduced if reduced.exists() else _unreduced(d, out)


def _unreduced(d: Disagreement, out: Path) -> Path:
    return out / f"seed_{d.seed}.txt"


class _State:
    """The state file: the settings, then one line for each finished batch."""

    def __init__(self, path: Path | None, settings: Settings) -> None:
        self._path, self._settings = path, settings
        self.known: dict[int, tuple[int, Trial]] = {}

    def __enter__(self) -> "_State":
        if self._path is None:
            return self
        if self._path.exists():
            self._read(self._path)
        else:
            self._append({"settings": self._settings.key()})
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: every line was written when its batch finished."""

    def _read(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        try:
            settings = json.loads(lines[0])["settings"]
        except (ValueError, KeyError, TypeError, IndexError):
            raise _bad(path, "is not the state of a campaign") from None
        if settings != self._settings.key():
            raise _bad(path, "belongs to a campaign with other settings")
        for line in lines[1:]:
            try:
                row = json.loads(line)
                self.known[row["first"]] = (row["count"], trial_of(row["trial"]))
            except (
                ValueError,
                KeyError,
                TypeError,
            ):  # left incomplete by a killed process
                continue

    def earlier(self, todo: Sequence[range]) -> Iterator[Trial]:
        """Yield the known results of batches, if they cover the same seeds."""
        for p in todo:
            count, t = self.known.get(p.start, (len(p), None))
            if count != len(p):
                del self.known[p.start]
            elif t is not None:
                yield t

    def write(self, batch: range, t: Trial) -> None:
        """Record a finished batch."""
        self._append({"first": batch.start, "count": len(batch), "trial": asdict(t)})

    def _append(self, row: Mapping[str, object]) -> None:
        if self._path is not None:
            append(self._path, "\n" * self._cut_off(self._path) + json.dumps(row) + "\n")

    def _cut_off(self, path: Path) -> bool:
        """True if the last line is incomplete."""
        content = path.read_bytes() if path.exists() else b""
        return bool(content) and not content.endswith(b"\n")


def trial_of(row: Mapping[str, Any]) -> Trial:
    """Return the trial that was written as JSON."""
    counters = {k: Counter(row[k]) for k in ("engines", "kinds", "changed")}
    depth = Counter({int(k): n for k, n in row["depth"].items()})
    found = [Disagreement(**d) for d in row["disagreements"]]
    return Trial(
        programs=row["programs"],
        variants=row["variants"],
        mutants=row["mutants"],
        trapping=row["trapping"],
        depth=depth,
        disagreements=found,
        **counters,
    )


def _bad(path: Path, what: str) -> UsageError:
    return UsageError(Diagnostic(NOWHERE, "state", f"`{path}` {what}", "name another file"))


# ---------------------------------------------------------------------- figures


KINDS = frozenset(
    (get_origin(c) or c).__name__ for c in (*get_args(Exp), *get_args(Collective))
) - {"Alloc"}
"""Every kind of expression and collective that a generated program may contain."""


def figures(t: Trial, seconds: float, before: int = 0) -> dict[str, object]:
    """Return the figures of a campaign as data.  ``seconds`` were spent on all programs but
    ``before``.
    """
    return {
        "programs": t.programs,
        "disagreements": len(t.disagreements),
        "programs_per_second": round((t.programs - before) / max(seconds, 1e-9), 3),
        "variants": t.variants,
        "mutants": t.mutants,
        "trapping": t.trapping,
        "engines": dict(sorted(t.engines.items())),
        "passes": dict(sorted(t.changed.items())),
        "kinds": dict(sorted(t.kinds.items())),
        "nesting": {str(k): n for k, n in sorted(t.depth.items())},
        "kinds_missing": sorted(KINDS - t.kinds.keys()),
        "found": [
            {"seed": d.seed, "passes": d.passes, "engine": d.engine, "code": d.code}
            for d in t.disagreements
        ],
    }


def summary(t: Trial, seconds: float, before: int = 0) -> str:
    """Return the figures of a campaign as a table for people."""
    rate = (t.programs - before) / max(seconds, 1e-9)
    missing = ", ".join(sorted(KINDS - t.kinds.keys())) or "none"
    rows = [
        f"programs        {t.programs}  ({rate:.1f} per second)",
        f"variants        {t.variants}",
        f"mutants         {t.mutants}",
        f"trapping        {t.trapping}",
        "engine runs     " + _counted(t.engines),
        "passes fired    " + _counted(t.changed),
        "nesting         " + _counted(t.depth),
        "kinds           " + _counted(t.kinds),
        f"kinds missing   {missing}",
        f"disagreements   {len(t.disagreements)}",
    ]
    causes = Counter((d.passes.rpartition(",")[2], d.engine, d.code) for d in t.disagreements)
    rows += [f"  {n:5d}  after {p}: {e}: {c}" for (p, e, c), n in causes.most_common()]
    return "\n".join(rows)


def _counted(c: Mapping[Any, int]) -> str:
    return ", ".join(f"{k} {v}" for k, v in sorted(c.items()))
