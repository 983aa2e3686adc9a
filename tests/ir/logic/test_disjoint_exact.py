"""The parts of the non-overlap test, each against all small values: exactly what they promise.

Protects ``ir/logic/disjoint/``: every step keeps the set of differences as it is, or widens it;
no instance is one that the facts forbid; what is claimed holds, and each kind of argument is
needed for something here.
"""

from collections.abc import Iterator, Mapping
from itertools import product

import pytest

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.disjoint import aggregate_range, disjoint, injective, why_not_disjoint
from funmem.ir.logic.disjoint.division import divide
from funmem.ir.logic.disjoint.instances import Domain
from funmem.ir.logic.disjoint.integers import IntSpan, elements, pattern, zero_among
from funmem.ir.logic.disjoint.separate import Case, multiples, never_zero, settled, split
from funmem.ir.logic.disjoint.sums import Span, Sums, UnknownSign, lifted, normalised
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.sizes import Size, SizeLike, const, var
from tests.support.disjoint_symbolic import Query, instances, overlap, points

N, M, K, I0, J = (Name(x) for x in ("n", "m", "k", "i", "j"))
n, m, k, i, j = (var(x) for x in (N, M, K, I0, J))
SIZES = Facts().with_nonneg(n).with_nonneg(m)
SOME = Facts().with_nonneg(n - 1).with_nonneg(m - 1)


def lmad(offset: SizeLike, *dims: tuple[SizeLike, SizeLike]) -> Lmad:
    return Lmad(Size.of(offset), tuple(Dim(Size.of(c), Size.of(s)) for c, s in dims))


def sums(offset: SizeLike, *spans: tuple[SizeLike, SizeLike, SizeLike]) -> Sums:
    return Sums(
        Size.of(offset), tuple(Span(Size.of(a), Size.of(b), Size.of(s)) for a, b, s in spans)
    )


def members(x: Sums, values: Mapping[Name, int]) -> set[int]:
    """All sums at an instance."""
    value = values.__getitem__
    found = {x.offset.eval(value)}
    for s in x.spans:
        steps = [d * s.stride.eval(value) for d in range(s.lo.eval(value), s.hi.eval(value) + 1)]
        found = {e + d for e in found for d in steps}
    return found


def by_sizes(x: Sums, facts: Facts) -> dict[tuple[int, ...], set[int]]:
    """All sums, over all values of the indices, for each choice of small sizes."""
    found: dict[tuple[int, ...], set[int]] = {}
    for values in instances(facts, 4):
        here = found.setdefault((values[N], values[M]), set())
        here |= members(x, values)
    return found


# ------------------------------------------------------------------------ indices as spans


@pytest.mark.parametrize(
    ("x", "facts", "want"),
    [
        (sums(i * m + 3), SIZES.with_index(I0, n), "3 + [0 .. n - 1]*(m)"),
        (sums(3 - i * m), SIZES.with_index(I0, n), "3 + [-n + 1 .. 0]*(m)"),
        # j < i, hence i >= 1; what mentions i stays as it is
        (sums(2 * i + 1), SIZES.with_index(I0, n).with_index(J, i), "3 + [0 .. n - 2]*(2)"),
        (sums(1 - 2 * i), SIZES.with_index(I0, n).with_index(J, i), "-1 + [-n + 2 .. 0]*(2)"),
        (sums(2 * n + j), SIZES.with_index(I0, n).with_index(J, i), "2*n + [0 .. i - 1]*(1)"),
        (sums(i + j), SIZES.with_index(I0, n).with_index(J, i), "i + [0 .. i - 1]*(1)"),
        (sums(i, (0, j, 3)), SIZES.with_index(I0, n).with_index(J, i), "i + [0 .. j]*(3)"),
        (sums(i, (0, 2, j)), SIZES.with_index(I0, n).with_index(J, n - i), "i + [0 .. 2]*(j)"),
        # neither linear, nor of known sign: it stays, and so does what its range depends on
        (sums(i * i), SIZES.with_index(I0, n), "i*i"),
        (sums(-i * i), SIZES.with_index(I0, n), "-i*i"),
        (sums(i * (n - m)), SIZES.with_index(I0, n), "-i*m + i*n"),
        (sums(i + j * j), SIZES.with_index(I0, n).with_index(J, n - i), "j*j + i"),
        # an index that nobody asks about changes nothing
        (sums(i), SIZES.with_index(I0, n).with_index(J, i + 1), "0 + [0 .. n - 1]*(1)"),
        # matching spans meet
        (sums(i * m, (-n, 0, m)), SIZES.with_index(I0, n), "0 + [-n .. n - 1]*(m)"),
    ],
    ids=str,
)
def test_lifting_an_index_keeps_the_set(x: Sums, facts: Facts, want: str) -> None:
    found = lifted(x, facts)
    assert str(found) == want
    assert by_sizes(found, facts) == by_sizes(x, facts)


@pytest.mark.parametrize("length", [1, n])
@pytest.mark.parametrize("stride", [0, 3, -3, n, -n, n - m])
@pytest.mark.parametrize("other", [2, -1])
def test_normalising_keeps_the_elements(length: Size, stride: Size, other: int) -> None:
    """Only dimensions that have several elements, which ascend; others may have any stride."""
    x = lmad(7, (length, stride), (3, other))
    found = normalised(x, SOME)
    if length == n and stride == n - m:
        assert found == UnknownSign(n - m)
        return
    assert isinstance(found, Lmad)
    assert found.rank == (1 if length == 1 or stride == 0 else 2)
    for values in instances(SOME, 4):
        assert set(points(found, values)) == set(points(x, values))
        assert all(d.stride.eval(values.__getitem__) > 0 for d in found.dims)


def test_a_span_of_one_element_is_a_part_of_the_offset() -> None:
    x = sums(n, (2, 2, m), (-1, -1, 3), (0, 1, 5))
    assert str(settled(x)) == "2*m + n - 3 + [0 .. 1]*(5)"


# ------------------------------------------------------------------------ sums that are not zero


def grid() -> Iterator[tuple[int, int, int]]:
    return product(range(-12, 13), range(5), range(1, 4))


def test_the_multiples_that_columns_may_have() -> None:
    """All that there are, and no other at the ends; no answer for more than two strides."""
    for offset, last, stride in grid():
        column = sums(offset, (0, last, 1))
        found = multiples(column, const(stride), Case(Facts(), ()))
        reached = range(offset, offset + last + 1)
        assert (found is None) == (reached[0] <= -3 * stride or reached[-1] >= 3 * stride)
        if found is not None:
            assert {v for v in range(-9, 10) if -v * stride in reached} <= set(found)
            assert all(-v * stride <= reached[-1] for v in found if v < 0)
            assert all(-v * stride >= reached[0] for v in found if v > 0)
            assert 0 in found


def test_rows_and_columns() -> None:
    """Only what the stride divides as a polynomial is in the rows; together they are the sums."""
    x = sums(n + 1, (0, n, 2 * m), (0, 3, n * m), (-1, 1, m + 1), (0, 2, 1))
    rows, columns = split(x, m)
    assert [str(r) for r in rows] == ["[0 .. n]*(2)", "[0 .. 3]*(n)"]
    assert str(columns) == "n + 1 + [-1 .. 1]*(m + 1) + [0 .. 2]*(1)"


BELOW = SOME.with_index(I0, n).with_index(J, m)


@pytest.mark.parametrize(
    ("x", "facts"),
    [
        # the stride of an index, or minus that
        (sums(i * m * n - m), BELOW),
        (sums(m - 2 * i * m), SOME.with_index(I0, n).with_index(J, n)),
        (sums(j * n + n * n + j), BELOW),
        # what all of the offset is divisible by
        (sums(2 * j * m - 2 * m * n, (-1, 1, 3)), SOME.with_index(I0, n).with_index(J, n - i)),
        (sums(8 * j + 1, (0, 2, 16)), BELOW),
        # out of reach by more than a stride, in either direction
        (sums(i * n + n * n * n - n * n + i + n + 1), BELOW),
        (sums(n * n + i - n - 1, (0, 1, n)), SOME.with_nonneg(n - 4).with_index(I0, const(3))),
        # a span of one element
        (sums(j * m, (1, 1, 3 * m + 1)), BELOW),
    ],
    ids=str,
)
def test_never_zero(x: Sums, facts: Facts) -> None:
    assert all(0 not in found for found in by_sizes(x, facts).values())
    assert never_zero(x, facts)


@pytest.mark.parametrize(
    ("x", "facts"),
    [
        (sums(i * m * n - j * m * n + n + 1), SOME.with_index(I0, m).with_index(J, m)),
        (sums(-2 * j * n, (1, 1, m * n)), BELOW),
        (sums(j * m - 1, (0, 1, n)), BELOW),
    ],
    ids=str,
)
def test_perhaps_zero(x: Sums, facts: Facts) -> None:
    assert any(0 in found for found in by_sizes(x, facts).values())
    assert not never_zero(x, facts)


# ------------------------------------------------------------------------ questions


@pytest.mark.parametrize(
    ("x", "y", "facts"),
    [
        # n >= 1 where the other has elements
        (lmad(n), lmad(1, (n - i - 1, -1)), BELOW),
        # one of them never has an element
        (lmad(1, (-n, 1)), lmad(0, (n, 1)), SIZES),
        (lmad(i + n), lmad(0, (i - n, m)), BELOW),
        # one offset is symbolic, and nothing else
        (lmad(n + 4, (4, 1)), lmad(0, (4, 1)), SIZES),
        # an index as a span
        (lmad(j + 8 * n, (m, 1)), lmad(0, (n, 1)), SOME.with_index(I0, m).with_index(J, n - i)),
        # which row it is decides: 0 <= v <= i - j
        (lmad(j * n + 1), lmad(m + n), BELOW.with_nonneg(n - 2).assuming(n - 2 * m)),
        (lmad(2 * m * n + 1), lmad(j, (j, n)), SOME.with_nonneg(m - 2).with_index(J, n)),
        # strides of one element, of any sign
        (lmad(-1, (1, n - i)), lmad(2 * i - 1),
         SOME.with_nonneg(n - 2).with_index(I0, m * n).with_index(J, i)),
    ],
    ids=str,
)  # fmt: skip
def test_disjoint(x: Lmad, y: Lmad, facts: Facts) -> None:
    assert overlap(Query(x, y, facts), 4) is None
    assert disjoint(x, y, facts)
    assert disjoint(y, x, facts)
    assert why_not_disjoint(x, y, facts) is None


@pytest.mark.parametrize(
    ("x", "y", "facts"),
    [
        (lmad(2 * n - 1), lmad(i), SOME.with_index(I0, m)),
        (lmad(-j, (n, 1)), lmad(i + 1), SIZES.with_index(I0, n).with_index(J, n)),
        (lmad(i * m * n, (n, 1)), lmad(2 * i * n + m * n + i + 1, (n - 1, n)), BELOW),
        (lmad(2 * i * m + j * n + m), lmad(j * m + m), BELOW),
        (lmad(2), lmad(j, (n - 1, n - i)), SIZES.with_index(I0, n).with_index(J, n - i - 1)),
        (lmad(1, (m, n), (m - j, 1)), lmad(i * m * n + i), BELOW),
        (lmad(i + 2, (n, n)), lmad(i + 1, (i - j, n)), SIZES.with_index(I0, m).with_index(J, m)),
        (lmad(j + 1), lmad(j + m), BELOW),
        (lmad(j * n), lmad(1, (n, 1)), BELOW),
        # a stride of unknown sign, in either of them
        (lmad(i + m + 1, (2, n - i)), lmad(i * m), SOME.with_index(I0, m)),
        (lmad(i * m), lmad(i + m + 1, (2, n - i)), SOME.with_index(I0, m)),
    ],
    ids=str,
)  # fmt: skip
def test_not_disjoint(x: Lmad, y: Lmad, facts: Facts) -> None:
    assert overlap(Query(x, y, facts), 4) is not None
    assert not disjoint(x, y, facts)
    assert not disjoint(y, x, facts)


def test_a_hard_question_is_given_up() -> None:
    """Not before it has tried, and not never."""
    facts = Facts().with_nonneg(n - 2).with_nonneg(m - 2).assuming(m - n).assuming(n - m)
    facts = facts.with_index(I0, n).with_index(J, n - i - 1)
    x, y = lmad(m * m + 2 * i, (2, m * n)), lmad(j * m, (m, m * n * n))
    assert not disjoint(x, y, facts)


@pytest.mark.parametrize(
    ("x", "facts", "want"),
    [
        (lmad(0, (k, m), (m, 1)), SIZES.with_nonneg(k), True),
        (lmad(0, (2, -n), (2, 2 * n), (n, 1)), SIZES, True),
        (lmad(1, (6, -1)), Facts(), True),
        # a stride that is positive only where there are two elements, and one that is not
        (lmad(0, (n, n - 1)), SOME, True),
        (lmad(0, (n, n - 2)), SOME.with_nonneg(n - 2), False),
        (lmad(0, (n, n - 2), (1, 5)), SOME.with_nonneg(n - 3), True),
    ],
    ids=str,
)
def test_injective(x: Lmad, facts: Facts, want: bool) -> None:
    once = True
    for values in instances(facts, 4, (N, M, K)):
        places = points(x, values)
        once &= len(set(places)) == len(places)
    assert once == want
    assert injective(x, facts) == want


def test_a_length_that_is_not_linear_has_no_greatest_value() -> None:
    """The facts know of indices from 0 on; this aggregates over -3 … 0, of which the first has the
    most elements.
    """
    facts = SIZES.with_index(I0, n)
    assert aggregate_range(lmad(0, (i * i, 1)), I0, -3, const(4), facts) is None


# ------------------------------------------------------------------------ integers


def test_elements_one_by_one() -> None:
    """All of them, or none if they are more than the limit, or there is none."""
    assert elements(pattern(3, [(4, 2)]), 4) == {3, 5, 7, 9}
    assert elements(pattern(3, [(5, 2)]), 4) == set()
    assert elements(pattern(3, [(2, -1), (2, 4)]), 4) == {2, 3, 6, 7}
    assert elements(pattern(3, [(2, 1), (2, 4)]), 3) == set()
    assert elements(pattern(3, [(0, 2)]), 4) == set()
    assert elements(pattern(3, []), 1) == {3}


def test_large_sums_are_decided_in_few_steps() -> None:
    """The largest stride first, and nothing that no divisor of the rest allows."""
    million = 10**6
    apart = [IntSpan(0, million, 1), IntSpan(0, 10, 10 * million)]
    assert zero_among(-(50 * million + 5), apart) is True
    assert zero_among(-(5 * million), apart) is False
    even = [IntSpan(-1000, 1000, s) for s in (2, 4, 6, 10)]
    assert zero_among(1, even) is False


def test_a_division_goes_on_until_nothing_is_left() -> None:
    """Of each term the part that the divisor's leading coefficient divides, rounded down."""
    quotient, rest = divide(7 * n * m - 7 * n + 5 * m + 1, 3 * n + 1)
    assert (str(quotient), str(rest)) == ("2*m - 3", "m*n + 3*m + 2*n + 4")


# ------------------------------------------------------------------------ instances


def test_the_variables_of_a_question() -> None:
    """Those that it mentions, what their ranges and the assumptions mention, and no others."""
    facts = SIZES.with_nonneg(k - 2).with_index(I0, n).with_index(J, m)
    assert Domain.of((J,), facts) == Domain(((M, 1),), ((J, m, 0),), ())
    inner = SIZES.with_index(I0, n).with_index(J, i)
    assert Domain.of((J,), inner) == Domain(((N, 2),), ((I0, n, 1), (J, i, 0)), ())
    given = SIZES.assuming(n - 2 * k)
    assert Domain.of((M,), given) == Domain(((K, 0), (M, 0), (N, 0)), (), (n - 2 * k,))


def test_samples_are_instances_that_differ_much() -> None:
    """Sizes just above their bounds, in several proportions; indices at the ends and between."""
    inside = SIZES.with_index(I0, n).with_index(J, i)
    assert [(v[N], v[I0], v[J]) for v in Domain.of((J,), inside).samples()] == [
        (4, 2, 0), (3, 1, 0), (6, 5, 4), (5, 4, 3)
    ]  # fmt: skip
    assert [(v[M], v[N]) for v in Domain.of((M, N), SIZES).samples()] == [
        (2, 2), (1, 0), (4, 5), (3, 4)
    ]  # fmt: skip
    three = SIZES.with_nonneg(k)
    assert [(v[K], v[M], v[N]) for v in Domain.of((K, M, N), three).samples()] == [
        (2, 2, 2), (1, 0, 1), (4, 5, 4), (3, 4, 3)
    ]  # fmt: skip
    some = SIZES.assuming(n - m)
    assert [(v[M], v[N]) for v in Domain.of((M, N), some).samples()] == [(2, 2), (4, 5), (3, 4)]
    none = SIZES.with_index(I0, n).with_index(J, 2 - n)
    assert [(v[N], v[I0], v[J]) for v in Domain.of((J,), none).samples()] == []


def test_all_instances_near_the_bounds() -> None:
    """Every one satisfies the facts."""
    facts = SIZES.with_index(I0, n - 1)
    found = [(v[N], v[I0]) for v in Domain.of((I0,), facts).instances()]
    assert found == [(4, 1), (4, 0), (4, 2), (3, 1), (3, 0), (2, 0), (6, 2), (6, 0), (6, 4)]
    equal = SIZES.assuming(n - m).assuming(m - n)
    assert [(v[M], v[N]) for v in Domain.of((N,), equal).instances()] == [
        (2, 2), (1, 1), (0, 0), (4, 4)
    ]  # fmt: skip
    few = [[v[M] for v in Domain.of((N,), equal).instances(most)] for most in (0, 5, 6)]
    assert few == [[], [2], [2, 1]]  # of the first 5 valuations, 4 are no instances
    empty = Facts().with_nonneg(m).with_index(J, m).with_index(I0, 2 - j)
    assert {v[J] for v in Domain.of((I0,), empty).instances()} == {0, 1}
