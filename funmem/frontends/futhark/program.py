"""Translate the text of a `.fut` program to Core, and to FUN."""

from collections.abc import Callable

from funmem.frontends.futhark.consume import consume
from funmem.frontends.futhark.elaborate import elaborate
from funmem.frontends.futhark.errors import Noted
from funmem.frontends.futhark.infer import check
from funmem.frontends.futhark.library import load_prelude
from funmem.frontends.futhark.loader import load_text
from funmem.frontends.futhark.typing import Typing
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError
from funmem.ir.fun import FunProgram
from funmem.passes.core import to_fun_by


def typed(text: str, file: str) -> Typing:
    """Return the tables of a valid program.  Raises SourceError."""
    with deep():
        typing = check(load_text(text, file), load_prelude())
        consume(typing)
        return typing


def problems(text: str, file: str) -> list[Diagnostic]:
    """Return all errors in names, types, sizes and uniqueness, in order; or the first syntax error.

    Errors that follow from another error are left out: see errors.Noted.
    """
    noted = Noted([])
    with deep():
        try:
            typing = check(load_text(text, file), load_prelude(), noted=noted)
            consume(typing, noted=noted)
        except SourceError as error:
            noted.note(error)
    return sorted(noted.found, key=lambda d: (d.at.file != file, d.at.file, d.at.line, d.at.col))


def to_core(text: str, file: str, remarks: list[Diagnostic] | None = None) -> CoreProgram:
    """Return the program as Core, and add remarks about it to ``remarks``.

    Raises SourceError, also for a program without entry points.
    """
    with deep():
        typing = typed(text, file)
        if not typing.entries:
            message = f"`{file}` has no entry point"
            hint = "write `entry main … = …`, or `def main`"
            raise SourceError(Diagnostic(NOWHERE, "no-entry", message, hint))
        return elaborate(typing, remarks)


def to_fun(
    text: str,
    file: str,
    after: Callable[[str, CoreProgram], None] | None = None,
    remarks: list[Diagnostic] | None = None,
) -> FunProgram:
    """Return the program as FUN.

    ``after`` is called with the Core program at first, and after each pass on Core.  Remarks are
    added to ``remarks``.  Raises SourceError.
    """
    return to_fun_by(to_core(text, file, remarks), after)
