"""Non-overlap of LMADs against sets of points: never wrongly "disjoint", and how often proved.

Protects ``ir/logic/disjoint/``.  The complete run is ``python -m tests.support.disjoint_oracle``;
here every k-th of its pairs, the prover without its shortcut for integers, and random questions
with unknown sizes, whose answers are checked for all small sizes.
"""

from collections.abc import Callable, Iterable
from itertools import product
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, row_major
from funmem.ir.logic.disjoint import (
    aggregate,
    aggregate_range,
    disjoint,
    injective,
    integers,
    separate,
    sums,
    why_not_disjoint,
)
from funmem.ir.logic.disjoint.division import divide, exact
from funmem.ir.logic.disjoint.integers import IntSpan, zero_among
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.sizes import ONE, ZERO, Size, SizeLike, const, var
from tests.support import disjoint_oracle
from tests.support.disjoint_oracle import (
    LENS,
    STEPS,
    Disjoint,
    Tally,
    ask,
    ask_symbolically,
    compare,
    compare_injective,
    random_dims,
    random_pairs,
    sample,
)
from tests.support.disjoint_symbolic import instances, overlap, points, queries

N, M, B, K, I0, J = (Name(x) for x in ("n", "m", "b", "k", "i", "j"))
n, m, b, k, i, j = (var(x) for x in (N, M, B, K, I0, J))
SIZES = Facts().with_nonneg(n).with_nonneg(m).with_nonneg(b).with_nonneg(k)


def lmad(offset: SizeLike, *dims: tuple[SizeLike, SizeLike]) -> Lmad:
    return Lmad(Size.of(offset), tuple(Dim(Size.of(c), Size.of(s)) for c, s in dims))


# ------------------------------------------------------------------------ integers


def assert_right(tally: Tally, least_share: float) -> None:
    assert tally.wrong == []
    assert tally.true > tally.asked // 5  # else it protects little
    assert tally.true < tally.asked
    assert tally.proved >= least_share * tally.true, str(tally)


def test_pairs_of_small_lmads() -> None:
    """Every 1009th of 18,839,275: decided, not only proved."""
    assert_right(compare("pairs", sample(1009), ask), 1)


def test_pairs_of_small_lmads_as_if_they_were_symbolic() -> None:
    assert_right(compare("pairs", sample(18_013), ask_symbolically), 0.98)


@pytest.mark.exhaustive
def test_random_pairs_of_rank_3() -> None:
    assert_right(compare("rank 3", random_pairs(40_000, seed=1), ask), 1)


@pytest.mark.slow
def test_random_pairs_of_rank_3_as_if_they_were_symbolic() -> None:
    assert_right(compare("rank 3", random_pairs(800, seed=2), ask_symbolically), 0.98)


def test_injective() -> None:
    small = [d for rank in (1, 2) for d in product(product(LENS, STEPS), repeat=rank)]
    assert_right(compare_injective("injective", small[::3]), 1)
    assert_right(compare_injective("injective, rank 3", random_dims(2000, seed=3)), 0.99)


def test_only_the_difference_of_the_offsets_matters() -> None:
    """The oracle relies on it."""
    for a, apart, c in sample(90_001):
        found = {disjoint(a.lmad(apart + o), c.lmad(o), Facts()) for o in (-6, 0, 5)}
        assert len(found) == 1
        assert disjoint(c.lmad(0), a.lmad(apart), Facts()) in found


def test_large_arrays_take_no_longer() -> None:
    million = 1_000_000
    whole = row_major([million, million])
    left = whole.slice_f([DimRange(ZERO, const(million), ONE), DimRange(ZERO, const(7), ONE)])
    right = whole.slice_f([DimRange(ZERO, const(million), ONE), DimRange(const(7), const(9), ONE)])
    assert disjoint(left, right, Facts())
    assert not disjoint(left, right.shifted(-1), Facts())
    assert not disjoint(left, left.reverse(0), Facts())


def test_giving_up_is_not_a_proof() -> None:
    """A knapsack with 3^40 cases: not decided, hence "may overlap"."""
    strides = [10**9 + (7 * at) ** 5 for at in range(40)]
    assert zero_among(3, [IntSpan(-1, 1, s) for s in strides]) is None
    assert not disjoint(lmad(3 + sum(strides)), lmad(0, *((3, s) for s in strides)), Facts())


# ------------------------------------------------------------------------ unknown sizes


@pytest.mark.exhaustive
def test_random_questions_with_unknown_sizes() -> None:
    """What is claimed holds for all sizes up to 4 and all indices."""
    claimed = 0
    for q in queries(600, seed=4):
        if disjoint(q.a, q.b, q.facts):
            claimed += 1
            assert overlap(q, 4) is None, str(q)
    assert claimed > 80


def test_random_questions_whether_an_lmad_repeats_elements() -> None:
    claimed = 0
    for q in queries(300, seed=5):
        if injective(q.a, q.facts):
            claimed += 1
            for values in instances(q.facts, 3):
                places = points(q.a, values)
                assert len(set(places)) == len(places), str(q)
    assert claimed > 75


ROWS = SIZES.with_index(I0, n).with_index(J, i)
"""Thread i, and an earlier one."""
X = row_major([n, m])


@pytest.mark.parametrize(
    ("x", "y", "facts"),
    [
        # slots of a concat, parts of an update
        (lmad(0, (n, 1)), lmad(n, (m, 1)), SIZES),
        (lmad(0, (n, 1)), lmad(n, (m, 2)), SIZES),
        (lmad(b, (n, 1)), lmad(b + n, (m, 1)), SIZES),
        (X.slice_f([DimRange(ZERO, k, ONE), DimRange(ZERO, m, ONE)]),
         X.slice_f([DimRange(k, n - k, ONE), DimRange(ZERO, m, ONE)]), SIZES),
        # i*m + c < (i+1)*m from c < m: a fact, not only polynomials
        (X.index_f(i), X.index_f(j), ROWS),
        (X.index_f(i).reverse(0), X.index_f(j), ROWS),
        (X.prefix([i, k]), X.index_f(j), ROWS.assuming(m - k - 1)),
        # columns, and parts of columns
        (X.permute([1, 0]).index_f(i), X.permute([1, 0]).index_f(j),
         SIZES.with_index(I0, m).with_index(J, i)),
        (X.slice_f([DimRange(ZERO, n, ONE), DimRange(ZERO, k, ONE)]),
         X.slice_f([DimRange(ZERO, n, ONE), DimRange(k, m - k, ONE)]), SIZES.assuming(m - k)),
        # a row's parts; blocks of a tiled vector
        (lmad(i * m, (k, 1)), lmad(i * m + k, (m - k, 1)), ROWS),
        (lmad(i * b, (b, 1)), lmad(j * b, (b, 1)), ROWS),
        (lmad(i * b, (b, 1)), lmad((i + 1) * b, (n - i - 1, b), (b, 1)), ROWS),
        # interleaved threads, with sub-arrays
        (lmad(i, (m, n)), lmad(j, (m, n)), ROWS),
        (lmad(i, (m, n), (b, m * n)), lmad(j, (m, n), (b, m * n)), ROWS),
        (lmad(i, (m, -n)), lmad(j, (m, -n)), ROWS),
        # odd and even elements
        (lmad(0, (n, 2)), lmad(1, (m, 2)), SIZES),
        (lmad(2 * n, (n, 4)), lmad(2 * m + 1, (m, 6)), SIZES),
        (lmad(0, (n, 2 * b)), lmad(b, (m, 2 * b)), SIZES.with_nonneg(b - 1)),
        # one of them never has an element
        (lmad(0, (n, 1), (0, 1)), lmad(0, (n, 1)), SIZES),
        (lmad(0, (-n, 1)), lmad(0, (n, 1)), SIZES),
        # one row, one column
        (lmad(0, (1, m), (m, 1)), lmad(m, (1, -7), (m, 1)), SIZES),
        # the halo of a stencil: the first row, the last, and what is between
        (X.index_f(0), X.slice_f([DimRange(ONE, n - 2, ONE), DimRange(ZERO, m, ONE)]), SIZES),
        (X.index_f(n - 1), X.slice_f([DimRange(ONE, n - 2, ONE), DimRange(ZERO, m, ONE)]), SIZES),
        (X.index_f(0), X.index_f(n - 1), SIZES.with_nonneg(n - 2)),
        (X.slice_f([DimRange(ONE, n - 2, ONE), DimFix(ZERO)]),
         X.slice_f([DimRange(ONE, n - 2, ONE), DimRange(ONE, m - 2, ONE)]), SIZES),
        (X.slice_f([DimRange(ONE, n - 2, ONE), DimFix(m - 1)]),
         X.slice_f([DimRange(ONE, n - 2, ONE), DimRange(ONE, m - 2, ONE)]), SIZES),
        # the upper triangle's row and the lower one's
        (lmad(i * n, (i, 1)), lmad(i * n + i, (n - i, 1)), SIZES.with_index(I0, n)),
        (lmad(i * n + i + 1, (n - i - 1, 1)), lmad(j * n, (j + 1, 1)),
         SIZES.with_index(I0, n).with_index(J, i)),
        # a place known by an inequality only
        (lmad(0, (n, 1)), lmad(n * m - n * b, (k, 1)), SIZES.assuming(m - b - 1)),
        (lmad(0, (n * n, 1)), lmad(m * m, (k, 1)), SIZES.assuming(m - n)),
        (lmad(0, (n, k)), lmad(1, (m, -k)), Facts().assuming(-k - 2)),
        # strides of unknown sign, but even
        (lmad(0, (n, 2 * k)), lmad(1, (m, 4 * k)), Facts()),
        (lmad(k, (b, 1)), lmad(n, (m, 1)), SIZES.assuming(n - k - b)),
        (lmad(0, (k, 1)), lmad(n, (m, 1)), SIZES.assuming(n - b).assuming(b - k)),
    ],
    ids=str,
)  # fmt: skip
def test_disjoint(x: Lmad, y: Lmad, facts: Facts) -> None:
    assert disjoint(x, y, facts)
    assert disjoint(y, x, facts)


@pytest.mark.parametrize(
    ("x", "y", "facts", "why"),
    [
        (lmad(0, (n, 1)), lmad(n - 1, (m, 1)), SIZES, "for m = 2, n = 2 both have element 1"),
        (X.index_f(i), X.index_f(j), SIZES.with_index(I0, n).with_index(J, n),
         "for i = 1, j = 1, m = 2 both have element 2"),
        # a stride of zero, a stride that may be zero
        (lmad(0, (n, 0)), lmad(0, (m, 1)), SIZES, "for m = 2, n = 2 both have element 0"),
        (lmad(0, (n, b)), lmad(b, (m, b)), SIZES, "for b = 2, m = 2, n = 2 both have element 2"),
        # negative strides; the intervals of the written numbers are disjoint, the elements are not
        (lmad(5, (6, -1)), lmad(0, (1, 1)), Facts(), "both have element 0"),
        (lmad(n, (n, -1)), lmad(1), SIZES, "for n = 2 both have element 1"),
        # the interval at stride m is disjoint until the offset's carry is counted
        (lmad(0, (n, m), (m + 1, 1)), lmad(m), SIZES, "for m = 2, n = 2 both have element 2"),
        # nothing is known of k
        (lmad(0, (n, 1)), lmad(k, (m, 1)), Facts().with_nonneg(n).with_nonneg(m),
         "for k = 2, m = 2, n = 4 both have element 2"),
        (lmad(0, (n, k)), lmad(1, (m, k)), Facts().with_nonneg(n).with_nonneg(m),
         "for k = 1, m = 2, n = 2 both have element 1"),
        # true: k is at most -2 or at least 2; and 2*n*m <= n*n + m*m
        (lmad(0, (n, k)), lmad(1, (m, k)), Facts().assuming(k * k - 2),
         "the sign of stride k is unknown"),
        (lmad(0, (2 * n * m, 1)), lmad(n * n + m * m, (b, 1)), SIZES,
         "not proved that -m*m - n*n + [-b + 1 .. 2*m*n - 1]*(1) is never zero"),
    ],
    ids=str,
)  # fmt: skip
def test_not_disjoint(x: Lmad, y: Lmad, facts: Facts, why: str) -> None:
    assert not disjoint(x, y, facts)
    assert not disjoint(y, x, facts)
    assert why_not_disjoint(x, y, facts) == why


POLYNOMIALS = st.dictionaries(
    st.lists(st.sampled_from([N, M, I0]), max_size=3).map(sorted).map(tuple),
    st.integers(-5, 5),
    max_size=4,
).map(Size.from_terms)


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
def test_division_of_sizes(p: Size, divisor: Size, q: Size) -> None:
    if divisor.terms:
        quotient, rest = divide(p, divisor)
        assert quotient * divisor + rest == p
        assert exact(q * divisor, divisor) == q
        if (found := exact(p, divisor)) is not None:
            assert found * divisor == p


# ------------------------------------------------------------------------ wrong tests are caught


def _negative_strides_stay(x: Lmad, facts: Facts) -> Lmad:
    return Lmad(x.offset, tuple(d for d in x.dims if d.len != ONE))


def _signs_are_dropped(offset: int, dims: Iterable[tuple[int, int]]) -> integers.Pattern:
    spans = tuple(IntSpan(0, c - 1, abs(s)) for c, s in dims)
    return integers.Pattern(offset, spans if all(s.hi >= 0 for s in spans) else None)


def _the_last_element_is_forgotten(
    offset: int, dims: Iterable[tuple[int, int]]
) -> integers.Pattern:
    return right_pattern(offset, [(c - (c > 1), s) for c, s in dims])


def _no_carry(column: sums.Sums, stride: Size, case: separate.Case) -> range:
    return range(1)


def _one_carry(column: sums.Sums, stride: Size, case: separate.Case) -> range:
    return range(-1, 1)


def _or_zero(x: sums.Sums, case: separate.Case) -> bool:
    return case.nonneg(x.least) or case.nonneg(-x.greatest - 1)


def _by_the_first_stride(x: sums.Sums) -> bool:
    (offset, stride) = (x.offset.as_const, x.spans[0].stride.as_const) if x.spans else (1, 1)
    return bool(offset and stride and offset % stride)


right_pattern = integers.pattern


@pytest.mark.parametrize(
    ("module", "name", "wrong", "answer"),
    [
        (disjoint_oracle, "normalised", _negative_strides_stay, ask_symbolically),
        (integers, "pattern", _signs_are_dropped, ask),
        (integers, "pattern", _the_last_element_is_forgotten, ask),
        (separate, "multiples", _no_carry, ask_symbolically),
        (separate, "multiples", _one_carry, ask_symbolically),
        (separate, "_all_positive_or_negative", _or_zero, ask_symbolically),
        (separate, "not_divisible", _by_the_first_stride, ask_symbolically),
    ],
)
def test_a_wrong_condition_is_caught(
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    name: str,
    wrong: Callable[..., object],
    answer: Disjoint,
) -> None:
    monkeypatch.setattr(module, name, wrong)
    for pair in sample(2003):
        if compare(name, [pair], answer).wrong:
            return
    pytest.fail(f"no pair shows that {wrong.__name__} is wrong")


# ------------------------------------------------------------------------ aggregation


def test_the_union_over_an_index() -> None:
    """For all small LMADs that depend on i linearly: no element is lost, none is added if neither
    length depends on i.
    """
    exact = found = 0
    for o, step, c0, c1, s in product((0, 3), range(-2, 4), range(3), (-1, 0, 1), (-2, 0, 1, 3)):
        x = lmad(o + i * step, (c0 + i * c1, s))
        for start, count in product(range(-1, 3), range(5)):
            union = {p for at in range(start, start + count) for p in points(x, {I0: at})}
            whole = aggregate_range(x, I0, start, const(count), Facts())
            assert whole is not None
            found += 1
            here = set(points(whole, {}))
            assert union <= here, f"{x} for {start} … {start + count - 1}: {whole}"
            if c1 == 0:
                exact += 1
                assert union == here
    assert exact > found // 4


@pytest.mark.parametrize(
    ("x", "count", "want"),
    [
        (X.index_f(i), n, "0 + {(n : m) (m : 1)}"),
        (lmad(i, (m, n)), n, "0 + {(n : 1) (m : n)}"),
        (lmad(i * m, (m - 1, 1)), n, "0 + {(n : m) (m - 1 : 1)}"),
        (lmad(n - i, (1, 1)), k, "n + {(k : -1) (1 : 1)}"),
        (lmad(3, (m, 1)), n, "3 + {(n : 0) (m : 1)}"),
        (lmad(i * n, (i + 1, 1)), n, "0 + {(n : n) (n : 1)}"),  # more than the triangle
        (lmad(i * n + i, (n - i, 1)), n, "0 + {(n : n + 1) (n : 1)}"),
        (lmad(i * i, (m, 1)), n, None),
        (lmad(0, (m, i)), n, None),
        (lmad(0, (i * i, 1)), n, None),
        (lmad(0, (i * k, 1)), n, "0 + {(n : 0) (k*n - k : 1)}"),
        (lmad(0, (i * var(Name("z")), 1)), n, None),  # shorter or longer: z has any sign
    ],
    ids=str,
)
def test_aggregate(x: Lmad, count: Size, want: str | None) -> None:
    found = aggregate(x, I0, count, SIZES)
    assert (None if found is None else str(found)) == want


def test_earlier_and_later_iterations() -> None:
    """Row i against all rows before it and all rows after it."""
    facts = SIZES.with_index(I0, n)
    before = aggregate_range(X.index_f(j), J, 0, i, facts)
    after = aggregate_range(X.index_f(j), J, i + 1, n - i - 1, facts)
    assert str(before) == "0 + {(i : m) (m : 1)}"
    assert str(after) == "i*m + m + {(-i + n - 1 : m) (m : 1)}"
    for others, nearer in ((before, 1), (after, -1)):
        assert others is not None
        assert disjoint(X.index_f(i), others, facts)
        assert not disjoint(X.index_f(i), others.shifted(nearer), facts)


def test_injective_with_unknown_sizes() -> None:
    some = SIZES.with_nonneg(n - 1).with_nonneg(m - 1)
    for x in (
        X,
        X.permute([1, 0]),
        X.reverse(1),
        row_major([n, m, b, k]),
        lmad(7, (n, m), (m, -1)),
        lmad(0, (n, 3)),
        lmad(0, (n, m), (m - 1, 1)),
        lmad(0, (n, b), (0, 1)),
    ):
        assert injective(x, some), x
    for x in (
        lmad(0, (n, 0)),
        lmad(0, (n, k)),
        lmad(0, (n, m), (m + 1, 1)),
        lmad(0, (n, m), (m, k)),
        lmad(0, (2, n), (2, m)),
    ):
        assert not injective(x, some), x
