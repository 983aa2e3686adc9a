"""Functions that raise the errors of this front end; error_codes.py explains the codes."""

from typing import NoReturn

from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.record import define


class Follows(SourceError):
    """An error that follows from one noted before, so it is not reported."""


@define(eq=False)
class Noted:
    """Collects all errors of a program.

    Checking continues after an error with as few unknowns as possible: the variables of a ``let``
    get arbitrary types, a definition that states its type keeps it, and the users of a definition
    without a type are not checked.
    """

    found: list[Diagnostic]

    def note(self, error: SourceError) -> None:
        """Add an error, unless one with its place and code was noted or it follows from another."""
        diagnostic = error.diagnostic
        known = any((d.at, d.code) == (diagnostic.at, diagnostic.code) for d in self.found)
        if not isinstance(error, Follows) and not known:
            self.found.append(diagnostic)


def failure(at: Span, code: str, message: str, hint: str = "") -> SourceError:
    """Return an error to raise; ``code`` is one of :data:`error_codes.CODES`, as a test checks."""
    return SourceError(Diagnostic(at, code, message, hint))


def fail(at: Span, code: str, message: str, hint: str = "") -> NoReturn:
    """Reject the program: raise a SourceError."""
    raise failure(at, code, message, hint)


def unsupported(at: Span, construct: str, hint: str = "") -> NoReturn:
    """Reject a construct of Futhark that this front end does not support."""
    fail(at, "not-supported", f"not supported: {construct}", hint)


def place(at: Span) -> str:
    """Return ``3:10``, a place in the file that the message is about."""
    return f"{at.line}:{at.col}"
