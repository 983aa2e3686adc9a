"""Patterns: the part of a value that each variable gets, and the consumable parameters."""

from collections.abc import Iterator

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_context import PARAMETER, VARIABLE, ConsumeContext
from funmem.frontends.futhark.consume_types import (
    SCALAR,
    Declared,
    Function,
    Part,
    RecordShape,
    Scalar,
    Shape,
    SumShape,
    U,
    Value,
    consumed_whole,
    declared,
    field,
    fill,
    map_parts,
    shape,
)
from funmem.frontends.futhark.typing import Typing
from funmem.ir.names import Name


def matched(p: ast.Pattern, s: Shape[U]) -> Iterator[tuple[ast.PVar, Shape[U]]]:
    """Yield the variables of ``p`` with their parts of ``s``."""
    match p:
        case ast.PVar():
            yield p, s
        case ast.PTuple(elems):
            for k, q in enumerate(elems):
                yield from matched(q, field(s, str(k)))
        case ast.PRecord(fields):
            for label, q in fields:
                yield from matched(q, field(s, label))
        case ast.PConstr(name, args):
            payload = dict(s.constructors)[name] if isinstance(s, SumShape) else (s,) * len(args)
            for q, x in zip(args, payload, strict=True):
                yield from matched(q, x)
        case ast.PAscript(pat):
            yield from matched(pat, s)
        case ast.PWild() | ast.PLit():
            pass


def bind_value(cx: ConsumeContext, p: ast.Pattern, value: Value, why: str = VARIABLE) -> None:
    """Bind the variables of ``p`` to their parts of ``value``."""
    for v, part in matched(p, value):
        if not isinstance(part, Scalar):
            name = cx.typing.names[v]
            cx.bind(name, v.name, also(name, part), why)


def also(name: Name, value: Value) -> Value:
    """Return ``value`` with ``name`` as a further alias of each part."""
    return map_parts(lambda u: u | {name}, value)


def parameter(typing: Typing, p: ast.Pattern) -> Declared:
    """Return the declared type of a parameter."""
    match p:
        case ast.PAscript(pat, te):
            return _either(declared(typing, te), parameter(typing, pat))
        case ast.PTuple(elems):
            return RecordShape(tuple([(str(k), parameter(typing, q)) for k, q in enumerate(elems)]))
        case ast.PRecord(fields):
            given = {label: parameter(typing, q) for label, q in fields}
            whole = shape(typing.types[p])
            if not isinstance(whole, RecordShape):
                return whole
            return RecordShape(tuple([(label, given.get(label, x)) for label, x in whole.fields]))
        case ast.PVar() | ast.PWild() | ast.PConstr() | ast.PLit():
            return shape(typing.types[p]) if p in typing.types else SCALAR


def _either(outer: Declared, inner: Declared) -> Declared:
    """Return a type that is unique where either annotation is."""
    match outer:
        case Part(u, var) if isinstance(inner, Part):
            return Part(u or inner.u, var)
        case RecordShape(fields) if isinstance(inner, RecordShape):
            pairs = zip(fields, inner.fields, strict=True)
            return RecordShape(tuple([(label, _either(x, y)) for (label, x), (_, y) in pairs]))
        case Scalar() | Part() | RecordShape() | SumShape() | Function():
            return outer


def bind_parameter(cx: ConsumeContext, p: ast.Pattern) -> set[Name]:
    """Bind the variables of a parameter; return those that may be consumed."""
    unique: set[Name] = set()
    for v, own, stated in _binders(cx.typing, p, parameter(cx.typing, p)):
        if isinstance(own, Scalar):
            continue
        name = cx.typing.names[v]
        if stated:
            unique.add(name)
        cx.bind(name, v.name, fill(frozenset({name}), own), VARIABLE if stated else PARAMETER)
    return unique


def _binders(
    typing: Typing, p: ast.Pattern, s: Declared
) -> Iterator[tuple[ast.PVar, Declared, bool]]:
    """Yield each variable with its type and True if it may be consumed by its own annotation."""
    plain: dict[ast.PVar, bool] = {}
    _plain(typing, p, plain)
    for v, own in matched(p, s):
        yield v, own, plain.get(v, consumed_whole(own))


def _plain(typing: Typing, p: ast.Pattern, found: dict[ast.PVar, bool]) -> None:
    """Record for each variable with an annotation of its own whether it has a ``*``."""
    match p:
        case ast.PAscript(ast.PVar() as v, te):
            found[v] = consumed_whole(declared(typing, te))
        case ast.PAscript(pat):
            _plain(typing, pat, found)
        case ast.PTuple(elems):
            for q in elems:
                _plain(typing, q, found)
        case ast.PRecord(fields):
            for _, q in fields:
                _plain(typing, q, found)
        case ast.PVar() | ast.PWild() | ast.PConstr() | ast.PLit():
            pass


def loop_parameter(
    cx: ConsumeContext, p: ast.Pattern, s: Value
) -> Iterator[tuple[Name, str, Value, bool | None]]:
    """Yield the variables of a loop pattern: name, word, part, and the annotated uniqueness."""
    stated: dict[ast.PVar, bool] = {}
    _stated(cx.typing, p, stated)
    for v, part in matched(p, s):
        if not isinstance(part, Scalar):
            yield cx.typing.names[v], v.name, part, stated.get(v)


def _stated(typing: Typing, p: ast.Pattern, found: dict[ast.PVar, bool]) -> None:
    match p:
        case ast.PAscript(pat, te):
            for v, own in matched(pat, declared(typing, te)):
                found[v] = consumed_whole(own)
            _stated(typing, pat, found)
        case ast.PTuple(elems):
            for q in elems:
                _stated(typing, q, found)
        case ast.PRecord(fields):
            for _, q in fields:
                _stated(typing, q, found)
        case ast.PVar() | ast.PWild() | ast.PConstr() | ast.PLit():
            pass
