"""Many generated programs, and what was found: the engine of ``funmem fuzz``.

Seeds are handed out in portions, to processes or to Dask workers: to a :class:`Runner`.  What
became of a portion is one line of the state file, so that a campaign that was stopped goes on where
it was, and several machines can share the seeds (:func:`portions`).
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
from funmem.testing.campaign.batch import Settings, Task, Work, name_of, run_portion
from funmem.testing.campaign.on_processes import Runner
from funmem.testing.campaign.trial import Disagreement, Trial

PORTION = 20
"""Seeds that one process does before it reports."""


def portions(first: int, count: int, shard: tuple[int, int] = (1, 1)) -> list[range]:
    """The seeds in portions; of these each n-th, from the i-th on, for shard i of n."""
    i, n = shard
    starts = range(first, first + count, PORTION)
    return [range(k, min(k + PORTION, first + count)) for k in starts][i - 1 :: n]


def campaign(
    settings: Settings,
    todo: Sequence[range],
    *,
    runner: Runner,
    out: Path,
    state: Path | None = None,
    after: Callable[[Trial], None] = lambda _: None,
    work: Work = run_portion,
) -> tuple[Trial, int]:
    """All portions, and how many programs of them an earlier run had done.

    ``work`` is what is done with a portion, ``runner`` where; what each gave is written here, each
    once, and passed to ``after``.  Disagreements are written to ``out`` as they are found, as
    reproducers where they can be reduced.  With ``state`` portions of an earlier run are not done
    again.  Raises UsageError if that was another campaign, DeviceError if there is no device to run
    on, and what ``runner`` raises.
    """
    total = Trial()
    with _State(state, settings) as record:
        for known in record.earlier(todo):
            total.add(known)
            after(known)
        before = total.programs
        left = [p for p in todo if p.start not in record.known]
        with closing(runner(Task(settings, work), left)) as results:
            for portion, done in results:
                for d in done.trial.disagreements:
                    write(d, out, done.reduced.get(d.seed))
                record.write(portion, done.trial)
                total.add(done.trial)
                after(done.trial)
    return total, before


# ---------------------------------------------------------------------- files


def write(d: Disagreement, out: Path, reduced: str | None = None) -> None:
    """A disagreement as a file that repeats it: reduced, or the program as it then was."""
    make_folder(out)
    if reduced is not None:
        write_file(out / name_of(d), reduced)
        return
    head = f"seed {d.seed}\npipeline {d.passes}\nengine {d.engine}\ncode {d.code}\n{d.message}\n"
    head += f"again: funmem fuzz -n 1 --seed {d.seed}, with the same other options\n"
    comment = "".join(f"-- {line}\n" for line in head.splitlines())
    (out / name_of(d)).unlink(missing_ok=True)  # of an earlier campaign
    write_file(_unreduced(d, out), comment + d.text)


def file_of(d: Disagreement, out: Path) -> Path:
    """Where a disagreement was written."""
    reduced = out / name_of(d)
    return reduced if reduced.exists() else _unreduced(d, out)


def _unreduced(d: Disagreement, out: Path) -> Path:
    return out / f"seed_{d.seed}.txt"


class _State:
    """The state file: the settings, then a line for each portion that is done."""

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
        """Every line was written when it was known."""

    def _read(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        try:
            settings = json.loads(lines[0])["settings"]
        except (ValueError, KeyError, TypeError, IndexError):
            raise _bad(path, "is no state of a campaign") from None
        if settings != self._settings.key():
            raise _bad(path, "belongs to a campaign with other settings")
        for line in lines[1:]:
            try:
                row = json.loads(line)
                self.known[row["first"]] = (row["count"], trial_of(row["trial"]))
            except (ValueError, KeyError, TypeError):  # a line that a killed process began
                continue

    def earlier(self, todo: Sequence[range]) -> Iterator[Trial]:
        """What is known of portions; those of other seeds do not count."""
        for p in todo:
            count, t = self.known.get(p.start, (len(p), None))
            if count != len(p):
                del self.known[p.start]
            elif t is not None:
                yield t

    def write(self, portion: range, t: Trial) -> None:
        """Remembers a portion."""
        self._append({"first": portion.start, "count": len(portion), "trial": asdict(t)})

    def _append(self, row: Mapping[str, object]) -> None:
        if self._path is not None:
            append(self._path, "\n" * self._cut_off(self._path) + json.dumps(row) + "\n")

    def _cut_off(self, path: Path) -> bool:
        """Whether the last line has no end."""
        content = path.read_bytes() if path.exists() else b""
        return bool(content) and not content.endswith(b"\n")


def trial_of(row: Mapping[str, Any]) -> Trial:
    """A trial that was written as JSON."""
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
"""Every kind of expression and collective that a generated program may have."""


def figures(t: Trial, seconds: float, before: int = 0) -> dict[str, object]:
    """The figures of a campaign as data; all programs but those ``before`` took so long."""
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
    """The figures of a campaign, for a person."""
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
