"""LMADs against numpy: every operation gives exactly the addresses that the same operation on a
strided view of an array of addresses gives.

Protects ``ir/lmad.py``.  The oracle knows nothing of offsets and strides but ``as_strided``: it
slices, transposes, flips and reshapes views of ``arange``.
"""

from collections.abc import Iterator, Sequence
from itertools import product as cartesian

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, SliceDim, part_lens, row_major
from funmem.ir.names import Name
from funmem.ir.sizes import ONE, ZERO, Size, const, product, var

Addresses = NDArray[np.int64]

REACH = 4000
MEMORY: Addresses = np.arange(-REACH, REACH, dtype=np.int64)
"""The element at every address is the address."""


def lmad(offset: int, *dims: tuple[int, int]) -> Lmad:
    return Lmad(const(offset), tuple(Dim(const(n), const(s)) for n, s in dims))


def ints(sizes: Sequence[Size]) -> tuple[int, ...]:
    found = tuple(s.as_const for s in sizes)
    assert all(k is not None for k in found)
    return tuple(k for k in found if k is not None)


def view(x: Lmad) -> Addresses:
    """The array that lies where ``x`` says, as numpy sees it."""
    (offset,) = ints([x.offset])
    steps = tuple(s * MEMORY.itemsize for s in ints(x.strides))
    return as_strided(MEMORY[offset + REACH :], ints(x.shape), steps, writeable=False)


def applied(x: Lmad) -> Addresses:
    """The addresses of all indices, one by one (eq. 1)."""
    shape = ints(x.shape)
    found = [ints([x.apply(i)])[0] for i in cartesian(*map(range, shape))]
    return np.array(found, np.int64).reshape(shape)


def same(x: Lmad, want: Addresses) -> None:
    assert ints(x.shape) == want.shape
    assert np.array_equal(applied(x), want), x


RANK_1 = [lmad(o, (n, s)) for o in (0, 7) for n in range(5) for s in (-2, -1, 0, 1, 3)]
RANK_2 = [
    lmad(5, (n, s), (m, t)) for n in range(4) for m in range(4) for s in (-4, 0, 3) for t in (-1, 1)
]
SMALL = RANK_1 + RANK_2


# ---------------------------------------------------------------------- application


@pytest.mark.parametrize("x", SMALL[::7], ids=str)
def test_apply(x: Lmad) -> None:
    same(x, view(x))


def test_index_f_and_prefix_fix_the_outermost_indices() -> None:
    for x in SMALL:
        for i in range(ints(x.shape)[0]):
            same(x.index_f(i), view(x)[i])
            same(x.prefix([i]), view(x)[i])
        same(x.prefix([]), view(x))
    for x in RANK_2:
        n, m = ints(x.shape)
        for i, j in cartesian(range(n), range(m)):
            same(x.prefix([i, j]), np.asarray(view(x)[i, j]))


# ---------------------------------------------------------------------- slices


def ranges(n: int) -> Iterator[DimRange]:
    """All ranges over n elements with strides -3 … 3 that stay inside."""
    for start, length, stride in cartesian(range(n), range(n + 2), range(-3, 4)):
        last = start + (length - 1) * stride
        if length == 0 or 0 <= last < n:
            yield DimRange(const(start), const(length), const(stride))


def taken(a: Addresses, dims: Sequence[SliceDim]) -> Addresses:
    """The slice, by lists of indices."""
    axis = 0
    for d in dims:
        if isinstance(d, DimFix):
            a = np.take(a, ints([d.at])[0], axis)
        else:
            start, length, stride = ints([d.start, d.len, d.stride])
            a = np.take(a, [start + k * stride for k in range(length)], axis)
            axis += 1
    return a


def slices(n: int) -> list[SliceDim]:
    return [*ranges(n), *(DimFix(const(i)) for i in range(n))]


def test_slices_of_one_dimension() -> None:
    for x in RANK_1:
        for d in slices(ints(x.shape)[0]):
            same(x.slice_f([d]), taken(view(x), [d]))


def test_slices_of_two_dimensions() -> None:
    for x in (lmad(5, (3, 4), (2, -1)), lmad(0, (2, 0), (3, 2)), lmad(9, (2, -3), (2, 3))):
        n, m = ints(x.shape)
        for d, e in cartesian(slices(n), slices(m)):
            same(x.slice_f([d, e]), taken(view(x), [d, e]))


def test_flat_slice() -> None:
    """Of one dimension; two dimensions of any strides over its indices."""
    for x in RANK_1:
        (n,) = ints(x.shape)
        cases = cartesian(range(n), range(3), (-1, 0, 1, 2), range(3), (-2, 1))
        for o, n1, s1, n2, s2 in cases:
            places = np.add.outer(np.arange(n1) * s1, np.arange(n2) * s2) + o
            if ((places >= 0) & (places < n)).all():
                dims = lmad(0, (n1, s1), (n2, s2)).dims
                same(x.flat_slice(o, dims), view(x)[places])


def test_the_part_that_an_update_writes() -> None:
    """A slice of every dimension, or a flat slice of a vector; and its shape."""
    x, flat = lmad(5, (8, 3)), lmad(1, (2, 4), (3, 1))
    assert x.part(flat) == x.flat_slice(1, flat.dims)
    assert ints(part_lens(flat)) == (2, 3)
    sliced = (DimRange(ONE, const(2), const(3)),)
    assert x.part(sliced) == x.slice_f(sliced)
    assert ints(part_lens((*sliced, DimFix(ZERO)))) == (2,)


# ---------------------------------------------------------------------- whole dimensions


def test_permute() -> None:
    for x in RANK_2:
        same(x.permute([1, 0]), view(x).T)
        same(x.permute([0, 1]), view(x))
    x = lmad(1, (2, 12), (3, 4), (4, 1))
    for perm in ([0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]):
        same(x.permute(perm), view(x).transpose(perm))


def test_reverse() -> None:
    for x in SMALL:
        for d in range(x.rank):
            same(x.reverse(d), np.flip(view(x), d))
            if ints(x.shape)[d]:
                assert x.reverse(d).reverse(d) == x


def test_shifted_and_scaled_act_on_addresses() -> None:
    for x in SMALL:
        same(x.shifted(3), view(x) + 3)
        same(x.scaled(4), view(x) * 4)
        assert x.scaled(0).strides == (ZERO,) * x.rank


@pytest.mark.parametrize("at", range(3))
def test_an_index_function_is_readable_if_all_its_sizes_are(at: int) -> None:
    sizes = [var(Name("n")), ONE, ONE]
    assert Lmad(sizes[0], (Dim(sizes[1], sizes[2]),)).readable
    sizes[at] = const(1 << 10_000)
    assert not Lmad(sizes[0], (Dim(sizes[1], sizes[2]),)).readable


def test_row_major() -> None:
    for shape in ((3,), (2, 3), (2, 1, 3), (3, 0, 2), ()):
        count = int(np.prod(shape))
        same(row_major(shape), np.arange(count).reshape(shape))
        same(row_major(shape, scale=3), 3 * np.arange(count).reshape(shape))


# ---------------------------------------------------------------------- reshape


def shapes_of(count: int, rank: int) -> Iterator[tuple[int, ...]]:
    """Shapes of a rank with so many elements; of the many empty ones some."""
    if rank == 1:
        yield (count,)
        return
    for n in range(count + 1) if count else (0, 1, 3):
        if n and count % n == 0:
            yield from ((n, *rest) for rest in shapes_of(count // n, rank - 1))
        elif n == count == 0:
            yield from ((0, *rest) for rest in ((2,) * (rank - 1), (0,) * (rank - 1)))


def check_reshape(x: Lmad, shape: tuple[int, ...]) -> None:
    """An LMAD if and only if numpy needs no copy, and then the same addresses."""
    want = view(x).reshape(shape)
    is_view = want.size == 0 or np.may_share_memory(want, MEMORY)
    found = x.reshape(shape)
    assert (found is not None) == is_view, f"{x} as {shape}: {found}"
    if found is not None:
        same(found, want)


def test_reshape_of_small_arrays() -> None:
    """Every pattern of rank 1 and 2 to every shape up to rank 3: as numpy, no exception."""
    for x in SMALL:
        for rank in (1, 2, 3):
            for shape in shapes_of(int(np.prod(ints(x.shape))), rank):
                check_reshape(x, shape)


@st.composite
def lmads(draw: st.DrawFn) -> Lmad:
    """Rank 1 … 4, of which many are parts of row-major arrays; few are arbitrary."""
    shape = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    x = row_major(shape, scale=draw(st.sampled_from((1, 1, 2, -1))))
    for _ in range(draw(st.integers(0, 2))):
        k = draw(st.integers(0, len(shape) - 1))
        match draw(st.sampled_from(("stride", "permute", "reverse", "part"))):
            case "stride":
                stride = const(draw(st.integers(-5, 5)))
                x = Lmad(x.offset, (*x.dims[:k], Dim(x.dims[k].len, stride), *x.dims[k + 1 :]))
            case "permute":
                x = x.permute(draw(st.permutations(range(x.rank))))
            case "reverse":
                x = x.reverse(k)
            case _:
                n = ints(x.shape)[k]
                dims = [DimRange(ZERO, d, ONE) for d in x.shape]
                dims[k] = DimRange(const(n // 2), const(n - n // 2), ONE)
                x = x.slice_f(dims)
    return x


@given(lmads(), st.data())
def test_reshape_is_as_able_as_numpy(x: Lmad, data: st.DataObject) -> None:
    shapes = list(shapes_of(int(np.prod(ints(x.shape))), data.draw(st.integers(1, 4))))
    check_reshape(x, data.draw(st.sampled_from(shapes)))


@given(lmads(), st.data())
def test_chains_of_operations(x: Lmad, data: st.DataObject) -> None:
    """Several operations one after the other, up to rank 4."""
    a = view(x)
    for _ in range(3):
        k = data.draw(st.integers(0, x.rank - 1))
        match data.draw(st.sampled_from(("permute", "reverse", "slice", "index"))):
            case "permute":
                perm = data.draw(st.permutations(range(x.rank)))
                x, a = x.permute(perm), a.transpose(perm)
            case "reverse":
                x, a = x.reverse(k), np.flip(a, k)
            case "index" if x.rank > 1 and a.shape[0]:
                i = data.draw(st.integers(0, a.shape[0] - 1))
                x, a = x.index_f(i), a[i]
            case _:
                dims = [data.draw(st.sampled_from([*ranges(n)] or [_nothing()])) for n in a.shape]
                x, a = x.slice_f(dims), taken(a, dims)
        same(x, a)


def _nothing() -> DimRange:
    """The only range of an empty dimension; it may start anywhere."""
    return DimRange(const(3), ZERO, ONE)


# ---------------------------------------------------------------------- symbolic

N, M, K = (var(Name(x)) for x in "nmk")


@pytest.mark.parametrize(
    ("x", "shape", "want"),
    [
        (row_major([N, M]), [N * M], "0 + {(m*n : 1)}"),
        (row_major([N * M]), [N, M], "0 + {(n : m) (m : 1)}"),
        (row_major([N, M, K]), [N, M * K], "0 + {(n : k*m) (k*m : 1)}"),
        (row_major([N, M, K]), [N * M, K], "0 + {(m*n : k) (k : 1)}"),
        (row_major([N, M, K]), [M, N, K], "0 + {(m : k*n) (n : k) (k : 1)}"),
        (row_major([N, M]), [N, M], "0 + {(n : m) (m : 1)}"),
        (row_major([N, M]), [N, 1, M], "0 + {(n : m) (1 : m) (m : 1)}"),
        (row_major([1, N]), [N], "0 + {(n : 1)}"),
        (row_major([N]), [N, 1], "0 + {(n : 1) (1 : 1)}"),
        (row_major([N], scale=3), [K], "0 + {(k : 3)}"),  # the check at run time says k = n
        (row_major([N]).reverse(0), [K, M], "n - 1 + {(k : -m) (m : -1)}"),
        # the outer dimension stays transposed, the inner two are joined
        (row_major([M, K, N]).permute([2, 0, 1]), [N, M * K], "0 + {(n : 1) (k*m : n)}"),
        # both pairs are joined, though there is a gap between them
        (Lmad(ZERO, (*row_major([N, M], scale=100).dims, *row_major([2, 3]).dims)), [N * M, 6],
         "0 + {(m*n : 100) (6 : 1)}"),
        (row_major([N, M]).permute([1, 0]), [N * M], None),
        (row_major([N, M]).permute([1, 0]), [N, M], None),
        (row_major([N, M]).slice_f([DimRange(ZERO, N, ONE), DimRange(K, K, ONE)]), [N * K], None),
    ],
)  # fmt: skip
def test_symbolic_reshape(x: Lmad, shape: list[Size | int], want: str | None) -> None:
    found = x.reshape(shape)
    assert (None if found is None else str(found)) == want


SIZES = st.sampled_from([ZERO, ONE, const(3), N, M, N * M, N + 1, M * 2, N * K, K])
OFFSETS = st.sampled_from([ZERO, const(5), N, M * K, N - M, N * M + 1])
STRIDES = st.sampled_from([ZERO, ONE, const(-1), M, -M, N * M, K * 2, N - K])
VALUES = st.tuples(*[st.integers(0, 3)] * 3).map(
    lambda v: dict(zip((Name("n"), Name("m"), Name("k")), map(const, v), strict=True))
)
SYMBOLIC = st.builds(
    Lmad, OFFSETS, st.lists(st.builds(Dim, SIZES, STRIDES), min_size=1, max_size=3).map(tuple)
)


@given(SYMBOLIC, VALUES)
def test_operations_commute_with_substitution(x: Lmad, values: dict[Name, Size]) -> None:
    """What is computed with names is what is computed with their values."""
    y = x.subst(values)
    r = x.rank - 1
    dims = [DimRange(N, d, M) for d in x.shape]
    at_values = [DimRange(d.start.subst(values), d.len.subst(values), d.stride.subst(values))
                 for d in dims]  # fmt: skip
    fixed = [*dims[:r], DimFix(K)]
    assert x.reverse(r).subst(values) == y.reverse(r)
    assert x.slice_f(dims).subst(values) == y.slice_f(at_values)
    assert x.slice_f(fixed).subst(values) == y.slice_f([*at_values[:r], DimFix(K.subst(values))])
    assert x.index_f(N * K).subst(values) == y.index_f((N * K).subst(values))
    assert x.scaled(M).subst(values) == y.scaled(M.subst(values))
    assert x.shifted(M).subst(values) == y.shifted(M.subst(values))
    assert x.apply([N] * x.rank).subst(values) == y.apply([N.subst(values)] * x.rank)
    assert row_major(x.shape).subst(values) == row_major(y.shape)
    assert y.free() == frozenset()
    assert x.free() == x.offset.free().union(*(d.len.free() | d.stride.free() for d in x.dims))


@given(SYMBOLIC, st.lists(SIZES, min_size=1, max_size=3), VALUES)
def test_a_symbolic_reshape_is_right_for_all_values(
    x: Lmad, shape: list[Size], values: dict[Name, Size]
) -> None:
    """… that give both shapes one number of elements; for the others the program traps."""
    found = x.reshape(shape)
    here, new = x.subst(values), ints([s.subst(values) for s in shape])
    if found is not None and np.prod(ints(here.shape)) == np.prod(new):
        same(found.subst(values), view(here).reshape(new))


@given(SYMBOLIC, SIZES)
def test_row_major_arrays_can_be_joined_and_split_again(x: Lmad, scale: Size) -> None:
    """Whatever the sizes are, as long as the numbers of elements are one polynomial."""
    whole = row_major(x.shape, scale=scale)
    joined = whole.reshape([product(x.shape)])
    assert joined == Lmad(ZERO, (Dim(product(x.shape), scale),)) or ZERO in x.shape
    assert joined is not None
    assert joined.reshape(x.shape) is not None
