"""Translate the text of a `.nova` program to Core, and to FUN."""

from collections.abc import Callable

from funmem.frontends.nova.elaborate import elaborate
from funmem.frontends.nova.infer import errors, infer
from funmem.frontends.nova.parser import parse
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.fun import FunProgram
from funmem.passes.core import to_fun_by


def to_core(text: str, file: str) -> CoreProgram:
    """Return the program as Core.  Raises SourceError."""
    with deep():
        return elaborate(infer(parse(text, file)))


def problems(text: str, file: str) -> list[Diagnostic]:
    """Return the errors that inference finds, at most one for each definition."""
    with deep():
        try:
            program = parse(text, file)
        except SourceError as error:
            return [error.diagnostic]
        return errors(program)


def to_fun(
    text: str, file: str, after: Callable[[str, CoreProgram], None] | None = None
) -> FunProgram:
    """Return the program as FUN; ``after`` sees Core at first and after each pass on it.

    Raises SourceError.
    """
    return to_fun_by(to_core(text, file), after)
