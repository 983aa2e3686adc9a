"""`.nova` as a front end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funmem.frontends.front_end import FrontEnd

if TYPE_CHECKING:
    from funmem.ir.core import CoreProgram
    from funmem.passes.framework import AnyProgram


def _parse(text: str, name: str) -> AnyProgram:
    from funmem.frontends.nova.program import to_fun

    return to_fun(text, name)


def _core(text: str, name: str) -> CoreProgram:
    from funmem.frontends.nova.program import to_core

    return to_core(text, name)


FRONT_END = FrontEnd("nova", "NOVA, the language of paper 001.", _parse, comment=";", core=_core)
