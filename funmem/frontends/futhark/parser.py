"""Parse the text of a `.fut` program: declarations and the entry points of the parser.

file     ::= declaration*
dec      ::= attribute* ["local"] …
          |  ("def" | "let" | "entry") name type-param* term* [":" type] "=" exp
          |  ("def" | "let") term operator term [":" type] "=" exp
          |  "type" … | "open" … | "import" string | "module" …

The other files of the parser handle types, patterns, expressions, operator precedence and modules:
``parse_types``, ``parse_patterns``, ``parse_exps``, ``parse_operators`` and ``parse_modules``.
"""

from collections.abc import Callable
from typing import TypeVar

from funmem.frontends.futhark.ast import (
    Dec,
    Exp,
    Import,
    Local,
    SourceFile,
    TypeExp,
    ValDec,
)
from funmem.frontends.futhark.lexer import Kind, Token
from funmem.frontends.futhark.parse_base import Cursor
from funmem.frontends.futhark.parse_depth import check_depth
from funmem.frontends.futhark.parse_exps import PRODUCTIONS, exp
from funmem.frontends.futhark.parse_forms import signature_and_body
from funmem.frontends.futhark.parse_modules import (
    module_declaration,
    open_declaration,
    path,
    type_declaration,
)
from funmem.frontends.futhark.parse_patterns import (
    attribute,
    bound_operator,
    operator_name,
    pattern_term,
)
from funmem.frontends.futhark.parse_types import type_exp, type_params
from funmem.ir.diagnostics import SourceError

T = TypeVar("T", SourceFile, Exp, TypeExp)


def parse(text: str, file: str, line: int = 1) -> SourceFile:
    """Return the tree of a program file, or of a part of it that begins on line ``line``.

    Raises:
        SourceError: code ``syntax``, or ``not-supported`` for Futhark syntax that ``ast`` lacks.

    """
    return _whole(text, file, _source_file, line)


def parse_exp(text: str, file: str = "<expression>") -> Exp:
    """Return the tree of one expression.  Raises SourceError, as :func:`parse`."""
    return _whole(text, file, exp)


def parse_type(text: str, file: str = "<type>") -> TypeExp:
    """Return the tree of one type.  Raises SourceError, as :func:`parse`."""
    return _whole(text, file, type_exp)


def _whole(text: str, file: str, production: Callable[[Cursor], T], line: int = 1) -> T:
    c = Cursor(text, file, PRODUCTIONS, line)
    made = production(c)
    if c.token.kind is not Kind.END:
        raise c.unexpected("the end of the text")
    if not isinstance(made, SourceFile):
        check_depth(c, 0, made)
    return made


# ---------------------------------------------------------------------- declarations

_DECLARATIONS = "a definition begins with def, let, entry, type, open, import, module or local"


def _source_file(c: Cursor) -> SourceFile:
    at = c.here()
    decs = []
    while c.token.kind is not Kind.END:
        start = c.position()
        decs.append(_dec(c))
        check_depth(c, start, decs[-1])
    return SourceFile(tuple(decs), at)


def _dec(c: Cursor) -> Dec:
    locals_: list[Token] = []
    while c.at("#[", "local"):
        if c.at("#["):
            attribute(c)
        else:
            locals_.append(c.advance())
    made: Dec
    match c.token.text:
        case "def" | "let" | "entry":
            made = _value(c)
        case "type":
            made = type_declaration(c)
        case "open":
            made = open_declaration(c, _dec)
        case "import":
            first = c.advance()
            made = Local(Import(path(c), None, c.span(first)), c.span(first))
        case "module":
            made = module_declaration(c, _dec)
        case "val":
            raise c.unexpected("a definition", "`val` is allowed only in module types")
        case _:
            raise c.unexpected("a definition", _after_expression(c))
    for first in reversed(locals_):
        made = Local(made, c.span(first))
    return made


def _after_expression(c: Cursor) -> str:
    """Return a hint for text that follows a definition and cannot continue its expression."""
    text = c.token.text
    if c.position() > 0 and text in ("if", "loop", "match", "assert", "!"):
        return f"as an argument it needs parentheses: ({text} …)"
    if text in (")", "]", "}"):
        return "no open bracket matches it"
    return _DECLARATIONS


def _value(c: Cursor) -> Dec:
    first = c.advance()
    entry = first.text == "entry"
    after = c.peek(1)
    if not entry and c.token.kind is Kind.NAME and after.kind is Kind.OP:
        return _infix_definition(c, first)
    if c.token.kind is Kind.NAME:
        name = c.advance().text
    elif not entry and (op := operator_name(c)) is not None:
        name = op
    elif not entry and c.at("(", "{", "_") and after.text != "!":
        return _infix_definition(c, first)
    else:
        raise _no_name(c)
    tparams = type_params(c)
    params, ret, e = signature_and_body(c)
    return ValDec(name, tparams, params, ret, e, entry, c.span(first))


def _no_name(c: Cursor) -> SourceError:
    hint = f"`{c.token.text}` is a reserved word" if c.token.kind is Kind.WORD else ""
    if c.at("(") and c.peek(1).text == "!":
        hint = "`!` is a prefix operator and cannot be redefined"
    if c.token.kind is Kind.OP:
        hint = "operators are defined as (op) a b = … or a op b = …"
    return c.unexpected("the name of a definition", hint)


def _infix_definition(c: Cursor, first: Token) -> Dec:
    """Read ``def a op b = e`` after its first word."""
    start = c.here()
    left = pattern_term(c)
    if c.token.kind is not Kind.OP:
        if c.at("=", ":"):
            raise c.mistake(start, "a definition of the file binds one name, not a pattern")
        raise c.unexpected("an operator")
    name = bound_operator(c)
    right = pattern_term(c)
    params, ret, e = signature_and_body(c)
    if params:
        raise c.mistake(params[0].at, "an operator has two parameters")
    return ValDec(name, (), (left, right), ret, e, False, c.span(first))
