"""Patterns in phase 2: the types of what they bind."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.infer_types import record_type
from funmem.frontends.futhark.sizes import map_sizes
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_types import is_unique, sized
from funmem.frontends.futhark.types import Record, Sum, Type, tuple_type
from funmem.ir.names import Name
from funmem.ir.sizes import Size


def bind_pattern(cx: SizeContext, p: ast.Pattern, t: Type) -> Type:
    """``p`` matches values of type ``t``: its variables come into scope; the type it states."""
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
            cx.same(p.at, t, wanted, "what the pattern matches")
            bind_pattern(cx, pat, wanted)
            t = wanted
    cx.types[p] = (t, cx.time)
    return t


def pattern_type(cx: SizeContext, p: ast.Pattern) -> Type:
    """The type of what ``p`` matches where nothing else says it: sizes are to be found."""
    match p:
        case ast.PAscript(_, te):
            return sized(cx, te)
        case ast.PTuple(elems):
            return tuple_type(*[pattern_type(cx, q) for q in elems])
        case ast.PRecord(fields):
            return record_type({label: pattern_type(cx, q) for label, q in fields})
        case _:
            return cx.with_sizes(cx.typing.types[p])


def parameter(cx: SizeContext, p: ast.Pattern, expected: Type | None = None) -> Type:
    """A parameter; what it binds is known one level deeper than its type."""
    t = pattern_type(cx, p)
    if expected is not None:
        cx.same(p.at, expected, t, "what the parameter stands for")
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
    """The name of a parameter, which sizes in the result may mention."""
    while isinstance(p, ast.PAscript):
        p = p.pat
    return cx.typing.names[p] if isinstance(p, ast.PVar) else None


def consumes(p: ast.Pattern) -> bool:
    """``x : *t``."""
    return isinstance(p, ast.PAscript) and is_unique(p.type)
