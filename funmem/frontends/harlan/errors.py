"""The codes and the raising of this front end's errors."""

from enum import Enum
from typing import NoReturn

from funmem.ir.diagnostics import Diagnostic, SourceError, Span


class Code(Enum):
    """Why a program is rejected."""

    SYNTAX = "harlan-syntax"
    """The text is not a program."""
    NAME = "harlan-name"
    """A name is not in scope, or is bound twice where it may be bound once."""
    MACRO = "harlan-macro"
    """A macro is ill-formed, or no pattern of it matches its use."""
    TYPE = "harlan-type"
    """Two types differ, or a type is not of the class that an operator is defined on."""
    ARITY = "harlan-arity"
    """The number of arguments is wrong."""
    MATCH = "harlan-match"
    """A ``match`` does not have each constructor of one datatype exactly once."""
    KERNEL = "harlan-kernel"
    """Code that a kernel runs has an effect, or assigns what was made outside of the kernel."""
    REGION = "harlan-region"
    """A value outlives the region that it lies in."""
    FOREIGN = "harlan-foreign"
    """A foreign function has a wrong type or no implementation, or a pointer is used."""
    MAIN = "harlan-main"
    """``main`` is missing, has parameters or has a result that is no int."""


def failure(at: Span, code: Code, message: str, hint: str = "") -> SourceError:
    """Return an error to raise."""
    return SourceError(Diagnostic(at, code.value, message, hint))


def fail(at: Span, code: Code, message: str, hint: str = "") -> NoReturn:
    """Reject the program."""
    raise failure(at, code, message, hint)
