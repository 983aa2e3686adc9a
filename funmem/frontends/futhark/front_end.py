"""`.fut` as a front end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funmem.frontends.front_end import FrontEnd

if TYPE_CHECKING:
    from funmem.ir.diagnostics import Diagnostic
    from funmem.passes.framework import StageProgram


def _parse(text: str, name: str) -> StageProgram:
    from funmem.frontends.futhark.program import to_core

    return to_core(text, name)


def _noting(text: str, name: str, remarks: list[Diagnostic]) -> StageProgram:
    from funmem.frontends.futhark.program import to_core

    return to_core(text, name, remarks)


def _problems(text: str, name: str) -> list[Diagnostic]:
    from funmem.frontends.futhark.program import problems

    return problems(text, name)


def _warnings(text: str, name: str) -> list[Diagnostic]:
    from funmem.frontends.futhark.warnings import warnings

    return warnings(text, name)


FRONT_END = FrontEnd(
    "fut",
    "Futhark's language, with comprehensions.",
    _parse,
    noting=_noting,
    problems=_problems,
    warnings=_warnings,
    importing="import",
    typed=True,
)
