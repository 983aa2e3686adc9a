"""Patterns.

pattern  ::= attribute* (constructor term* | term) [":" type]
term     ::= name  |  "_"  |  "(" operator ")"  |  "(" pattern, … ")"  |  constructor
          |  "{" label ["=" pattern | ":" type], … "}"  |  ["-"] literal
"""

from funmem.frontends.futhark.ast import (
    Neg,
    PAscript,
    Pattern,
    PConstr,
    PLit,
    PRecord,
    PTuple,
    PVar,
    PWild,
)
from funmem.frontends.futhark.lexer import Kind
from funmem.frontends.futhark.parse_base import Cursor
from funmem.frontends.futhark.parse_literals import at_literal, literal
from funmem.frontends.futhark.parse_types import type_exp
from funmem.ir.diagnostics import SourceError

_LOOK = "patterns look like x, _, (a, b), {l = p} and #c p"


def pattern(c: Cursor) -> Pattern:
    """Read a pattern."""
    c.enter()
    while c.at("#["):
        attribute(c)
    first = c.token
    made: Pattern
    if first.kind is Kind.CONSTR:
        name = c.advance().text[1:]
        args = []
        while at_parameter(c) or c.at("-"):
            args.append(pattern_term(c))
        made = PConstr(name, tuple(args), c.span(first))
    else:
        made = pattern_term(c)
    if c.accept(":"):
        type_ = type_exp(c)
        made = PAscript(made, type_, c.span(first))
    c.leave()
    return made


def at_parameter(c: Cursor) -> bool:
    """True if a parameter pattern comes next; a negative number there needs parentheses."""
    kind = c.token.kind
    return kind in (Kind.NAME, Kind.CONSTR) or c.at("_", "(", "{") or at_literal(c)


def parameters(c: Cursor) -> tuple[Pattern, ...]:
    """Read ``p …``, zero or more parameters."""
    params = []
    while at_parameter(c):
        params.append(pattern_term(c))
    return tuple(params)


def pattern_term(c: Cursor) -> Pattern:
    """Read a pattern that can be a parameter, or a negative number."""
    first = c.token
    if first.kind is Kind.NAME:
        c.advance()
        return PVar(first.text, c.span_of(first))
    if first.kind is Kind.CONSTR:
        c.advance()
        return PConstr(first.text[1:], (), c.span_of(first))
    match first.text:
        case "_":
            c.advance()
            return PWild(c.span_of(first))
        case "(":
            return _parentheses(c)
        case "{":
            c.advance()
            fields = c.commas(_field, first, "}")
            return PRecord(fields, c.span(first))
        case "-":
            c.advance()
            if c.token.kind is not Kind.NUMBER:
                raise c.unexpected("a number")
            value = literal(c)
            at = c.span(first)
            return PLit(Neg(value, at), at)
        case _ if at_literal(c):
            value = literal(c)
            return PLit(value, value.at)
        case _:
            raise _no_pattern(c)


def _no_pattern(c: Cursor) -> SourceError:
    first = c.token
    reserved = f"`{first.text}` is a reserved word" if first.kind is Kind.WORD else _LOOK
    return c.unexpected("a pattern", reserved)


def _parentheses(c: Cursor) -> Pattern:
    first = c.token
    if (op := operator_name(c)) is not None:
        return PVar(op, c.span(first))
    c.advance()
    elems = c.commas(pattern, first, ")")
    return elems[0] if len(elems) == 1 else PTuple(elems, c.span(first))


def operator_name(c: Cursor) -> str | None:
    """Read ``(op)`` if it comes next and return the operator, a name being bound; else None."""
    op = c.peek(1)
    if not (c.at("(") and op.kind is Kind.OP and c.peek(2).text == ")"):
        return None
    c.advance()
    name = bound_operator(c)
    c.advance()
    return name


def bound_operator(c: Cursor) -> str:
    """Read an operator that is being defined."""
    text = c.token.text.strip("`")
    if (text[0].isalpha() or text[0] == "_") and "." in text:
        raise c.unexpected("a name without a module", "a definition binds an unqualified name")
    c.advance()
    return text


def _field(c: Cursor) -> tuple[str, Pattern]:
    first = c.token
    label = c.label()
    if c.accept("="):
        return label, pattern(c)
    if first.kind is Kind.NUMBER:
        raise c.unexpected("`=`")
    var = PVar(label, c.span_of(first))
    if not c.accept(":"):
        return label, var
    type_ = type_exp(c)
    return label, PAscript(var, type_, c.span(first))


# ---------------------------------------------------------------------- attributes


def attribute(c: Cursor) -> None:
    """Read ``#[name(…)]`` and ignore it."""
    opener = c.advance()
    _attribute_body(c)
    c.close(opener, "]")


def _attribute_body(c: Cursor) -> None:
    depth = 0
    while True:
        if c.token.kind not in (Kind.NAME, Kind.NUMBER, Kind.WORD):
            raise c.unexpected("the name of an attribute")
        c.advance()
        if c.accept("("):
            depth += 1
            continue
        while depth and c.accept(")"):
            depth -= 1
        if not c.accept(","):
            if depth:
                raise c.unexpected("`,` or `)`")
            return
