"""Elaborate foreign functions: what they take and return is brought into the form in which it
crosses (foreign_types.py) and back.
"""

from funmem.frontends.nova.elaborate import arrays
from funmem.frontends.nova.elaborate.context import Call, Elaboration, Wrap, wrapped
from funmem.frontends.nova.foreign_types import EACH, OFFSETS, ROWS, crossing, natural
from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I32


def foreign_function(ctx: Elaboration, d: c.ForeignDef, at: Span) -> Exp:
    """Return a foreign function as a lambda on the program's types."""
    params = tuple(c.Binder(ctx.fresh("a"), natural(t)) for t in d.params)
    out: list[Wrap] = []
    args = tuple(_given(ctx, c.Var(b.name, at), b.type, out) for b in params)
    call = c.Foreign(d.name, args, d.result, d.effect, at)
    own = natural(d.result)
    if own == d.result:
        return c.Lambda(params, wrapped(out, call), at)
    made = ctx.atom(call, d.result, out, "made")
    result = _taken(ctx, made, own, out)
    return c.Lambda(params, wrapped(out, result), at)


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
