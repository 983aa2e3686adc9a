"""Where the polynomial of an i64 expression is the number that i64 arithmetic computes."""

import math
from collections.abc import Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.passes.core.to_fun.exact import INDICES, MOST, NUMBERS, Interval, Ranges

N, M, K, ROW, COL, Q = (var(Name(x)) for x in "nmkijq")
ANY = (I64.min, I64.max)


def scene() -> Ranges:
    """An array [n][m] in memory, i < n, j < m, and q = n / k for k > 0."""
    r = Ranges(None)
    r.array((N, M), held=True, dims=2)
    r.note(K, (1, I64.max))
    r.quotient(Name("q"), r.interval(N), K)
    inner = Ranges(r)
    inner.index(Name("i"), N)
    inner.index(Name("j"), M)
    return inner


def test_what_fits() -> None:
    r = scene()
    for p in (
        const(I64.min),
        K,
        N * M,
        ROW * M + COL,
        N * M - 1,
        (N - 1 - ROW) * M + COL,
        K * Q,
        ROW + 1,
    ):
        assert r.lies(p), p
    assert r.lies(K + 1, INDICES)
    assert r.lies(K - 1)


def test_what_may_wrap() -> None:
    r = scene()
    x = var(Name("x"))
    for p in (K + 1, N * N * M * M, K * N, ROW * K, x + x, x - 2, x * x, 4 * K * Q):
        assert not r.lies(p), p
    assert not r.lies(x - 2, INDICES)
    assert not r.lies(2 * K + 2, INDICES)


def test_a_view_may_have_as_many_elements_as_it_likes() -> None:
    r = Ranges(None)
    r.array((N,), held=False, dims=1)
    assert r.lies(N - 1)
    assert not r.lies(N + 1)
    r.array((N,), held=True, dims=1)
    assert r.lies(N + 1)


def test_sizes_of_an_empty_array_say_little() -> None:
    """In [n][m] elements, n may be anything if m is 0."""
    r = Ranges(None)
    r.array((N, M), held=True, dims=2)
    assert r.interval(N * M) == (0, MOST)
    assert not r.lies(N + 1)
    r.array((N, N), held=True, dims=2)
    assert r.lies(N + 1)


def test_what_is_held_in_negative_numbers() -> None:
    """Arrays of -n, of n * n, and of n * n * m elements say nothing else of n's sign."""
    r = Ranges(None)
    r.array((-N,), held=True, dims=1)
    assert r.interval(N) == (-MOST, 0)
    r = Ranges(None)
    r.array((N * N,), held=True, dims=1)
    assert r.interval(N) == (-MOST, MOST)
    r.array((N * N * M,), held=True, dims=1)
    assert r.interval(N * M) == (-MOST, MOST)


def test_the_rows_of_an_empty_kernel_say_nothing() -> None:
    r = Ranges(None)
    r.array((N, M), held=True, dims=1)
    assert r.interval(N)[0] == 0
    assert r.interval(M) == ANY


def test_a_scope_ends() -> None:
    outer = Ranges(None)
    Ranges(outer).array((N,), held=True, dims=1)
    assert outer.interval(N) == ANY


def numbers() -> st.SearchStrategy[int]:
    return st.one_of(
        st.integers(0, 5), st.integers(0, 1 << 25), st.sampled_from([1 << 40, 1 << 50])
    )


@st.composite
def places(draw: st.DrawFn) -> dict[str, int]:
    """Values of the names of a scene that satisfy what is known there."""
    n = draw(numbers().filter(lambda x: x > 0))
    m = draw(st.integers(1, MOST // n))
    k = draw(st.one_of(st.integers(1, 9), st.integers(1, I64.max)))
    i, j = draw(st.integers(0, n - 1)), draw(st.integers(0, m - 1))
    return {"n": n, "m": m, "k": k, "i": i, "j": j, "q": n // k}


def polynomials(names: Sequence[Size] = (N, M, K, ROW, COL, Q)) -> st.SearchStrategy[Size]:
    leaves = st.one_of(st.integers(-3, 3).map(const), st.sampled_from(names))
    terms = st.lists(leaves, min_size=1, max_size=4).map(_product)
    return st.lists(terms, min_size=1, max_size=4).map(lambda ps: sum(ps, start=ZERO))


def _product(ps: list[Size]) -> Size:
    total = ONE
    for p in ps:
        total = total * p
    return total


@given(polynomials(), places())
def test_intervals_hold_all_values(p: Size, place: dict[str, int]) -> None:
    low, high = scene().interval(p)
    assert low <= p.eval(lambda x: place[x]) <= high


@given(polynomials(), places(), st.sampled_from([NUMBERS, INDICES]))
def test_what_lies_in_i64_is_the_same_after_wrapping(
    p: Size, place: dict[str, int], within: Interval
) -> None:
    if scene().lies(p, within):
        exact = p.eval(lambda x: place[x])
        assert within[0] <= exact <= within[1]


def lengths() -> st.SearchStrategy[Size]:
    """Products of one or two names, some of them negative."""
    names = st.lists(st.sampled_from([N, M]), min_size=1, max_size=3).map(_product)
    return st.tuples(st.sampled_from([1, 2, -1]), names).map(lambda t: t[0] * t[1])


@given(
    st.lists(lengths(), min_size=1, max_size=2),
    polynomials((N, M)),
    st.tuples(*[st.one_of(st.integers(-4, 4), st.sampled_from([-(1 << 24), 1 << 25]))] * 2),
)
def test_an_array_says_no_more_than_its_lengths_do(
    shape: list[Size], p: Size, nm: tuple[int, int]
) -> None:
    """Whatever the signs of the names are in a polynomial that is a length."""
    place = {"n": nm[0], "m": nm[1]}
    sizes = [d.eval(lambda x: place[x]) for d in shape]
    assume(min(sizes) >= 0 and math.prod(sizes) <= MOST)
    r = Ranges(None)
    r.array(tuple(shape), held=True, dims=len(shape))
    for q in (N, M, N * M, p):
        low, high = r.interval(q)
        assert low <= q.eval(lambda x: place[x]) <= high
