"""How small does `funmem reduce` make what seeded bugs break?

    python -m tests.reduce_seeded [--programs N] [--seconds S] [NAME ...]

For each bug, generated programs go through its pipeline until one fails; that one is reduced.  A
bug that none of them meets is shown on the program of its own, which a person wrote.  The last line
has the medians of statements and seconds.
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from statistics import median

from attrs import evolve, frozen

from funmem.ir.names import Name
from funmem.passes.framework import Level
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from funmem.testing.campaign.trial import run_trial
from funmem.testing.judge.program import Case
from funmem.testing.reduce import Reduced, reduce
from funmem.testing.reduce.edit import statements
from tests.seeded.bug import SeededBug
from tests.seeded.judge import load
from tests.seeded.table import BUGS
from tests.seeded.world import faulty


@frozen(eq=False)
class Row:
    """A bug, the program that it broke, and what became of that."""

    bug: SeededBug
    seed: int | None
    before: int
    reduced: Reduced | None

    def __str__(self) -> str:
        which = "its own program" if self.seed is None else f"seed {self.seed}"
        if self.reduced is None:
            return f"{self.bug.name:32} {which}: does not fail"
        r = self.reduced
        ended = "" if r.done else ", stopped"
        return (
            f"{self.bug.name:32} {which}: {self.before} -> {r.statements} statements, "
            f"{r.tried} candidates, {r.seconds:.1f} s{ended}, {': '.join(r.failure.kind)}"
        )


def pipeline_of(bug: SeededBug) -> Pipeline:
    """The bug's pipeline with the faulty pass in it."""
    bad = faulty(bug, {})
    steps = Pipeline.parse(bug.pipeline).steps
    return Pipeline(tuple(evolve(s, what=bad) if s.what.name == bad.name else s for s in steps))


def reduced(bug: SeededBug, programs: int, seconds: float) -> Row:
    """The smallest program on which the bug shows that is found in that time."""
    own = pipeline_of(bug)
    in_memory = Level.FUN not in own.steps[0].what.inputs
    allocate = Pipeline.parse("allocate").steps if in_memory else ()
    passes = Pipeline((*allocate, *own.steps))
    for seed in range(programs):
        case = Case.of(generate(seed))
        if run_trial(case, passes).disagreements:
            break
    else:
        passes = own
        seed, case = None, Case(load(bug.program), Name("main"), bug.args)
    return Row(bug, seed, len(statements(case.program)), reduce(case, passes, seconds=seconds))


def rows(names: Sequence[str], programs: int, seconds: float) -> Iterator[Row]:
    """The bugs of these names, or all."""
    for bug in BUGS:
        if not names or bug.name in names:
            yield reduced(bug, programs, seconds)


def main(args: Sequence[str]) -> int:
    """Prints a table; 1 if a bug shows nowhere."""
    given = ArgumentParser(prog="python -m tests.reduce_seeded")
    given.add_argument("--programs", type=int, default=25, help="generated, before its own")
    given.add_argument("--seconds", type=float, default=60.0, help="for each bug")
    given.add_argument("names", nargs="*")
    asked = given.parse_args(args)
    start = time.perf_counter()
    found = []
    for row in rows(asked.names, asked.programs, asked.seconds):
        print(row, flush=True)
        found.append(row)
    good = [r.reduced for r in found if r.reduced is not None]
    if good:
        print(
            f"{len(good)} of {len(found)} bugs: median {median(r.statements for r in good):g} "
            f"statements in {median(r.seconds for r in good):.1f} s, "
            f"most {max(r.statements for r in good)}; {time.perf_counter() - start:.0f} s in all"
        )
    return int(len(good) < len(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
