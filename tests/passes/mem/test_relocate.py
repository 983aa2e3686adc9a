"""relocate: what an array's home is said to be is true of integers, not only modulo 2^64."""

import numpy as np
import pytest

from funmem.ir.fun import Var
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Name
from funmem.ir.sizes import Size, const, var
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.ir.values import ArgValue
from funmem.passes.mem.relocate.components import Arm, Scope
from tests.support.memory_check import heap_outcome, load, same, through, value_outcome
from tests.support.paths import TESTS

N, M, Q, K = (var(Name(x)) for x in "nmqk")
ARM = Arm((Var(Name("x")),), Scope.of(PointFacts(values={"q": N * M, "k": const(1 << 64)})))
"""In whose scope q is the product of n and m, and k is 2^64, both as far as i64 has digits."""


@pytest.mark.parametrize(
    ("part", "said", "holds"),
    [
        (N * M, Q, True),
        (Q, Q, True),
        (N * M, N * M, True),
        (Q, N * M, False),  # n*m may be 2^64, and then q is 0
        (2 * N * M, 2 * Q, False),
        (K, const(1 << 64), False),  # it is 0
        (const(1 << 64), K, True),  # an array that begins there has no elements
        (N * M, N, False),
    ],
)
def test_a_polynomial_does_not_stand_for_what_may_have_wrapped_around(
    part: Size, said: Size, holds: bool
) -> None:
    assert ARM.has(part, said) is holds


ROWS = """entry main [n] [k] (xs : [n][k]i32) (zs : [n][k]i32) (c : bool) (i : i64) -> (r : i32) =
  let (y : [k]i32) =
    if c then
      let (v : [k]i32) = xs[i, 0 : k]
      in (v)
    else
      let (w : [k]i32) = zs[{}, 0 : k]
      in (w)
  let (e : i32) = y[0]
  in (e)
"""


@pytest.mark.parametrize(("row", "offset"), [("i", "i*k"), ("i + 1", "y_off_1")])
def test_where_both_branches_say_the_same_it_is_a_polynomial(row: str, offset: str) -> None:
    """Though i*k may exceed i64: no row begins there."""
    q = through(parse_fun(ROWS.format(row)), "allocate,simplify")
    homes = {b.name: b.home for e in q.entries for s in walk(e.body) for b in s.pat}
    y = homes[Name("y")]
    assert y is not None
    assert str(y.ix.offset) == offset


@pytest.mark.parametrize("early", [False, True], ids=["in-the-branch", "outside"])
@pytest.mark.parametrize(
    "passes",
    [
        "allocate,hoist,short-circuit",
        "simplify,allocate,simplify,hoist,short-circuit",
        "simplify,allocate,simplify,hoist,short-circuit,simplify,short-circuit",
    ],
)
def test_an_array_at_an_offset_that_wraps_around_is_not_overwritten(
    passes: str, early: bool
) -> None:
    p = load(TESTS / "seeded" / "programs" / f"wraps_to_place{'_early' if early else ''}.fun")
    q = through(p, passes)
    for n, m in ((1 << 33, 1 << 31), (1, 2), (1 << 32, 1 << 32)):
        for c in (True, False):
            args: tuple[ArgValue, ...] = (
                np.arange(5, 9, dtype=np.int32),
                np.int64(n),
                np.int64(m),
                np.bool_(c),
            )
            assert same(value_outcome(p, "main", args), heap_outcome(q, "main", args))
