"""The errors of traced functions: codes, and how they are raised at the user's expression."""

from __future__ import annotations

from enum import Enum

from funmem.frontends.python.places import Places, shown
from funmem.ir.diagnostics import Diagnostic, SourceError, Span

PLACES = Places()


class Code(Enum):
    """The codes of the errors at trace time."""

    BOOL = "traced-bool"
    INT = "traced-int"
    FLOAT = "traced-float"
    ITER = "traced-iter"
    MUTATION = "mutation"
    ESCAPED = "escaped"
    UNSUPPORTED = "unsupported"
    SHAPE = "shape"
    TYPE = "type"
    BRANCH = "branch"
    RESULT = "result"
    RECURSION = "recursion"
    FOREIGN = "foreign"


here = PLACES.here
"""Return the position of the innermost call in the user's code."""


def wrong(code: Code, message: str, hint: str = "", at: Span | None = None) -> SourceError:
    """Return the error, at the user's expression."""
    error = SourceError(Diagnostic(here() if at is None else at, code.value, message, hint))
    shown(error)
    return error
