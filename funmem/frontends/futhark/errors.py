"""Raising what the checks of this front end find; what each code means is in error_codes.py."""

from typing import NoReturn

from funmem.ir.diagnostics import Diagnostic, SourceError, Span


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
