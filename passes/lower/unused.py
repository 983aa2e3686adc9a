"""Blocks that no statement uses are not allocated.

    var m : mem;
    m <- alloc 8*n;         ->        …                    nothing else names m
    …

A scatter that is lowered with the loops that make its indices (:mod:`early_scatter`) leaves the
block of the indices unused: 8 bytes for each element.

*Correct* because an allocation has no effect but memory, and the failure for the lack of it.
"""

from collections.abc import Iterable

from funmem.ir.imp import Allocate, ArrayPort, Block, Declare, ImpStm, Port
from funmem.ir.imp_traverse import NESTS, map_children, nested, own_assigns, own_uses
from funmem.ir.names import Name


def without_unused_blocks(body: Block, ports: Iterable[Port]) -> Block:
    """Return the statements of an entry point without the allocations of unused blocks."""
    uses = {p.block for p in ports if isinstance(p, ArrayPort)}
    made: set[Name] = set()
    for s in nested(body):
        uses |= own_uses(s)
        if isinstance(s, Allocate):
            made.add(s.x)
        else:
            uses.update(own_assigns(s))
    unused = frozenset(made - uses)
    return _without(body, unused) if unused else body


def _without(body: Block, unused: frozenset[Name]) -> Block:
    return tuple(_rest(s, unused) for s in body if not _makes(s, unused))


def _rest(s: ImpStm, unused: frozenset[Name]) -> ImpStm:
    return map_children(s, lambda b: _without(b, unused)) if s.__class__ in NESTS else s


def _makes(s: ImpStm, unused: frozenset[Name]) -> bool:
    return isinstance(s, Declare | Allocate) and s.x in unused
