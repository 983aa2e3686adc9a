"""Places of arrays at run time: a block, an offset, and integer pairs (length, stride).

This arithmetic deliberately does not share code with :mod:`funmem.ir.lmad`, which the compiler
uses.  The heap interpreter checks the compiler, and its reference is the set of points.  Offsets
and strides count elements.
"""

from collections.abc import Iterator, Sequence
from math import prod
from operator import mul
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from funmem.interp.traps import Range, Shape, SliceIndex
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, ScalarType
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.values import Data, dtype

Points: TypeAlias = slice | NDArray[np.intp]
"""Element addresses in row-major order of the index; a slice if they are consecutive."""

WIDEST = 8
"""Bytes of the largest scalar."""


def every_index(sizes: Sequence[int]) -> Iterator[Shape]:
    """Yield all indices of some dimensions, the last one fastest.

    They are generated lazily.  If a dimension is empty, the others may be as large as an i64.
    """
    if min(sizes, default=1) <= 0:
        return
    if not sizes:
        yield ()
        return
    last = range(sizes[-1])
    for outer in every_index(sizes[:-1]):
        for i in last:
            yield (*outer, i)


def nth_index(k: int, sizes: Sequence[int]) -> Shape:
    """Return the ``k``-th index of some dimensions in row-major order."""
    index: list[int] = []
    for n in reversed(sizes):
        k, i = divmod(k, n)
        index.append(i)
    return tuple(reversed(index))


class Block:
    """A block of ``size`` bytes.

    Its state is kept per *grain*: pieces of the size of the smallest scalar that was ever accessed
    in the block.  Accesses are aligned to the size of their element, so they cover whole grains.
    """

    __slots__ = ("bytes", "defined", "grain", "level", "name", "shadows", "size", "views")

    def __init__(self, name: Name, size: int, level: int) -> None:
        self.name = name
        self.size = size
        self.level = level
        """The static number of kernels around the allocation; these need not watch the block."""
        self.grain = WIDEST
        grains = -(-size // WIDEST)
        self.bytes = bytearray(grains * WIDEST)
        self.defined = bytearray(grains)
        self.shadows: dict[int, Shadow] = {}
        self.views: dict[ScalarType, Data] = {}

    def view(self, t: ScalarType) -> Data:
        """Return the bytes as elements of ``t``; a bool is viewed as a byte."""
        view = self.views.get(t)
        if view is None:
            of = np.dtype(np.uint8) if t is BOOL else dtype(t)
            view = self.views[t] = np.frombuffer(self.bytes, of)
        return view

    def defined_view(self) -> NDArray[np.uint8]:
        """Return a numpy view that is 1 for each grain that was written, else 0."""
        return np.frombuffer(self.defined, np.uint8)

    def grains(self, t: ScalarType) -> int:
        """Return the number of grains of an element of ``t``; refine the grains if needed."""
        if t.bytes < self.grain:
            self.refine(t.bytes)
        return t.bytes // self.grain

    def refine(self, size: int) -> None:
        """Split the grains into grains of ``size`` bytes."""
        factor = self.grain // size
        self.defined = bytearray(np.repeat(self.defined_view(), factor))
        for shadow in self.shadows.values():
            shadow.refine(factor)
        self.grain = size


class Shadow:
    """The last writer and the first reader of each grain of a block, as codes of races.py."""

    __slots__ = ("reader", "writer")

    def __init__(self, grains: int) -> None:
        self.writer = np.zeros(grains, np.int64)
        self.reader = np.zeros(grains, np.int64)

    def refine(self, factor: int) -> None:
        """Split every grain into ``factor`` smaller ones."""
        self.writer = np.repeat(self.writer, factor)
        self.reader = np.repeat(self.reader, factor)


class Place(NamedTuple):
    """The place of an array: element ``i, …`` is at ``offset + i * stride + …`` in ``block``."""

    block: Block
    elem: ScalarType
    offset: int
    lens: Shape
    strides: Shape

    @property
    def is_empty(self) -> bool:
        return min(self.lens) <= 0 if self.lens else False

    def __str__(self) -> str:
        dims = " ".join(f"({n} : {s})" for n, s in zip(self.lens, self.strides, strict=True))
        return f"{self.block.name} -> {self.offset} + {{{dims}}}"


Cell: TypeAlias = ScalarValue | Place | Block
"""The value of a name on the heap."""


def row_major(block: Block, elem: ScalarType, shape: Shape) -> Place:
    """Return the row-major place of an array at the beginning of a block."""
    strides = [prod(shape[k + 1 :]) for k in range(len(shape))]
    return Place(block, elem, 0, shape, tuple(strides))


# ---------------------------------------------------------------------- derived places


def address(p: Place, index: Sequence[int]) -> int:
    """Return the address of an element."""
    if len(index) == 1:
        return p.offset + index[0] * p.strides[0]
    steps: int = sum(map(mul, index, p.strides))
    return p.offset + steps


def fix(p: Place, index: Sequence[int]) -> Place:
    """Return the part of an array with fixed outermost indices."""
    k = len(index)
    start = Place(p.block, p.elem, p.offset, p.lens[:k], p.strides[:k])
    return Place(p.block, p.elem, address(start, index), p.lens[k:], p.strides[k:])


def slice_(p: Place, dims: Sequence[SliceIndex]) -> Place:
    """Return the place of ``x[o : n : s, i, …]``."""
    offset, lens, strides = p.offset, [], []
    for d, s in zip(dims, p.strides, strict=True):
        if isinstance(d, Range):
            offset += d.start * s
            lens.append(d.len)
            strides.append(d.stride * s)
        else:
            offset += d * s
    return Place(p.block, p.elem, offset, tuple(lens), tuple(strides))


def part(p: Place, dim: int, start: int, length: int) -> Place:
    """Return ``length`` indices of one dimension from ``start`` on, and all of the others."""
    lens = (*p.lens[:dim], length, *p.lens[dim + 1 :])
    return Place(p.block, p.elem, p.offset + start * p.strides[dim], lens, p.strides)


def permute(p: Place, perm: Sequence[int]) -> Place:
    """Permute dimensions: dimension ``k`` of the result is dimension ``perm[k]`` of ``p``."""
    lens, strides = tuple(p.lens[k] for k in perm), tuple(p.strides[k] for k in perm)
    return Place(p.block, p.elem, p.offset, lens, strides)


def reverse(p: Place, dim: int) -> Place:
    """Reverse dimension ``dim``."""
    last = p.offset + (p.lens[dim] - 1) * p.strides[dim]
    strides = (*p.strides[:dim], -p.strides[dim], *p.strides[dim + 1 :])
    return Place(p.block, p.elem, last, p.lens, strides)


def flat_slice(p: Place, offset: int, dims: Sequence[tuple[int, int]]) -> Place:
    """Apply an LMAD to the indices of a one-dimensional array."""
    (s,) = p.strides
    lens, strides = tuple(n for n, _ in dims), tuple(k * s for _, k in dims)
    return Place(p.block, p.elem, p.offset + offset * s, lens, strides)


def repeat(p: Place, shape: Shape) -> Place:
    """Repeat an array for every index of ``shape``, with strides of 0."""
    return Place(p.block, p.elem, p.offset, shape + p.lens, (0,) * len(shape) + p.strides)


# ---------------------------------------------------------------------- the set of points


def count(p: Place) -> int:
    """Return the number of elements."""
    return 0 if p.is_empty else prod(p.lens)


def extent(p: Place) -> range:
    """Return the range from the lowest to the highest address."""
    if p.is_empty:
        return range(0)
    steps = [(n - 1) * s for n, s in zip(p.lens, p.strides, strict=True)]
    return range(
        p.offset + sum(s for s in steps if s < 0), p.offset + sum(s for s in steps if s > 0) + 1
    )


def points(p: Place) -> Points:
    """Return all addresses; check ``extent`` first, since they must be of a reasonable size."""
    real = [(n, s) for n, s in zip(p.lens, p.strides, strict=True) if n != 1]
    expected = 1
    for n, s in reversed(real):
        if s != expected:
            break
        expected *= n
    else:
        return slice(p.offset, p.offset + count(p))
    if p.is_empty:
        return slice(0, 0)
    total = np.full((1,), p.offset, np.intp)
    for n, s in real:
        total = (total[:, None] + np.arange(n, dtype=np.intp) * s).ravel()
    return total


def spread(where: Points, k: int) -> Points:
    """Convert addresses of elements to addresses of grains; an element has ``k`` grains."""
    if k == 1:
        return where
    if isinstance(where, slice):
        return slice(where.start * k, where.stop * k)
    return (where[:, None] * k + np.arange(k)).ravel()


def injective(p: Place) -> bool:
    """True if no two elements have the same address."""
    if p.is_empty:
        return True
    reach = 0
    for s, n in sorted((abs(s), n) for n, s in zip(p.lens, p.strides, strict=True) if n != 1):
        if s <= reach:
            break
        reach += (n - 1) * s
    else:
        return True
    where = points(p)
    return isinstance(where, slice) or len(np.unique(where)) == len(where)


def same(p: Place, q: Place) -> bool:
    """True if two places are equal as functions from indices to bytes.

    The stride of a dimension of one element is ignored, and so are the offset and the strides of an
    empty array.  Numbers are compared modulo 2^64, since they may come from i64 variables.
    """
    if p.block is not q.block or p.elem is not q.elem or p.lens != q.lens:
        return False
    if p == q or p.is_empty:
        return True
    strides = zip(p.lens, p.strides, q.strides, strict=True)
    return _same_i64(p.offset, q.offset) and all(n == 1 or _same_i64(s, t) for n, s, t in strides)


def _same_i64(a: int, b: int) -> bool:
    return (a - b) % (1 << 64) == 0


def same_sequence(p: Place, q: Place) -> bool:
    """True if two places of any shape have the same sequence of points in row-major order."""
    if p.block is not q.block or p.elem is not q.elem or count(p) != count(q):
        return False
    if p.is_empty or extent(p) != extent(q):
        return p.is_empty
    return np.array_equal(_listed(p), _listed(q))


def disjoint(p: Place, q: Place) -> bool:
    """True if two places of one element type have no byte in common."""
    if p.block is not q.block:
        return True
    a, b = extent(p), extent(q)
    if max(a.start, b.start) >= min(a.stop, b.stop):
        return True
    return not np.isin(_listed(p), _listed(q)).any()


def _listed(p: Place) -> NDArray[np.intp]:
    where = points(p)
    return np.arange(where.start, where.stop) if isinstance(where, slice) else where
