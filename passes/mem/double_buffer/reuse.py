"""One block fewer where the next value is made after the last one of the chain has been used.

A step of several phases reads its parameter in the first one, and makes the next value in the last:

    loop (m : mem) = m0, (x : … @ m -> L) = x0 for i < n do       loop … do
      let (t : … @ t_mem -> …) = f x                                let (t : … @ t_mem -> …) = f x
      let (m1 : mem) = alloc 4*k                            ->      let (y : … @ m -> L) = g t
      let (y : … @ m1 -> L) = g t                                   in (m, y)
      in (m1, y)

The new block becomes the one that ends the chain, if what rotation needs holds (``rotate.py``), and

    (9) used_before    nothing that may lie in the last block of the chain is mentioned from the
                       first statement on that mentions the new block (and by (3) only next values
                       are returned there)
"""

from collections.abc import Iterable

from funmem.ir.fun import Alloc
from funmem.ir.names import Name
from funmem.ir.traverse import bound_in_stms, free_in_stm
from funmem.passes.mem.double_buffer.carried import View
from funmem.passes.mem.double_buffer.rotate import Rotation


def used_before(x: Rotation, view: View) -> str | None:
    """(9) The values that end the chain are used for the last time before anything is put into the
    new block.
    """
    writing = False
    for s in view.loop.body.stms:
        if isinstance(s.exp, Alloc):
            continue
        names = free_in_stm(s) | bound_in_stms((s,))
        writing |= any(lives == x.block for lives in _blocks(names, view))
        used = view.blocks.reach_all(_blocks(free_in_stm(s), view)) & x.levels[-1]
        if writing and used:
            return f"{', '.join(sorted(used))} is used when {x.block} has been written to"
    return None


def _blocks(names: Iterable[Name], view: View) -> list[Name]:
    """The blocks that names are, or that arrays lie in."""
    return [view.homes[x].block if x in view.homes else x for x in names]
