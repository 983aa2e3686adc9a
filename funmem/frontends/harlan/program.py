"""Translate the text of a `.kfc` program to Core."""

from funmem.frontends.harlan.elaborate import elaborate
from funmem.frontends.harlan.infer import infer
from funmem.frontends.harlan.parser import parse
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.scalars import F32, ScalarType


def to_core(text: str, file: str, float_: ScalarType = F32) -> CoreProgram:
    """Return the program as Core; ``float_`` is the type of its floats.  Raises SourceError."""
    with deep():
        return elaborate(infer(parse(text, file), float_))
