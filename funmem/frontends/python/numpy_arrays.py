"""numpy's functions that are made of other ones: ``np.pad``, ``np.convolve``, ``np.median``, ….

    np.tile(x, 2)      ->      x[arange(2 * n) % n]

Nothing here knows how an array is represented.  ``numpy_functions`` lists all functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from funmem.frontends.python import control, indexing, making, reductions, sorting
from funmem.frontends.python.elementwise import astype, broadcast, ufunc, unified
from funmem.frontends.python.entry_calls import call_entry
from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.tape import Symbol, Tape, active, describe
from funmem.ir import core as c
from funmem.ir.scalars import F64, I64, ScalarType


def current_tape() -> Tape:
    """Return the tape of the trace in which a function is called with traced values."""
    tape = active()
    if tape is None:
        raise wrong(Code.ESCAPED, "a traced value is used after its function has returned")
    return tape


def value_of(x: Any) -> Any:
    """Return a traced value: itself, or that of a number or array of numpy's."""
    return current_tape().lift(x)


def _size(x: Symbol, k: int) -> Any:
    """Return size ``k`` of an array: a Python integer if it is known in the trace."""
    known = x.dims[k].as_const
    return x.tape.size_symbol(x.dims[k]) if known is None else known


def _at(x: Symbol, k: int, index: Any) -> Any:
    """Return ``x[:, …, index, …]`` with the index at dimension ``k``."""
    return indexing.getitem(x, (*[slice(None)] * k, index))


def _vector(x: Any, what: str) -> Any:
    x = value_of(x)
    if len(x.dims) != 1:
        raise wrong(Code.SHAPE, f"np.{what} of {describe(x)}", "it takes vectors")
    return x


# ---------------------------------------------------------------------- elements elsewhere


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Return the elements moved by ``shift`` places along the axes; the last become the first."""
    x = value_of(x)
    if axis is None:
        return roll(x.reshape(-1), shift, 0).reshape(x.shape)
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    shifts = shift if isinstance(shift, tuple | list) else (shift,) * len(axes)
    for k, by in zip(axes, shifts, strict=True):
        n = _size(x, k)
        x = _at(x, k % len(x.dims), (making.arange(n) - by) % n)
    return x


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Return each element, or each part along an axis, several times."""
    x = value_of(x)
    if value_of(repeats).dims:
        hint = "a comprehension in `.fut` has rows of different lengths"
        raise wrong(Code.UNSUPPORTED, "np.repeat with a number for each element", hint)
    if axis is None:
        x, axis = x.reshape(-1), 0
    k = axis % len(x.dims)
    return _at(x, k, making.arange(_size(x, k) * repeats) // repeats)


def tile(x: Any, reps: Any) -> Any:
    """Return copies of an array side by side, ``reps`` along each of the last dimensions."""
    x = value_of(x)
    counts = list(reps) if isinstance(reps, tuple | list) else [reps]
    while len(x.dims) < len(counts):
        x = indexing.with_dimension(x, 0)
    counts = [1] * (len(x.dims) - len(counts)) + counts
    for k, count in enumerate(counts):
        n = _size(x, k)
        x = _at(x, k, making.arange(n * count) % n)
    return x


def rot90(x: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Return an array turned by ``k`` quarters, from the first axis towards the second."""
    x = value_of(x)
    a, b = (d % len(x.dims) for d in axes)
    perm = list(range(len(x.dims)))
    perm[a], perm[b] = b, a
    for _ in range(k % 4):
        x = indexing.rearranged(_at(x, b, slice(None, None, -1)), perm)
    return x


# ---------------------------------------------------------------------- borders


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """Return an array with a border: of a constant, or of its own elements."""
    x = value_of(x)
    widths = _pairs(pad_width, len(x.dims))
    values = _pairs(constant_values, len(x.dims))
    for k, (width, value) in enumerate(zip(widths, values, strict=True)):
        x = _bordered(x, k, width, value) if mode == "constant" else _continued(x, k, width, mode)
    return x


def _pairs(given: Any, rank: int) -> list[tuple[Any, Any]]:
    """Return (before, after) for each dimension, from a number, a pair, or a pair for each."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, tuple | list):
        return [(given, given)] * rank
    if not any(isinstance(w, tuple | list) for w in given):
        return [(given[0], given[-1])] * rank
    found = [(w[0], w[-1]) for w in given]
    return found * rank if len(found) == 1 else found


def _bordered(x: Symbol, k: int, width: tuple[Any, Any], value: tuple[Any, Any]) -> Symbol:
    def part(n: Any, v: Any) -> list[Symbol]:
        if isinstance(n, int) and n == 0:
            return []
        dims = (*x.dims[:k], x.tape.dim_of(n), *x.dims[k + 1 :])
        return [broadcast(astype(x.tape.lift(v), x.type), dims)]

    (before, after), (low, high) = width, value
    found: Symbol = making.concatenate([*part(before, low), x, *part(after, high)], axis=k)
    return found


def _continued(x: Symbol, k: int, width: tuple[Any, Any], mode: str) -> Any:
    before, after = width
    n = _size(x, k)
    i = making.arange(before + n + after) - before
    match mode:
        case "edge":
            j = ufunc(np.maximum, (ufunc(np.minimum, (i, n - 1), x.tape), 0), x.tape)
        case "wrap":
            j = i % n
        case "symmetric":
            j = i % (2 * n)
            j = control.where(j < n, j, 2 * n - 1 - j)
        case "reflect":
            j = i % ufunc(np.maximum, (x.tape.lift(2 * n - 2), 1), x.tape)
            j = control.where(j < n, j, 2 * n - 2 - j)
        case _:
            modes = "constant, edge, wrap, symmetric or reflect"
            raise wrong(Code.UNSUPPORTED, f"np.pad with mode `{mode}`", modes)
    return _at(x, k, j)


# ---------------------------------------------------------------------- windows


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """Return the sums of products of a vector and a reversed one, at each of its places."""
    x, w = _vector(a, "convolve"), _vector(v, "convolve")
    return _products(x, indexing.getitem(w, slice(None, None, -1)), mode, 0)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """Return the sums of products of a vector and another one, at each of its places."""
    x, w = _vector(a, "correlate"), _vector(v, "correlate")
    shorter = astype(x.tape.lift(x.shape[0] < w.shape[0]), I64)
    return _products(x, w, mode, shorter)


def _products(x: Any, w: Any, mode: str, later: Any) -> Any:
    """Return the sums; those of the mode `same` begin ``later`` by one if that is 1.

    All sums are computed, because all their indices are provably in bounds then.
    """
    n, m = x.shape[0], w.shape[0]
    bordered = _bordered(x, 0, (m - 1, m - 1), (0, 0))
    places = indexing.with_dimension(making.arange(n + m - 1), 1) + making.arange(m)
    windows: Any = indexing.getitem(bordered, places)
    sums = (windows * w).sum(1)
    least, most = (ufunc(f, (n, m), x.tape) for f in (np.minimum, np.maximum))
    match mode:
        case "full":
            return sums
        case "same":  # numpy swaps vectors if the first one is shorter, and reverses the result
            first = (least - 1 + later) // 2
            return indexing.getitem(sums, slice(first, first + most))
        case "valid":
            return indexing.getitem(sums, slice(least - 1, most))
        case _:
            raise wrong(Code.UNSUPPORTED, f"mode `{mode}`", "full, same or valid")


def gradient(x: Any, *spacing: Any, axis: Any = None) -> Any:
    """Return half the differences of both neighbours, and at the ends those of one."""
    x = value_of(x)
    axes = reductions.axes_of(x, axis)
    if len(spacing) not in (0, 1, len(axes)):
        raise TypeError("np.gradient takes a distance for each axis")
    if any(value_of(h).dims for h in spacing):
        raise wrong(Code.UNSUPPORTED, "np.gradient with coordinates", "give it distances")
    each = list(spacing) if len(spacing) == len(axes) else [*spacing, 1.0][:1] * len(axes)
    found = [_slope(x, k, h) for k, h in zip(axes, each, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _slope(x: Symbol, k: int, h: Any) -> Any:
    if not x.type.is_float:
        x = astype(x, F64)

    def difference(a: slice, b: slice) -> Any:
        return ufunc(np.subtract, (_at(x, k, a), _at(x, k, b)), x.tape)

    first = difference(slice(1, 2), slice(0, 1)) / h
    inner = difference(slice(2, None), slice(None, -2)) / (2 * h)
    last = difference(slice(-1, None), slice(-2, -1)) / h
    return making.concatenate([first, inner, last], axis=k)


# ---------------------------------------------------------------------- order


def median(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the middle of the sorted elements, or the mean of both; NaN if there is a NaN."""
    x = value_of(x)
    rank = len(x.dims)
    if isinstance(axis, tuple | list):
        raise wrong(Code.UNSUPPORTED, "np.median along several axes", "reshape them into one")
    if axis is None:
        found = _middle(sorting.sort(x, None), 0)
        return found.reshape((1,) * rank) if keepdims else found
    k = axis % rank
    found = _middle(sorting.sort(x, k), k)
    return indexing.with_dimension(found, k) if keepdims else found


def _middle(ordered: Any, k: int) -> Any:
    n = _size(ordered, k)
    x = ordered if ordered.type.is_float else astype(ordered, F64)
    low, high = _at(x, k, (n - 1) // 2), _at(x, k, n // 2)
    both = control.where(x.tape.lift(n % 2 == 1), low, (low + high) / 2)
    last = _at(x, k, n - 1)
    return control.where(ufunc(np.isnan, (last,), x.tape), last, both)


_SEARCH = """
def before (a: {t}) (b: {t}) : bool = {before}

def found [n] (xs: [n]{t}) (goes_on: {t} -> bool) : i64 =
  (loop (lo, hi) = (0, n) while lo < hi do
     let mid = lo + (hi - lo) / 2
     in if goes_on xs[mid] then (mid + 1, hi) else (lo, mid)).0

entry left [n][m] (xs: [n]{t}) (vs: [m]{t}) : [m]i64 = map (\\v -> found xs (\\x -> before x v)) vs
entry right [n][m] (xs: [n]{t}) (vs: [m]{t}) : [m]i64 =
  map (\\v -> found xs (\\x -> !(before v x))) vs
"""


@cache
def _search(t: ScalarType) -> c.CoreProgram:
    """Return binary search for an element type; NaN is behind all numbers, as in numpy."""
    from funmem.frontends.futhark.program import to_core

    nan = f"a < b || ({t.value}.isnan b && !({t.value}.isnan a))"
    return to_core(_SEARCH.format(t=t.value, before=nan if t.is_float else "a < b"), "search.fut")


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Return where values can be inserted into a sorted vector."""
    if sorter is not None:
        raise wrong(Code.UNSUPPORTED, "np.searchsorted with `sorter=`", "search in a[sorter]")
    xs: Any
    vs: Any
    (t, _), (xs, vs) = unified([_vector(a, "searchsorted"), value_of(v)])
    program = _search(t)
    (entry,) = (e for e in program.entries if e.name == side)
    if not vs.dims:
        return _at(call_entry(xs.tape, program, entry, (xs, indexing.with_dimension(vs, 0))), 0, 0)
    return call_entry(xs.tape, program, entry, (xs, vs.reshape(-1))).reshape(vs.shape)


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Return the numbers of the bins, whose bounds increase."""
    return searchsorted(bins, x, "left" if right else "right")


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """Return the values at ``x`` of straight lines through points, whose ``xp`` increase."""
    x, xp, fp = (astype(value_of(y), F64) for y in (x, xp, fp))
    n = _size(xp, 0)
    i: Any = (searchsorted(xp, x, "right") - 1).clip(0, n - 1)
    j = ufunc(np.minimum, (i + 1, n - 1), x.tape)
    x0, y0 = _at(xp, 0, i), _at(fp, 0, i)
    slope = (_at(fp, 0, j) - y0) / (_at(xp, 0, j) - x0)
    first, last, end = _at(xp, 0, 0), _at(xp, 0, n - 1), _at(fp, 0, n - 1)
    inside = control.where(x == last, end, slope * (x - x0) + y0)
    below = control.where(x < first, _at(fp, 0, 0) if left is None else left, inside)
    return control.where(x > last, end if right is None else right, below)


# ---------------------------------------------------------------------- elementwise


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """Return where two arrays differ by at most ``atol + rtol * abs(b)``."""
    x, y = value_of(a), value_of(b)
    near = (abs(x - y) <= atol + rtol * abs(y)) & ufunc(np.isfinite, (y,), x.tape) | (x == y)
    both = ufunc(np.isnan, (x,), x.tape) & ufunc(np.isnan, (y,), x.tape) if equal_nan else False
    return near | both


def array_equal(a: Any, b: Any) -> Any:
    """Return whether two arrays have the same shape and elements; nothing is broadcast."""
    x, y = value_of(a), value_of(b)
    if len(x.dims) != len(y.dims):
        return x.tape.lift(False)
    if not x.dims:
        return x == y
    alike = x.tape.lift(True)
    for m, n in zip(x.shape, y.shape, strict=True):
        alike = alike & (m == n)
    return control.cond(alike, lambda: (x == y).all(), lambda: False)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """Return for each element the first choice whose condition holds."""
    found = value_of(default)
    for condition, choice in reversed([*zip(condlist, choicelist, strict=True)]):
        found = control.where(condition, choice, found)
    return found


def without_nan(method: str, instead: float) -> Any:
    """Return ``np.nansum`` and its like: a reduction in which other elements replace NaN."""

    def reduced(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = value_of(x)
        if x.type.is_float:
            x = control.where(ufunc(np.isnan, (x,), x.tape), instead, x)
        return getattr(x, method)(axis, keepdims=keepdims)

    return reduced


def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the mean of the elements that are not NaN."""
    x = value_of(x)
    if not x.type.is_float:
        return reductions.mean(x, axis, None, keepdims)
    is_number = ~ufunc(np.isnan, (x,), x.tape)
    count: Any = astype(is_number, x.type)
    total = control.where(is_number, x, 0.0).sum(axis, keepdims=keepdims)
    return total / count.sum(axis, keepdims=keepdims)


# ---------------------------------------------------------------------- products


def meshgrid(*xs: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """Return the coordinates of a grid whose axes are vectors."""
    vectors = [_vector(x, "meshgrid") for x in xs]
    swap = indexing == "xy" and len(vectors) > 1
    order = [1, 0, *range(2, len(vectors))] if swap else [*range(len(vectors))]
    dims = tuple(vectors[k].dims[0] for k in order)
    found = []
    for k, x in enumerate(vectors):
        shape = [1] * len(vectors)
        shape[order.index(k)] = x.shape[0]
        found.append(broadcast(x.reshape(shape), dims))
    return tuple(found)


def cross(a: Any, b: Any) -> Any:
    """Return the vector products of vectors of three elements, which are the last dimension."""
    x, y = value_of(a), value_of(b)
    for z in (x, y):
        if not z.dims or z.dims[-1].as_const not in (3, None):
            hint = "the last dimensions must be 3"
            raise wrong(Code.SHAPE, f"np.cross of {describe(x)} and {describe(y)}", hint)
        control.require(z.shape[-1] == 3, "np.cross of vectors of {} elements", z.shape[-1])

    def of(z: Symbol, k: int) -> Any:
        return _at(z, len(z.dims) - 1, k)

    parts = [of(x, i) * of(y, j) - of(x, j) * of(y, i) for i, j in ((1, 2), (2, 0), (0, 1))]
    found = making.stacked(x.tape, parts)
    return indexing.rearranged(found, [*range(1, len(found.dims)), 0])


def kron(a: Any, b: Any) -> Any:
    """Return the second matrix or vector, multiplied by each element of the first."""
    x, y = value_of(a), value_of(b)
    if len(x.dims) != len(y.dims) or not 1 <= len(x.dims) <= 2:
        raise wrong(Code.UNSUPPORTED, f"np.kron of {describe(x)} and {describe(y)}")
    if len(x.dims) == 1:
        return (indexing.with_dimension(x, 1) * y).reshape(-1)
    left: Any = indexing.with_dimension(indexing.with_dimension(x, 1), 3)
    right = indexing.with_dimension(indexing.with_dimension(y, 0), 2)
    (n, m), (p, q) = x.shape, y.shape
    return (left * right).reshape(n * p, m * q)
