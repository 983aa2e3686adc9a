"""numpy's functions on traced values: what ``np.sum(x)`` and its like call (NEP 18)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funmem.frontends.python import control, indexing, making, reductions, sorting
from funmem.frontends.python import numpy_arrays as arrays
from funmem.frontends.python.einsum import einsum
from funmem.frontends.python.elementwise import astype, broadcast, fitted, ufunc
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.numpy_arrays import current_tape, value_of
from funmem.frontends.python.tape import Symbol, describe
from funmem.ir import core as c
from funmem.ir.sizes import ONE, product


def reshape(source: Any, shape: Any) -> Symbol:
    """Return the elements in another shape; one size may be -1."""
    x: Symbol = value_of(source)
    tape = x.tape
    given = list(shape) if isinstance(shape, tuple | list) else [shape]
    known = [None if type(d) is int and d == -1 else tape.dim_of(d) for d in given]
    total = product(x.dims)
    if known.count(None) > 1:
        raise wrong(Code.SHAPE, "reshape with more than one -1")
    if None in known:
        rest = product(d for d in known if d is not None)
        quotient = total.divided_by(rest) if rest.terms else None
        if quotient is None:
            whole, part = tape.size_symbol(total), tape.size_symbol(rest)
            quotient = tape.dim_of(ufunc(np.floor_divide, (whole, part), tape))
        known = [quotient if d is None else d for d in known]
    dims = tuple(d for d in known if d is not None)
    m, n = total.as_const, product(dims).as_const
    if m is not None and n is not None and m != n:
        raise wrong(
            Code.SHAPE, f"{describe(x)} cannot be reshaped to [{', '.join(map(str, dims))}]"
        )
    if dims == x.dims:
        return x
    at = here()
    if not x.dims:
        x = indexing.with_dimension(x, 0)
    elif len(x.dims) > 1:
        x = tape.bind(c.Flatten(len(x.dims), x.exp, at), x.type, (total,), at)
    if len(dims) == 1:
        return fitted(x, dims)
    if not dims:
        return indexing.getitem(x, 0)
    e: c.Exp = c.Unflatten(tuple(tape.size_atom(d) for d in dims), x.exp, at)
    return tape.bind(e, x.type, dims, at)


def _stack(xs: Sequence[Any], axis: int = 0) -> Symbol:
    found = making.stacked(current_tape(), list(xs))
    if axis == 0:
        return found
    rank = len(found.dims)
    k = axis % rank
    return indexing.rearranged(found, [*range(1, k + 1), 0, *range(k + 1, rank)])


def _flip(x: Any, axis: Any = None) -> Symbol:
    x = value_of(x)
    axes = reductions.axes_of(x, axis)
    keys = tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(len(x.dims)))
    return indexing.getitem(x, keys)


def _squeeze(x: Any, axis: Any = None) -> Symbol:
    x = value_of(x)
    axes = [k for k, d in enumerate(x.dims) if d == ONE]
    if axis is not None:
        wanted = reductions.axes_of(x, axis)
        if any(k not in axes for k in wanted):
            raise wrong(Code.SHAPE, f"axis {axis} of {describe(x)} is not of size 1")
        axes = wanted
    return indexing.getitem(x, tuple(0 if k in axes else slice(None) for k in range(len(x.dims))))


def _expand_dims(x: Any, axis: Any) -> Symbol:
    x = value_of(x)
    given = axis if isinstance(axis, tuple) else (axis,)
    rank = len(x.dims) + len(given)
    for k in sorted(a % rank for a in given):
        x = indexing.with_dimension(x, k)
    return x  # type: ignore[no-any-return]


def _broadcast_to(x: Any, shape: Any) -> Symbol:
    x = value_of(x)
    given = shape if isinstance(shape, tuple | list) else (shape,)
    return broadcast(x, tuple(x.tape.dim_of(d) for d in given))


def _swapaxes(x: Any, a: int, b: int) -> Symbol:
    x = value_of(x)
    perm = list(range(len(x.dims)))
    perm[a], perm[b] = perm[b], perm[a]
    return indexing.rearranged(x, perm)


def _moveaxis(x: Any, source: int, destination: int) -> Symbol:
    x = value_of(x)
    rank = len(x.dims)
    perm = [k for k in range(rank) if k != source % rank]
    perm.insert(destination % rank, source % rank)
    return indexing.rearranged(x, perm)


def _diff(x: Any, n: int = 1, axis: int = -1) -> Symbol:
    x = value_of(x)
    k = axis % len(x.dims)
    before = [slice(None)] * k
    for _ in range(n):
        high = indexing.getitem(x, (*before, slice(1, None)))
        low = indexing.getitem(x, (*before, slice(None, -1)))
        x = ufunc(np.subtract, (high, low), x.tape)
    return x  # type: ignore[no-any-return]


def _outer(a: Any, b: Any) -> Symbol:
    a, b = value_of(a), value_of(b)
    a, b = reshape(a, -1), reshape(b, -1)
    found: Symbol = ufunc(np.multiply, (indexing.with_dimension(a, 1), b), a.tape)
    return found


def _dot(a: Any, b: Any) -> Any:
    a, b = value_of(a), value_of(b)
    if not a.dims or not b.dims:
        return ufunc(np.multiply, (a, b), a.tape)
    return reductions.dot(a, b)


def _average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    x = value_of(x)
    if weights is None:
        return reductions.mean(x, axis)
    w = value_of(weights)
    return (x * w).sum(axis) / w.sum(axis)


def _linspace(start: Any, stop: Any, num: int = 50) -> Any:
    i = making.arange(num)
    return start + i * ((stop - start) / (num - 1))


def _count_nonzero(x: Any, axis: Any = None) -> Any:
    return reductions.sum_(ufunc(np.not_equal, (value_of(x), 0), current_tape()), axis)


def _triangle(keep: np.ufunc) -> Callable[..., Any]:
    def part(x: Any, k: int = 0) -> Any:
        x = value_of(x)
        n, m = (x.tape.size_symbol(d) for d in x.dims[-2:])
        i, j = making.arange(n), making.arange(m)
        mask = ufunc(keep, (j - k, indexing.with_dimension(i, 1)), x.tape)
        return control.where(mask, x, astype(x.tape.lift(0), x.type))

    return part


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = value_of(x)
    if ord not in (None, 2) or (ord == 2 and axis is None and len(x.dims) > 1):
        raise wrong(Code.UNSUPPORTED, "np.linalg.norm with this `ord=`", "it is the 2-norm only")
    total = (abs(x) * abs(x)).sum(axis, keepdims=keepdims)
    return ufunc(np.sqrt, (total,), x.tape)


def _method(name: str) -> Callable[..., Any]:
    return lambda x, *args, **options: getattr(value_of(x), name)(*args, **options)


def _size(x: Any, axis: int | None = None) -> Any:
    x = value_of(x)
    return x.size if axis is None else x.shape[axis]


def _where(cond: Any, *ab: Any) -> Any:
    if len(ab) != 2:
        hint = "fm.arange(n)[mask] are the indices where a mask is true"
        raise wrong(Code.UNSUPPORTED, "np.where with one argument", hint)
    return control.where(cond, *ab)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **{
        getattr(np, name): _method(name)
        for name in (
            *("sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "argmin", "argmax"),
            *("cumsum", "cumprod", "clip", "transpose", "ravel"),
        )
    },
    np.amin: _method("min"),
    np.amax: _method("max"),
    np.reshape: lambda x, shape=None, **o: reshape(x, o.get("newshape", shape)),
    np.where: _where,
    np.dot: _dot,
    np.inner: _dot,
    np.vdot: lambda a, b: _dot(reshape(a, -1), reshape(b, -1)),
    np.outer: _outer,
    np.einsum: lambda subscripts, *xs: einsum(current_tape(), subscripts, xs),
    np.linalg.norm: _norm,
    np.zeros_like: making.zeros_like,
    np.ones_like: making.ones_like,
    np.full_like: making.full_like,
    np.empty_like: making.zeros_like,
    np.concatenate: making.concatenate,
    np.stack: _stack,
    np.vstack: lambda xs: making.concatenate([_at_least_2d(x) for x in xs]),
    np.hstack: lambda xs: making.concatenate(xs, axis=0 if value_of(xs[0]).ndim == 1 else 1),
    np.flip: _flip,
    np.flipud: lambda x: _flip(x, 0),
    np.fliplr: lambda x: _flip(x, 1),
    np.squeeze: _squeeze,
    np.expand_dims: _expand_dims,
    np.broadcast_to: _broadcast_to,
    np.swapaxes: _swapaxes,
    np.moveaxis: _moveaxis,
    np.diff: _diff,
    np.sort: sorting.sort,
    np.argsort: sorting.argsort,
    np.roll: arrays.roll,
    np.repeat: arrays.repeat,
    np.tile: arrays.tile,
    np.rot90: arrays.rot90,
    np.pad: arrays.pad,
    np.convolve: arrays.convolve,
    np.correlate: arrays.correlate,
    np.gradient: arrays.gradient,
    np.median: arrays.median,
    np.ptp: lambda x, axis=None: value_of(x).max(axis) - value_of(x).min(axis),
    np.searchsorted: arrays.searchsorted,
    np.digitize: arrays.digitize,
    np.interp: arrays.interp,
    np.isclose: arrays.isclose,
    np.allclose: lambda *args, **options: arrays.isclose(*args, **options).all(),
    np.array_equal: arrays.array_equal,
    np.select: arrays.select,
    np.nansum: arrays.without_nan("sum", 0.0),
    np.nanmin: arrays.without_nan("min", np.inf),
    np.nanmax: arrays.without_nan("max", -np.inf),
    np.nanmean: arrays.nanmean,
    np.meshgrid: arrays.meshgrid,
    np.cross: arrays.cross,
    np.kron: arrays.kron,
    np.average: _average,
    np.linspace: _linspace,
    np.count_nonzero: _count_nonzero,
    np.tril: _triangle(np.less_equal),
    np.triu: _triangle(np.greater_equal),
    np.take: lambda x, i, axis=0: indexing.getitem(
        value_of(x), (*[slice(None)] * (axis % len(value_of(x).dims)), i)
    ),
    np.shape: lambda x: value_of(x).shape,
    np.ndim: lambda x: len(value_of(x).dims),
    np.size: _size,
    np.copy: value_of,
    np.round: _method("__round__"),
    np.trace: lambda x: _trace(x),
    np.diagonal: lambda x: _diagonal(x),
    np.nan_to_num: lambda x, nan=0.0: control.where(np.isnan(x), nan, x),
}


def _at_least_2d(x: Any) -> Symbol:
    x = value_of(x)
    return indexing.with_dimension(x, 0) if len(x.dims) == 1 else x


def _diagonal(x: Any) -> Symbol:
    x = value_of(x)
    if len(x.dims) != 2:
        raise wrong(Code.UNSUPPORTED, f"the diagonal of {describe(x)}")
    n, m = (x.tape.size_symbol(d) for d in x.dims)
    i = making.arange(n if x.dims[0] == x.dims[1] else ufunc(np.minimum, (n, m), x.tape))
    return indexing.getitem(x, (i, i))


def _trace(x: Any) -> Any:
    return reductions.sum_(_diagonal(x))
