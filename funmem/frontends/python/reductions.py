"""Reductions and scans with numpy's names: ``sum prod min max mean any all argmin cumsum …``.

Sums of integers are computed as i64 or u64, as in numpy.  Sums of floats are in no fixed order, so
they agree with numpy's up to rounding.  The least of no elements traps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funmem.frontends.python.elementwise import astype, ufunc
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.indexing import getitem, rearranged, with_dimension
from funmem.frontends.python.scalars import EXTREMA, neutral, rule_of
from funmem.frontends.python.tape import Dims, Symbol, Tape, core_type, describe
from funmem.ir import core as c
from funmem.ir.scalars import BOOL, F16, F32, F64, I64, U64, BinOp, ScalarType, UnOp
from funmem.ir.sizes import ONE, product


def summed(t: ScalarType) -> ScalarType:
    """Return the type in which numpy sums elements of a type."""
    if t is BOOL or (t.is_int and t.is_signed):
        return I64
    return U64 if t.is_int else t


# ---------------------------------------------------------------------- axes


def axes_of(x: Symbol, axis: Any) -> list[int]:
    """Return the dimensions that ``axis`` names, in order; None names all."""
    rank = len(x.dims)
    if axis is None:
        return list(range(rank))
    given = axis if isinstance(axis, tuple) else (axis,)
    found = []
    for a in given:
        if isinstance(a, Symbol):
            raise wrong(Code.UNSUPPORTED, "an axis must be a Python integer")
        k = a.__index__()
        if not -rank <= k < rank:
            raise wrong(Code.SHAPE, f"axis {k} is out of bounds for {describe(x)}")
        found.append(k % rank)
    if len(set(found)) < len(found):
        raise wrong(Code.SHAPE, f"axis {axis} names a dimension twice")
    return sorted(found)


def _inner(x: Symbol, axes: Sequence[int]) -> tuple[Symbol, Dims]:
    """Return the array with these dimensions joined at the end, and the other dimensions."""
    tape = x.tape
    others = [k for k in range(len(x.dims)) if k not in axes]
    outer = tuple(x.dims[k] for k in others)
    if not axes:
        return with_dimension(x, len(x.dims)), outer
    x = rearranged(x, [*others, *axes])
    if len(axes) == 1:
        return x, outer
    joined = product(x.dims[len(others) :])
    if not others:
        e: c.Exp = c.Flatten(len(axes), x.exp, here())
    else:
        rows = c.Flatten(len(x.dims), x.exp, here())
        sizes = (*outer, joined)
        e = c.Unflatten(tuple(tape.size_atom(d) for d in sizes), rows, here())
    return tape.bind(e, x.type, (*outer, joined)), outer


def _rows(x: Symbol, outer: Dims, body: Any, result: ScalarType, added: Dims = ()) -> Symbol:
    """Map ``body`` over the rows of an array."""
    tape, at = x.tape, here()

    def go(e: c.Exp, depth: int) -> c.Exp:
        if depth == len(outer):
            return body(e)  # type: ignore[no-any-return]
        name = tape.name()
        b = c.Binder(name, core_type(x.type, x.dims[depth + 1 :]))
        return c.Map(c.Lambda((b,), go(c.Var(name, at), depth + 1), at), (e,), at)

    return tape.bind(go(x.exp, 0), result, (*outer, *added), at)


def _kept(x: Symbol, axes: Sequence[int], keepdims: bool) -> Symbol:
    if keepdims:
        for k in axes:
            x = with_dimension(x, k)
    return x


# ---------------------------------------------------------------------- reductions


def operator(tape: Tape, f: np.ufunc, t: ScalarType) -> c.Lambda:
    """Return a ufunc on two elements of a type as a lambda."""
    rule = rule_of(f)
    if rule is None:
        raise wrong(Code.UNSUPPORTED, f"np.{f.__name__} is not supported in traced code")
    at = here()
    a, b = tape.name(), tape.name()
    body = rule([c.Var(a), c.Var(b)], [t, t])
    return c.Lambda((c.Binder(a, t), c.Binder(b, t)), body, at)


def reduction(
    x: Symbol, f: np.ufunc, t: ScalarType, axis: Any, keepdims: bool, initial: Any = None
) -> Symbol:
    """Return a ufunc's reduction in type ``t``."""
    tape = x.tape
    x = astype(tape.local(x), t)
    axes = axes_of(x, axis)
    if f in EXTREMA and initial is None:
        _require_elements(x, axes, f.__name__)
    start: c.Exp = neutral(f, t)
    x, outer = _inner(x, axes)
    at = here()
    op = operator(tape, f, t)
    found = _rows(x, outer, lambda row: c.Reduce(op, (start,), (row,), True, at), t)
    if initial is not None:
        found = astype(ufunc(f, [found, initial], tape), t)
    return _kept(found, axes, keepdims)


def _require_elements(x: Symbol, axes: Sequence[int], name: str) -> None:
    """Trap for the extremum of no elements."""
    tape = x.tape
    for k in axes:
        n = x.dims[k].as_const
        if n is not None and n > 0:
            continue
        what = f"{name} of no elements"
        if n == 0:
            raise wrong(Code.SHAPE, what, "give it an initial value: initial=…")
        some = c.Bin(BinOp.LT, c.Const(0, I64), tape.size_atom(x.dims[k]))
        tape.check(some, what)


def sum_(x: Symbol, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Symbol:
    """Return the sum of the elements."""
    return _accumulated(x, np.add, axis, dtype, keepdims)


def prod(x: Symbol, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Symbol:
    """Return the product of the elements."""
    return _accumulated(x, np.multiply, axis, dtype, keepdims)


def _accumulated(x: Symbol, f: np.ufunc, axis: Any, dtype: Any, keepdims: bool) -> Symbol:
    from funmem.frontends.python.types import scalar_type

    t = summed(x.type) if dtype is None else scalar_type(dtype)
    inner = F32 if t is F16 else t
    return astype(reduction(x, f, inner, axis, keepdims), t)


def mean(x: Symbol, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Symbol:
    """Return the mean of the elements: of integers as f64, of f16 computed in f32."""
    from funmem.frontends.python.types import scalar_type

    t = (x.type if x.type.is_float else F64) if dtype is None else scalar_type(dtype)
    inner = F32 if t is F16 else t
    x = x.tape.local(x)
    total = reduction(x, np.add, inner, axis, keepdims)
    count = x.tape.size_symbol(product(x.dims[k] for k in axes_of(x, axis)))
    return astype(ufunc(np.divide, [total, count], x.tape), t)


def variance(x: Symbol, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Symbol:
    """Return the variance: the mean squared distance from the mean."""
    tape = x.tape
    x = tape.local(x)
    centre = mean(x, axis, None, True)
    gap = ufunc(np.subtract, [x, centre], tape)
    total = sum_(ufunc(np.multiply, [gap, gap], tape), axis, None, keepdims)
    count = tape.size_symbol(product(x.dims[k] for k in axes_of(x, axis)) - ddof)
    return astype(ufunc(np.divide, [total, count], tape), total.type)


def extremum(x: Symbol, f: np.ufunc, axis: Any, keepdims: bool, initial: Any = None) -> Symbol:
    """Return the least or greatest element."""
    return reduction(x, f, x.type, axis, keepdims, initial)


def any_(x: Symbol, f: np.ufunc, axis: Any, keepdims: bool) -> Symbol:
    """Return whether some (``logical_or``) or all elements are true."""
    return reduction(x, f, BOOL, axis, keepdims)


def arg_extremum(x: Symbol, f: np.ufunc, axis: Any, keepdims: bool) -> Symbol:
    """Return the index of the first least or greatest element; the first NaN counts as it."""
    tape = x.tape
    x = tape.local(x)
    axes = axes_of(x, axis)
    _require_elements(x, axes, "argmin" if f is np.minimum else "argmax")
    flat, outer = _inner(x, axes)
    n, t, at = flat.dims[-1], x.type, here()
    strict = BinOp.LT if f is np.minimum else BinOp.GT
    va, ia, vb, ib = (tape.name() for _ in range(4))
    before = c.Bin(BinOp.LT, c.Var(ia), c.Var(ib))
    better: c.Exp = c.Bin(strict, c.Var(va), c.Var(vb))
    same: c.Exp = c.Bin(BinOp.EQ, c.Var(va), c.Var(vb))
    if t.is_float:
        nan_a, nan_b = c.Un(UnOp.ISNAN, c.Var(va)), c.Un(UnOp.ISNAN, c.Var(vb))
        same = c.Bin(BinOp.OR, same, c.Bin(BinOp.AND, nan_a, nan_b))
        only = c.Bin(BinOp.AND, nan_a, c.Un(UnOp.LNOT, nan_b))
        better = c.Bin(BinOp.OR, better, only)
    first = c.Bin(BinOp.OR, better, c.Bin(BinOp.AND, same, before))
    pair = c.If(
        first,
        c.tuple_exp(c.Var(va), c.Var(ia)),
        c.tuple_exp(c.Var(vb), c.Var(ib)),
    )
    op = c.Lambda(
        tuple(c.Binder(x_, u) for x_, u in ((va, t), (ia, I64), (vb, t), (ib, I64))), pair
    )
    start = (neutral(f, t), c.Const(I64.max, I64))
    size = tape.size_atom(n)
    indices = c.Iota(size, c.Const(0, I64), c.Const(1, I64), at)

    def body(row: c.Exp) -> c.Exp:
        return c.Project(c.Reduce(op, start, (row, indices), True, at), "1", at)

    return _kept(_rows(flat, outer, body, I64), axes, keepdims)


# ---------------------------------------------------------------------- scans


def cumulative(x: Symbol, f: np.ufunc, axis: Any, t: ScalarType) -> Symbol:
    """Return all prefixes of a reduction; without an axis, of the flat array."""
    tape = x.tape
    x = astype(tape.local(x), t)
    if axis is None:
        x, _ = _inner(x, range(len(x.dims)))
        axis = 0
    (k,) = axes_of(x, axis)
    rank = len(x.dims)
    others = [j for j in range(rank) if j != k]
    x = rearranged(x, [*others, k])
    op, start, at = operator(tape, f, t), neutral(f, t), here()
    outer = x.dims[:-1]
    found = _rows(x, outer, lambda row: c.Scan(op, (start,), (row,), at), t, x.dims[-1:])
    return rearranged(found, [*range(k), rank - 1, *range(k, rank - 1)])


# ---------------------------------------------------------------------- products


def dot(x: Symbol, y: Symbol) -> Symbol:
    """Return ``x @ y``."""
    from funmem.frontends.python.elementwise import fitted, unified

    tape = x.tape
    (t, _), (x, y) = unified([tape.local(x), tape.local(y)])
    if not x.dims or not y.dims:
        raise wrong(Code.SHAPE, "an operand of @ is a scalar", "use * instead")
    vector, row = len(y.dims) == 1, len(x.dims) == 1
    if len(x.dims) > 1 and len(y.dims) > 2:
        return _batched(x, y)
    if vector:
        y = fitted(y, x.dims[-1:])
        return _products(x, y, t)
    inner = y.dims[-2]
    n, m = x.dims[-1].as_const, inner.as_const
    if n is not None and m is not None and n != m:
        raise wrong(Code.SHAPE, f"shape mismatch: {describe(x)} @ {describe(y)}")
    if x.dims[-1] != inner:
        x = fitted(x, (*x.dims[:-1], inner))
    columns = rearranged(y, [*range(len(y.dims) - 2), len(y.dims) - 1, len(y.dims) - 2])
    if row:
        return _products(columns, x, t)
    at = here()
    col = tape.name()
    column = c.Binder(col, core_type(t, columns.dims[-1:]))

    def cells(r: c.Exp) -> c.Exp:
        cell = _product(tape, r, c.Var(col), t)
        return c.Map(c.Lambda((column,), cell, at), (columns.exp,), at)

    return _rows(x, x.dims[:-1], cells, t, (columns.dims[0],))


def _batched(x: Symbol, y: Symbol) -> Symbol:
    """Return the products of the matrices in arrays of matrices; a size of 1 broadcasts."""
    from funmem.frontends.python.functions import map_

    found: Symbol
    if len(x.dims) < len(y.dims) or (len(x.dims) == len(y.dims) and x.dims[0] == ONE != y.dims[0]):
        row = x if len(x.dims) < len(y.dims) else getitem(x, 0)
        found = map_(lambda b: dot(row, b), y)
    elif len(x.dims) > len(y.dims) or y.dims[0] == ONE != x.dims[0]:
        other = y if len(x.dims) > len(y.dims) else getitem(y, 0)
        found = map_(lambda a: dot(a, other), x)
    else:
        found = map_(dot, x, y)
    return found


def _product(tape: Tape, a: c.Exp, b: c.Exp, t: ScalarType) -> c.Exp:
    """Return the sum of the products of two rows."""
    at = here()
    p, q = tape.name(), tape.name()
    times = BinOp.AND if t is BOOL else BinOp.MUL
    body = c.Bin(times, c.Var(p), c.Var(q), at)
    terms = c.Map(c.Lambda((c.Binder(p, t), c.Binder(q, t)), body, at), (a, b), at)
    op = operator(tape, np.add, t)
    return c.Reduce(op, (neutral(np.add, t),), (terms,), True, at)


def _products(x: Symbol, v: Symbol, t: ScalarType) -> Symbol:
    """Return the product of each row with a vector."""
    from funmem.frontends.python.elementwise import fitted

    if x.dims[-1] != v.dims[0]:
        v = fitted(v, x.dims[-1:])
    return _rows(x, x.dims[:-1], lambda row: _product(x.tape, row, v.exp, t), t)
