"""The atoms of NOVA, and a cursor over the data between two brackets."""

import re
from typing import NoReturn

from funmem.frontends import sexpr
from funmem.frontends.nova.errors import Code, fail
from funmem.frontends.sexpr import Atom, Datum, List
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


def shown(datum: Datum | None) -> str:
    """The words for a datum in messages."""
    match datum:
        case Atom(text):
            return f"`{text}`"
        case List():
            return "`(…)`"
        case None:
            return "`)`"


@define(eq=False)
class Cursor:
    """Reads data from left to right; ``end`` is the place of the closing bracket."""

    items: tuple[Datum, ...]
    end: Span
    pos: int = 0

    @property
    def done(self) -> bool:
        return self.pos == len(self.items)

    def peek(self) -> Datum | None:
        """Return the next datum; None at the end."""
        return self.items[self.pos] if self.pos < len(self.items) else None

    def at(self) -> Span:
        """Return the place of the next datum, or of the end."""
        found = self.peek()
        return self.end if found is None else found.at

    def word(self) -> str:
        """Return the text of the next atom; empty for a list and at the end."""
        found = self.peek()
        return found.text if isinstance(found, Atom) else ""

    def next(self, what: str) -> Datum:
        """Return the next datum and advance; ``what`` is expected."""
        found = self.peek()
        if found is None:
            self.fail(what)
        self.pos += 1
        return found

    def accept(self, word: str) -> bool:
        """Advance over an atom if it is the next one."""
        if self.word() != word:
            return False
        self.pos += 1
        return True

    def expect(self, word: str, hint: str = "") -> None:
        """Advance over an atom, which must be the next one."""
        if not self.accept(word):
            self.fail(f"`{word}`", hint)

    def list(self, what: str, hint: str = "") -> "Cursor":
        """Return a cursor over the next datum, a list."""
        found = self.peek()
        if not isinstance(found, List):
            self.fail(what, hint)
        self.pos += 1
        return Cursor(found.items, found.close)

    def name(self, what: str) -> tuple[str, Span]:
        """Return the next datum, an identifier, and its place."""
        found = self.peek()
        if not isinstance(found, Atom) or not is_name(found.text):
            keyword = isinstance(found, Atom) and found.text in KEYWORDS
            hint = f"{shown(found)} is a keyword" if keyword else ""
            self.fail(what, hint)
        self.pos += 1
        return found.text, found.at

    def finish(self, what: str, hint: str = "") -> None:
        """Require the end."""
        if not self.done:
            self.fail(what, hint)

    def fail(self, what: str, hint: str = "") -> NoReturn:
        """Raise the error that something else was expected here."""
        found = self.peek()
        fail(self.at(), Code.SYNTAX, f"expected {what}, found {shown(found)}", hint)
