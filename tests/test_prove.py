"""The prover that leaves checks out: what it shows, and that it shows nothing false."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funmem.ir.fun import Bin, Const, Var
from funmem.ir.imp import Condition, Holds, Injective, InRange, NonNegative, RangeInside, SizesEqual
from funmem.ir.lmad import Dim
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.passes.lower.prove import NOTHING, nonneg, proved

I0, J = Name("i"), Name("j")
N, M, K = Name("n"), Name("m"), Name("k")
n, m, i, j, k = var(N), var(M), var(I0), var(J), var(K)
NEST = NOTHING.with_nonneg(n).with_nonneg(m).with_index(I0, n).with_index(J, m)
TRIANGLE = NOTHING.with_index(I0, n).with_index(J, n - i)


@pytest.mark.parametrize(
    "condition",
    [
        InRange(i, n),
        InRange(n - 1 - i, n),
        InRange(i * m + j, n * m),
        InRange(j * n + i, n * m),
        InRange(ZERO, n),
        InRange(i + 1, n + 1),
        InRange(const(2), const(3)),
        RangeInside(ZERO, n, ONE, n),
        RangeInside(n - 1, n, const(-1), n),
        RangeInside(i, n - i, ONE, n),
        RangeInside(i * m, m, ONE, n * m),
        RangeInside(const(99), ZERO, ONE, n),
        RangeInside(ZERO, n - 1, ONE, n - 1),
        RangeInside(j, n, m, n * m),
        Injective((Dim(n, ONE),)),
        Injective((Dim(n, const(-2)),)),
        Injective((Dim(ONE, n),)),
        Injective((Dim(n, -m), Dim(m, ONE))),
        Injective((Dim(k, k),)),  # without elements, or k is at least 1
        Injective((Dim(m, ONE), Dim(n, m + 1))),
        Injective((Dim(n, ZERO), Dim(ZERO, ONE))),
        NonNegative(n * m - m),
        NonNegative(n - i - 1),
        SizesEqual(n * m + m, m * (n + 1)),
        Holds(Const(True, BOOL)),
        Holds(Bin(BinOp.NE, Const(3, I64), Const(0, I64))),
    ],
    ids=str,
)
def test_proved(condition: Condition) -> None:
    assert proved(condition, NEST)


@pytest.mark.parametrize(
    "condition",
    [
        InRange(i, m),
        InRange(i + 1, n),
        InRange(i - 1, n),
        InRange(k, n),
        InRange(i * n + j, n * m),
        InRange(i * i, n * n),  # true, but not linear in i
        RangeInside(ONE, n, ONE, n),
        RangeInside(ZERO, n - 5, ONE, n),
        RangeInside(ZERO, k, ZERO, n),
        Injective((Dim(n, ZERO),)),
        Injective((Dim(n, m), Dim(m + 1, ONE))),
        Injective((Dim(n, k), Dim(m, ONE))),
        Injective((Dim(n, k),)),
        NonNegative(k),
        NonNegative(k * k),  # true, but the sign of k is unknown
        NonNegative(n - 2),
        SizesEqual(n, m),
        Holds(Const(False, BOOL)),
        Holds(Var(K)),
        Holds(Bin(BinOp.NE, Const(0, I64), Const(0, I64))),
        Holds(Bin(BinOp.EQ, Bin(BinOp.DIV, Const(1, I64), Const(0, I64)), Const(0, I64))),
    ],
    ids=str,
)
def test_not_proved(condition: Condition) -> None:
    assert not proved(condition, NEST)


def test_bounds_may_mention_outer_indices() -> None:
    assert proved(InRange(i + j, n), TRIANGLE)
    assert not proved(InRange(i + j + 1, n), TRIANGLE)


def test_lengths_tell_about_their_variables() -> None:
    assert nonneg(n - 3, NOTHING.with_nonneg(n - 3))
    assert nonneg(n + 2, NOTHING.with_nonneg(2 * n + 5))
    assert not nonneg(n + 1, NOTHING.with_nonneg(2 * n + 5))
    assert nonneg(n, NOTHING.with_nonneg(n - 2).with_nonneg(n + 7))
    assert not nonneg(n, NOTHING.with_nonneg(3 - n))
    assert not nonneg(n, NOTHING.with_nonneg(n * m))


def test_indices_tell_about_their_bounds() -> None:
    """An index that is at least 2 makes its bound at least 3."""
    assert not nonneg(n - 3, NEST)
    assert nonneg(n - 3, NEST.with_nonneg(i - 2))
    assert nonneg(i - 2, NEST.with_nonneg(i - 2))
    assert nonneg(n - 2, NOTHING.with_index(I0, n).with_index(J, i))
    assert nonneg(n - 2, NOTHING.with_index(I0, n).with_index(J, n - i - 1))


def test_a_variable_is_bounded_by_others() -> None:
    some = NOTHING.with_nonneg(m - 1)
    assert nonneg(n - 4, some.with_nonneg(n - 2 * m - 2))
    assert not nonneg(n - 5, some.with_nonneg(n - 2 * m - 2))
    assert not nonneg(n, NOTHING.with_nonneg(n - m))  # m may be negative
    assert nonneg(n - 3, NOTHING.assuming(n - m).with_nonneg(m - 3))  # in whatever order


def test_no_factor_of_a_positive_product_is_zero() -> None:
    some = NOTHING.with_nonneg(n).with_nonneg(m)
    assert nonneg(n - 1, some.with_nonneg(n * m - 1))
    assert nonneg(m - 1, some.with_nonneg(2 * n * n * m - 5))
    assert nonneg(m - 1, some.with_nonneg(k - 1).with_nonneg(n * m - k * k))
    assert not nonneg(n - 2, some.with_nonneg(n * m - 5))
    assert not nonneg(n - 1, some.with_nonneg(n * m))
    assert not nonneg(n - 1, NOTHING.with_nonneg(n * m - 1))  # both may be negative


def test_assumed_inequalities_are_used() -> None:
    some = NOTHING.with_nonneg(m).with_nonneg(k)
    assert nonneg(n * k - m * k, some.assuming(n - m))
    assert nonneg(n - k, some.assuming(n - m).assuming(m - k))
    assert nonneg(3 * n - 2 * m - k, some.assuming(n - m).assuming(n - k).assuming(n))
    assert nonneg(n - i - j - 2, some.assuming(n - 2 * m).with_index(I0, m).with_index(J, m))
    assert nonneg(m - 1 - 2 * i, some.with_index(I0, n).assuming(m - 1 - 2 * i))
    assert nonneg(-k, NOTHING.assuming(-k - 3))


def test_assumed_inequalities_are_not_overused() -> None:
    some = NOTHING.with_nonneg(m).with_nonneg(k)
    assert not nonneg(m - n, some.assuming(n - m))
    assert not nonneg(n - m - 1, some.assuming(n - m))
    assert not nonneg(n * n - m * n, NOTHING.assuming(n - m))  # n may be negative
    assert not nonneg(n - i - j - 1, some.assuming(n - m).with_index(I0, m).with_index(J, m))


# ------------------------------------------------------------------- soundness

BOUNDS = [n, m, n - 1, n - i, i + 1, n * m, const(3)]
INEQUALITIES = [n - m, m - 2 * n, n - m - k, n * m - 4, k - n * m, 3 - n]
VALUES = range(-2, 4)


def polynomials() -> st.SearchStrategy[Size]:
    monomials = st.lists(st.sampled_from([N, M, I0, J, K]), max_size=2).map(sorted).map(tuple)
    return st.dictionaries(monomials, st.integers(-2, 2), max_size=4).map(Size.from_terms)


@given(
    polynomials(),
    st.sampled_from([n, m, n + m, const(2)]),
    st.sampled_from(BOUNDS),
    st.lists(st.sampled_from([n, m, k, n - 2, 2 * m - 1]), max_size=3),
    st.lists(st.sampled_from(INEQUALITIES), max_size=2),
    st.lists(st.sampled_from([*INEQUALITIES, i - 1, j - 1, n - 1 - 2 * i, i - j]), max_size=2),
)
def test_what_is_proved_holds(
    p: Size, bound_i: Size, bound_j: Size, sizes: list[Size], before: list[Size], after: list[Size]
) -> None:
    facts = NOTHING
    for d in sizes:
        facts = facts.with_nonneg(d)
    for d in before:
        facts = facts.assuming(d)
    facts = facts.with_index(I0, bound_i).with_index(J, bound_j)
    for d in after:
        facts = facts.assuming(d)
    known = [*sizes, *before, *after]
    proves = nonneg(p, facts)
    bounds = [var(x) - least for x, least in facts.least]
    if not proves and not bounds:
        return
    for point in product(VALUES, repeat=5):
        value = dict(zip((N, M, K, I0, J), point, strict=True)).__getitem__
        inside = (
            all(d.eval(value) >= 0 for d in known)
            and 0 <= value(I0) < bound_i.eval(value)
            and 0 <= value(J) < bound_j.eval(value)
        )
        assert not inside or not proves or p.eval(value) >= 0
        assert not inside or all(d.eval(value) >= 0 for d in bounds)
