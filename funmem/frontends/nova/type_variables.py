"""The type variables that an expression mentions."""

from collections.abc import Iterator

from funmem.frontends.nova import ast


def type_variables(e: ast.Exp) -> Iterator[ast.TypeVar]:
    """Return every occurrence of ``'a`` in an expression."""
    match e:
        case ast.Var() | ast.Number() | ast.Bool() | ast.Nil():
            pass
        case ast.App(fn, args):
            for x in (fn, *args):
                yield from type_variables(x)
        case ast.TupleExp(elems):
            for x in elems:
                yield from type_variables(x)
        case ast.Project(exp):
            yield from type_variables(exp)
        case ast.Element(vector, index):
            yield from type_variables(vector)
            yield from type_variables(index)
        case ast.If(cond, then, orelse):
            for x in (cond, then, orelse):
                yield from type_variables(x)
        case ast.Case(exp, arms):
            yield from type_variables(exp)
            for arm in arms:
                yield from type_variables(arm.body)
        case ast.Let(definitions, body):
            for d in definitions:
                yield from type_variables(d.exp)
            yield from type_variables(body)
        case ast.Lambda(params, result, body):
            for p in params:
                yield from _of_type(p.type)
            if result is not None:
                yield from _of_type(result)
            yield from type_variables(body)
        case ast.Mu(binder, fn):
            yield from _of_type(binder.type)
            yield from type_variables(fn)


def _of_type(t: ast.Type) -> Iterator[ast.TypeVar]:
    match t:
        case ast.TypeVar():
            yield t
        case ast.Basic() | ast.Unit():
            pass
        case ast.Named(_, args):
            for a in args:
                yield from _of_type(a)
        case ast.Vector(elem):
            yield from _of_type(elem)
        case ast.Tuple(elems):
            for x in elems:
                yield from _of_type(x)
        case ast.Function(param, result):
            yield from _of_type(param)
            yield from _of_type(result)
