"""Infer the types of patterns and bind their variables."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.infer_context import Origin, TypeContext
from funmem.frontends.futhark.infer_types import label_order, type_of
from funmem.frontends.inference.types import Record, Type, tuple_type
from funmem.frontends.inference.unify import WithConstructors
from funmem.ir.diagnostics import Span


def check_distinct(pats: tuple[ast.Pattern, ...]) -> None:
    """Require that patterns bound together bind no name twice."""
    seen: dict[str, Span] = {}
    for p in pats:
        for v in variables(p):
            if v.name in seen:
                fail(
                    v.at,
                    "duplicate-name",
                    f"`{v.name}` is already bound at {place(seen[v.name])}",
                )
            seen[v.name] = v.at


def variables(p: ast.Pattern) -> list[ast.PVar]:
    """Return the variables of a pattern, from left to right."""
    match p:
        case ast.PVar():
            return [p]
        case ast.PWild() | ast.PLit():
            return []
        case ast.PTuple(elems):
            return [v for q in elems for v in variables(q)]
        case ast.PRecord(fields):
            return [v for _, q in fields for v in variables(q)]
        case ast.PConstr(_, args):
            return [v for q in args for v in variables(q)]
        case ast.PAscript(pat, _):
            return variables(pat)


def pattern_type(cx: TypeContext, p: ast.Pattern) -> Type:
    """Return the type of the values that ``p`` matches, as far as known; binds its variables."""
    before = cx.hold()
    t = _type(cx, p)
    cx.release(before)
    return t


def match_pattern(cx: TypeContext, p: ast.Pattern, t: Type, source: Origin) -> None:
    """Match ``p`` with values of type ``t``, which comes from ``source``; binds its variables."""
    before = cx.hold()
    _match(cx, p, t, source)
    cx.release(before)


def _type(cx: TypeContext, p: ast.Pattern) -> Type:
    match p:
        case ast.PVar(name, at):
            t: Type = cx.solver.fresh(at)
            cx.bind(p, name, t, at)
        case ast.PWild(at):
            t = cx.solver.fresh(at)
        case ast.PTuple(elems):
            t = tuple_type(*[_type(cx, q) for q in elems])
        case ast.PRecord(fields):
            parts: dict[str, Type] = {}
            for label, q in fields:
                if label in parts:
                    fail(q.at, "duplicate-name", f"field `{label}` occurs twice")
                parts[label] = _type(cx, q)
            t = Record(tuple(sorted(parts.items(), key=lambda f: label_order(f[0]))))
        case ast.PConstr(name, args, at):
            t = cx.solver.fresh(at)
            payload = tuple([_type(cx, q) for q in args])
            cx.solver.demand_shape(t, WithConstructors({name: payload}, at))
        case ast.PLit(value):
            t = cx.exp(cx, value)
        case ast.PAscript(pat, te):
            t = type_of(cx, te)
            _match(cx, pat, t, ("the annotation at ", te.at))
    cx.types[p] = t
    return t


def _match(cx: TypeContext, p: ast.Pattern, t: Type, source: Origin) -> None:
    match p:
        case ast.PVar(name, at):
            cx.bind(p, name, t, at)
            cx.types[p] = t
        case ast.PWild():
            cx.types[p] = t
        case ast.PTuple(elems) if _is_tuple(found := cx.solver.resolve(t), len(elems)):
            assert isinstance(found, Record)
            for q, (_, part) in zip(elems, found.fields, strict=True):
                _match(cx, q, part, source)
            cx.types[p] = t
        case ast.PTuple() | ast.PRecord() | ast.PConstr() | ast.PLit() | ast.PAscript():
            own = _type(cx, p)
            cx.same(
                p.at,
                own,
                t,
                "the pattern",
                (("the pattern at ", p.at), source),
            )


def _is_tuple(t: Type, n: int) -> bool:
    return isinstance(t, Record) and [label for label, _ in t.fields] == [str(k) for k in range(n)]
