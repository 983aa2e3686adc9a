"""Many generated programs, on all processors, and what was found: the engine of ``funmem fuzz``.

Seeds are handed out in portions.  What became of a portion is one line of the state file, so that
a campaign that was stopped goes on where it was, and several machines can share the seeds
(:func:`portions`).  A process that dies of a program takes nothing else with it: the portions that
were under way are done again, each program in a process of its own.
"""

import json
import multiprocessing
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, get_args, get_origin

from attrs import asdict, frozen

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.fun import Collective, Exp
from funmem.testing.devices import Device, preloaded, require
from funmem.testing.orders import Orders
from funmem.testing.trial import Disagreement, Trial, seeded, trial

PORTION = 20
"""Seeds that one process does before it reports."""


@frozen
class Settings:
    """What is done with each seed.

    About one program in ``variants`` is a variant with dead branches.  Every ``opencl``-th program
    runs on PoCL as well, every ``oclgrind``-th on Oclgrind, every ``c``-th as C, with sanitizers
    where ``sanitize``; 0: none.  ``thorough``: all engines after each pass.  A disagreement is
    reduced for so many ``seconds``.
    """

    orders: Orders = Orders.MIXED
    variants: int = 0
    opencl: int = 0
    oclgrind: int = 0
    c: int = 0
    sanitize: bool = True
    thorough: bool = False
    seconds: float = 60.0

    def devices(self, seed: int) -> tuple[Device, ...]:
        """The devices that the program of a seed runs on."""
        as_c = Device.SANITIZED if self.sanitize else Device.C
        each = {Device.OPENCL: self.opencl, Device.OCLGRIND: self.oclgrind, as_c: self.c}
        return tuple(d for d, k in each.items() if k and has_a_turn(seed, k))

    def key(self) -> dict[str, object]:
        """What a state file must agree on."""
        return {**asdict(self, recurse=False), "orders": self.orders.value}


def portions(first: int, count: int, shard: tuple[int, int] = (1, 1)) -> list[range]:
    """The seeds in portions; of these each n-th, from the i-th on, for shard i of n."""
    i, n = shard
    starts = range(first, first + count, PORTION)
    return [range(k, min(k + PORTION, first + count)) for k in starts][i - 1 :: n]


def campaign(
    settings: Settings,
    todo: Sequence[range],
    *,
    jobs: int,
    out: Path,
    state: Path | None = None,
    after: Callable[[Trial], None] = lambda _: None,
    work: "Work | None" = None,
) -> tuple[Trial, int]:
    """All portions, and how many programs of them an earlier run had done.

    What each portion gave is passed to ``after`` as well; ``work`` is what is done with one.
    Disagreements are written to ``out`` as they are found, as reproducers where they can be
    reduced.  With ``state`` portions of an earlier run are not done again.  Raises UsageError if
    that was another campaign, DeviceError if there is no device to run on.
    """
    total = Trial()
    require(settings.devices(0))
    with _State(state, settings) as record:
        for done in record.earlier(todo):
            total.add(done)
            after(done)
        before = total.programs
        do = partial(work or run_portion, settings, out=out)
        left = [p for p in todo if p.start not in record.known]
        for portion, done in _all(do, settings, left, jobs):
            record.write(portion, done)
            total.add(done)
            after(done)
    return total, before


def has_a_turn(seed: int, k: int) -> bool:
    """Whether a seed is the one among ``k`` in a row that something is done with: any of them, so
    that it meets all that seeds choose by turns, such as the passes.
    """
    return Random(seed // k).randrange(k) == seed % k


# ---------------------------------------------------------------------- processes


Work: TypeAlias = Callable[..., Trial]
"""``work(settings, seeds, out=folder)``; processes import it."""


def _all(
    work: Callable[[range], Trial], settings: Settings, todo: Sequence[range], jobs: int
) -> Iterator[tuple[range, Trial]]:
    """What portions give, in the order in which they are done: in this process, if one suffices."""
    if jobs == 1 and not settings.c:
        for portion in todo:
            yield portion, work(portion)
        return
    waiting = list(reversed(todo))
    while waiting:
        running: dict[Future[Trial], range] = {}
        with _workers(settings, jobs) as pool:
            try:
                while waiting or running:
                    while waiting and len(running) < 2 * jobs:
                        portion = waiting.pop()
                        running[pool.submit(work, portion)] = portion
                    for f in wait(running, return_when=FIRST_COMPLETED).done:
                        found = f.result()
                        yield running.pop(f), found
            except BrokenProcessPool:
                pass
        for portion in running.values():
            yield portion, _one_by_one(work, settings, portion)


def _one_by_one(work: Callable[[range], Trial], settings: Settings, portion: range) -> Trial:
    """A portion, each program in a process of its own: one of them killed its process."""
    total = Trial()
    for seed in portion:
        with _workers(settings, 1) as pool:
            try:
                total.add(pool.submit(work, range(seed, seed + 1)).result())
            except BrokenProcessPool:
                passes = settings.orders.pipeline(seed)
                message = "the process died; what it printed last says more"
                d = Disagreement(seed, str(passes), len(passes.steps), "process", "died", message)
                total.add(Trial(programs=1, disagreements=[d]))
    return total


@contextmanager
def _workers(settings: Settings, jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes, with the sanitizers' library if it is needed."""
    environment = preloaded() if settings.c and settings.sanitize else os.environ
    before = dict(os.environ)
    os.environ.update(environment)  # children get it when they start
    try:
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, spawn, initializer=_end_with_parent) as pool:
            yield pool
    finally:
        os.environ.clear()
        os.environ.update(before)


def _end_with_parent() -> None:
    """A process would wait for work for ever if the one that hands it out were killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_portion(settings: Settings, seeds: range, *, out: Path) -> Trial:
    """The trials of these seeds; what disagrees is reduced and written."""
    total = Trial()
    for seed in seeds:
        devices = settings.devices(seed)
        t = trial(
            seed,
            orders=settings.orders,
            devices=devices,
            thorough=settings.thorough,
            variants=settings.variants,
        )
        for d in t.disagreements:
            write(d, out, _reduced(d, settings))
        total.add(t)
    return total


def _reduced(d: Disagreement, settings: Settings) -> str | None:
    """The reproducer of a disagreement; None if it cannot be made."""
    from funmem.testing.reduce import reduce
    from funmem.testing.reproducer import reproducer

    if not settings.seconds:
        return None
    (case, _), passes = seeded(d.seed, settings.variants), settings.orders.pipeline(d.seed)
    try:
        r = reduce(case, passes, seconds=settings.seconds, devices=settings.devices(d.seed))
    except Exception:  # the report of a failure must not fail
        return None
    return None if r is None else reproducer(r, name_of(d))


# ---------------------------------------------------------------------- files


def name_of(d: Disagreement) -> str:
    """The name of a disagreement's file."""
    return f"seed_{d.seed}.fun"


def write(d: Disagreement, out: Path, reduced: str | None = None) -> None:
    """A disagreement as a file that repeats it: reduced, or the program as it then was."""
    out.mkdir(parents=True, exist_ok=True)
    if reduced is not None:
        (out / name_of(d)).write_text(reduced, encoding="utf-8")
        return
    head = f"seed {d.seed}\npipeline {d.passes}\nengine {d.engine}\ncode {d.code}\n{d.message}\n"
    comment = "".join(f"-- {line}\n" for line in head.splitlines())
    (out / f"seed_{d.seed}.txt").write_text(comment + d.text, encoding="utf-8")


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
            with self._path.open("a", encoding="utf-8") as f:
                f.write("\n" * self._cut_off(self._path) + json.dumps(row) + "\n")

    def _cut_off(self, path: Path) -> bool:
        """Whether the last line has no end."""
        content = path.read_bytes()
        return bool(content) and not content.endswith(b"\n")


def trial_of(row: Mapping[str, Any]) -> Trial:
    """A trial that was written as JSON."""
    counters = {k: Counter(row[k]) for k in ("engines", "kinds", "changed")}
    depth = Counter({int(k): n for k, n in row["depth"].items()})
    found = [Disagreement(**d) for d in row["disagreements"]]
    return Trial(
        programs=row["programs"],
        variants=row["variants"],
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
