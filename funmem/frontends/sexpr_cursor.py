"""A cursor over the data between two brackets: the base of parsers of S-expression languages."""

from typing import NoReturn, Self

from funmem.frontends.sexpr import Atom, Datum, List
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.record import define


def shown(datum: Datum | None) -> str:
    """Return the words for a datum in messages; None is the end of a list."""
    match datum:
        case Atom(text):
            return f"`{text}`"
        case List(items=items):
            return f"`({items[0].text} …)`" if items and isinstance(items[0], Atom) else "`(…)`"
        case None:
            return "`)`"


@define(eq=False)
class Cursor:
    """Reads data from left to right; ``end`` is the place of the closing bracket.

    What is read must be there: otherwise SourceError is raised, whose code is that of the language.
    """

    CODE = "syntax"
    """The code of the errors; each language has its own."""

    items: tuple[Datum, ...]
    end: Span
    pos: int = 0

    @property
    def done(self) -> bool:
        """True at the end."""
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

    def next(self, what: str, hint: str = "") -> Datum:
        """Return the next datum and advance; ``what`` is expected."""
        found = self.peek()
        if found is None:
            self.fail(what, hint)
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

    def list(self, what: str, hint: str = "") -> Self:
        """Return a cursor over the next datum, a list, and advance."""
        found = self.peek()
        if not isinstance(found, List):
            self.fail(what, hint)
        self.pos += 1
        return type(self)(found.items, found.close)

    def rest(self) -> tuple[Datum, ...]:
        """Return all data from here on and advance to the end."""
        found, self.pos = self.items[self.pos :], len(self.items)
        return found

    def finish(self, what: str = "`)`", hint: str = "") -> None:
        """Require the end."""
        if not self.done:
            self.fail(what, hint)

    def fail(self, what: str, hint: str = "") -> NoReturn:
        """Raise the error that something else was expected here."""
        message = f"expected {what}, found {shown(self.peek())}"
        raise SourceError(Diagnostic(self.at(), self.CODE, message, hint))
