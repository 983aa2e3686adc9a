"""How the work of each pass grows with the program: near-linearly, of whatever a program has more.

Work is counted, not timed: function calls, Python's and C's, of one pass.  The exponent of a
doubling is 1 where twice the program is twice the work.
"""

import sys
from collections.abc import Callable
from math import log2
from types import FrameType

import pytest

from funmem.driver.source import Source
from funmem.driver.stages import default_pipeline
from funmem.passes.framework import AnyProgram

NEARLY = 1.2
"""The exponent that a pass may have."""

FEW = 100_000
"""A pass that makes fewer calls is not looked at."""

STEEPER = {
    ("scans", "short-circuit"): 1.3,
    ("scans", "merge"): 1.4,
    ("branches", "short-circuit"): 1.5,
    ("filters", "short-circuit"): 1.35,
    ("filters", "merge"): 1.9,
    ("filters", "hoist"): 1.25,
    ("irregular", "short-circuit"): 1.3,
    ("irregular", "merge"): 1.6,
    # the invariants of a loop are sought in all loops inside it
    ("nests", "simplify"): 1.3,
    ("nests", "lower"): 1.35,
    ("wide", "short-circuit"): 1.55,
    ("wide", "merge"): 1.8,
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


def wide(k: int) -> str:
    """k results that do not depend on each other."""
    parts = ", ".join(f"scan (+) {i} (map (* {i + 2}) xs)" for i in range(k))
    result = ", ".join("[n]i64" for _ in range(k))
    return f"entry main [n] (xs: [n]i64) : ({result}) =\n  ({parts})\n"


def lines(k: int) -> str:
    """k lines of scalar arithmetic."""
    lets = "".join(f"  let x{i + 1} = x{i} * {i + 3} + y\n" for i in range(k))
    return f"entry main (x0: i64) (y: i64) : i64 =\n{lets}  in x{k}\n"


def nests(k: int) -> str:
    """A sum of k loops, each in the one before it."""
    heads = "".join(f"  loop s{i + 1} = s{i} for i{i} < n do\n" for i in range(k))
    return f"entry main (n: i64) (s0: i64) : i64 =\n{heads}  s{k} + n\n"


PROGRAMS: dict[str, tuple[Callable[[int], str], int]] = {
    "scans": (chain(lambda i: f"map (* {i + 2}) (scan (+) 0 xs)", "i64", "[n]"), 20),
    "filters": (chain(lambda i: f"filter (\\x -> x % {i + 2} != 0) xs", "i64", "[]"), 10),
    "irregular": (chain(lambda i: f"[x * i % {i + 3} | x <- xs, i <- 0..<x]", "i64", "[]"), 6),
    "lines": (lines, 1000),
    "nests": (nests, 30),
    "entries": (entries, 16),
    "branches": (branches, 8),
    "wide": (wide, 16),
}
"""Programs of any size, and a size."""

QUICK = ("nests", "branches")
"""Those whose work is counted within a few seconds."""


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


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.slow if n in QUICK else pytest.mark.exhaustive)
        for n in PROGRAMS
    ],
)
def test_twice_the_program_is_about_twice_the_work(name: str) -> None:
    program, k = PROGRAMS[name]
    calls(program(2))  # what is loaded or remembered once does not count
    once, twice = calls(program(k)), calls(program(2 * k))
    steep = {x: log2(twice[x] / once[x]) for x in once if once[x] > FEW}
    assert {x: e for x, e in steep.items() if e > STEEPER.get((name, x), NEARLY)} == {}
