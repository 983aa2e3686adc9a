"""The block of a parameter's initial value serves as its buffer, without a copy.

    (7) initial_value_dies   the initial value is made in front of the loop, in the same body; no
                             array in its block comes from elsewhere; in the loop and after it, no
                             array in its block is used except through the parameter

Then the loop may overwrite the block: every execution of the surrounding body makes the initial
value anew.  An array parameter of the entry point qualifies if the entry point may update it.
"""

from collections.abc import Iterator

from funmem.ir.fun import Var
from funmem.ir.logic.blocks import Blocks
from funmem.ir.names import Name
from funmem.ir.traverse import (
    bound_in_stms,
    free_in_body,
    free_in_stm,
)
from funmem.passes.mem.double_buffer.carried import Carried, LoopView, is_dense


def initial_value_dies(c: Carried, view: LoopView) -> str | None:
    """(7) The contents of the initial value's block are not needed otherwise."""
    block = view.homes[c.init].block
    if block in view.blocks.sources:
        return f"{block} is one of several blocks"
    if not is_dense(c.type, view.homes[c.init].ix):
        return f"{c.init} is not dense: two of its elements could share an address"
    blocks = _apart_from_loop(view)
    made_here = view.updatable | bound_in_stms(view.before)
    for x, home in view.homes.items():
        if block in blocks.reach(home.block) and x not in made_here:
            return f"{x} in {block} comes from elsewhere"
    for x in _used_later(c, view):
        lives = view.homes[x].block if x in view.homes else x
        if block in blocks.reach(lives):
            return f"{x} in {block} is still used"
    return None


def _apart_from_loop(view: LoopView) -> Blocks:
    """Return the block relation in which the loop's own block variables stand only for
    themselves.
    """
    own = {b.name for b in (*view.stm.pat, *(p.binder for p in view.loop.params))}
    return Blocks({m: s for m, s in view.blocks.sources.items() if m not in own})


def _used_later(c: Carried, view: LoopView) -> Iterator[Name]:
    """Yield the names used in the loop and after it, except the parameter's initial value and
    block.
    """
    yield from free_in_body(view.loop.body)
    for p in view.loop.params:
        if isinstance(p.init, Var) and p.binder.name not in (c.name, c.home.block):
            yield p.init.name
    for s in view.after:
        yield from free_in_stm(s)
    yield from (a.name for a in view.around.result if isinstance(a, Var))
