"""Swapping: the loop carries two blocks and exchanges them, so that nothing is copied.

The block that the body allocates becomes a parameter of its own.  Its next value is the block of
the array parameter's current value, which is dead when the iteration ends:

    (1) comes_from_one_block    the next value lies in a block that the body allocates at its top
                                level
    (2) lies_the_same           the parameter has a loop-invariant index function, which then is
                                that of the next value as well; the block's size is invariant, too
    (3) nobody_else_keeps_it    no other parameter may ever become the new block

The initial value's block takes part in the exchange, in place of a copy of it, if that value dies
(initial.py) and

    (8) initial_block_is_large_enough    it holds as many bytes as the block that the body
                                         allocates, which may be larger than the array

Otherwise it is copied, if

    (10) a_copy_fits                     a block like the one that the body allocates holds the
                                         initial value; that it holds the next one, if there is one,
                                         says nothing of it.  What else is put into the old block by
                                         name fits, too.  All of them are dense: others may reach
                                         further than their elements are many
"""

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Atom,
    Binder,
    Copy,
    Home,
    LoopParam,
    MemType,
    Stm,
    Var,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import ZERO, Size, product
from funmem.ir.traverse import walk
from funmem.passes.lower.prove import NOTHING, nonneg
from funmem.passes.mem.double_buffer.carried import Carried, View, is_dense
from funmem.passes.mem.double_buffer.initial import initial_value_dies


@frozen
class Swap:
    """An array parameter whose two blocks are exchanged."""

    array: Carried
    alloc: Stm[Ann]
    """The allocation, in the body, of the next value's block."""
    size: Size


# ---------------------------------------------------------------------- conditions


def swapping(view: View) -> Swap | None:
    """The first parameter that can be swapped; None if there is none."""
    for c in view.arrays():
        alloc = comes_from_one_block(c, view)
        if alloc is None:
            continue
        swap = Swap(c, *alloc)
        conditions = (lies_the_same, nobody_else_keeps_it, starts_somewhere)
        if all(condition(swap, view) is None for condition in conditions):
            return swap
    return None


def comes_from_one_block(c: Carried, view: View) -> tuple[Stm[Ann], Size] | None:
    """(1) The next value lies in a block that the body allocates at its top level.

    Then the loop carries that block for the parameter.  What else lies there moves along.
    """
    new: Binder[Ann] = Binder(view.homes[c.result].block, MemType(), None)
    for s in view.loop.body.stms:
        if isinstance(s.exp, Alloc) and s.pat[0] == new:
            return s, s.exp.size
    return None


def lies_the_same(x: Swap, view: View) -> str | None:
    """(2) The parameter's index function and the block's size are loop-invariant."""
    varying = (x.array.home.ix.free() | x.size.free()) & view.bound
    return f"its place depends on {', '.join(sorted(varying))}" if varying else None


def nobody_else_keeps_it(x: Swap, view: View) -> str | None:
    """(3) No other parameter may have the new value's block, now or after more iterations (when it
    is an old value's): it is written again two iterations later.
    """
    block = x.alloc.pat[0].name
    for p, a in zip(view.loop.params, view.loop.body.result, strict=True):
        own = p.binder.name == x.array.home.block
        if isinstance(a, Var) and not own and block in view.blocks.reach(a.name):
            return f"{p.binder.name} may become {block}"
    return None


def starts_somewhere(x: Swap, view: View) -> str | None:
    """(7), (8) or (10): there is a block to begin with."""
    return None if own_block_serves(x, view) else a_copy_fits(x, view)


def own_block_serves(x: Swap, view: View) -> bool:
    """(7) and (8): the initial value's block may take part in the exchange."""
    found = (initial_value_dies(x.array, view), initial_block_is_large_enough(x, view))
    return found == (None, None)


def a_copy_fits(x: Swap, view: View) -> str | None:
    """(10) The initial value fits into a block of the new one's size, and so does what else is put
    there by the parameter's name.
    """
    for b in (view.loop.params[x.array.position].binder, *view.put_there(x.array)):
        assert isinstance(b.type, ArrayType)
        assert b.home is not None
        facts = NOTHING
        for d in b.type.shape:
            facts = facts.with_nonneg(d)
        spare = x.size - _occupied(b.type, b.home)
        if not is_dense(b.type, b.home.ix) or not nonneg(spare, facts):
            return f"{b.name} may need more than {x.size} bytes"
    return None


def _occupied(t: ArrayType, home: Home) -> Size:
    """The bytes up to the end of a dense array, if it has elements or begins at 0."""
    return (home.ix.offset + product(t.shape)) * t.elem.bytes


def _has_elements(x: Swap) -> bool:
    """Whether an array like the parameter has elements, whatever its sizes are."""
    return all((d.as_const or 0) > 0 for d in x.array.type.shape)


def initial_block_is_large_enough(x: Swap, view: View) -> str | None:
    """(8) The initial value's block has at least the size of the new one.

    It has the size that its ``alloc`` says, or else at least what the initial value occupies;
    without elements that is nothing, wherever it lies.
    """
    home = view.homes[x.array.init]
    sizes = [
        s.exp.size
        for s in walk(view.entry)
        if isinstance(s.exp, Alloc) and s.pat[0].name == home.block
    ]
    if home.ix.offset == ZERO or _has_elements(x):
        sizes.append(_occupied(x.array.type, home))
    for size in sizes:
        spare = (size - x.size).as_const
        if spare is not None and spare >= 0:
            return None
    return f"{home.block} may be smaller than {x.size} bytes"


# ---------------------------------------------------------------------- apply


def swapped(view: View, x: Swap, fresh: Fresh) -> tuple[Stm[Ann], ...]:
    """The loop with a second block in front of it."""
    c, spare = x.array, x.alloc.pat[0]
    second = fresh(spare.name)
    body = view.loop.body
    rest = tuple(s for s in body.stms if s is not x.alloc)
    loop = evolve(
        view.loop,
        params=(LoopParam(spare, Var(second)), *view.loop.params),
        body=evolve(body, stms=rest, result=(Var(c.home.block), *body.result)),
    )
    left: Binder[Ann] = Binder(fresh(spare.name), MemType(), None)
    alloc: Stm[Ann] = Stm((Binder(second, MemType(), None),), Alloc(x.size))
    return (alloc, evolve(view.stm, pat=(left, *view.stm.pat), exp=loop))


def with_own_initial_block(view: View, x: Swap, fresh: Fresh) -> tuple[tuple[Stm[Ann], ...], View]:
    """The loop with an initial value in a block that it may write, and what has to be in front of
    it for that: nothing, or a copy.
    """
    c = x.array
    if own_block_serves(x, view):
        return (), view
    first, start = fresh(c.home.block), fresh(c.init)
    alloc: Stm[Ann] = Stm((Binder(first, MemType(), None),), Alloc(x.size))
    copy: Stm[Ann] = Stm((Binder(start, c.type, Home(first, c.home.ix)),), Copy(c.init))
    inits: dict[Name, Atom] = {c.home.block: Var(first), c.name: Var(start)}
    params = tuple(evolve(p, init=inits.get(p.binder.name, p.init)) for p in view.loop.params)
    return (alloc, copy), evolve(view, loop=evolve(view.loop, params=params))
