"""`.nova` as a front end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funmem.frontends.front_end import FrontEnd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from funmem.ir.core import ForeignDef
    from funmem.ir.diagnostics import Diagnostic
    from funmem.ir.foreign import ForeignCode
    from funmem.passes.framework import StageProgram


def _parse(text: str, name: str) -> StageProgram:
    from funmem.frontends.nova.program import to_core

    return to_core(text, name)


def _problems(text: str, name: str) -> list[Diagnostic]:
    from funmem.frontends.nova.program import problems

    return problems(text, name)


def _implement(defs: Sequence[ForeignDef], c_source: str, cl_source: str) -> ForeignCode:
    from funmem.frontends.nova.foreign import implement

    return implement(defs, c_source, cl_source)


FRONT_END = FrontEnd(
    "nova",
    "NOVA, the language of paper 001.",
    _parse,
    comment=";",
    problems=_problems,
    typed=True,
    foreign=_implement,
)
