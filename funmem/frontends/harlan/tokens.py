r"""The atoms of Harlan, and a cursor over the data between two brackets.

"text"   with the escapes \n \t \\ \" and others of C        #\x #\space #\newline        #t #f
12 -3 1.5 1e-3     anything else without blanks, brackets and quotes is a symbol
"""

import re
from typing import NoReturn

from funmem.frontends import sexpr
from funmem.frontends.harlan.errors import Code, fail
from funmem.frontends.sexpr import Atom, Datum, List
from funmem.ir.diagnostics import Span
from funmem.ir.record import define

ATOM = re.compile(r'"(?:[^"\\\n]|\\.)*"|#\\(?:[A-Za-z]+|[^\n])|[^\s()\[\]";]+')
SYNTAX = sexpr.Syntax(ATOM, ";", {"(": ")", "[": "]"}, Code.SYNTAX.value)

NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_LITERAL = re.compile(r'["#]|[+-]?\.?[0-9]')


def is_symbol(datum: Datum) -> bool:
    """True for an atom that is a name."""
    return isinstance(datum, Atom) and not _LITERAL.match(datum.text)


def shown(datum: Datum | None) -> str:
    """Return the words for a datum in messages."""
    match datum:
        case Atom(text):
            return f"`{text}`"
        case List(items=items):
            return f"`({items[0].text} …)`" if items and isinstance(items[0], Atom) else "`(…)`"
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

    def next(self, what: str, hint: str = "") -> Datum:
        """Return the next datum and advance; ``what`` is expected."""
        found = self.peek()
        if found is None:
            self.fail(what, hint)
        self.pos += 1
        return found

    def accept(self, word: str) -> bool:
        """Advance over an atom if it is the next one."""
        found = self.peek()
        if not isinstance(found, Atom) or found.text != word:
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

    def symbol(self, what: str, hint: str = "") -> Atom:
        """Return the next datum, a name."""
        found = self.peek()
        if not isinstance(found, Atom) or not is_symbol(found):
            self.fail(what, hint)
        self.pos += 1
        return found

    def rest(self) -> tuple[Datum, ...]:
        """Return all data from here on and advance to the end."""
        found, self.pos = self.items[self.pos :], len(self.items)
        return found

    def finish(self, hint: str = "") -> None:
        """Require the end."""
        if not self.done:
            self.fail("`)`", hint)

    def fail(self, what: str, hint: str = "") -> NoReturn:
        """Raise the error that something else was expected here."""
        fail(self.at(), Code.SYNTAX, f"expected {what}, found {shown(self.peek())}", hint)
