"""The atoms of NOVA, and a cursor over the data between two brackets."""

import re

from funmem.frontends import sexpr, sexpr_cursor
from funmem.frontends.nova.errors import Code
from funmem.frontends.sexpr import Atom
from funmem.frontends.sexpr_cursor import shown
from funmem.ir.diagnostics import Span
from funmem.ir.record import define

ATOM = re.compile(
    r"(?:(?<![^\s(,])-)?[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?[A-Za-z0-9_]*"
    r"|[A-Za-z_][A-Za-z0-9_]*(?:\#[0-9]+)?"
    r"|'[A-Za-z_][A-Za-z0-9_]*"
    r"|->|<<|>>|<=|>=|~=|[-+*/%<>=~&|^!.,:]"
)
"""A ``-`` belongs to a number after a blank, ``(`` or ``,``."""

SYNTAX = sexpr.Syntax(ATOM, ";", {"(": ")"}, Code.SYNTAX.value)

_FORMS = ("if", "then", "else", "case", "let", "in", "lambda", "mu")
KEYWORDS = frozenset([*_FORMS, "true", "false", "nil", "types", "foreign"])
"""Words that cannot be shadowed."""

PUNCTUATION = frozenset(["->", "!", ".", ",", ":"])
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


NUMBER = re.compile(r"-?[0-9]+(\.[0-9]*)?(e[+-]?[0-9]+)?L?")


def is_number(text: str) -> bool:
    """True for what begins as a number; NUMBER says what it must be."""
    return text[0].isdigit() or (text[0] == "-" and text[1:2].isdigit())


def is_name(text: str) -> bool:
    """True for an identifier; operators are identifiers."""
    if _IDENTIFIER.fullmatch(text):
        return text not in KEYWORDS
    return not is_number(text) and text[0] != "'" and "#" not in text and text not in PUNCTUATION


@define(eq=False)
class Cursor(sexpr_cursor.Cursor):
    """A cursor over NOVA's data."""

    CODE = Code.SYNTAX.value

    def name(self, what: str) -> tuple[str, Span]:
        """Return the next datum, an identifier, and its place, and advance."""
        found = self.peek()
        if not isinstance(found, Atom) or not is_name(found.text):
            keyword = isinstance(found, Atom) and found.text in KEYWORDS
            hint = f"{shown(found)} is a keyword" if keyword else ""
            self.fail(what, hint)
        self.pos += 1
        return found.text, found.at
