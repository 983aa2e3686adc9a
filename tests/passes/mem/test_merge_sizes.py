"""merge: how large a block is that serves for several (``passes/mem/merge/sizes.py``)."""

from itertools import product as cartesian
from math import gcd

import pytest

from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.saturated import FAR, HUGE
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.text.print_fun import show_stm
from funmem.passes.mem.merge.peak import Sizes
from funmem.passes.mem.merge.peak_guard import MANY, at_most
from funmem.passes.mem.merge.sizes import common_factor, largest, maximum

N, M, K = (var(Name(x)) for x in "nmk")
SIGNS = PointFacts().with_nonneg((N, M, K))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (4 * N, 4 * M),
        (4 * N * K, 6 * M * K),
        (8 * N * M, 8 * K),
        (4 * N + 4, 8 * M + 4),
        (8 * N * N, 8 * K + 16),
        (const(12), 4 * N),
        (8 * N * N * M, 4 * N * K + 4 * N),
    ],
)
def test_a_computed_maximum_is_the_maximum(a: Size, b: Size) -> None:
    found = maximum((a, b), SIGNS, Fresh(()))
    assert not isinstance(found, str)
    for values in cartesian(range(6), repeat=3):
        sizes = Sizes(dict(zip(map(Name, "nmk"), values, strict=True)))
        for s in found.before:
            sizes.bind(s)
        assert sizes.value(found.size) == max(sizes.value(a), sizes.value(b))


def test_a_product_that_wraps_around_is_not_taken_for_a_small_size() -> None:
    found = maximum((8 * N * M, 8 * K), SIGNS, Fresh(()))
    assert not isinstance(found, str)
    sizes = Sizes({Name("n"): 1 << 32, Name("m"): 1 << 32, Name("k"): 5})
    for s in found.before:
        sizes.bind(s)
    assert sizes.value(found.size) >= 8 << 64


@pytest.mark.parametrize("k", [(1 << 63) // 3 + 1, 1 << 62, (1 << 63) - 1, (1 << 64) // 3 + 1])
@pytest.mark.parametrize("b", [24 * K, 8 * K + 16, 40 * K + 8 * M])
def test_a_term_that_wraps_around_is_not_taken_for_a_small_size(b: Size, k: int) -> None:
    """The block for 8*n*m bytes and for more than there are is no smaller than the latter, or than
    any memory.
    """
    k = min(k, (1 << 63) - 1)
    found = maximum((8 * N * M, b), SIGNS, Fresh(()))
    assert not isinstance(found, str)
    sizes = Sizes({Name("n"): 2, Name("m"): 3, Name("k"): k})
    for s in found.before:
        sizes.bind(s)
    exact = sizes.value(b)
    assert sizes.value(found.size) >= min(exact, 8 << 61)


ENDS = (0, 1, 5, 1 << 31, 1 << 33, FAR, HUGE, I64.max)
J, L = var(Name("j")), var(Name("l"))


@pytest.mark.parametrize(
    "sizes",
    [
        (4 * N, 4 * J),
        (4 * N + 4 * M, 4 * J),
        (4 * N * M, 4 * J),
        (8 * N * M, 8 * K + 16),
        (8 * N * M, 8 * K + 8 * N),
        (8 * N * M, 24 * K - 16),
        (8 * N * M, 8 * K + 8 - HUGE),
        (4 * N, 4 * N + 4 * J),
        (4 * N, 4 * J, 4 * L),
        (4 * N, 4 * J, 8 * K - 16),
        (4 * J, 4 * K, 4 * M - 32),
        (4 * N + 4, 4 * K, 4 * J),
        (8 * N * M, 8 * K, 8 * J),
    ],
    ids=lambda sizes: ", ".join(map(str, sizes)),
)
def test_a_maximum_is_that_of_integers_or_more_than_any_memory_has(sizes: tuple[Size, ...]) -> None:
    """What may be negative is, as far as i64 goes, in runs that do not allocate the block."""
    found = maximum(sizes, SIGNS, Fresh(()))
    assert not isinstance(found, str)
    names = sorted(frozenset[Name]().union(*(d.free() for d in sizes)))
    below = (*ENDS, -1, -(1 << 33), -HUGE, I64.min)
    choices = (below if x in ("j", "l") else ENDS for x in names)
    for values in cartesian(*choices):
        now = Sizes(dict(zip(names, values, strict=True)))
        wanted = max(map(now.value, sizes))
        for s in found.before:
            now.bind(s)
        got = now.value(found.size)
        assert got == wanted or min(got, wanted) > FAR // 4 or max(got, wanted) <= 0, values


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ((4 * N * J, 4 * K), "4*j*n may be negative"),
        ((4 * J, 4 * L, 4 * M - 32), "4*largest_1 may be negative"),
        ((4 * J + 4 * L, 4 * K + 4), "4*j + 4*l may be small where its terms are not"),
        ((8 * N * M, 40 * K - 8 * N), "40*k - 8*n may be small where its terms are not"),
        ((8 * N * M, 8 * J + 8), "8*j + 8 may be small where its terms are not"),
        ((8 * N * M, 8 * K - HUGE), "may be small where its terms are not"),
    ],
)
def test_no_maximum_of_what_i64_cannot_tell(sizes: tuple[Size, ...], reason: str) -> None:
    found = maximum(sizes, SIGNS, Fresh(()))
    assert isinstance(found, str)
    assert reason in found


def test_only_the_sizes_that_may_be_the_largest_are_compared() -> None:
    assert largest((4 * N, 8 * N, 4 * M, 4 * N), SIGNS) == (8 * N, 4 * M)
    assert largest((4 * N, 8 * N), PointFacts()) == (4 * N, 8 * N), "n may be negative"


@pytest.mark.parametrize(
    ("a", "b", "computed", "size"),
    [
        (4 * N * K, 4 * M * K, "max(m, n)", "4*k*largest_1"),
        (8 * N * M, 8 * J, "max(max(j, 0) - m * n, 0)", "8*m*n + 8*largest_1"),
        (8 * N * M, 8 * K, "max(k - m * n, 0)", "8*m*n + 8*largest_1"),
        (4 * N, 4 * N + 4 * J, "max(j, 0)", "4*largest_1 + 4*n"),
    ],
)
def test_what_is_computed(a: Size, b: Size, computed: str, size: str) -> None:
    """What the module promises, and nothing more: no maximum of 0 and a size that has a sign."""
    found = maximum((a, b), SIGNS, Fresh(()))
    assert not isinstance(found, str)
    assert [show_stm(s) for s in found.before] == [f"let (largest_1 : i64) = {computed}"]
    assert str(found.size) == size


@pytest.mark.parametrize(
    ("a", "b", "factor"),
    [
        (8 * N * M, 12 * N * K, 4 * N),
        (8 * N * N * M, 4 * N * K + 4 * N, 4 * N),
        (6 * N * N * M, 9 * N * N, 3 * N * N),
        (4 * N * J, 4 * M * J, const(4)),  # j may be negative
        (4 * N, const(6), const(2)),
        (ZERO, 4 * N * J, 4 * N),
        (ZERO, ZERO, const(1)),
    ],
)
def test_a_common_factor_divides_both_and_no_larger_one_does(
    a: Size, b: Size, factor: Size
) -> None:
    assert common_factor(a, b, SIGNS) == factor
    p, q = a.divided_by(factor), b.divided_by(factor)
    assert p is not None
    assert q is not None
    assert gcd(*(k for _, k in (*p.terms, *q.terms))) in (0, 1)


def test_how_the_largest_of_some_sizes_are_compared() -> None:
    """Each with any that is as large.  So many are perhaps not all of them: no answer."""
    assert at_most((4 * N, 4 * K), (4 * K, 4 * N + 4), SIGNS.nonneg)
    assert at_most((8 * N,), (4 * N, 4 * M, 8 * N + 8 * M), SIGNS.nonneg)
    assert not at_most((8 * N, 8 * K), (8 * N + 8 * M,), SIGNS.nonneg)
    few = tuple(const(k) for k in range(MANY - 1))
    assert at_most(few, (const(MANY),), SIGNS.nonneg)
    assert not at_most((*few, const(0)), (const(MANY),), SIGNS.nonneg)
