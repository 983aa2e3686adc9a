"""One block is enough where the next value is made after the current one has been used.

A step of several phases reads its parameter in the first one, and makes the next value in the last:

    loop (m : mem) = m0, (x : … @ m -> L) = x0 for i < n do       loop … do
      let (t : … @ t_mem -> …) = f x                                let (t : … @ t_mem -> …) = f x
      let (m1 : mem) = alloc 4*k                            ->      let (y : … @ m -> L) = g t
      let (y : … @ m1 -> L) = g t                                   in (m, y)
      in (m1, y)

The new block becomes the parameter's own, if what swapping needs holds (``swap.py``), and

    (9) used_before    nothing that may lie in the parameter's block is mentioned from the first
                       statement on that mentions the new block (and by (3) only next values are
                       returned there)
"""

from collections.abc import Iterable

from funmem.ir.fun import Alloc, Ann, Stm, Var
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.traverse import bound_in_stms, free_in_stm, map_body, substitution
from funmem.passes.mem.double_buffer.carried import View
from funmem.passes.mem.double_buffer.swap import Swap


def used_before(x: Swap, view: View) -> str | None:
    """(9) The current value is used for the last time before anything is put into the new block."""
    block, own = x.alloc.pat[0].name, x.array.home.block
    writing = False
    for s in view.loop.body.stms:
        if isinstance(s.exp, Alloc):
            continue
        names = free_in_stm(s) | bound_in_stms((s,))
        writing |= any(lives == block for lives in _blocks(names, view))
        if writing and own in view.blocks.reach_all(_blocks(free_in_stm(s), view)):
            return f"{own} is used when {block} has been written to"
    return None


def _blocks(names: Iterable[Name], view: View) -> list[Name]:
    """The blocks that names are, or that arrays lie in."""
    return [view.homes[x].block if x in view.homes else x for x in names]


def reused(view: View, x: Swap) -> Stm[Ann]:
    """The loop that works in the parameter's block."""
    kept = tuple(s for s in view.loop.body.stms if s is not x.alloc)
    body = evolve(view.loop.body, stms=kept)
    body = map_body(body, substitution({x.alloc.pat[0].name: Var(x.array.home.block)}))
    return evolve(view.stm, exp=evolve(view.loop, body=body))
