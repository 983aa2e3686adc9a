"""Type expressions and type parameters.

type     ::= term ["->" type]  |  "(" name ":" type ")" "->" type  |  "?" ("[" name "]")+ "." type
term     ::= "*" term  |  constructor atom* ("|" constructor atom*)*  |  apply
apply    ::= atom (size | atom)*              in which `[n]` is always an argument
atom     ::= qualified name  |  size term  |  "(" type, … ")"  |  "{" label ":" type, … "}"
size     ::= "[" [exp] "]"
param    ::= "[" name "]"  |  "'" name  |  "'~" name  |  "'^" name
"""

from funmem.frontends.futhark.ast import (
    Exp,
    ParamKind,
    TEApply,
    TEArray,
    TEArrow,
    TEExists,
    TEName,
    TERecord,
    TESize,
    TESum,
    TETuple,
    TEUnique,
    TypeExp,
    TypeParam,
)
from funmem.frontends.futhark.lexer import Kind, Token
from funmem.frontends.futhark.parse_base import Cursor

_LOOK = "types look like i32, [n]f32, (i64, bool), {x: f32} and a -> b"


def type_exp(c: Cursor) -> TypeExp:
    """Read a type."""
    c.enter()
    first = c.token
    if first.text == "?":
        made = _exists(c)
    elif first.text == "(" and c.peek(1).kind is Kind.NAME and c.peek(2).text == ":":
        c.advance()
        name = c.advance().text
        c.advance()
        param = type_exp(c)
        c.close(first, ")")
        c.expect("->", "a parameter can be named only in a function type")
        result = type_exp(c)
        made = TEArrow(name, param, result, c.span(first))
    else:
        made = _term(c)
        if c.accept("->"):
            result = type_exp(c)
            made = TEArrow(None, made, result, c.span(first))
    c.leave()
    return made


def type_term(c: Cursor) -> TypeExp:
    """Read a type; a function type needs parentheses."""
    c.enter()
    made = _term(c)
    c.leave()
    return made


def _exists(c: Cursor) -> TypeExp:
    first = c.advance()
    dims = []
    while c.at("["):
        dims.append(_bracketed_name(c))
    if not dims:
        raise c.unexpected("`[`", "a type with unknown sizes looks like ?[n].[n]i32")
    c.expect(".")
    elem = type_exp(c)
    return TEExists(tuple(dims), elem, c.span(first))


def _term(c: Cursor) -> TypeExp:
    """Read a term; a loop handles the prefixes ``*`` and ``[n]``."""
    prefixes: list[tuple[Token, bool, Exp | None]] = []
    while c.token.text in ("*", "["):
        first = c.token
        if c.accept("*"):
            prefixes.append((first, True, None))
        else:
            prefixes.append((first, False, _size(c)))
    made = _sum(c) if c.token.kind is Kind.CONSTR else _apply(c)
    for first, unique, size in reversed(prefixes):
        at = c.span(first)
        made = TEUnique(made, at) if unique else TEArray(size, made, at)
    return made


def _sum(c: Cursor) -> TypeExp:
    first = c.token
    clauses = [_clause(c)]
    while c.accept("|"):
        clauses.append(_clause(c))
    return TESum(tuple(clauses), c.span(first))


def _clause(c: Cursor) -> tuple[str, tuple[TypeExp, ...]]:
    if c.token.kind is not Kind.CONSTR:
        raise c.unexpected("a constructor", "constructors look like #name")
    name = c.advance().text[1:]
    args = []
    while (next_ := c.token).kind is Kind.NAME or next_.text in ("(", "{", "["):
        args.append(type_term(c) if next_.text == "[" else _atom(c))
    return name, tuple(args)


def _apply(c: Cursor) -> TypeExp:
    first = c.token
    made = _atom(c)
    while True:
        if c.at("["):
            opener = c.token
            size = _size(c)
            made = TEApply(made, TESize(size, c.span(opener)), c.span(first))
        elif c.token.kind is Kind.NAME or c.token.text in ("(", "{"):
            arg = _atom(c)
            made = TEApply(made, arg, c.span(first))
        else:
            return made


def _atom(c: Cursor) -> TypeExp:
    first = c.token
    if first.kind is Kind.NAME:
        name = c.qualified("a type")
        return TEName(name, name.at)
    if first.text == "(":
        c.advance()
        elems = c.commas(type_exp, first, ")")
        return elems[0] if len(elems) == 1 else TETuple(elems, c.span(first))
    if first.text == "{":
        c.advance()
        fields = c.commas(_field, first, "}")
        return TERecord(fields, c.span(first))
    raise c.unexpected("a type", _LOOK)


def _field(c: Cursor) -> tuple[str, TypeExp]:
    label = c.label()
    c.expect(":")
    return label, type_exp(c)


def _size(c: Cursor) -> Exp | None:
    """Read ``[e]``, or ``[]``, which gives None."""
    opener = c.expect("[")
    size = None if c.at("]") else c.exp(c)
    c.close(opener, "]")
    return size


def _bracketed_name(c: Cursor) -> str:
    opener = c.expect("[")
    name = c.name("the name of a size")
    c.close(opener, "]")
    return name


# ---------------------------------------------------------------------- parameters

_KINDS = {k.value: k for k in ParamKind if k is not ParamKind.SIZE}


def type_params(c: Cursor) -> tuple[TypeParam, ...]:
    """Read ``[n] 'a …``, zero or more type parameters."""
    params = []
    while True:
        first = c.token
        if first.text == "[":
            name = _bracketed_name(c)
            params.append(TypeParam(ParamKind.SIZE, name, c.span(first)))
        elif first.text in _KINDS:
            c.advance()
            name = c.name("the name of a type parameter")
            params.append(TypeParam(_KINDS[first.text], name, c.span(first)))
        else:
            return tuple(params)


def size_binders(c: Cursor) -> tuple[str, ...]:
    """Read ``[n][m]``, zero or more size names."""
    names = []
    while c.at("["):
        names.append(_bracketed_name(c))
    return tuple(names)
