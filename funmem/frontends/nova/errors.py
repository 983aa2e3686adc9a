"""The codes and the raising of this front end's errors."""

from enum import Enum
from typing import NoReturn

from funmem.ir.diagnostics import Diagnostic, SourceError, Span


class Code(Enum):
    """Why a program is rejected."""

    SYNTAX = "nova-syntax"
    """The text is not a program."""
    NAME = "nova-name"
    """A name is not in scope, or is bound twice where it may be bound once."""
    TYPE = "nova-type"
    """Two types differ, or a type is not of the class that an operator is defined on."""
    CASE = "nova-case"
    """A ``case`` does not have each constructor of one type exactly once."""
    MU = "nova-mu"
    """A ``mu`` does not bind a lambda."""
    SIMPLE = "nova-simple"
    """A vector, tuple, sum, input or result holds a function."""
    AMBIGUOUS = "nova-ambiguous"
    """Nothing determines a type."""
    FOREIGN = "nova-foreign"
    """A foreign function has a wrong type or no implementation."""


def failure(at: Span, code: Code, message: str, hint: str = "") -> SourceError:
    """Return an error to raise."""
    return SourceError(Diagnostic(at, code.value, message, hint))


def fail(at: Span, code: Code, message: str, hint: str = "") -> NoReturn:
    """Reject the program."""
    raise failure(at, code, message, hint)
