"""relocate: what an array's home is said to be is true of integers, not only modulo 2^64."""

import numpy as np
import pytest

from funmem.ir.fun import Var
from funmem.ir.names import Name
from funmem.ir.sizes import Size, const, var
from funmem.ir.values import ArgValue
from funmem.passes.facts import Known
from funmem.passes.mem.relocate import Arm, Scope
from tests.memory_check import ROOT, heap_outcome, load, same, through, value_outcome

N, M, Q, K = (var(Name(x)) for x in "nmqk")
ARM = Arm((Var(Name("x")),), Scope.of(Known(values={"q": N * M, "k": const(1 << 64)})))
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
    p = load(ROOT / "seeded" / "programs" / f"wraps_to_place{'_early' if early else ''}.fun")
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
