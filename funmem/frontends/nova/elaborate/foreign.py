"""Elaborate foreign functions: what they take and return is brought into the form in which it
crosses (foreign_types.py) and back.
"""

from funmem.frontends.nova.elaborate import arrays
from funmem.frontends.nova.elaborate.context import Call, Elaboration, Wrap, require, wrapped
from funmem.frontends.nova.foreign_types import (
    AS,
    EACH,
    OFFSETS,
    ROWS,
    TAG,
    crossing,
    expanded,
    natural,
    with_sums,
)
from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I32, BinOp, ScalarType


def foreign_function(ctx: Elaboration, d: c.ForeignDef, at: Span) -> Exp:
    """Return a foreign function as a lambda on the program's types."""
    params = tuple(c.Binder(ctx.fresh("a"), with_sums(natural(t))) for t in d.params)
    out: list[Wrap] = []
    args = []
    for b, t in zip(params, map(natural, d.params), strict=True):
        x: Exp = c.Var(b.name, at)
        if t != b.type:
            x = ctx.atom(_expanded(ctx, x, b.type), t, out)
        args.append(_given(ctx, x, t, out))
    call = c.Foreign(d.name, tuple(args), d.result, d.effect, at)
    own = natural(d.result)
    if own == d.result == with_sums(own):
        return c.Lambda(params, wrapped(out, call), at)
    made = ctx.atom(call, d.result, out, "made")
    result = ctx.atom(_taken(ctx, made, own, out), own, out)
    return c.Lambda(params, wrapped(out, _with_sums(ctx, result, with_sums(own), d.name)), at)


def _expanded(ctx: Elaboration, x: Exp, t: Type) -> Exp:
    """Return a value with records in place of sums; x is an atom or a projection of one."""
    at = x.at
    if expanded(t) == t:
        return x
    match t:
        case c.Record(fields):
            parts = ((label, _expanded(ctx, c.Project(x, label, at), u)) for label, u in fields)
            return c.Fields(tuple(parts), at)
        case c.Array(elem):
            r = c.Binder(ctx.fresh("r"), elem)
            return c.Map(c.Lambda((r,), _expanded(ctx, c.Var(r.name, at), elem), at), (x,), at)
        case c.Sum(constructors):
            arms = []
            for k, (name, (u,)) in enumerate(constructors):
                b = c.Binder(ctx.fresh("x"), u)
                own = _expanded(ctx, c.Var(b.name, at), u)
                held = (
                    (AS + other, own if other == name else _zero(expanded(v), at))
                    for other, (v,) in constructors
                )
                whole = c.Fields(((TAG, c.Const(k, I32, at)), *held), at)
                arms.append(c.Arm(name, (b,), whole))
            return c.Match(x, tuple(arms), None, at)
        case _:
            raise AssertionError(f"{t} has no sums")


def _zero(t: Type, at: Span) -> Exp:
    """Return a value in place of what a constructor does not hold."""
    match t:
        case ScalarType():
            return c.Const(False if t is BOOL else 0.0 if t.is_float else 0, t, at)
        case c.Record(fields):
            return c.Fields(tuple((label, _zero(u, at)) for label, u in fields), at)
        case c.Array(elem):
            return c.ArrayLit((), elem, at)
        case _:
            raise AssertionError(f"{t} is no type of a foreign function")


def _with_sums(ctx: Elaboration, x: Exp, t: Type, fn: Name) -> Exp:
    """Return the value of which x is the expanded form; it traps if a tag is none."""
    at = x.at
    if expanded(t) == t:
        return x
    match t:
        case c.Record(fields):
            parts = (
                (label, _with_sums(ctx, c.Project(x, label, at), u, fn)) for label, u in fields
            )
            return c.Fields(tuple(parts), at)
        case c.Array(elem):
            r = c.Binder(ctx.fresh("r"), expanded(elem))
            one = _with_sums(ctx, c.Var(r.name, at), elem, fn)
            return c.Map(c.Lambda((r,), one, at), (x,), at)
        case c.Sum(constructors):
            out: list[Wrap] = []
            tag = ctx.atom(c.Project(x, TAG, at), I32, out, "tag")
            last = c.Const(len(constructors) - 1, I32, at)
            low = c.Bin(BinOp.LE, c.Const(0, I32, at), tag, at)
            known = c.Bin(BinOp.LAND, low, c.Bin(BinOp.LE, tag, last, at), at)
            message = f"{fn}: a result has the tag {{}}, which is no constructor's"
            out.append(require(known, message, (tag,), at))
            values = [
                c.Construct(name, (_with_sums(ctx, c.Project(x, AS + name, at), u, fn),), t, at)
                for name, (u,) in constructors
            ]
            whole: Exp = values[-1]
            for k in range(len(values) - 2, -1, -1):
                is_k = c.Bin(BinOp.EQ, tag, c.Const(k, I32, at), at)
                whole = c.If(is_k, values[k], whole, at)
            return wrapped(out, whole)
        case _:
            raise AssertionError(f"{t} has no sums")


def _given(ctx: Elaboration, x: Exp, t: Type, out: list[Wrap]) -> Exp:
    """Return a value in the form in which it crosses; ``out`` gets bindings."""
    at = x.at
    if crossing(t) == t:
        return x
    match t:
        case c.Record(fields):
            parts = ((label, ctx.atom(c.Project(x, label, at), u, out)) for label, u in fields)
            given = ((y, u) for y, (_, u) in zip(parts, fields, strict=True))
            return c.Fields(tuple((label, _given(ctx, y, u, out)) for (label, y), u in given), at)
        case c.Array(c.Array() as rows):
            offsets = arrays.segments(Call(ctx, "segments", (x,), (t,), c.Array(I32), at))
            whole = arrays.flatten(Call(ctx, "flatten", (x,), (t,), rows, at))
            flat = ctx.atom(whole, rows, out, "rows")
            at_rows = ctx.atom(offsets, c.Array(I32), out)
            return c.Fields(((OFFSETS, at_rows), (ROWS, _given(ctx, flat, rows, out))), at)
        case c.Array(c.Record(fields) as elem):
            made = []
            for label, u in fields:
                r = c.Binder(ctx.fresh("r"), elem)
                part = c.Lambda((r,), c.Project(c.Var(r.name, at), label, at), at)
                column = ctx.atom(c.Map(part, (x,), at), c.Array(u), out)
                made.append((EACH + label, _given(ctx, column, c.Array(u), out)))
            return c.Fields(tuple(made), at)
        case _:
            raise AssertionError(f"{t} crosses as it is")


def _taken(ctx: Elaboration, x: Exp, t: Type, out: list[Wrap]) -> Exp:
    """Return the value of a type that crossed as x; ``out`` gets bindings and checks."""
    at = x.at
    if crossing(t) == t:
        return x

    def part(label: str, u: Type) -> Exp:
        own = crossing(u)
        return _taken(ctx, ctx.atom(c.Project(x, label, at), own, out), u, out)

    match t:
        case c.Record(fields):
            return c.Fields(tuple((label, part(label, u)) for label, u in fields), at)
        case c.Array(c.Array() as rows):
            offsets = ctx.atom(c.Project(x, OFFSETS, at), c.Array(I32), out)
            flat = ctx.atom(part(ROWS, rows), rows, out, "rows")
            call = Call(ctx, "unflatten", (offsets, flat), (c.Array(I32), rows), t, at)
            return ctx.atom(arrays.unflatten(call), t, out)
        case c.Array(c.Record(fields)):
            columns = tuple(part(EACH + label, c.Array(u)) for label, u in fields)
            elems = tuple(c.Binder(ctx.fresh("x"), u) for _, u in fields)
            pairs = zip(fields, elems, strict=True)
            row = c.Fields(tuple((label, c.Var(b.name, at)) for (label, _), b in pairs), at)
            return c.Map(c.Lambda(elems, row, at), columns, at)
        case _:
            raise AssertionError(f"{t} crosses as it is")
