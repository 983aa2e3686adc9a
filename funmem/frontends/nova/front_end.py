"""`.nova` as a front end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funmem.frontends.front_end import FrontEnd

if TYPE_CHECKING:
    from funmem.passes.framework import StageProgram


def _parse(text: str, name: str) -> StageProgram:
    from funmem.frontends.nova.program import to_core

    return to_core(text, name)


FRONT_END = FrontEnd("nova", "NOVA, the language of paper 001.", _parse, comment=";", typed=True)
