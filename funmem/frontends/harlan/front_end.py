"""`.kfc` as a front end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funmem.frontends.front_end import FrontEnd, Process

if TYPE_CHECKING:
    from funmem.ir.foreign import ForeignCode
    from funmem.passes.framework import StageProgram


def _parse(text: str, name: str) -> StageProgram:
    from funmem.frontends.harlan.program import to_core

    return to_core(text, name)


def _process(arguments: list[str]) -> Process:
    from funmem.frontends.harlan.world import World

    return World(arguments)


def _provided(text: str, name: str) -> ForeignCode:
    from funmem.frontends.harlan.program import to_core
    from funmem.frontends.harlan.world import World

    return World([name]).compiled(to_core(text, name))


FRONT_END = FrontEnd(
    "kfc",
    "Harlan, the language of paper 000.",
    _parse,
    comment=";",
    typed=True,
    process=_process,
    provided=_provided,
)
