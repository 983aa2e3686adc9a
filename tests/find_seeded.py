"""After how many programs does a campaign find each seeded bug, and in what time?

    python -m tests.find_seeded [--programs N] [--seconds S] [--first SEED] [--jobs N] [NAME ...]

The programs and the pipelines are those of ``funmem fuzz``, with the bug in the pass wherever it is
run.  A program on which no pass that has the bug does anything else than the right one cannot show
it; the others are judged as in a campaign.  A bug's time is the processor time of the campaign up
to the program that shows it: the sum of what the trials took that the right compiler passes.  So
ways to generate programs can be compared.  The last lines have the medians, and the mean time, in
which a bug that is not found counts as if the next program would have shown it.
"""

import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing import cpu_count, get_context
from statistics import mean, median

from attrs import evolve, frozen

from funmem.passes.framework import AnyProgram, Pass, Pipeline, Step
from funmem.testing.judge import Case
from funmem.testing.orders import Orders
from funmem.testing.trial import seeded, trial, tried
from tests.seeded.table import BUGS
from tests.seeded.world import Crashed, faulty

ORDERS = Orders.MIXED


@frozen
class Row:
    """What became of a bug's campaign; ``seen`` is empty if no program showed it."""

    name: str
    programs: int
    seconds: float
    seen: str

    def __str__(self) -> str:
        return f"{self.name:36}{self.programs:6d}{self.seconds:8.1f} s  {self.seen or 'not found'}"


def campaigns(names: Sequence[str], programs: int, limit: float, first: int) -> list[Row]:
    """The campaigns of several bugs, which share what the right compiler does."""
    left = {b.name: faulty(b, {}) for b in BUGS if b.name in names}
    rows, seconds, done = [], 0.0, 0
    trial(first, orders=ORDERS)  # what it needs is imported
    for seed in range(first, first + programs):
        if not left or seconds > limit:
            break
        start = time.process_time()
        assert not trial(seed, orders=ORDERS).disagreements, f"seed {seed} disagrees without a bug"
        seconds += time.process_time() - start
        done += 1
        (case, _), passes = seeded(seed), ORDERS.pipeline(seed)
        way = tuple(_way(case.program, passes))
        for name, bad in tuple(left.items()):
            if seen := _shows(case, passes, way, bad):
                rows.append(Row(name, done, seconds, seen))
                del left[name]
    return rows + [Row(name, done, seconds, "") for name in left]


def _way(p: AnyProgram, passes: Pipeline) -> Iterator[tuple[Step, AnyProgram, AnyProgram]]:
    """Each step with the program before and after it."""
    for step in passes.steps:
        after = Pipeline((step,)).run(p, verify=False)
        yield step, p, after
        p = after


def _shows(
    case: Case,
    passes: Pipeline,
    way: Sequence[tuple[Step, AnyProgram, AnyProgram]],
    bad: Pass,
) -> str:
    """What a campaign says of a program, if anything."""
    own = (w for w in way if w[0].what.name == bad.name)
    if not any(_differs(evolve(s, what=bad), before, after) for s, before, after in own):
        return ""
    steps = (evolve(s, what=bad) if s.what.name == bad.name else s for s in passes.steps)
    found = tried(case, Pipeline(tuple(steps))).disagreements
    return f"{found[0].engine}: {found[0].code}" if found else ""


def _differs(step: Step, before: AnyProgram, after: AnyProgram) -> bool:
    try:
        return Pipeline((step,)).run(before, verify=False) != after
    except Crashed:
        return True


def main(argv: Sequence[str] | None = None) -> None:
    """The command."""
    parser = ArgumentParser(prog="python -m tests.find_seeded")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=600, help="of the campaign")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=cpu_count())
    o = parser.parse_args(argv)
    names = [b.name for b in BUGS if not o.names or b.name in o.names]
    parts = [names[k :: o.jobs] for k in range(o.jobs)]
    work = partial(campaigns, programs=o.programs, limit=o.seconds, first=o.first)
    with ProcessPoolExecutor(o.jobs, get_context("spawn")) as pool:
        rows = list(chain.from_iterable(pool.map(work, parts)))
    for row in sorted(rows, key=lambda r: r.seconds):
        print(row)
    found = [r for r in rows if r.seen]
    if rows:
        number = median(r.programs if r.seen else float("inf") for r in rows)
        seconds = median(r.seconds if r.seen else float("inf") for r in rows)
        print(f"{len(found)} of {len(rows)} found; medians {number:.0f} programs, {seconds:.2f} s")
        print(f"mean {mean(r.seconds for r in rows):.2f} s")


if __name__ == "__main__":
    main()
