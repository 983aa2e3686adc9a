"""The words of Core's text, and names that are quoted because they are words or no identifiers.

A front end may call a variable ``map``, and passes make names such as ``0``.  In the text such a
name stands in backquotes: `` `map` ``.
"""

import re
from collections.abc import Mapping

from funmem.ir.names import IDENTIFIER
from funmem.ir.scalars import BinOp, ScalarType, UnOp
from funmem.ir.text.lexer import SPECIAL_FLOATS, Lexicon, Problem
from funmem.ir.text.parse_parts import INFIX, PREFIX

_KEYWORDS = (
    "entry def data let in if then else match loop for while do assert true false mu comm "
    "size flat_slice coerce iota replicate scratch copy concat rearrange reverse flatten unflatten "
    "zip unzip update flat_update scatter map reduce scan hist filter segmented equal foreign "
    "effect opaque token"
)

FUNCTIONS: Mapping[str, ScalarType | UnOp | BinOp] = {
    **{t.value: t for t in ScalarType},
    **{op.value: op for op in UnOp if op.value not in PREFIX},
    **{op.value: op for op in BinOp if op.value not in INFIX},
}
"""The operators that are written ``f(a)`` or ``f(a, b)``, and conversions."""

RESERVED = frozenset([*_KEYWORDS.split(), *FUNCTIONS, *SPECIAL_FLOATS])
"""The words that are names only in backquotes."""

_TOKEN = re.compile(
    r"""
      (?P<skip>     [ \t\r]+ | --[^\n]* )
    | (?P<newline>  \n [ \t\r]* )
    | (?P<word>     f(?:16|32|64)\.(?:nan|inf)(?![A-Za-z0-9_']) | [A-Za-z_][A-Za-z0-9_']* )
    | (?P<quoted>   `[^`\\\n]*(?:\\.[^`\\\n]*)*` )
    | (?P<number>   (?<=\.)[0-9]+
                  | [0-9]+ (?: \.[0-9]* )? (?: [eE][+-]?[0-9]+ )? [A-Za-z0-9_']* )
    | (?P<string>   "[^"\\\n]*(?:\\.[^"\\\n]*)*" )
    | (?P<symbol>   -> | == | != | <= | >= | << | >> | && | \|\| | \*\* | // | %%
                  | [][(){}:,;=+*/%<>&|^~!@\\.'#-] )
    """,
    re.VERBOSE,
)


def _no_problem(word: str) -> Problem | None:  # noqa: ARG001
    return None


LEXICON = Lexicon(_TOKEN, RESERVED, _no_problem)
"""The tokens of Core."""

_LABEL = re.compile(r"[0-9]{1,40}")
_ESCAPES = {"`": "\\`", "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def show_name(name: str) -> str:
    """Return a name as the text has it: in backquotes unless it is an identifier and no word."""
    if IDENTIFIER.fullmatch(name) and name not in RESERVED:
        return name
    return f"`{''.join(map(_escaped, name))}`"


def show_label(label: str) -> str:
    """Return a field's label: a number, or a name."""
    return label if _LABEL.fullmatch(label) else show_name(label)


def _escaped(c: str) -> str:
    return _ESCAPES.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):X}}}")
