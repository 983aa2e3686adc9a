"""The compiler's own languages as front ends: their texts read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funmem.frontends.front_end import FrontEnd

if TYPE_CHECKING:
    from funmem.passes.framework import AnyProgram


def _fun(text: str, name: str) -> AnyProgram:
    from funmem.ir.text import parse_fun

    return parse_fun(text, name)


def _imp(text: str, name: str) -> AnyProgram:
    from funmem.ir.text import parse_imp

    return parse_imp(text, name)


FUN = FrontEnd("fun", "FUN: first-order, in A-normal form.", _fun)
FUNMEM = FrontEnd("funmem", "FUNMEM: FUN with memory annotations.", _fun)
IMP = FrontEnd("imp", "IMP: loops and flat memory.", _imp)
