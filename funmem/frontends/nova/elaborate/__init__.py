"""Translate a checked program to Core.

Everything in NOVA is a function of one argument; built-ins become lambdas around Core's operators
(section 4.1 of paper 001, "built-in conversion").
"""

from collections.abc import Iterator

from funmem.frontends.inference.types import Array, Record, Type
from funmem.frontends.nova import ast
from funmem.frontends.nova.elaborate.context import Elaboration, Scope, Wrap, require, wrapped
from funmem.frontends.nova.elaborate.exp import expression
from funmem.frontends.nova.foreign import require_name
from funmem.frontends.nova.foreign_types import crossing, expanded
from funmem.frontends.nova.typing import Typing
from funmem.ir import core as c
from funmem.ir.names import Name
from funmem.ir.scalars import I32, I64, BinOp
from funmem.ir.sizes import var

MAIN = Name("main")
_SIZES = "nmkl"
"""The names of the first sizes, if no input has them."""


def elaborate(typing: Typing) -> c.CoreProgram:
    """Return the program, whose entry point is ``main``, as Core.

    Raises SourceError (``nova-foreign``, ``nova-type`` for a number that does not fit its type).
    """
    ctx = Elaboration(typing, expression)
    scope = Scope({}, {})
    for f in typing.program.foreign:
        ctx.foreign[f.name] = _foreign(ctx, f, scope)
    sizes: list[Name] = []
    params: list[c.EntryParam] = []
    names = [ctx.name(x.name) for x in typing.program.inputs]
    for x, name in zip(typing.program.inputs, names, strict=True):
        kind = typing.solver.resolve(typing.bound[x])
        t = _sized(ctx, ctx.type(kind, scope, x.at), kind, sizes)
        params.append(c.EntryParam(c.Binder(name, t)))
        scope = scope.bind(x, name)
    body = typing.program.body
    result = ctx.type_of(body, scope)
    exp = wrapped(_checks(sizes, typing), expression(ctx, body, scope))
    entry = c.Entry(MAIN, tuple(sizes), tuple(params), result, exp, body.at)
    return c.CoreProgram((entry,), (), tuple(ctx.data.values()), tuple(ctx.foreign.values()))


def _foreign(ctx: Elaboration, f: ast.Param, scope: Scope) -> c.ForeignDef:
    """Return the declaration of a foreign function, of all its parameters."""
    t = ctx.type(ctx.typing.foreign[f.name], scope, f.at)
    params: list[c.Type] = []
    while isinstance(t, c.Arrow):
        params.append(crossing(expanded(t.param)))
        t = t.result
    d = c.ForeignDef(Name(f.name), tuple(params), crossing(expanded(t)), at=f.at)
    require_name(d)
    return d


def _sized(ctx: Elaboration, t: c.Type, kind: Type, sizes: list[Name]) -> c.Type:
    """Return an input's type with a name for the size of each dimension.

    The rows of a vector of vectors may differ in length, so their size has no name; those of a
    ``vector#2`` have one.  What a sum holds has sizes of its own in each value: no names.
    """
    kind = ctx.typing.solver.resolve(kind)
    match t, kind:
        case c.Array(elem), Array(inner):
            n = _size_name(ctx, sizes)
            return c.Array(_row(ctx, elem, inner, sizes), var(n))
        case c.Array(elem), _:
            n = _size_name(ctx, sizes)
            return c.Array(_sized(ctx, elem, kind, sizes), var(n))
        case c.Record(fields), Record(kinds):
            parts = zip(fields, kinds, strict=True)
            return c.Record(tuple((x, _sized(ctx, u, k, sizes)) for (x, u), (_, k) in parts))
        case _:
            return t


def _row(ctx: Elaboration, t: c.Type, kind: Type, sizes: list[Name]) -> c.Type:
    """Return the type of a row: without sizes, if it is a vector or has vectors."""
    match t, ctx.typing.solver.resolve(kind):
        case (c.Array(), Array()) | (c.Record(), Record()):
            return t
        case _, resolved:
            return _sized(ctx, t, resolved, sizes)


def _size_name(ctx: Elaboration, sizes: list[Name]) -> Name:
    letter = _SIZES[len(sizes)] if len(sizes) < len(_SIZES) else _SIZES[0]
    n = ctx.fresh.reserve(Name(letter))
    sizes.append(n)
    return n


def _checks(sizes: list[Name], typing: Typing) -> Iterator[Wrap]:
    """The checks at the entry that an int can count each dimension of the inputs."""
    at = typing.program.at
    for n in sizes:
        few = c.Bin(BinOp.LE, c.Var(n, at), c.Const(I32.max, I64, at), at)
        message = "the length {} of an input exceeds the range of int"
        yield require(few, message, (c.Var(n, at),), at)
