"""The array operations of FUN on values (fig. 5 and its completions).

Every function takes and returns whole arrays and does not change its arguments.  It tests for traps
first (traps.py).  A derived array is a numpy view.  Each operation is applied to the elements and
to the mask of defined elements.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from funmem.interp import traps
from funmem.interp.traps import GetText, Range, Shape, SliceIndex
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, Span, Stuck
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.values import ArrayValue, Data, Mask, Value, dtype, holdable

Selection: TypeAlias = tuple[int | slice, ...]

MOST_BYTES = 1 << 40
"""Cap on the bytes of an array or a block in the interpreters."""


def _both(x: ArrayValue, f: Callable[[Data], Data]) -> ArrayValue:
    """Apply ``f``, which moves elements, to an array and to its mask."""
    if x.defined is None:
        return ArrayValue(f(x.data))
    return ArrayValue(f(x.data), np.asarray(f(x.defined), np.bool_))


def allocatable(shape: Shape, elem: ScalarType) -> Shape:
    """Return the shape.  Raises DeviceError if this machine cannot hold such an array."""
    if max(shape, default=0) > MOST_BYTES or prod(shape) * elem.bytes > MOST_BYTES:
        what = f"an array {traps.show_shape(shape)}{elem} does not fit into memory"
        raise DeviceError(Diagnostic(NOWHERE, "memory", what))
    holdable(shape, elem)
    return shape


def demand(holds: bool, what: str) -> None:
    """Raise Stuck if a condition is false that the checker guarantees."""
    if not holds:
        raise Stuck(what)


# ---------------------------------------------------------------------- one element


def index(x: ArrayValue, at_index: tuple[int, ...], at: Span) -> ScalarValue:
    """Return ``x[i, …]`` with every dimension fixed.

    The usual case costs one access by numpy.  numpy accepts negative indices, and rejects indices
    beyond 64 bits with OverflowError, so both need a test.
    """
    try:
        v: ScalarValue = x.data.item(at_index)
    except (IndexError, OverflowError):
        traps.index_in_bounds(at_index, x.data.shape, at)
        raise
    if min(at_index) < 0:
        traps.index_in_bounds(at_index, x.data.shape, at)
    if x.defined is not None:
        traps.defined(bool(x.defined[at_index]), at_index, at)
    return v


# ---------------------------------------------------------------------- derived arrays


def _selection(dims: Sequence[SliceIndex]) -> Selection:
    """Return numpy's form of a slice in bounds; a range of stride 0 becomes one element."""
    return tuple(_select(d) if isinstance(d, Range) else d for d in dims)


def _select(d: Range) -> slice:
    if d.len == 0:
        return slice(0, 0)
    if d.len == 1 or d.stride == 0:
        return slice(d.start, d.start + 1)
    end = d.start + d.len * d.stride
    return slice(d.start, end if end >= 0 else None, d.stride)


def _lens(dims: Sequence[SliceIndex]) -> Shape:
    return tuple(d.len for d in dims if isinstance(d, Range))


def slice_(x: ArrayValue, dims: Sequence[SliceIndex], text: GetText, at: Span) -> ArrayValue:
    """Return ``x[o : n : s, i, …]``, with exactly ``n`` elements per range (errata 2)."""
    traps.slice_in_bounds(dims, x.shape, text, at)
    selection, shape = _selection(dims), _lens(dims)
    holdable(shape, x.elem)
    return _both(x, lambda a: np.broadcast_to(a[selection], shape))


def permute(x: ArrayValue, perm: tuple[int, ...]) -> ArrayValue:
    """Permute dimensions: dimension ``k`` of the result is dimension ``perm[k]`` of ``x``."""
    return _both(x, lambda a: a.transpose(perm))


def reshape(x: ArrayValue, shape: Shape, at: Span) -> ArrayValue:
    """Return the same elements, in row-major order, in another shape."""
    traps.same_count(x.shape, shape, at)
    holdable(shape, x.elem)
    return _both(x, lambda a: a.reshape(shape))


def reverse(x: ArrayValue, dim: int) -> ArrayValue:
    """Reverse dimension ``dim``."""
    return _both(x, lambda a: np.flip(a, dim))


def flat_slice(x: ArrayValue, offset: int, dims: Sequence[tuple[int, int]], at: Span) -> ArrayValue:
    """Return the array whose element ``i, …`` is ``x[offset + i * s + …]``."""
    traps.flat_in_bounds(offset, dims, x.shape[0], at)
    places = _flat_places(offset, dims)
    return _both(x, lambda a: a[places])


def _flat_places(offset: int, dims: Sequence[tuple[int, int]]) -> NDArray[np.intp]:
    """Return the indices of an LMAD in bounds, in its shape."""
    shape = allocatable(tuple(n for n, _ in dims), I64)
    if 0 in shape:
        return np.empty(shape, np.intp)
    places = np.full(shape, offset, np.intp)
    for k, (n, s) in enumerate(dims):
        steps = np.arange(n) * (s if n > 1 else 0)
        places += steps.reshape((n, *[1] * (len(dims) - k - 1)))
    return places


# ---------------------------------------------------------------------- fresh arrays


def iota(n: int, ends: tuple[int, ...], elem: ScalarType, at: Span) -> ArrayValue:
    """Return ``start + i * stride`` for ``i < n``, wrapping around in ``elem``."""
    start, stride = ends
    traps.nonnegative((n,), at)
    allocatable((n,), elem)
    mask = (1 << 64) - 1  # modulo 2^64, which is a multiple of every integer type's modulus
    wide = np.arange(n, dtype=np.uint64) * np.uint64(stride & mask) + np.uint64(start & mask)
    return ArrayValue(wide.astype(f"u{elem.bytes}").view(dtype(elem)))


def replicate(v: Value, elem: ScalarType, shape: Shape, at: Span) -> ArrayValue:
    """Return an array with a scalar or an array at every index of ``shape``."""
    traps.nonnegative(shape, at)
    x = v if isinstance(v, ArrayValue) else ArrayValue(np.array(v, dtype(elem)))
    whole = allocatable(shape + x.shape, elem)
    return _both(x, lambda a: np.broadcast_to(a, whole))


def scratch(shape: Shape, elem: ScalarType, at: Span) -> ArrayValue:
    """Return an array without defined elements."""
    traps.nonnegative(shape, at)
    nothing = np.broadcast_to(np.zeros((), dtype(elem)), allocatable(shape, elem))
    return ArrayValue(nothing, np.broadcast_to(np.False_, shape))


def concat(xs: Sequence[ArrayValue], dim: int) -> ArrayValue:
    """Concatenate arrays along dimension ``dim``; their other dimensions are equal."""
    rests = {(*x.shape[:dim], *x.shape[dim + 1 :]) for x in xs}
    demand(len(rests) == 1, "concat of arrays of different shape")
    first = xs[0].shape
    whole = (*first[:dim], sum(x.shape[dim] for x in xs), *first[dim + 1 :])
    allocatable(whole, xs[0].elem)
    mask = None
    if any(x.defined is not None for x in xs):
        mask = np.concatenate([x.mask() for x in xs], dim)
    return ArrayValue(np.concatenate([x.data for x in xs], dim), mask)


def gather(cells: Sequence[Value], outer: Shape, inner: Shape, elem: ScalarType) -> ArrayValue:
    """Return the array over ``outer`` whose elements, or rows of shape ``inner``, are ``cells``."""
    shape = allocatable(outer + inner, elem)
    rows = [c for c in cells if isinstance(c, ArrayValue)]
    if not rows:
        return ArrayValue(np.array(cells, dtype(elem)).reshape(shape))
    demand(all(r.shape == inner for r in rows), f"rows are not all {traps.show_shape(inner)}")
    mask = None
    if any(r.defined is not None for r in rows):
        mask = np.stack([r.mask() for r in rows]).reshape(shape)
    return ArrayValue(np.stack([r.data for r in rows]).reshape(shape), mask)


# ---------------------------------------------------------------------- updates


def update(
    x: ArrayValue, dims: Sequence[SliceIndex], v: Value, text: GetText, at: Span
) -> ArrayValue:
    """Return ``x with [slice] = v``."""
    traps.update_in_bounds(dims, x.shape, text, at)
    return _replaced(x, _selection(dims), _lens(dims), v)


def flat_update(
    x: ArrayValue, offset: int, dims: Sequence[tuple[int, int]], v: Value, at: Span
) -> ArrayValue:
    """Return ``x with flat [offset + {(n : s) …}] = v``."""
    traps.flat_update_in_bounds(offset, dims, x.shape[0], at)
    return _replaced(x, _flat_places(offset, dims), tuple(n for n, _ in dims), v)


def _replaced(
    x: ArrayValue, where: Selection | NDArray[np.intp], shape: Shape, v: Value
) -> ArrayValue:
    """Return ``x`` with the elements at ``where`` replaced by ``v``, which must have ``shape``."""
    v_shape = v.shape if isinstance(v, ArrayValue) else ()
    demand(v_shape == shape, "the value of an update has another shape than its slice")
    data = x.data.copy()
    data[where] = v.data if isinstance(v, ArrayValue) else v
    mask = x.defined
    if mask is not None or (isinstance(v, ArrayValue) and v.defined is not None):
        mask = x.mask().copy()
        mask[where] = v.mask() if isinstance(v, ArrayValue) else True
    return ArrayValue(data, mask)


def known(x: ArrayValue, at: Span) -> Data:
    """Return the elements of an array.  Raises Trap if one was never written."""
    if x.defined is not None and not x.defined.all():
        first = np.unravel_index(int(np.argmin(x.defined)), x.shape)
        traps.defined(False, [int(i) for i in first], at)
    return x.data


def scatter(x: ArrayValue, places: ArrayValue, vs: ArrayValue, at: Span) -> ArrayValue:
    """Return ``x`` with element ``places[k]`` replaced by ``vs[k]``, for each k in order."""
    demand(places.shape == vs.shape[:1], "scatter with different numbers of indices and values")
    known(places, at)
    where = places.data.astype(np.int64)
    inside = (where >= 0) & (where < x.shape[0])
    data = x.data.copy()
    data[where[inside]] = vs.data[inside]
    mask: Mask | None = None
    if x.defined is not None or vs.defined is not None:
        mask = x.mask().copy()
        mask[where[inside]] = vs.mask()[inside]
    return ArrayValue(data, mask)


class Buffer:
    """A mutable array into which a histogram accumulates."""

    def __init__(self, x: ArrayValue) -> None:
        self._data = x.data.copy()
        self._mask = None if x.defined is None else x.defined.copy()

    def has(self, place: Shape) -> bool:
        """True if the index of an element or row is in bounds."""
        return place[-1] in range(self._data.shape[len(place) - 1])

    def get(self, place: Shape, at: Span) -> Value:
        """Return the current element or row at an index."""
        if len(place) == self._data.ndim:
            return index(ArrayValue(self._data, self._mask), place, at)
        mask = None if self._mask is None else self._mask[place].copy()
        return ArrayValue(self._data[place].copy(), mask)

    def put(self, place: Shape, v: Value) -> None:
        """Replace the element or row at an index."""
        self._data[place] = v.data if isinstance(v, ArrayValue) else v
        if self._mask is None and isinstance(v, ArrayValue) and v.defined is not None:
            self._mask = np.ones(self._data.shape, np.bool_)
        if self._mask is not None:
            self._mask[place] = v.mask() if isinstance(v, ArrayValue) else True

    def freeze(self) -> ArrayValue:
        """Return the array; the buffer must not be used afterwards."""
        return ArrayValue(self._data, self._mask)
