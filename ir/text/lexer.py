"""The lexer of FUN, FUNMEM and IMP; Core has other words and symbols (core_words.py).

It makes one pass with one regular expression and without backtracking, so it takes linear time.
Text that is not a token becomes a token of kind ERROR, which ends the stream.  The parser reports
it on reaching it, so the *first* mistake of a text is the one reported.
"""

import re
from collections.abc import Callable, Set
from enum import Enum
from typing import NamedTuple

from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.scalars import SCALARS

CODE = "syntax"
"""The code of every diagnostic of the lexer and the parsers."""

_MAX_NUMBER = 1000
"""Cap on the characters of a number: beyond every type, and below the limit of Python's int()."""


_CLIPPED = 40
"""Cap on the characters of a token in a message."""


class Kind(Enum):
    """The kinds of tokens."""

    NAME = "name"
    WORD = "reserved word"
    NUMBER = "number"
    STRING = "string"
    SYMBOL = "symbol"
    END = "end of the text"
    ERROR = "error"


class Token(NamedTuple):
    """A token as it is spelled; ``line`` and ``col`` count from 1, ``end`` is exclusive."""

    kind: Kind
    text: str
    line: int
    col: int
    end: int
    problem: Diagnostic | None = None


SCALAR_WORDS = frozenset(t.value for t in SCALARS)
SPECIAL_FLOATS = frozenset(f"{t}.{x}" for t in SCALARS if t.is_float for x in ("nan", "inf"))
_DOTTED = SPECIAL_FLOATS | {"mem.local", "mem.private", "alloc.local", "alloc.private"}

_HEADS = (
    "call permute reshape reverse flat iota replicate copy concat scratch scatter kernel if loop "
    "opaque alloc alloc.local alloc.private"
)
HEADS = frozenset(_HEADS.split())
"""The words that begin an expression other than a scalar expression."""

_OTHERS = (
    "def entry let in then else for while do with true false assert reduce scan hist "
    "injective nonneg"  # IMP's; lowering keeps names, so there is one list for all languages
)
RESERVED = HEADS | frozenset(_OTHERS.split()) | SCALAR_WORDS | _DOTTED
"""The words that cannot be names in any of the languages.

Functions (``min``, ``sqrt``, …), ``mem`` and IMP's ``var``, ``done``, … can be names: the grammar
tells the two apart.
"""

_TOKEN = re.compile(
    r"""
      (?P<skip>     [ \t\r]+ | --[^\n]* )
    | (?P<newline>  \n [ \t\r]* )
    | (?P<word>     [A-Za-z_][A-Za-z0-9_']* (?: \.[A-Za-z]+ )? )
    | (?P<number>   [0-9]+ (?: \.[0-9]* )? (?: [eE][+-]?[0-9]+ )? [A-Za-z0-9_']* )
    | (?P<string>   "[^"\\\n]*(?:\\.[^"\\\n]*)*" )
    | (?P<symbol>   -> | == | != | <= | >= | << | >> | && | \|\| | \*\* | // | %%
                  | [][(){}:,;=+*/%<>&|^~!@\\-] )
    """,
    re.VERBOSE,
)

_NUMBER = re.compile(
    r"[0-9]+(?:[iu](?:8|16|32|64))?|[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?(?:f(?:16|32|64))?"
)

ASCII_FOR = {
    "→": "->",
    "←": "<-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "−": "-",
    "–": "-",
    "×": "*",
    "λ": "\\",
    "“": '"',
    "”": '"',
    "\N{NO-BREAK SPACE}": "a space",
}
"""Characters that text pasted from papers and word processors contains -> what to write instead."""


class Problem(NamedTuple):
    """Why a lexeme is not a token, and a hint."""

    message: str
    hint: str


def _word_problem(word: str) -> Problem | None:
    if "." not in word or word in _DOTTED:
        return None
    return Problem(
        f"`{clip(word)}` is not a word of the language",
        "words with a dot are mem.local, mem.private, alloc.local, alloc.private, f32.nan, f32.inf",
    )


class Lexicon(NamedTuple):
    """The tokens of a language: ``pattern`` has a group for each kind, as ``_TOKEN`` has."""

    pattern: re.Pattern[str]
    reserved: Set[str]
    word_problem: Callable[[str], Problem | None]


FUN_LEXICON = Lexicon(_TOKEN, RESERVED, _word_problem)
"""The tokens of FUN, FUNMEM and IMP."""


def tokenize(text: str, file: str, lexicon: Lexicon = FUN_LEXICON) -> tuple[Token, ...]:
    """Return the tokens of a text; the last one is END or ERROR."""
    tokens: list[Token] = []
    pos = 1 if text.startswith("\N{ZERO WIDTH NO-BREAK SPACE}") else 0  # a byte order mark
    line, line_start = 1, pos
    while m := lexicon.pattern.match(text, pos):
        lexeme, col = m[0], pos - line_start + 1
        pos = m.end()
        match m.lastgroup:
            case "newline":
                line, line_start = line + 1, m.start() + 1
                continue
            case "skip":
                continue
            case "word":
                kind = Kind.WORD if lexeme in lexicon.reserved else Kind.NAME
                problem = lexicon.word_problem(lexeme)
            case "quoted":
                kind, problem = Kind.NAME, None
            case "number":
                kind, problem = Kind.NUMBER, _number_problem(lexeme)
            case "string":
                kind, problem = Kind.STRING, None
            case _:
                kind, problem = Kind.SYMBOL, None
        end = col + len(lexeme)
        if problem is not None:
            tokens.append(_error(problem, file, line, col, min(end, col + _CLIPPED)))
            return tuple(tokens)
        tokens.append(Token(kind, lexeme, line, col, end))
    col = pos - line_start + 1
    if pos < len(text):
        tokens.append(_error(_character_problem(text[pos]), file, line, col, col + 1))
    else:
        tokens.append(Token(Kind.END, "", line, col, col + 1))
    return tuple(tokens)


def _error(p: Problem, file: str, line: int, col: int, end: int) -> Token:
    diagnostic = Diagnostic(Span(file, line, col, end), CODE, p.message, p.hint)
    return Token(Kind.ERROR, "", line, col, end, diagnostic)


def _number_problem(number: str) -> Problem | None:
    if len(number) > _MAX_NUMBER:
        return Problem(f"this number is {len(number)} characters long", f"at most {_MAX_NUMBER}")
    if _NUMBER.fullmatch(number):
        return None
    hint = "numbers look like 5, 5u8, 1.5, 1e-3, 0.1f32"
    return Problem(f"`{clip(number)}` is not a number", hint)


def _character_problem(c: str) -> Problem:
    if c == '"':
        return Problem(
            "this string does not end on its line", 'write " for its end, \\n for a line break'
        )
    if instead := ASCII_FOR.get(c):
        return Problem(f"unexpected character {describe_character(c)}", f"write {instead}")
    hint = "names consist of ASCII letters, digits, _ and '" if c.isalnum() else ""
    return Problem(f"unexpected character {describe_character(c)}", hint)


def describe_character(c: str) -> str:
    """Return a character with its code point, as text that can be printed."""
    code = f"U+{ord(c):04X}"
    return f"`{c}` ({code})" if c.isprintable() and c != " " else code


def clip(text: str) -> str:
    """Return the text, or its beginning if it is long."""
    return text if len(text) <= _CLIPPED else text[: _CLIPPED - 1] + "…"
