"""Elaborate the parts of a form: operands from left to right, statements, values of branches."""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Code, State
from funmem.frontends.harlan.elaborate.grounds import has_value
from funmem.frontends.harlan.elaborate.shared import Aliased
from funmem.frontends.harlan.elaborate.wraps import Wrap, let, unit
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import I64


def operands(k: Code, es: Sequence[ast.Exp], st: State, out: list[Wrap]) -> list[Exp]:
    """Return the values of several expressions, evaluated from left to right.

    A vector that a later operand changes would be seen as it was, so it has to be shared.
    """
    values: list[Exp] = []
    bound = 0
    for j, e in enumerate(es):
        own: list[Wrap] = []
        value = k.program.exp(k, e, st, own)
        if own:
            for n in range(bound, j):
                values[n] = k.atom(values[n], k.type(es[n]), out)
            bound = j
            out.extend(own)
        values.append(value)
    for j, later in enumerate(es[1:], 1):
        for m in k.program.places.changes(later).mutations:
            for earlier in es[:j]:
                both = k.regions(k.program.typing.types[earlier]) & k.changed_regions(m)
                if both:
                    raise Aliased(both)
    return values


def statement(k: Code, e: ast.Exp, st: State, out: list[Wrap]) -> None:
    """Elaborate an expression whose value nobody uses."""
    value = k.program.exp(k, e, st, out)
    if not isinstance(value, c.Var | c.Const | c.Lambda) and value != unit(e.at):
        t = k.type(e)
        out.append(let((c.Binder(k.program.fresh("unused"), t),), value, e.at))


def impossible(t: c.Type, at: Span) -> Exp:
    """Return an expression of a type that is never evaluated: it would trap."""
    match t:
        case c.Arrow():
            params: list[c.Binder] = []
            while isinstance(t, c.Arrow):
                params.append(c.Binder(Name(f"unused_{len(params)}"), t.param))
                t = t.result
            return c.Lambda(tuple(params), impossible(t, at), at)
        case c.Record(fields):
            return c.Fields(tuple((label, impossible(u, at)) for label, u in fields), at)
        case _:
            return c.Index(c.ArrayLit((), t, at), (c.Fix(c.Const(0, I64, at)),), at)


def value_or_unit(k: Code, e: ast.Exp, st: State, out: list[Wrap], wanted: bool) -> Exp:
    """Return the value of an expression; if it is not wanted, elaborate it as a statement."""
    if wanted and has_value(k.ground(e)):
        return k.program.exp(k, e, st, out)
    statement(k, e, st, out)
    return unit(e.at)
