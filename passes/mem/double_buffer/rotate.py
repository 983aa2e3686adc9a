"""Rotation: the loop carries blocks and rotates them, so that no data is copied.

A block that the body allocates becomes a parameter of its own, the *spare*.  The body passes it on
to a first parameter, in the next iteration from that one to a second, and so on.  At the end of an
iteration the block of the last parameter of such a *chain* is dead and becomes the next spare:

    loop (s : mem) = b, (m : mem) = m0, (x : … @ m) = x0, (p : mem) = p0, (y : … @ p) = y0 … do
      let (z : … @ s -> L) = f x y
      in (p, s, z, m, x)                      s <- p <- m <- s: as many blocks as are live, and one

    (1) comes_from_one_block    the next value lies in a block that the body allocates at its top
                                level
    (2) size_stays              the block's size is loop-invariant
    (3) block_is_not_kept       the block is passed on by name only: if ``if`` or an inner loop
                                chooses the next value of a parameter, it is not known which block
                                is dead

A block parameter of the chain starts with the block of its initial value, if that value dies
(``initial.py``) and

    (8) initial_block_is_large_enough    the block is as large as the block that the body allocates,
                                         which may be larger than the array

Otherwise, if the loop is not inside another one, the initial value is copied in front of it, if

    (10) a_copy_fits                     a block like the one that the body allocates holds the
                                         initial value (that it holds the next value does not imply
                                         this, since there may be no next value) and all other
                                         arrays that are put into the old block by name; all of them
                                         are dense, at loop-invariant homes

Then the initial value's own block is no longer needed.  Otherwise a new block takes the parameter's
place in the rotation.  The initial value stays in its block until it has been passed on to the end
of the chain.  No data is copied, but one more block is held if the initial value is not needed
otherwise.  All parameters that it is passed on to are then replaced in the rotation as well; each
replacement starts with the block of that parameter's own initial value, if it may be overwritten.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

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
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import ZERO, Size, product
from funmem.ir.substitute import substitution
from funmem.ir.traverse import map_body, walk
from funmem.passes.mem.double_buffer.carried import (
    Carried,
    LoopView,
    Rewritten,
    is_dense,
)
from funmem.passes.mem.double_buffer.initial import initial_value_dies
from funmem.passes.mem.refusal import Refusal


@frozen
class Rotation:
    """A block that the body allocates, and the parameters that it is passed on to."""

    alloc: Stm[Ann]
    """The allocation, in the body."""
    size: Size
    levels: tuple[frozenset[Name], ...]
    """The block parameters by the number of iterations after which they get the block.  All
    parameters of one level have the same block once none has that of its initial value.
    """
    chain: tuple[Name, ...]
    """One parameter of each level; each is passed on to the next."""

    @property
    def block(self) -> Name:
        """The name of the block that the body allocates."""
        return self.alloc.pat[0].name


class Start(Enum):
    """The initial block of a block parameter of the chain."""

    OWN = "its initial value's block"
    COPY = "a block with a copy of its initial value"
    APART = "its initial value's block; a new parameter replaces it in the rotation"


# ---------------------------------------------------------------------- conditions


def rotations(view: LoopView) -> Iterator[Rotation | Refusal]:
    """Yield the rotations that a loop allows, and the refusals for its other parameters with new
    values.
    """
    tried: set[Name] = set()
    for c in view.arrays():
        if not view.is_new(c):
            continue
        block = view.homes[c.result].block
        alloc = _allocation(block, view)
        if alloc is None:
            if not _is_passed_on(block, view):
                why = comes_from_one_block(c, view)
                yield Refusal(view.stm, "(1) comes from one block", why)
        elif block not in tried:
            tried.add(block)
            stm, size = alloc
            found = _rotation(stm, size, view)
            for name, condition in CONDITIONS.items():
                if (failed := condition(found, view)) is not None:
                    yield Refusal(view.stm, name, failed)
                    break
            else:
                yield found


def _allocation(block: Name, view: LoopView) -> tuple[Stm[Ann], Size] | None:
    """Return the allocation of a block, with its size, if it is a statement of the loop's body."""
    new: Binder[Ann] = Binder(block, MemType(), None)
    for s in view.loop.body.stms:
        if isinstance(s.exp, Alloc) and s.pat[0] == new:
            return s, s.exp.size
    return None


def _is_passed_on(block: Name, view: LoopView) -> bool:
    """True if a parameter receives the block of another one, whose condition is checked instead."""
    return any(p.binder.name == block for p in view.loop.params)


def comes_from_one_block(c: Carried, view: LoopView) -> str:
    """(1) Return the reason why the next value does not lie in a block that the body allocates at
    its top level.

    If (1) holds, the loop carries that block for the parameter, and other arrays in it move along.
    """
    block = view.homes[c.result].block
    roots = view.blocks.roots(block)
    if len(roots) > 1:
        return f"the next value of {c.name} lies in {block}, one of {', '.join(sorted(roots))}"
    return f"{block}, where the next value of {c.name} lies, is allocated further inside"


def _rotation(alloc: Stm[Ann], size: Size, view: LoopView) -> Rotation:
    """Return the parameters that a block is passed on to."""
    block = alloc.pat[0].name
    parent = {
        p.binder.name: a.name
        for p, a in zip(view.loop.params, view.loop.body.result, strict=True)
        if isinstance(p.binder.type, MemType) and isinstance(a, Var)
    }
    levels: list[frozenset[Name]] = []
    last = frozenset({block})
    while last := frozenset(p for p, a in parent.items() if a in last):
        levels.append(last)
    chain: list[Name] = []
    at = min(levels[-1], key=lambda p: list(parent).index(p))
    while at != block:
        chain.insert(0, at)
        at = parent[at]
    return Rotation(alloc, size, tuple(levels), tuple(chain))


def size_stays(x: Rotation, view: LoopView) -> str | None:
    """(2) The block's size is loop-invariant."""
    varying = x.size.free() & view.bound
    return f"the size of {x.block} depends on {', '.join(sorted(varying))}" if varying else None


def block_is_not_kept(x: Rotation, view: LoopView) -> str | None:
    """(3) No other parameter may have the block, now or in a later iteration, when it holds an old
    value: at the end of the chain the block is overwritten.
    """
    members = frozenset[Name]().union(*x.levels)
    for p, a in zip(view.loop.params, view.loop.body.result, strict=True):
        other = p.binder.name not in members
        if isinstance(a, Var) and other and x.block in view.blocks.reach(a.name):
            return f"{p.binder.name} may become {x.block}"
    return None


CONDITIONS = {
    "(2) the size stays": size_stays,
    "(3) no other parameter keeps it": block_is_not_kept,
}


# ---------------------------------------------------------------------- initial blocks


@frozen
class Member:
    """A block parameter of the chain; ``array`` is the first array in it, if there is one."""

    block: Name
    array: Carried | None
    start: Start
    why: str
    """The reason why it does not start with its initial value's block."""


def members(x: Rotation, view: LoopView) -> tuple[Member, ...]:
    """Return the chain with the initial block of each of its parameters."""
    first: dict[Name, Carried] = {}
    for c in view.arrays():
        first.setdefault(c.home.block, c)
    return tuple(_member(m, first.get(m), x, view) for m in x.chain)


def _member(m: Name, c: Carried | None, x: Rotation, view: LoopView) -> Member:
    """Choose a parameter's initial block: by (7) and (8) that of the initial value; by (10)
    a copy.
    """
    if c is None:
        return Member(m, c, Start.APART, "no array is in it")
    why = initial_value_dies(c, view) or initial_block_is_large_enough(c, x, view)
    if why is None:
        return Member(m, c, Start.OWN, "")
    apart = view.in_loop or a_copy_fits(c, x, view) is not None
    return Member(m, c, Start.APART if apart else Start.COPY, why)


def a_copy_fits(c: Carried, x: Rotation, view: LoopView) -> str | None:
    """(10) A block of the new one's size holds the initial value and all arrays that are put into
    the parameter's block by name.
    """
    for b in (view.loop.params[c.position].binder, *view.put_there(c)):
        assert isinstance(b.type, ArrayType)
        assert b.home is not None
        facts = Facts()
        for d in b.type.shape:
            facts = facts.with_nonneg(d)
        spare = x.size - _occupied(b.type, b.home)
        if not is_dense(b.type, b.home.ix) or not nonneg(spare, facts):
            return f"{b.name} may need more than {x.size} bytes"
    varying = c.home.ix.free() & view.bound
    return f"its place depends on {', '.join(sorted(varying))}" if varying else None


def _occupied(t: ArrayType, home: Home) -> Size:
    """Return the bytes up to the end of a dense array, if it has elements or begins at 0."""
    return (home.ix.offset + product(t.shape)) * t.elem.bytes


def _has_elements(c: Carried) -> bool:
    """True if an array like the parameter has elements for all values of its sizes."""
    return all((d.as_const or 0) > 0 for d in c.type.shape)


def initial_block_is_large_enough(c: Carried, x: Rotation, view: LoopView) -> str | None:
    """(8) The initial value's block is at least as large as the new one.

    Its size is that of its ``alloc``, or at least the bytes up to the end of the initial value.
    The latter does not hold for an array without elements, which may lie anywhere.
    """
    home = view.homes[c.init]
    sizes = [
        s.exp.size
        for s in walk(view.entry)
        if isinstance(s.exp, Alloc) and s.pat[0].name == home.block
    ]
    if home.ix.offset == ZERO or _has_elements(c):
        sizes.append(_occupied(c.type, home))
    for size in sizes:
        spare = (size - x.size).as_const
        if spare is not None and spare >= 0:
            return None
    return f"{home.block} may be smaller than {x.size} bytes"


# ---------------------------------------------------------------------- apply


def rotated(view: LoopView, x: Rotation, fresh: Fresh, *, spare: bool) -> Rewritten:
    """Return the loop that rotates the block, without its allocation.

    Without a ``spare`` the block at the end of the chain serves as the new block.
    """
    chain = members(x, view)
    before: list[Stm[Ann]] = []
    made: list[tuple[Stm[Ann], str]] = []
    inits: dict[Name, Atom] = {}
    added: list[tuple[Name, Atom, Name]] = []
    """The new block parameters, with their initial blocks and next blocks."""
    parts: list[Name] = []
    """The parameters that take part in the rotation."""
    first = x.block if spare else fresh(x.block)
    starts = {p.binder.name: p.init for p in view.loop.params}

    def block(base: Name) -> Name:
        new: Binder[Ann] = Binder(fresh(base), MemType(), None)
        before.append(Stm((new,), Alloc(x.size)))
        return new.name

    apart = False
    for m in chain:
        part, begins = m.block, starts[m.block]
        if m.start is Start.COPY:
            assert m.array is not None
            c, home = m.array, Home(block(m.block), m.array.home.ix)
            y: Binder[Ann] = Binder(fresh(c.init), c.type, home)
            before.append(Stm((y,), Copy(c.init), at=view.stm.at))
            made.append((before[-1], f"the loop rotates the block of {c.name}; {m.why}"))
            begins = Var(home.block)
            inits |= {m.block: begins, c.name: Var(y.name)}
        elif m.start is Start.APART:
            begins, apart = Var(block(m.block)), True
        if apart:
            part = fresh(m.block)
            added.append((part, begins, parts[-1] if parts else first))
        parts.append(part)
    if spare:
        added.insert(0, (first, Var(block(x.block)), parts[-1]))
    new = {} if spare else {x.block: Var(parts[-1]), first: Var(parts[-1])}
    return Rewritten((*before, _loop(view, x, inits, added, new, fresh)), tuple(made))


def _loop(
    view: LoopView,
    x: Rotation,
    inits: Mapping[Name, Atom],
    added: Sequence[tuple[Name, Atom, Name]],
    new: Mapping[Name, Atom],
    fresh: Fresh,
) -> Stm[Ann]:
    """Return the loop with other initial values and parameters ``added``, without the allocation;
    ``new`` maps its block to the replacement.
    """
    body = view.loop.body
    body = evolve(
        body,
        stms=tuple(s for s in body.stms if s is not x.alloc),
        result=(*(Var(after) for _, _, after in added), *body.result),
    )
    own = tuple(evolve(p, init=inits.get(p.binder.name, p.init)) for p in view.loop.params)
    more = tuple(LoopParam(Binder(p, MemType(), None), init) for p, init, _ in added)
    loop = evolve(view.loop, params=(*more, *own), body=map_body(body, substitution(new)))
    left = tuple(Binder(fresh(p), MemType(), None) for p, _, _ in added)
    return evolve(view.stm, pat=(*left, *view.stm.pat), exp=loop)
