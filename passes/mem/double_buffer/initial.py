"""The block of a parameter's initial value as its buffer, instead of a copy.

    (7) initial_value_dies   the initial value is made in front of the loop, in the same body; no
                             array in its block comes from elsewhere, or is used in the loop or
                             after it, but through the parameter

Then the loop may write there: every execution of the body makes the initial value anew.  The array
of an entry point's parameter qualifies if the entry point may update it.
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
from funmem.passes.mem.double_buffer.carried import Carried, View, is_dense


def initial_value_dies(c: Carried, view: View) -> str | None:
    """(7) Nobody else needs what is in the initial value's block."""
    block = view.homes[c.init].block
    if block in view.blocks.sources:
        return f"{block} is one of several blocks"
    if not is_dense(c.type, view.homes[c.init].ix):
        return f"{c.init} is not dense: two of its elements could share a place"
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


def _apart_from_loop(view: View) -> Blocks:
    """What blocks may be, if the loop's own block variables are blocks by themselves."""
    own = {b.name for b in (*view.stm.pat, *(p.binder for p in view.loop.params))}
    return Blocks({m: s for m, s in view.blocks.sources.items() if m not in own})


def _used_later(c: Carried, view: View) -> Iterator[Name]:
    """What the loop uses, but for the parameter's initial value and block, and what comes after."""
    yield from free_in_body(view.loop.body)
    for p in view.loop.params:
        if isinstance(p.init, Var) and p.binder.name not in (c.name, c.home.block):
            yield p.init.name
    for s in view.after:
        yield from free_in_stm(s)
    yield from (a.name for a in view.around.result if isinstance(a, Var))
