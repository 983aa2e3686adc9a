"""Translate a checked program to Core.

Definitions are instantiated at ground types on demand, beginning with ``main``; assignments become
bindings and loop parameters; output and foreign calls thread a token.
"""

from funmem.frontends.harlan.effects import happening
from funmem.frontends.harlan.elaborate.code import Program
from funmem.frontends.harlan.elaborate.entries import entries
from funmem.frontends.harlan.elaborate.exp import expression
from funmem.frontends.harlan.elaborate.functions import definition
from funmem.frontends.harlan.elaborate.grounds import CoreTypes, Grounds
from funmem.frontends.harlan.elaborate.places import Places
from funmem.frontends.harlan.elaborate.sharing import Sharing
from funmem.frontends.harlan.typing import Typing
from funmem.ir import core as c


def elaborate(typing: Typing) -> c.CoreProgram:
    """Return the program as Core; ``main`` is its entry point.  Raises SourceError."""
    places = Places()
    places.analyse(typing.program.defines)
    sharing = Sharing(typing, places)
    sharing.analyse(typing.program.defines)
    everywhere = Grounds(typing, {}, happening(typing.solver, typing.flows))
    p = Program(typing, expression, CoreTypes(typing, everywhere), places, sharing)
    found = entries(p)
    while p.queue:
        d, code, signature = p.queue.pop()
        p.defs.append(definition(d, code, signature))
    data = tuple(p.types.data.values())
    return c.CoreProgram(found, tuple(p.defs), data, tuple(p.foreign.values()))
