"""Translate the text of a `.kfc` program to Core."""

from collections.abc import Mapping

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate import elaborate
from funmem.frontends.harlan.infer import infer
from funmem.frontends.harlan.parser import parse
from funmem.frontends.harlan.walk import walk
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import Span
from funmem.ir.names import IDENTIFIER
from funmem.ir.scalars import F32, ScalarType


def to_core(text: str, file: str, float_: ScalarType = F32) -> CoreProgram:
    """Return the program as Core; ``float_`` is the type of its floats.  Raises SourceError."""
    with deep():
        return elaborate(infer(parse(text, file), float_))


def named_regions(text: str, file: str) -> Mapping[Span, str]:
    """Return the regions that ``vector-r``, ``iota-r`` and ``kernel-r`` name, by place of the form.

    Two regions of one name have different ones here, and so has one that is no name of Core.
    Raises SourceError.
    """
    names: dict[ast.Region, str] = {}
    found: dict[Span, str] = {}
    with deep():
        program = parse(text, file)
        for d in program.defines:
            for e in walk(d.exp):
                if isinstance(e, ast.VectorOf | ast.Iota | ast.Kernel) and e.region is not None:
                    r = e.region
                    base = r.name if IDENTIFIER.fullmatch(r.name) else "region"
                    found[e.at] = names.setdefault(r, f"{base}_{len(names) + 1}")
    return found
