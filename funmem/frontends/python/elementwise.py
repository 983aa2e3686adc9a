r"""Operations on elements: broadcasting, agreement of shapes, conversion, ufuncs.

    x + y    with x : f32[n, m], y : f32[m]    ->    map (\r -> map (\a b -> a + b) (r, y)) x

Two sizes agree if they are equal polynomials; otherwise a ``coerce`` checks at run time that the
earlier operand has the size of the later one.  A dimension broadcasts only if it is the constant 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.scalars import Rule, rule_of
from funmem.frontends.python.tape import Dims, Symbol, Tape, core_type, describe
from funmem.frontends.python.types import Kind, constant, loop_of, promoted
from funmem.ir import core as c
from funmem.ir.diagnostics import NOWHERE, SourceError, Span
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, Size

Body: TypeAlias = Callable[[Sequence[c.Exp]], c.Exp]
MISMATCH = "shape mismatch: {} and {}"

# ---------------------------------------------------------------------- shapes


def shape_text(dims: Sequence[Size]) -> str:
    """Return a shape as messages show it: ``[n, 3]``."""
    return f"[{', '.join(map(str, dims))}]"


def fitted(x: Symbol, dims: Dims, at: Span | None = None) -> Symbol:
    """Return an array with the shape that it must have, checked where it is not provable."""
    if x.dims == dims:
        return x
    tape = x.tape
    scope = tape.current
    key = (x.exp.name, dims) if isinstance(x.exp, c.Var) else None
    if key is not None and key in scope.fitted:
        return scope.fitted[key]
    for a, b in zip(x.dims, dims, strict=True):
        m, n = a.as_const, b.as_const
        if m is not None and n is not None and m != n:
            what = f"shape mismatch: {shape_text(dims)} and {shape_text(x.dims)}"
            raise wrong(Code.SHAPE, what, "", at)
    for a, b in zip(x.dims, dims, strict=True):
        tape.equal(a, b)
    t = core_type(x.type, dims)
    assert isinstance(t, c.Array)
    for d in dims:
        for name in d.free():
            tape._name_here(name)
    at = at or here()
    found = tape.bind(c.Coerce(x.exp, t, MISMATCH, at), x.type, dims, at)
    if key is not None:
        scope.fitted[key] = found
    return found


def common(operands: Sequence[Symbol]) -> tuple[Dims, list[Symbol]]:
    """Return the broadcast shape, and the operands with sizes that agree with it."""
    shapes = [x.dims for x in operands if x.dims]
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return shapes[0], list(operands)
    shape, wanted = _broadcast(tuple(x.dims for x in operands))
    fits = [
        x if x.dims == want else _agreeing(x, want, operands)
        for x, want in zip(operands, wanted, strict=True)
    ]
    return shape, fits


@lru_cache(maxsize=64)
def _broadcast(shapes: tuple[Dims, ...]) -> tuple[Dims, tuple[Dims, ...]]:
    """Return the broadcast shape, and for each shape the sizes that it must have.

    A constant is preferred to other sizes, and then the first size, so that all parts of an
    expression have the same one.
    """
    rank = max(map(len, shapes), default=0)
    shape: list[Size] = []
    for k in range(rank):
        found = ONE
        for dims in shapes:
            j = k - rank + len(dims)
            if j < 0 or dims[j] == ONE:
                continue
            if found == ONE or (found.as_const is None and dims[j].as_const is not None):
                found = dims[j]
        shape.append(found)
    wanted = (
        tuple(d if d == ONE else s for d, s in zip(dims, shape[rank - len(dims) :], strict=True))
        for dims in shapes
    )
    return tuple(shape), tuple(wanted)


def _agreeing(x: Symbol, want: Dims, operands: Sequence[Symbol]) -> Symbol:
    for a, b in zip(x.dims, want, strict=True):
        m, n = a.as_const, b.as_const
        if m is not None and n is not None and m != n:
            shapes = " and ".join(shape_text(y.dims) for y in operands if y.dims)
            raise wrong(Code.SHAPE, f"shape mismatch: {shapes}")
    return fitted(x, want)


def mapped(
    tape: Tape, body: Body, operands: Sequence[Symbol], result: ScalarType, at: Span
) -> Symbol:
    """Return ``body`` applied to the elements of broadcast operands."""
    for x in operands:
        if x.dims:
            break
    else:
        return tape.bind(body([x.exp for x in operands]), result, (), at)
    dims, operands = common(operands)
    e = _nest(tape, body, [(x.exp, x.type, x.dims) for x in operands], dims, at)
    return tape.bind(e, result, dims, at)


def _nest(
    tape: Tape,
    body: Body,
    operands: Sequence[tuple[c.Exp, ScalarType, Dims]],
    dims: Dims,
    at: Span,
) -> c.Exp:
    """Return a nest of maps over operands whose shapes broadcast to ``dims``."""
    if not dims:
        return body([e for e, _, _ in operands])
    if len(dims) == 1 and dims[0] != ONE:
        flat = _flat(tape, body, operands, at)
        if flat is not None:
            return flat
    rank, single = len(dims), dims[0] == ONE
    params: list[c.Binder] = []
    arrays: list[c.Exp] = []
    inner: list[tuple[c.Exp, ScalarType, Dims]] = []
    stretched: list[tuple[c.Binder, c.Exp]] = []
    for e, t, ds in operands:
        if len(ds) < rank:
            inner.append((e, t, ds))
            continue
        name = tape.name()
        b = c.Binder(name, core_type(t, ds[1:]))
        inner.append((c.Var(name, at), t, ds[1:]))
        if single or ds[0] != ONE:
            params.append(b)
            arrays.append(e)
        else:
            stretched.append((b, c.Index(e, (c.Fix(c.Const(0, I64)),), at)))
    rows = c.Lambda(tuple(params), _nest(tape, body, inner, dims[1:], at), at)
    found: c.Exp = c.Map(rows, tuple(arrays), at)
    for b, e in reversed(stretched):
        found = c.Let((b,), e, found, at)
    return found


def _flat(
    tape: Tape,
    body: Body,
    operands: Sequence[tuple[c.Exp, ScalarType, Dims]],
    at: Span,
) -> c.Exp | None:
    """Return a map over vectors and numbers, the common case; None if a vector is stretched."""
    params: list[c.Binder] = []
    arrays: list[c.Exp] = []
    inner: list[c.Exp] = []
    for e, t, ds in operands:
        if not ds:
            inner.append(e)
            continue
        if ds[0] == ONE:
            return None
        name = tape.name()
        params.append(c.Binder(name, t))
        arrays.append(e)
        inner.append(c.Var(name, at))
    return c.Map(c.Lambda(tuple(params), body(inner), at), tuple(arrays), at)


def broadcast(x: Symbol, dims: Dims) -> Symbol:
    """Return a value repeated to a shape."""
    tape = x.tape
    if x.dims == dims:
        return x
    if len(x.dims) > len(dims):
        raise wrong(Code.SHAPE, f"{describe(x)} cannot be broadcast to {shape_text(dims)}")
    pad = len(dims) - len(x.dims)
    if all(d != ONE or s == ONE for d, s in zip(x.dims, dims[pad:], strict=True)):
        x = fitted(x, dims[pad:])
    else:
        x = _stretched(x, dims[pad:])
    for k in range(pad - 1, -1, -1):
        e = c.Replicate(tape.size_atom(dims[k]), x.exp, here())
        x = tape.bind(e, x.type, dims[k:])
    return x


def _stretched(x: Symbol, dims: Dims) -> Symbol:
    """Return an array with dimensions of size 1 repeated."""
    tape, at = x.tape, here()
    want = tuple(d if d == ONE else s for d, s in zip(x.dims, dims, strict=True))
    x = fitted(x, want)

    def go(e: c.Exp, ds: Dims, to: Dims) -> c.Exp:
        if ds == to:
            return e
        if ds[0] == to[0]:
            name = tape.name()
            b = c.Binder(name, core_type(x.type, ds[1:]))
            return c.Map(c.Lambda((b,), go(c.Var(name), ds[1:], to[1:]), at), (e,), at)
        row = c.Index(e, (c.Fix(c.Const(0, I64)),), at)
        return c.Replicate(tape.size_atom(to[0]), go(row, ds[1:], to[1:]), at)

    for d in dims:
        tape.size_atom(d)
    return tape.bind(go(x.exp, x.dims, dims), x.type, dims, at)


# ---------------------------------------------------------------------- conversion


def converted(e: c.Exp, source: ScalarType, to: ScalarType) -> c.Exp:
    """Return an element as another type."""
    if source is to:
        return e
    if isinstance(e, c.Const):
        return c.Const(constant(e.value, to), to, e.at)
    return c.Convert(to, e)


def astype(x: Symbol, to: ScalarType, weak: bool = False) -> Symbol:
    """Return a value converted to a type; ``weak`` as a Python number."""
    x = x.tape.local(x)
    if x.type is to and (x.weak == weak or x.dims):
        return x
    if x.type is to or isinstance(x.exp, c.Const):
        e = converted(x.exp, x.type, to)
        assert isinstance(e, c.Var | c.Const)
        found = x.tape.symbol(x.tape, e, to, (), weak, x.poly if to is I64 else None, x.natural)
        found.scope = x.scope
        return found
    at = here()
    found = mapped(x.tape, lambda es: c.Convert(to, es[0], at), [x], to, at)
    found.weak = weak and not found.dims
    found.natural = x.natural and to.is_int
    return found


def unified(xs: Sequence[Symbol]) -> tuple[Kind, list[Symbol]]:
    """Return the common type of some values, and the values converted to it."""
    kind = promoted(tuple((x.type, x.weak) for x in xs))
    return kind, [astype(x, kind[0], kind[1] and not x.dims) for x in xs]


# ---------------------------------------------------------------------- ufuncs


_COMMUTES = {"add", "multiply", "subtract"}
_ON_NUMBERS = {"add", "subtract", "multiply", "negative", "positive", "power", "floor_divide"}
_ON_NUMBERS |= {"remainder", "absolute", "left_shift", "right_shift"}
_TRAPPING = {"floor_divide", "remainder", "fmod", "power", "reciprocal"}
"""ufuncs whose loops on integers trap."""


class Loop(NamedTuple):
    """numpy's loop for operands of some types: the rule of its elements, and its types."""

    rule: Rule
    sources: tuple[ScalarType, ...]
    result: ScalarType
    weak: bool
    trapping: bool


def ufunc(f: np.ufunc, args: Sequence[Any], tape: Tape) -> Any:
    """Return the result of a ufunc of traced values, numbers and arrays."""
    current, symbol = tape.current, tape.symbol
    operands = []
    for x in args:
        if x.__class__ is not symbol:
            x = tape.lift(x)
        elif x.scope is not current:
            x = tape.local(x)
        operands.append(x)
    at = here()
    loop = _loop(f, operands, tape)
    natural = loop.result is I64 and _stays_natural(f.__name__, operands)
    first = operands[0].dims or operands[-1].dims
    alike = not loop.trapping
    for k, x in enumerate(operands):
        if x.dims is not first and x.dims and x.dims != first:
            known = current.fitted.get((x.exp.name, first)) if isinstance(x.exp, c.Var) else None
            if known is None:
                alike = False
            else:
                operands[k] = known
    if not alike and not loop.trapping:
        first, operands = common(operands)
        alike = all(not x.dims or x.dims == first for x in operands)
    if not first:
        out = tape.bind(_body(loop, operands, at)([x.exp for x in operands]), loop.result, (), at)
    elif not alike:
        out = mapped(tape, _body(loop, operands, at), operands, loop.result, at)
    else:
        rows = _rows_of(f, loop, operands, first, tape)
        e = c.Map(rows, tuple([x.exp for x in operands if x.dims]), at)
        out = tape.bind(e, loop.result, first, at)
    if loop.weak:
        out.weak = not out.dims
        if loop.result is I64 and f.__name__ in _COMMUTES:
            _measure(f.__name__, out, operands)
    out.natural = natural
    return out


def _loop(f: np.ufunc, operands: Sequence[Symbol], tape: Tape) -> Loop:
    """Return numpy's loop for operands; it is looked up once for each combination of types."""
    kinds: tuple[Any, ...] = tuple([(x.type, x.weak) for x in operands])
    known: Loop | None = tape.loops.get((f, kinds))
    if known is not None:
        return known
    weak = all(w for _, w in kinds)
    asked = kinds
    if weak and f.__name__ in _ON_NUMBERS:
        asked = tuple((I64, True) if t is BOOL else (t, True) for t, _ in kinds)
    types = loop_of(f, asked)
    rule = rule_of(f)
    if rule is None or types is None:
        raise _unknown(f, operands)
    sources = types[: len(operands)]
    trapping = sources[0].is_int and f.__name__ in _TRAPPING
    found = tape.loops[f, kinds] = Loop(rule, sources, types[-1], weak, trapping)
    return found


def _body(loop: Loop, operands: Sequence[Symbol], at: Span) -> Body:
    def body(es: Sequence[c.Exp]) -> c.Exp:
        given = [
            e if x.type is t else converted(e, x.type, t)
            for e, x, t in zip(es, operands, loop.sources, strict=True)
        ]
        return _at(loop.rule(given, loop.sources), at)

    return body


def _rows_of(
    f: np.ufunc, loop: Loop, operands: Sequence[Symbol], dims: Dims, tape: Tape
) -> c.Lambda:
    """Return a loop over arrays of one shape as a lambda.

    It is built once for each combination of types, rank and scalar operands, as it says nothing
    about sizes and cannot trap.
    """
    rank = len(dims)
    key = (f, rank, *[x.type if x.dims else x.key() for x in operands])
    known: c.Lambda | None = tape.rows.get(key)
    if known is not None:
        return known
    body = _body(loop, operands, NOWHERE)
    es: list[c.Exp] = [x.exp for x in operands]
    made: c.Exp | None = None
    for depth in range(rank):
        names = [tape.name() if x.dims else None for x in operands]
        params = [
            c.Binder(name, core_type(x.type, [None] * (rank - 1 - k)))
            for k in [rank - 1 - depth]
            for name, x in zip(names, operands, strict=True)
            if name is not None
        ]
        inner = [e if n is None else c.Var(n) for e, n in zip(es, names, strict=True)]
        if made is None:
            made = c.Lambda(tuple(params), body(inner))
        else:
            arrays = tuple(c.Var(n) for n in names if n is not None)
            made = c.Lambda(tuple(params), c.Map(made, arrays))
    assert isinstance(made, c.Lambda)
    tape.rows[key] = made
    return made


def _at(e: c.Exp, at: Span) -> c.Exp:
    """Return the operation that a rule made, with its position."""
    return evolve(e, at=at) if isinstance(e, c.Bin | c.Un | c.If) else e


def _measure(name: str, out: Symbol, operands: Sequence[Symbol]) -> None:
    """Note the polynomial that a sum or product of sizes is."""
    sizes = [_polynomial(x) for x in operands]
    a, b = sizes
    if a is None or b is None:
        return
    out.poly = a + b if name == "add" else a - b if name == "subtract" else a * b
    if not out.poly.readable:
        out.poly = None
        return


def _stays_natural(name: str, operands: Sequence[Symbol]) -> bool:
    """True if the result is not negative, because operands are not: sizes and indices, whose sums
    do not wrap around.
    """
    given = [is_natural(x) for x in operands]
    match name:
        case "add" | "minimum" | "floor_divide":
            return all(given)
        case "multiply":
            return all(given) and all(
                x.poly is not None or isinstance(x.exp, c.Const) for x in operands
            )
        case "maximum":
            return any(given)
        case "remainder":  # it has the sign of the divisor
            return given[1]
        case _:
            return False


def _polynomial(x: Symbol) -> Size | None:
    if isinstance(x.exp, c.Const) and x.type is I64:
        return Size.of(int(x.exp.value))
    return x.poly


def is_natural(x: Symbol) -> bool:
    """True if an integer, or each of an array, is known not to be negative."""
    return x.natural or (isinstance(x.exp, c.Const) and x.exp.value >= 0)


def _unknown(f: np.ufunc, operands: Sequence[Symbol]) -> SourceError:
    given = ", ".join(describe(x) for x in operands)
    if rule_of(f) is None:
        return wrong(Code.UNSUPPORTED, f"np.{f.__name__} is not supported in traced code")
    return wrong(Code.TYPE, f"np.{f.__name__} is not defined for {given}")


def select(cond: Any, a: Any, b: Any, tape: Tape) -> Symbol:
    """Return ``where(cond, a, b)``: both values are computed."""
    test = astype(tape.lift(cond), BOOL)
    (t, weak), (x, y) = unified([tape.lift(a), tape.lift(b)])
    at = here()
    out = mapped(tape, lambda es: c.If(es[0], es[1], es[2], at), [test, x, y], t, at)
    out.weak = weak and not out.dims and test.weak
    return out


def binary_operator(body: c.Exp, params: Sequence[Symbol]) -> BinOp | None:
    """Return the operator that a lambda's body applies to its two parameters, or None."""
    match body:
        case c.Let((b,), e, c.Var(x)) if b.name == x:
            body = e
        case _:
            pass
    names = [x.exp for x in params]
    both = isinstance(body, c.Bin) and [body.a, body.b] in (names, names[::-1])
    return body.op if isinstance(body, c.Bin) and both else None


COMMUTATIVE = {BinOp.ADD, BinOp.MUL, BinOp.MIN, BinOp.MAX, BinOp.AND, BinOp.OR, BinOp.XOR}
