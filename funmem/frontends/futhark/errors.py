"""Raising what the checks of this front end find; what each code means is in error_codes.py."""

from typing import NoReturn

from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.record import define


class Follows(SourceError):
    """What is wrong only because of something else, which has been noted: nobody is told."""


@define(eq=False)
class Noted:
    """The errors of a program, of which all are wanted.

    After an error checking goes on with as little as it leaves unknown: a ``let`` binds variables
    of any type, a definition that states its type has it, and what uses another is not checked.
    """

    found: list[Diagnostic]

    def note(self, error: SourceError) -> None:
        """An error, unless it is known or follows from one that is."""
        said = error.diagnostic
        same = any((d.at, d.code) == (said.at, said.code) for d in self.found)
        if not isinstance(error, Follows) and not same:
            self.found.append(said)


def failure(at: Span, code: str, message: str, hint: str = "") -> SourceError:
    """What to raise.  ``code`` is one of :data:`error_codes.CODES`; a test checks that."""
    return SourceError(Diagnostic(at, code, message, hint))


def fail(at: Span, code: str, message: str, hint: str = "") -> NoReturn:
    """Reject the program."""
    raise failure(at, code, message, hint)


def unsupported(at: Span, construct: str, hint: str = "") -> NoReturn:
    """Reject what Futhark has and this front end has not."""
    fail(at, "not-supported", f"not supported: {construct}", hint)


def place(at: Span) -> str:
    """``3:10``: a place in the file that the message is about."""
    return f"{at.line}:{at.col}"
