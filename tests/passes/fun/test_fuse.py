"""fuse: fewer kernels and arrays, and nothing changes its value or its trap.

Protects ``passes/fun/fuse/``.  ``tests/passes/fun/fuse/*.fun`` holds programs per rule, (F1) to
(F4), and ``conditions.fun`` for each numbered condition programs that meet and that violate it;
``tests/golden/fuse/`` what becomes of them.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from funmem.ir.fun import Ann, Program, RaggedKernel
from funmem.ir.text import parse_fun
from funmem.testing import generate
from tests.support.fused import checked, difference, kernels, only, outcome, same
from tests.support.memory_check import before_and_after, load
from tests.support.nested_programs import nested_program
from tests.support.sampling import sampled

HERE = Path(__file__).parent / "fuse"
PROGRAMS = sorted(f.stem for f in HERE.glob("*.fun"))
CONDITIONS = {1, 2, 3, 4, 5, 6, 7, 8, 10}


@cache
def program(name: str) -> Program[Ann]:
    return load(HERE / f"{name}.fun")


@pytest.mark.parametrize("name", PROGRAMS)
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"fuse/{name}.fun", before_and_after(program(name), "fuse,simplify"))


@pytest.mark.parametrize("name", sampled(PROGRAMS, 8))
@pytest.mark.parametrize("passes", ["fuse", "simplify,fuse,simplify"])
def test_the_values_stay(name: str, passes: str) -> None:
    after, _ = checked(program(name), passes)
    assert difference(program(name), after) is None


@pytest.mark.parametrize("entry", [str(e.name) for e in program("vertical").entries])
def test_one_kernel_is_left(entry: str) -> None:
    after, remarks = checked(only(program("vertical"), entry), "fuse,simplify")
    assert [k for k in kernels(after) if k[0] == 0][1:] == []
    assert remarks == ()


@pytest.mark.parametrize("entry", ["squares", "backwards", "shifted", "whole", "folds"])
def test_one_kernel_over_rows_is_left(entry: str) -> None:
    """The check of the offsets, which stood apart, is that of this kernel again."""
    after, remarks = checked(only(program("over_rows"), entry), "fuse,simplify")
    (e,) = after.entries
    assert [type(s.exp) for s in e.body.stms] == [RaggedKernel]
    assert remarks == ()


@pytest.mark.parametrize("entry", ["folds", "maps"])
def test_side_by_side(entry: str) -> None:
    after, _ = checked(only(program("horizontal"), entry), "fuse")
    assert kernels(after) == [(0, 1)]


def test_what_a_kernel_shows_goes_with_it() -> None:
    """Two pairs become one kernel each, and these do not, side by side, with the first one."""
    after, remarks = checked(only(program("horizontal"), "shown"), "fuse")
    assert [k for k in kernels(after) if k[0] == 0] == [(0, 1)] * 3
    assert [r for r in remarks if ": (3) " in r]


# ---------------------------------------------------------------------- conditions


def about_conditions(what: str) -> list[tuple[int, str]]:
    """The entry points ``c1_yes``, ``c4_yes_loop``, …, or with ``no``, and their conditions."""
    names = [str(e.name) for e in program("conditions").entries]
    found = [re.fullmatch(r"c(\d+)_(yes|no)(_.*)?", name) for name in names]
    return [(int(m[1]), m[0]) for m in found if m is not None and m[2] == what]


@pytest.mark.parametrize("what", ["yes", "no"])
def test_each_condition_has_a_program(what: str) -> None:
    assert {k for k, _ in about_conditions(what)} == CONDITIONS


@pytest.mark.parametrize("entry", [name for _, name in about_conditions("yes")])
def test_a_condition_that_holds(entry: str) -> None:
    before = only(program("conditions"), entry)
    after, remarks = checked(before, "fuse")
    assert len([d for d, _ in kernels(after) if d == 0]) == 1
    assert remarks == ()


@pytest.mark.parametrize(("k", "entry"), about_conditions("no"))
def test_a_condition_that_is_violated(k: int, entry: str) -> None:
    before = only(program("conditions"), entry)
    after, remarks = checked(before, "fuse")
    assert kernels(after) == kernels(before)
    assert [r for r in remarks if f": ({k}) " in r], remarks


def test_nothing_is_gained_without_a_common_array() -> None:
    """(9) is no remark: it would be said of every two kernels."""
    text = """entry main [n] (xs : [n]i64) (ys : [n]i64) -> (r : [n]i64) (q : [n]i64) =
      let (a : [n]i64) = kernel i < n do
        let (x : i64) = xs[i]
        in (x)
      let (b : [n]i64) = kernel j < n do
        let (y : i64) = ys[j]
        in (y)
      in (a, b)"""
    p = parse_fun(text, "apart.fun")
    assert checked(p, "fuse") == (p, ())


def test_a_cheap_array_that_may_be_negative_leaves_a_guard() -> None:
    after, _ = checked(only(program("recomputed"), "squares"), "fuse,simplify")
    assert kernels(after) == []
    assert outcome(after, "squares", (-1,)) is outcome(program("recomputed"), "squares", (-1,))


def test_twice_is_once() -> None:
    for name in PROGRAMS:
        once, _ = checked(program(name), "simplify,fuse,simplify")
        assert checked(once, "fuse,simplify")[0] == once


# ---------------------------------------------------------------------- generated programs


@pytest.mark.parametrize("seed", sampled(range(200), 20))
def test_nested_programs(seed: int) -> None:
    g = nested_program(seed)
    after, _ = checked(g.program, ("fuse", "simplify,fuse,simplify")[seed % 2])
    assert same(outcome(g.program, "main", g.args), outcome(after, "main", g.args)), g.text


@pytest.mark.parametrize("seed", range(12))
def test_generated_programs(seed: int) -> None:
    g = generate(seed)
    after, _ = checked(g.program, "fuse")
    assert same(outcome(g.program, g.entry, g.args), outcome(after, g.entry, g.args))


# ---------------------------------------------------------------------- assertions


ASSERTING = """entry main [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (big : bool) = x > 0
    assert big "too small"
    in (x)
  let (zs : [n]i64) = kernel j < n do
    let (y : i64) = ys[{index}]
    let (small : bool) = y < {limit}
    {claim}
    in (y)
  in (zs)"""


@pytest.mark.parametrize(
    ("index", "claim", "fused"),
    [
        ("j", "", True),
        ("n - 1 - j", "", False),
        ("j", 'assert small "too large"', False),
    ],
)
def test_assertions_have_messages(index: str, claim: str, fused: bool) -> None:
    """Of several that fail the first one is reported."""
    p = parse_fun(ASSERTING.format(index=index, limit=9, claim=claim), "asserting.fun")
    after, remarks = checked(p, "fuse")
    assert len(kernels(after)) == (1 if fused else 2)
    assert bool(remarks) != fused
