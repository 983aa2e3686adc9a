"""The compiler's own languages as front ends: their texts read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funmem.frontends.front_end import FrontEnd

if TYPE_CHECKING:
    from funmem.passes.framework import StageProgram


def _core(text: str, name: str) -> StageProgram:
    from funmem.ir.text import parse_core

    return parse_core(text, name)


def _fun(text: str, name: str) -> StageProgram:
    from funmem.ir.text import parse_fun

    return parse_fun(text, name)


def _imp(text: str, name: str) -> StageProgram:
    from funmem.ir.text import parse_imp

    return parse_imp(text, name)


CORE = FrontEnd("core", "Core: typed, polymorphic, higher-order.", _core)
FUN = FrontEnd("fun", "FUN: first-order, in A-normal form.", _fun)
FUNMEM = FrontEnd("funmem", "FUNMEM: FUN with memory annotations.", _fun)
IMP = FrontEnd("imp", "IMP: loops and flat memory.", _imp)
