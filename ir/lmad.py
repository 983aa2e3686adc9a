"""Linear-memory access descriptors (paper 002, sec. 3.1): the addresses of an array's elements.

    L = o + {(n_1 : s_1) … (n_q : s_q)}

is a function from indices ``0 <= i_k < n_k`` to the *element* address ``o + sum_k i_k * s_k``
(eq. 1, 0-based: errata 1).  Offset, cardinalities and strides are :mod:`sizes
<funmem.ir.sizes>`, so one LMAD describes the array for all values of the variables in scope.

A layout operation on an array is an operation on its LMAD and moves no data:

    slice_f    eq. 2      permute   swap (n_k : s_k) pairs
    index_f    eq. 3      reverse   start at the last element, negate the stride
    reshape    if the dimensions that are joined or split are evenly spaced; else None

Worked example, ``x : [n][m]f32 @ b -> 0 + {(n : m) (m : 1)}``:

    transpose x        0         + {(m : 1) (n : m)}
    x[i, 0:m]          i*m       + {(m : 1)}
    reverse 0 x        n*m - m   + {(n : -m) (m : 1)}
    reshape [n*m] x    0         + {(n*m : 1)}
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, ZERO, Size, SizeLike, product


@frozen
class Dim:
    """One dimension: its number of elements and the distance between neighbours, in elements."""

    len: Size
    stride: Size

    def __str__(self) -> str:
        return f"({self.len} : {self.stride})"


@frozen
class DimFix:
    """Fix one index in a slice: the dimension disappears (eq. 3)."""

    at: Size

    def __str__(self) -> str:
        return str(self.at)


@frozen
class DimRange:
    """Keep ``len`` elements from ``start``, ``stride`` apart; the stride may be any i64 (eq. 2)."""

    start: Size
    len: Size
    stride: Size

    def __str__(self) -> str:
        head = f"{self.start} : {self.len}"
        return head if self.stride == ONE else f"{head} : {self.stride}"


SliceDim: TypeAlias = DimFix | DimRange


@frozen
class Lmad:
    """``offset + {(len : stride) …}``; addresses count elements, not bytes."""

    offset: Size
    dims: tuple[Dim, ...]

    @property
    def shape(self) -> tuple[Size, ...]:
        return tuple(d.len for d in self.dims)

    @property
    def strides(self) -> tuple[Size, ...]:
        return tuple(d.stride for d in self.dims)

    @property
    def rank(self) -> int:
        return len(self.dims)

    def apply(self, index: Sequence[SizeLike]) -> Size:
        """Return the element address of an index (eq. 1)."""
        assert len(index) == self.rank
        return self.offset + sum(
            (d.stride * i for d, i in zip(self.dims, index, strict=True)), start=ZERO
        )

    def index_f(self, k: SizeLike) -> "Lmad":
        """Return the LMAD with the outermost index fixed (eq. 3)."""
        return Lmad(self.offset + self.dims[0].stride * k, self.dims[1:])

    def prefix(self, index: Sequence[SizeLike]) -> "Lmad":
        """Return the LMAD with the outermost indices fixed."""
        offset = self.offset
        for d, i in zip(self.dims, index, strict=False):
            offset = offset + d.stride * i
        return Lmad(offset, self.dims[len(index) :])

    def slice_f(self, dims: Sequence[SliceDim]) -> "Lmad":
        """Return a slice of every dimension (eq. 2, with strides and fixed indices)."""
        assert len(dims) == self.rank
        offset = self.offset
        kept: list[Dim] = []
        for old, new in zip(self.dims, dims, strict=True):
            match new:
                case DimFix(at):
                    offset = offset + old.stride * at
                case DimRange(start, length, stride):
                    offset = offset + old.stride * start
                    kept.append(Dim(length, old.stride * stride))
        return Lmad(offset, tuple(kept))

    def flat_slice(self, offset: SizeLike, dims: Sequence[Dim]) -> "Lmad":
        """Return the LMAD composed with an LMAD over the indices of a one-dimensional array."""
        assert self.rank == 1
        s = self.dims[0].stride
        return Lmad(self.offset + s * offset, tuple(Dim(d.len, s * d.stride) for d in dims))

    def part(self, where: "Part") -> "Lmad":
        """Return the elements that an update writes: a slice, or a flat slice of a vector."""
        if isinstance(where, Lmad):
            return self.flat_slice(where.offset, where.dims)
        return self.slice_f(where)

    def permute(self, perm: Sequence[int]) -> "Lmad":
        """Return the LMAD whose dimension ``k`` is dimension ``perm[k]`` of this one."""
        assert sorted(perm) == list(range(self.rank))
        return Lmad(self.offset, tuple(self.dims[k] for k in perm))

    def reverse(self, dim: int) -> "Lmad":
        """Return the LMAD with dimension ``dim`` in reverse order."""
        d = self.dims[dim]
        return Lmad(
            self.offset + d.stride * (d.len - 1),
            (*self.dims[:dim], Dim(d.len, -d.stride), *self.dims[dim + 1 :]),
        )

    def reshape(self, shape: Sequence[SizeLike]) -> "Lmad | None":
        """Return the same elements in row-major order under another shape, or None.

        The dimensions fall into groups that hold the same number of elements before and after.
        Each group must be evenly spaced: each stride is the next dimension's stride times its
        length.  Equal outer dimensions are kept; dimensions of length 1 do not matter.  None: no
        single LMAD describes the result, so the array has to be copied first.
        """
        new = [Size.of(n) for n in shape]
        if ZERO in self.shape:  # an empty array has no spacing
            return Lmad(self.offset, row_major(new).dims)
        keep = 0
        while keep < min(self.rank, len(new)) and self.dims[keep].len == new[keep]:
            keep += 1
        dims = self.dims[:keep]
        old = [d for d in self.dims[keep:] if d.len != ONE]
        for group, lens in _groups(old, new[keep:]):
            spacing = _spacing(group)
            if spacing is None:
                return None
            dims += row_major(lens, scale=spacing).dims
        return Lmad(self.offset, dims)

    def shifted(self, offset: SizeLike) -> "Lmad":
        """Return the LMAD with all addresses moved by ``offset`` elements."""
        return Lmad(self.offset + offset, self.dims)

    def scaled(self, factor: SizeLike) -> "Lmad":
        """Return the LMAD with offset and strides multiplied by ``factor`` (errata 7)."""
        return Lmad(self.offset * factor, tuple(Dim(d.len, d.stride * factor) for d in self.dims))

    def free(self) -> frozenset[Name]:
        """Return the variables that occur in offset, lengths and strides."""
        return self.offset.free().union(*(d.len.free() | d.stride.free() for d in self.dims))

    def subst(self, image: Mapping[Name, Size]) -> "Lmad":
        """Return the LMAD with every variable in ``image`` replaced by its image."""
        return self.map_sizes(lambda s: s.subst(image))

    def map_sizes(self, f: Callable[[Size], Size]) -> "Lmad":
        """Return the LMAD with ``f`` applied to the offset and to every length and stride."""
        return Lmad(f(self.offset), tuple(Dim(f(d.len), f(d.stride)) for d in self.dims))

    @property
    def readable(self) -> bool:
        """True if the parser accepts it: all sizes are within the limits of :mod:`sizes`."""
        sizes = (self.offset, *(s for d in self.dims for s in (d.len, d.stride)))
        return all(s.readable for s in sizes)

    def __str__(self) -> str:
        return f"{self.offset} + {{{' '.join(map(str, self.dims))}}}"


Part: TypeAlias = tuple[SliceDim, ...] | Lmad
"""The elements that an update writes: a slice of every dimension, or a flat slice of a vector."""


def part_lens(where: Part) -> tuple[Size, ...]:
    """Return the shape of a part."""
    if isinstance(where, Lmad):
        return where.shape
    return tuple(d.len for d in where if isinstance(d, DimRange))


def _groups(
    old: Sequence[Dim], new: Sequence[Size]
) -> Iterator[tuple[Sequence[Dim], Sequence[Size]]]:
    """Yield groups of dimensions that hold the same number of elements before and after.

    Groups are as small as possible: a cut is where the products of lengths so far are equal.
    """
    lens = [d.len for d in old]
    cuts = {product(lens[:k]): k for k in range(len(lens) + 1)}
    i = j = 0
    for k in range(1, len(new)):
        if (cut := cuts.get(product(new[:k]), 0)) > i:
            yield old[i:cut], new[j:k]
            i, j = cut, k
    yield old[i:], new[j:]


def _spacing(dims: Sequence[Dim]) -> Size | None:
    """Return the distance between neighbours in row-major order, or None if it varies."""
    if not dims:
        return ONE
    spacing = dims[-1].stride
    for outer, inner in pairwise(dims):
        if outer.stride != inner.stride * inner.len:
            return None
    return spacing


def row_major(shape: Sequence[SizeLike], *, scale: SizeLike = 1) -> Lmad:
    """Return ``R(n_1, …, n_q)``: row-major order from offset 0, neighbours ``scale`` apart."""
    lens = [Size.of(n) for n in shape]
    return Lmad(
        ZERO,
        tuple(Dim(n, product(lens[k + 1 :]) * scale) for k, n in enumerate(lens)),
    )
