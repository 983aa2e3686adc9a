"""``fm.zeros``, ``fm.arange``, ``fm.array``, ``fm.concatenate``, …: new arrays.

Outside of traced code they are numpy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funmem.frontends.python.elementwise import (
    astype,
    broadcast,
    fitted,
    is_natural,
    unified,
)
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.functions import (
    exps,
    tape_of,
)
from funmem.frontends.python.tape import (
    Symbol,
    Tape,
    active,
    core_type,
    describe,
)
from funmem.frontends.python.types import promoted, scalar_type
from funmem.ir import core as c
from funmem.ir.scalars import BOOL, I64, ScalarType
from funmem.ir.sizes import Size


def _shape(tape: Tape, shape: Any) -> tuple[Size, ...]:
    given = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(tape.dim_of(d) for d in given)


def full(shape: Any, value: Any, dtype: Any = None) -> Any:
    """Return an array of one value."""
    tape = active()
    if tape is None:
        return np.full(shape, value, None if dtype is None else _numpy(dtype))
    x = tape.lift(value)
    if dtype is not None:
        x = astype(x, scalar_type(dtype))
    dims = _shape(tape, shape)
    found = broadcast(x, dims)
    if found is x and not dims:
        found = astype(x, x.type)
        found.weak = False
    return found


def _numpy(dtype: Any) -> Any:
    from funmem.ir.values import dtype as numpy_type

    return numpy_type(scalar_type(dtype))


def zeros(shape: Any, dtype: Any = float) -> Any:
    """Return an array of zeros; f64 unless said otherwise, as in numpy."""
    return full(shape, _plain(0, dtype), dtype)


def ones(shape: Any, dtype: Any = float) -> Any:
    """Return an array of ones; f64 unless said otherwise, as in numpy."""
    return full(shape, _plain(1, dtype), dtype)


def _plain(x: int, dtype: Any) -> Any:
    t = scalar_type(dtype)
    return bool(x) if t is BOOL else float(x) if t.is_float else x


def _like(x: Any, value: int, dtype: Any) -> Any:
    tape = active()
    if tape is None:
        return np.full_like(x, value, None if dtype is None else _numpy(dtype))
    source = tape.lift(x)
    t: ScalarType = source.type if dtype is None else scalar_type(dtype)
    made = tape.lift(_plain(value, t))
    found = astype(made, t)
    found.weak = False
    return broadcast(found, source.dims)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Return zeros of the shape and type of ``x``."""
    return _like(x, 0, dtype)


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Return ones of the shape and type of ``x``."""
    return _like(x, 1, dtype)


def full_like(x: Any, value: Any, dtype: Any = None) -> Any:
    """Return an array of one value, of the shape and type of ``x``."""
    tape = active()
    if tape is None:
        return np.full_like(x, value, None if dtype is None else _numpy(dtype))
    source = tape.lift(x)
    t: ScalarType = source.type if dtype is None else scalar_type(dtype)
    return broadcast(astype(tape.lift(value), t), source.dims)


def arange(*bounds: Any, dtype: Any = None) -> Any:
    """Return ``start, start + step, …`` up to ``stop``, of integers."""
    tape = active()
    if tape is None:
        return np.arange(*bounds, dtype=None if dtype is None else _numpy(dtype))
    if not 1 <= len(bounds) <= 3:
        raise TypeError(f"arange takes 1 to 3 bounds, got {len(bounds)}")
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    for x in (start, stop, step):
        if isinstance(x, float | np.floating) or (isinstance(x, Symbol) and x.type.is_float):
            hint = "write fm.arange(n) * step + start"
            raise wrong(Code.UNSUPPORTED, "fm.arange of floats in traced code", hint)
    first, last, by = (tape.lift(x) for x in (start, stop, step))
    kind = promoted(tuple((x.type, x.weak) for x in (first, last, by)))
    t = kind[0] if dtype is None else scalar_type(dtype)
    if isinstance(by.exp, c.Const) and by.exp.value == 1:
        size = tape.dim_of(last - first)  # type: ignore[operator]  # a value has operators
        n = tape.size_atom(size)
    else:
        count = (last - first + by - by.sign()) // by  # type: ignore[operator,attr-defined]
        size = tape.dim_of(count)
        n = tape.size_atom(size)
    inner = t if t.is_int else I64
    a, b = astype(first, inner), astype(by, inner)
    natural = is_natural(a) and is_natural(b)
    found = tape.bind(c.Iota(n, a.exp, b.exp, here()), inner, (size,), natural=natural)
    return astype(found, t)


def array(x: Any, dtype: Any = None) -> Any:
    """Return numbers, traced values, or (nested) sequences of them as an array."""
    tape = active()
    if tape is None:
        return np.array(x, None if dtype is None else _numpy(dtype))
    found = stacked(tape, x) if isinstance(x, list | tuple) else tape.lift(x)
    if found.weak:
        found = astype(found, found.type)
    return found if dtype is None else astype(found, scalar_type(dtype))


def stacked(tape: Tape, xs: Sequence[Any]) -> Symbol:
    """Return values of one shape as the rows of an array."""
    rows = [stacked(tape, x) if isinstance(x, list | tuple) else tape.lift(x) for x in xs]
    if not rows:
        raise wrong(
            Code.SHAPE, "an empty sequence has no element type", "write fm.zeros(0, fm.f32)"
        )
    (t, _), rows = unified(rows)
    dims = rows[0].dims
    if any(len(x.dims) != len(dims) for x in rows):
        shapes = " and ".join(describe(x) for x in rows)
        raise wrong(Code.SHAPE, f"rows of different shape: {shapes}")
    rows = [fitted(x, dims) for x in rows]
    e = c.ArrayLit(exps(rows), core_type(t, dims), here())
    return tape.bind(e, t, (Size.of(len(rows)), *dims))


def concatenate(xs: Sequence[Any], axis: int = 0) -> Any:
    """Return arrays joined along a dimension."""
    from funmem.frontends.python.indexing import rearranged

    tape = tape_of("concatenate")
    given = [tape.lift(x) for x in xs]
    if not given:
        raise wrong(Code.SHAPE, "fm.concatenate needs at least one array")
    (t, _), given = unified(given)
    rank = len(given[0].dims)
    if not rank or any(len(x.dims) != rank for x in given):
        shapes = " and ".join(describe(x) for x in given)
        raise wrong(Code.SHAPE, f"fm.concatenate of {shapes}")
    k = axis % rank
    perm = [k, *(j for j in range(rank) if j != k)]
    given = [rearranged(x, perm) for x in given]
    rows = given[0].dims[1:]
    given = [fitted(x, (x.dims[0], *rows)) for x in given]
    total = given[0].dims[0]
    for x in given[1:]:
        total = total + x.dims[0]
    found = tape.bind(c.Concat(exps(given), here()), t, (total, *rows))
    return rearranged(found, [*range(1, k + 1), 0, *range(k + 1, rank)])
