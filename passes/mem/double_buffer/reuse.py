"""One block fewer, if the next value is made after the last use of the value at the end of the
chain.

A step of several phases reads its parameter in the first one, and makes the next value in the last:

    loop (m : mem) = m0, (x : … @ m -> L) = x0 for i < n do       loop … do
      let (t : … @ t_mem -> …) = f x                                let (t : … @ t_mem -> …) = f x
      let (m1 : mem) = alloc 4*k                            ->      let (y : … @ m -> L) = g t
      let (y : … @ m1 -> L) = g t                                   in (m, y)
      in (m1, y)

The block at the end of the chain replaces the new block if the conditions of rotation hold
(``rotate.py``), and

    (9) used_before    no array that may lie in the last block of the chain is mentioned in or
                       after the first statement that mentions the new block (by (3), only next
                       values are returned in it)
"""

from collections.abc import Iterable

from funmem.ir.fun import Alloc
from funmem.ir.names import Name
from funmem.ir.traverse import bound_in_stms, free_in_stm
from funmem.passes.mem.double_buffer.carried import LoopView
from funmem.passes.mem.double_buffer.rotate import Rotation


def used_before(x: Rotation, view: LoopView) -> str | None:
    """(9) The last use of the values at the end of the chain precedes the first write to the new
    block.
    """
    writing = False
    for s in view.loop.body.stms:
        if isinstance(s.exp, Alloc):
            continue
        names = free_in_stm(s) | bound_in_stms((s,))
        writing |= any(lives == x.block for lives in _blocks(names, view))
        used = view.blocks.reach_all(_blocks(free_in_stm(s), view)) & x.levels[-1]
        if writing and used:
            return f"{', '.join(sorted(used))} is used after a write to {x.block}"
    return None


def _blocks(names: Iterable[Name], view: LoopView) -> list[Name]:
    """Return the blocks that names denote, or in which arrays lie."""
    return [view.homes[x].block if x in view.homes else x for x in names]
