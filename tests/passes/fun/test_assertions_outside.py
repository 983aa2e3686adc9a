"""simplify: assertions that say the same in every iteration stand in front of kernels."""

import numpy as np
import pytest

from funmem.interp.value import run
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import Ann, Assert, Kernel, Program
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.passes.runner import Pipeline


def through(p: Program[Ann], passes: str) -> Program[Ann]:
    after = Pipeline.parse(passes).run(p)
    assert isinstance(after, Program)
    return after


TABLE = """
entry main (n : i64) (m : i64) -> [a][b] (r : [a][b]i64) =
  let (rows : bool) = n >= 0
  assert rows "{} rows" (n)
  let (x : [n][m]i64) = kernel i < n do
    let (columns : bool) = m >= 0
    assert columns "{} columns" (m)
    let (js : [m]i64) = iota [m] 0 1
    let (row : [m]i64) = kernel j < m do
      let (k : i64) = js[j]
      let (y : i64) = i * m + k
      in (y)
    in (row)
  in (n, m, x)
"""


PRODUCT = """
entry main [n] [m] (xs : [n][m]i64) (k : i64) -> (r : [n * m]i64) =
  let (ys : [n * m]i64) = kernel i < n * m do
    let (ok : bool) = k >= 5
    assert ok "{}" (k)
    in (i)
  in (ys)
"""


@pytest.mark.parametrize("xs", [[[]], [[1, 2]]], ids=str)
def test_an_assertion_in_front_of_a_product_of_iterations(xs: list[list[int]]) -> None:
    """It moves, and fails only if there is an iteration: no factor is 0."""
    after = through(parse_fun(PRODUCT), "simplify")
    kernels = [s.exp for s in walk(after.entries[0].body) if isinstance(s.exp, Kernel)]
    assert not any(isinstance(s.exp, Assert) for k in kernels for s in walk(k.body))
    if xs == [[]]:
        run(after, "main", (np.zeros((1, 0), np.int64), 1))
    else:
        with pytest.raises(Trap):
            run(after, "main", (np.array(xs), 1))


@pytest.mark.parametrize("n", [-1, 0, 1, 2])
@pytest.mark.parametrize("m", [-1, 0, 3])
def test_an_assertion_in_front_of_a_kernel_says_the_same(n: int, m: int) -> None:
    """With its message; and without iterations nothing."""
    before = parse_fun(TABLE)

    def outcome(p: Program[Ann]) -> object:
        try:
            return [repr(v) for v in run(p, "main", (n, m))]
        except Trap as trap:
            return trap.kind, trap.diagnostic.message

    assert outcome(before) == outcome(through(before, "simplify,fuse,nest"))


def test_a_table_of_two_dimensions_is_one_kernel() -> None:
    """In a source program each row asserts that it has no negative length."""
    after = through(parse_fun(TABLE), "simplify,fuse,nest")
    kernels = [s.exp for s in walk(after.entries[0].body) if isinstance(s.exp, Kernel)]
    assert [len(k.dims) for k in kernels] == [2]
    assert not any(isinstance(s.exp, Assert) for k in kernels for s in walk(k.body))


STAYS = {
    "(1) something traps before": """
entry main [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i + m]
    let (ok : bool) = m >= 0
    assert ok "{}" (m)
    in (x)
  in (ys)
""",
    "(2) the index decides": """
entry main [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (ok : bool) = m >= 0
    assert ok "{}" (i)
    in (i)
  in (ys)
""",
    "(3) the number of iterations is computed": """
entry main [n] [m] (xs : [n][m]i64) (k : i64) -> (r : [n + m]i64) =
  let (ys : [n + m]i64) = kernel i < n + m do
    let (ok : bool) = k >= 5
    assert ok "{}" (k)
    in (i)
  in (ys)
""",
}


@pytest.mark.parametrize("condition", STAYS)
def test_an_assertion_stays(condition: str) -> None:
    after = through(parse_fun(STAYS[condition]), "simplify")
    kernels = [s.exp for s in walk(after.entries[0].body) if isinstance(s.exp, Kernel)]
    assert any(isinstance(s.exp, Assert) for k in kernels for s in walk(k.body))
