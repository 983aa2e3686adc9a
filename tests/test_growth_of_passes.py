"""How the work of each pass grows with the program: near-linearly, of whatever a program has more.

Work is counted, not timed: function calls, Python's and C's, of one pass.  The exponent of a
doubling is 1 where twice the program is twice the work.
"""

import sys
from collections.abc import Callable
from math import log2
from types import FrameType

import pytest

from funmem.passes.framework import AnyProgram
from funmem.source import Source
from funmem.stages import default_pipeline

NEARLY = 1.2
"""The exponent that a pass may have."""

FEW = 100_000
"""A pass that makes fewer calls is not looked at."""

STEEPER = {
    ("scans", "short-circuit"): 1.3,
    ("scans", "merge"): 1.4,
    ("branches", "short-circuit"): 1.5,
}
"""Those that are not there yet, and how steep they may be until they are."""


def chain(step: Callable[[int], str], t: str, result: str) -> Callable[[int], str]:
    """A program of k definitions, each applied to what the one before it gives."""

    def program(k: int) -> str:
        head = f"[n] (xs: [n]{t}) : {result}{t}"
        defs = "".join(f"def step_{i} {head} = {step(i)}\n" for i in range(k))
        lets = "".join(f"  let y{i + 1} = step_{i} y{i}\n" for i in range(k))
        return f"{defs}entry main {head} =\n  let y0 = xs\n{lets}  in y{k}\n"

    return program


def branches(k: int) -> str:
    """k branches, each in the one before it."""
    tests = "".join(f"  if c > {i} then scan (+) {i} xs else\n" for i in range(k))
    return f"entry main [n] (c: i64) (xs: [n]i64) : [n]i64 =\n{tests}  xs\n"


def entries(k: int) -> str:
    """k entry points."""
    body = "[n] (xs: [n]i64) : [n]i64 = map (* 3) (scan (+) 0 xs)"
    return "".join(f"entry main_{i} {body}\n" for i in range(k))


PROGRAMS: dict[str, tuple[Callable[[int], str], int]] = {
    "scans": (chain(lambda i: f"map (* {i + 2}) (scan (+) 0 xs)", "i64", "[n]"), 20),
    "branches": (branches, 8),
    "entries": (entries, 16),
}
"""Programs of any size, and a size."""


def calls(text: str) -> dict[str, int]:
    """The calls of each pass of the default pipeline; of one that runs twice, of both uses."""
    counted: dict[str, int] = {}
    p: AnyProgram = Source.of("growth", text, "fut").parse()
    for step in default_pipeline().steps:
        count = 0

        def more(_frame: FrameType, _event: str, _arg: object) -> None:
            nonlocal count
            count += 1

        before = sys.getprofile()
        sys.setprofile(more)
        try:
            p = step.what.run(p, step.what.context(dict(step.options)))
        finally:
            sys.setprofile(before)
        counted[step.what.name] = counted.get(step.what.name, 0) + count
    return counted


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_twice_the_program_is_about_twice_the_work(name: str) -> None:
    program, k = PROGRAMS[name]
    calls(program(2))  # what is loaded or remembered once does not count
    once, twice = calls(program(k)), calls(program(2 * k))
    steep = {x: log2(twice[x] / once[x]) for x in once if once[x] > FEW}
    assert {x: e for x, e in steep.items() if e > STEEPER.get((name, x), NEARLY)} == {}
