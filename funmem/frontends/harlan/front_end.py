"""`.kfc` as a front end; `.kfc64` is the same language with floats of 64 bits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from funmem.frontends.front_end import FrontEnd, Process
from funmem.ir.scalars import F32, F64, ScalarType

if TYPE_CHECKING:
    from funmem.ir.diagnostics import Span
    from funmem.ir.foreign import ForeignCode
    from funmem.passes.framework import StageProgram


def _parse(float_: ScalarType, text: str, name: str) -> StageProgram:
    from funmem.frontends.harlan.program import to_core

    return to_core(text, name, float_)


def _process(float_: ScalarType, arguments: list[str]) -> Process:
    from funmem.frontends.harlan.world import World

    return World(arguments, real=float_)


def _provided(float_: ScalarType, text: str, name: str) -> ForeignCode:
    from funmem.frontends.harlan.program import to_core
    from funmem.frontends.harlan.world import World

    return World([name], real=float_).compiled(to_core(text, name, float_))


def _regions(text: str, name: str) -> Mapping[Span, str]:
    from funmem.frontends.harlan.program import named_regions

    return named_regions(text, name)


def _front_end(name: str, summary: str, float_: ScalarType) -> FrontEnd:
    return FrontEnd(
        name,
        summary,
        partial(_parse, float_),
        comment=";",
        typed=True,
        process=partial(_process, float_),
        provided=partial(_provided, float_),
        regions=_regions,
    )


FRONT_END = _front_end("kfc", "Harlan, the language of paper 000.", F32)
FRONT_END_64 = _front_end("kfc64", "Harlan with floats of 64 bits.", F64)
