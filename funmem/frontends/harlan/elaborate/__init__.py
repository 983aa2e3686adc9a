"""Translate a checked program to Core.

Definitions are instantiated at ground types on demand, beginning with ``main``; assignments become
bindings and loop parameters; output and foreign calls thread a token, and code that uses vectors
with several names threads the stores in which they lie.
"""

from funmem.frontends.harlan.effects import happening
from funmem.frontends.harlan.elaborate.code import MoreStores, Program
from funmem.frontends.harlan.elaborate.entries import entries
from funmem.frontends.harlan.elaborate.exp import expression
from funmem.frontends.harlan.elaborate.functions import definition
from funmem.frontends.harlan.elaborate.grounds import CoreTypes, Grounds
from funmem.frontends.harlan.elaborate.places import Places
from funmem.frontends.harlan.elaborate.shared import Aliased, Regions
from funmem.frontends.harlan.elaborate.sharing import Sharing
from funmem.frontends.harlan.typing import Typing
from funmem.ir import core as c


def elaborate(typing: Typing) -> c.CoreProgram:
    """Return the program as Core; ``main`` is its entry point.  Raises SourceError.

    It begins again with one shared region more where a change of a vector may be seen through
    another name (shared.py), and with one store more where vectors of a new type lie in one.
    """
    places = Places()
    places.analyse(typing.program.defines)
    sharing = Sharing(typing, places)
    sharing.analyse(typing.program.defines)
    shared = Regions(typing)
    stores: list[c.Type] = []
    while True:
        everywhere = Grounds(typing, shared, {}, happening(typing.solver, typing.flows))
        types = CoreTypes(typing, everywhere, tuple(stores))
        p = Program(typing, shared, expression, types, places, sharing)
        try:
            return _elaborated(p)
        except MoreStores as found:
            stores.append(found.elem)
        except Aliased as found:
            shared.share(found.regions)


def _elaborated(p: Program) -> c.CoreProgram:
    found = entries(p)
    while p.queue:
        d, code, signature = p.queue.pop()
        p.defs.append(definition(d, code, signature))
    data = tuple(p.types.data.values())
    return c.CoreProgram(found, tuple(p.defs), data, tuple(p.foreign.values()))
