"""Patterns in phase 2: the types of their variables, with sizes."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.infer_types import record_type
from funmem.frontends.futhark.sizes import map_sizes
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_types import is_unique, sized
from funmem.frontends.inference.types import Record, Sum, Type, tuple_type
from funmem.ir.names import Name
from funmem.ir.sizes import Size


def bind_pattern(cx: SizeContext, p: ast.Pattern, t: Type) -> Type:
    """Bind ``p`` to values of type ``t``; return the type, with the sizes that ``p`` states."""
    match p:
        case ast.PVar():
            cx.bind(cx.typing.names[p], t)
        case ast.PWild() | ast.PLit():
            if isinstance(p, ast.PLit):
                cx.exp(cx, p.value)
        case ast.PTuple(elems):
            assert isinstance(t, Record)
            parts = [bind_pattern(cx, q, u) for q, (_, u) in zip(elems, t.fields, strict=True)]
            t = tuple_type(*parts)
        case ast.PRecord(fields):
            assert isinstance(t, Record)
            have = dict(t.fields)
            t = record_type({label: bind_pattern(cx, q, have[label]) for label, q in fields})
        case ast.PConstr(name, args):
            assert isinstance(t, Sum)
            for q, u in zip(args, dict(t.constructors)[name], strict=True):
                bind_pattern(cx, q, u)
        case ast.PAscript(pat, te):
            wanted = sized(cx, te)
            cx.same(p.at, t, wanted, "the matched value")
            bind_pattern(cx, pat, wanted)
            t = wanted
    cx.types[p] = (t, cx.time)
    return t


def pattern_type(cx: SizeContext, p: ast.Pattern) -> Type:
    """Return the type of the values of ``p``; sizes that ``p`` does not state are metas."""
    match p:
        case ast.PAscript(_, te):
            return sized(cx, te)
        case ast.PTuple(elems):
            return tuple_type(*[pattern_type(cx, q) for q in elems])
        case ast.PRecord(fields):
            return record_type({label: pattern_type(cx, q) for label, q in fields})
        case ast.PVar() | ast.PWild() | ast.PConstr() | ast.PLit():
            return cx.with_sizes(cx.typing.types[p])


def parameter(cx: SizeContext, p: ast.Pattern, expected: Type | None = None) -> Type:
    """Bind a parameter, one level deeper than its type, and return its type."""
    t = pattern_type(cx, p)
    if expected is not None:
        cx.same(p.at, expected, t, "the argument")
    else:
        map_sizes(t, lambda s: _given(cx, s))
    cx.solver.depth += 1
    bind_pattern(cx, p, t)
    return t


def _given(cx: SizeContext, size: Size | None) -> Size | None:
    if size is not None and (name := size.as_name) in cx.solver.metas and name is not None:
        cx.solver.given.add(name)
    return size


def parameter_name(cx: SizeContext, p: ast.Pattern) -> Name | None:
    """Return the name of a parameter, which sizes in the result may mention."""
    while isinstance(p, ast.PAscript):
        p = p.pat
    return cx.typing.names[p] if isinstance(p, ast.PVar) else None


def consumes(p: ast.Pattern) -> bool:
    """True for ``x : *t``."""
    return isinstance(p, ast.PAscript) and is_unique(p.type)
