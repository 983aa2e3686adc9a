"""Split the text of a `.fut` program into tokens.

One regular expression, one pass.  The lexer settles two questions of Futhark's grammar, so that
the parser needs no modes:

* *adjacency*: each token records whether white space precedes it (``gap``): ``a[i]`` indexes,
  ``f [x]`` applies;
* *comprehensions*: ``<-`` is a symbol, not an operator, and a bracket that directly contains one
  is a comprehension.  Inside it ``|`` is a separator; elsewhere ``[a | b]`` is an array with a
  bitwise or.  :func:`tokenize` distinguishes the two kinds of ``|``, turns ``into`` into a
  reserved word inside comprehensions, and records where bindings begin.

Text that forms no token becomes a token of kind ERROR, which ends the stream.  The parser reports
it on reaching it, so the *first* mistake in a text is the one reported.
"""

import re
from enum import Enum
from typing import NamedTuple

from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.text.lexer import ASCII_FOR, clip, describe_character

CODE = "syntax"
"""The code of every diagnostic about wrong syntax."""

_MAX_NUMBER = 1000
"""Most characters in a number: more than any type needs, fewer than Python refuses to read."""

_CLIPPED = 40
"""Most columns of a token that a message underlines."""


class Kind(Enum):
    NAME = "name"
    WORD = "reserved word"
    NUMBER = "number"
    CHAR = "character"
    STRING = "string"
    CONSTR = "constructor"
    OP = "operator"  # +++, i32.+, `f`
    SYMBOL = "symbol"
    END = "end of the text"
    ERROR = "error"


class Token(NamedTuple):
    """One token and its place; ``line`` and ``col`` count from 1, ``end`` is exclusive."""

    kind: Kind
    text: str
    line: int
    col: int
    end: int
    gap: bool
    """True if white space or the start of the text precedes the token."""
    problem: Diagnostic | None = None


class Tokens(NamedTuple):
    """All tokens of a text, the last one END or ERROR, and which brackets are comprehensions."""

    all: tuple[Token, ...]
    comprehensions: frozenset[int]
    """Indices of each ``[`` that opens a comprehension and each ``(`` around qualifiers."""
    bindings: frozenset[int]
    """Indices of the first tokens of the qualifiers ``p <- e``."""


SEPARATOR = "| of a comprehension"
"""The text of a ``|`` that separates qualifiers; no token of the language is spelled like this."""

RESERVED = frozenset(
    [
        "true",
        "false",
        "if",
        "then",
        "else",
        "def",
        "let",
        "loop",
        "in",
        "val",
        "for",
        "do",
        "with",
        "local",
        "open",
        "include",
        "import",
        "type",
        "entry",
        "module",
        "while",
        "assert",
        "match",
        "case",
    ]
)

_IDENT = r"(?:[A-Za-z]|_[A-Za-z0-9])[A-Za-z0-9_']*"
_OPERATOR = r"[-+*/%=!<>|&^][-+*/%=!<>|&^.]*"

_TOKEN = re.compile(
    rf"""
      (?P<skip>     [ \t\r\f\v]+ | --[^\n]* )
    | (?P<newline>  \n )
    | (?P<word>     {_IDENT} (?: \.{_IDENT} )*+ (?P<qual> \.{_OPERATOR} )? )
    | (?P<range>    \.\.[.<>]? )
    | (?P<field>    \.[0-9]+ )
    | (?P<number>   0[xX][0-9a-fA-F_]*\.[0-9a-fA-F_]+[pP][+-]?[0-9_]+[A-Za-z0-9_']*
                  | [0-9][0-9_]* (?: \.[0-9][0-9_]* )? (?: [eE][+-]?[0-9]+ )? [A-Za-z0-9_']* )
    | (?P<op>       {_OPERATOR} | ` [ ]* (?: {_IDENT} \. )* {_IDENT} [ ]* ` )
    | (?P<constr>   \#{_IDENT} )
    | (?P<char>     '(?: [^'\\\n] | \\[^\n0-9A-Zxo] | \\[0-9A-Zxo][^'\\\n]* )' )
    | (?P<string>   "[^"\\\n]*(?:\\.[^"\\\n]*)*" )
    | (?P<symbol>   \?\?\? | \#\[ | :> | '\^ | '~ | [][(){{}}.,:_\\?~'] )
    """,
    re.VERBOSE,
)

_NUMBER = re.compile(
    r"(?:(?:0[xX][0-9a-fA-F][0-9a-fA-F_]*|0[bB][01][01_]*|0[rR][IVXLCDM][IVXLCDM_]*)"
    r"(?:[iu](?:8|16|32|64))?"
    r"|[0-9][0-9_]*(?:[iuf](?:16|32|64)|[iu]8)?"
    r"|(?:[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?"
    r"|0[xX][0-9a-fA-F][0-9a-fA-F_]*\.[0-9a-fA-F][0-9a-fA-F_]*[pP][+-]?[0-9][0-9_]*)"
    r"(?:f(?:16|32|64))?)"
)

_SYMBOLS = frozenset(("=", "->", "<-", "!"))
"""Tokens that look like operators but are symbols."""

_MISSING = {
    ";": "write no `;`: the next definition begins with def, let, entry, type, …",
    "$": "write parentheses, or `f <| x`",
    "@": "arrays are indexed with x[i]",
}


def tokenize(text: str, file: str, line: int = 1) -> Tokens:
    """Return all tokens of ``text``, whose first line is line ``line`` of ``file``."""
    tokens: list[Token] = []
    pos = 1 if text.startswith("\N{ZERO WIDTH NO-BREAK SPACE}") else 0  # a byte order mark
    line_start, gap = pos, True
    new, match, add = Token._make, _TOKEN.match, tokens.append
    while m := match(text, pos):
        lexeme, col, group = m[0], pos - line_start + 1, m.lastgroup
        pos = m.end()
        if group == "skip":
            gap = True
            continue
        if group == "newline":
            line, line_start, gap = line + 1, pos, True
            continue
        end, problem = col + len(lexeme), None
        match group:
            case "word" if m["qual"] is not None:
                kind = Kind.OP
            case "word":
                if "." in lexeme:
                    *modules, lexeme = lexeme.split(".")
                    for word in modules:
                        dot = col + len(word)
                        kind = Kind.WORD if word in RESERVED else Kind.NAME
                        add(new((kind, word, line, col, dot, gap, None)))
                        add(new((Kind.SYMBOL, ".", line, dot, dot + 1, False, None)))
                        col, gap = dot + 1, False
                kind = Kind.WORD if lexeme in RESERVED else Kind.NAME
            case "op" if lexeme in _SYMBOLS:
                kind = Kind.SYMBOL
            case "op":
                kind, lexeme = Kind.OP, lexeme.replace(" ", "")
            case "number":
                kind, problem = Kind.NUMBER, _number_problem(lexeme)
            case "field":
                add(new((Kind.SYMBOL, ".", line, col, col + 1, gap, None)))
                kind, lexeme, col, gap = Kind.NUMBER, lexeme[1:], col + 1, False
            case "constr":
                kind = Kind.CONSTR
            case "char":
                kind = Kind.CHAR
            case "string":
                kind = Kind.STRING
            case _:
                kind = Kind.SYMBOL
        if problem is not None:
            add(_error(problem, file, line, col, min(end, col + _CLIPPED)))
            return _brackets(tokens)
        add(new((kind, lexeme, line, col, end, gap, None)))
        gap = False
    col = pos - line_start + 1
    if pos < len(text):
        add(_error(_character_problem(text[pos]), file, line, col, col + 1))
    else:
        add(Token(Kind.END, "", line, col, col + 1, gap=True))
    return _brackets(tokens)


# ---------------------------------------------------------------------- what brackets mean

_OPENERS, _CLOSERS = frozenset(("(", "[", "{", "#[")), frozenset((")", "]", "}"))


class _Bracket:
    """An open bracket.  ``part`` is the first token of its current comma- or bar-separated part."""

    def __init__(self, opener: int) -> None:
        self.opener = opener
        self.part = opener + 1
        self.binds = False
        self.own: list[tuple[int, Token]] = []
        """Replacements for tokens, by index, that apply if the bracket is a comprehension."""


def _brackets(tokens: list[Token]) -> Tokens:
    """Find the brackets that are comprehensions, and turn their ``|`` into separators."""
    bindings: set[int] = set()
    comprehensions: set[int] = set()
    stack = [_Bracket(-1)]

    def close() -> None:
        inner = stack.pop()
        if inner.binds:
            comprehensions.add(inner.opener)
            for k, token in inner.own:
                tokens[k] = token
            if tokens[inner.opener].text == "(":  # (q | q), q: a part of the bracket around it
                stack[-1].binds = len(stack) > 1

    for k, token in enumerate(tokens):
        text = token.text
        if text in _OPENERS:
            stack.append(_Bracket(k))
        elif text in _CLOSERS:
            if len(stack) > 1:
                close()
        elif text == ",":
            stack[-1].part = k + 1
        elif text == "|":
            stack[-1].part = k + 1
            stack[-1].own.append((k, token._replace(kind=Kind.SYMBOL, text=SEPARATOR)))
        elif text == "<-" and len(stack) > 1:
            stack[-1].binds = True
            bindings.add(stack[-1].part)
        elif text == "into" and [t.text for t in tokens[k + 2 : k + 3]] == ["="]:
            stack[-1].own.append((k, token._replace(kind=Kind.WORD)))
    while len(stack) > 1:
        close()
    return Tokens(tuple(tokens), frozenset(comprehensions), frozenset(bindings))


# ---------------------------------------------------------------------- mistakes


class _Problem(NamedTuple):
    message: str
    hint: str


def _error(p: _Problem, file: str, line: int, col: int, end: int) -> Token:
    diagnostic = Diagnostic(Span(file, line, col, end), CODE, p.message, p.hint)
    return Token(Kind.ERROR, "", line, col, end, gap=True, problem=diagnostic)


def _number_problem(number: str) -> _Problem | None:
    if len(number) > _MAX_NUMBER:
        return _Problem(
            f"this number is {len(number)} characters long",
            f"a number has at most {_MAX_NUMBER} characters",
        )
    if _NUMBER.fullmatch(number):
        return None
    return _Problem(
        f"`{clip(number)}` is not a number",
        "numbers look like 5, 5u8, 0xff, 1.5, 1e-3, 0.1f32",
    )


def _character_problem(c: str) -> _Problem:
    if c == '"':
        return _Problem(
            "this string does not end on its line", 'write " for its end, \\n for a line break'
        )
    if c == "`":
        return _Problem("a backquote without a name", "an operator looks like `f` or `m.f`")
    if instead := ASCII_FOR.get(c):
        return _Problem(f"unexpected character {describe_character(c)}", f"write {instead}")
    hint = "names consist of ASCII letters, digits, _ and '" if c.isalnum() else ""
    return _Problem(f"unexpected character {describe_character(c)}", _MISSING.get(c, hint))
