"""Python modules as a front end: their entry points are their annotated jitted functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funmem.frontends.front_end import FrontEnd

if TYPE_CHECKING:
    from funmem.codegen.python_trees import Function
    from funmem.ir.diagnostics import Diagnostic
    from funmem.ir.foreign import ForeignCode
    from funmem.passes.framework import StageProgram


def _parse(text: str, name: str) -> StageProgram:
    from funmem.frontends.python.modules import exported

    return exported(text, name)[0]


def _exported(text: str, name: str) -> tuple[StageProgram, tuple[Function, ...]]:
    from funmem.frontends.python.modules import exported

    return exported(text, name)


def _provided(text: str, name: str) -> ForeignCode:
    from funmem.frontends.python.modules import foreign

    return foreign(text, name)


def _problems(text: str, name: str) -> list[Diagnostic]:
    from funmem.frontends.python.modules import problems

    return problems(text, name)


FRONT_END = FrontEnd(
    "py",
    "Python: the functions under @funmem.jit.",
    _parse,
    comment="#",
    problems=_problems,
    exported=_exported,
    provided=_provided,
    importing="import",
)
