"""Rotation: the loop carries blocks and hands them round, so that nothing is copied.

A block that the body allocates becomes a parameter of its own, the *spare*.  The body hands it on:
to a first parameter, in the next iteration from that one to a second, and so on.  What the last
parameter of such a *chain* has is dead when the iteration ends, and is the next spare:

    loop (s : mem) = b, (m : mem) = m0, (x : … @ m) = x0, (p : mem) = p0, (y : … @ p) = y0 … do
      let (z : … @ s -> L) = f x y
      in (p, s, z, m, x)                      s <- p <- m <- s: as many blocks as are live, and one

    (1) comes_from_one_block    the next value lies in a block that the body allocates at its top
                                level
    (2) size_stays              the block's size is loop-invariant
    (3) nobody_else_keeps_it    the block is handed on by name only: where ``if`` or an inner loop
                                decides what a parameter becomes, nobody knows which one is dead

A parameter of the chain takes part with the block of its initial value, if that value dies
(``initial.py``) and

    (8) initial_block_is_large_enough    it holds as many bytes as the block that the body
                                         allocates, which may be larger than the array

Otherwise, in front of a loop that is in no other one, the initial value is copied, if

    (10) a_copy_fits                     a block like the one that the body allocates holds the
                                         initial value; that it holds the next one, if there is one,
                                         says nothing of it.  What else is put into the old block by
                                         name fits, too.  All of them are dense, in places that the
                                         loop does not change

Then the initial value's own block can go.  And if neither holds, a new block takes the parameter's
part in the rotation, and the initial value stays where it is until it has been handed on to the
end: nothing is copied, and one block more is held if the initial value is not needed any more.  All
parameters that it is handed on to have then somebody else take their part as well, who begins with
the block of their own initial value if that may be written.
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
from funmem.ir.logic.prove import NOTHING, nonneg
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import ZERO, Size, product
from funmem.ir.traverse import map_body, substitution, walk
from funmem.passes.mem.double_buffer.carried import (
    Carried,
    Refusal,
    Rewritten,
    View,
    is_dense,
)
from funmem.passes.mem.double_buffer.initial import initial_value_dies


@frozen
class Rotation:
    """A block that the body allocates, and the parameters that it is handed on to."""

    alloc: Stm[Ann]
    """The allocation, in the body."""
    size: Size
    levels: tuple[frozenset[Name], ...]
    """The block parameters after how many iterations: all of one level have the same block, when
    none has that of its initial value any more.
    """
    chain: tuple[Name, ...]
    """One of each level; each is handed on to the next."""

    @property
    def block(self) -> Name:
        """What the body allocates."""
        return self.alloc.pat[0].name


class Start(Enum):
    """What a block parameter of the chain begins with."""

    OWN = "its initial value's block"
    COPY = "a block with a copy of its initial value"
    APART = "its initial value's block, and another one takes its part"


# ---------------------------------------------------------------------- conditions


def rotations(view: View) -> Iterator[Rotation | Refusal]:
    """The rotations that a loop allows, and why other parameters with new values allow none."""
    tried: set[Name] = set()
    for c in view.arrays():
        if not view.is_new(c):
            continue
        block = view.homes[c.result].block
        alloc = _allocation(block, view)
        if alloc is None:
            if not _handed_on(block, view):
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


def _allocation(block: Name, view: View) -> tuple[Stm[Ann], Size] | None:
    """The allocation of a block, if it is a statement of the loop's body."""
    new: Binder[Ann] = Binder(block, MemType(), None)
    for s in view.loop.body.stms:
        if isinstance(s.exp, Alloc) and s.pat[0] == new:
            return s, s.exp.size
    return None


def _handed_on(block: Name, view: View) -> bool:
    """Whether a parameter gets what another one had: that one's condition is asked."""
    return any(p.binder.name == block for p in view.loop.params)


def comes_from_one_block(c: Carried, view: View) -> str:
    """(1) The next value lies in a block that the body allocates at its top level; why it does not.

    Then the loop carries that block for the parameter.  What else lies there moves along.
    """
    block = view.homes[c.result].block
    roots = view.blocks.roots(block)
    if len(roots) > 1:
        return f"the next value of {c.name} lies in {block}, one of {', '.join(sorted(roots))}"
    return f"{block}, where the next value of {c.name} lies, is allocated further inside"


def _rotation(alloc: Stm[Ann], size: Size, view: View) -> Rotation:
    """The parameters that a block is handed on to."""
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


def size_stays(x: Rotation, view: View) -> str | None:
    """(2) The block's size is loop-invariant."""
    varying = x.size.free() & view.bound
    return f"the size of {x.block} depends on {', '.join(sorted(varying))}" if varying else None


def nobody_else_keeps_it(x: Rotation, view: View) -> str | None:
    """(3) No other parameter may have the block, now or after more iterations (when it is an old
    value's): it is written again when the chain ends.
    """
    members = frozenset[Name]().union(*x.levels)
    for p, a in zip(view.loop.params, view.loop.body.result, strict=True):
        other = p.binder.name not in members
        if isinstance(a, Var) and other and x.block in view.blocks.reach(a.name):
            return f"{p.binder.name} may become {x.block}"
    return None


CONDITIONS = {
    "(2) the size stays": size_stays,
    "(3) nobody else keeps it": nobody_else_keeps_it,
}


# ---------------------------------------------------------------------- what it starts with


@frozen
class Member:
    """A block parameter of the chain; ``array``: the first array in it, if there is one."""

    block: Name
    array: Carried | None
    start: Start
    why: str
    """Why it is not its initial value's block."""


def members(x: Rotation, view: View) -> tuple[Member, ...]:
    """The chain, and what each of its blocks begins with."""
    first: dict[Name, Carried] = {}
    for c in view.arrays():
        first.setdefault(c.home.block, c)
    return tuple(_member(m, first.get(m), x, view) for m in x.chain)


def _member(m: Name, c: Carried | None, x: Rotation, view: View) -> Member:
    """(7) and (8): the initial value's block takes part.  (10): it is copied."""
    if c is None:
        return Member(m, c, Start.APART, "no array is in it")
    why = initial_value_dies(c, view) or initial_block_is_large_enough(c, x, view)
    if why is None:
        return Member(m, c, Start.OWN, "")
    apart = view.in_loop or a_copy_fits(c, x, view) is not None
    return Member(m, c, Start.APART if apart else Start.COPY, why)


def a_copy_fits(c: Carried, x: Rotation, view: View) -> str | None:
    """(10) The initial value fits into a block of the new one's size, and so does what else is put
    there by the parameter's name.
    """
    for b in (view.loop.params[c.position].binder, *view.put_there(c)):
        assert isinstance(b.type, ArrayType)
        assert b.home is not None
        facts = NOTHING
        for d in b.type.shape:
            facts = facts.with_nonneg(d)
        spare = x.size - _occupied(b.type, b.home)
        if not is_dense(b.type, b.home.ix) or not nonneg(spare, facts):
            return f"{b.name} may need more than {x.size} bytes"
    varying = c.home.ix.free() & view.bound
    return f"its place depends on {', '.join(sorted(varying))}" if varying else None


def _occupied(t: ArrayType, home: Home) -> Size:
    """The bytes up to the end of a dense array, if it has elements or begins at 0."""
    return (home.ix.offset + product(t.shape)) * t.elem.bytes


def _has_elements(c: Carried) -> bool:
    """Whether an array like the parameter has elements, whatever its sizes are."""
    return all((d.as_const or 0) > 0 for d in c.type.shape)


def initial_block_is_large_enough(c: Carried, x: Rotation, view: View) -> str | None:
    """(8) The initial value's block has at least the size of the new one.

    It has the size that its ``alloc`` says, or else at least what the initial value occupies;
    without elements that is nothing, wherever it lies.
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


def rotated(view: View, x: Rotation, fresh: Fresh, *, spare: bool) -> Rewritten:
    """The loop that hands the block round, without its allocation.

    Without a ``spare`` the new block is the one that the chain ends with.
    """
    chain = members(x, view)
    before: list[Stm[Ann]] = []
    made: list[tuple[Stm[Ann], str]] = []
    inits: dict[Name, Atom] = {}
    added: list[tuple[Name, Atom, Name]] = []
    """Block parameters that are new, what they begin with and what they become."""
    parts: list[Name] = []
    """Who takes part in the rotation."""
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
            made.append((before[-1], f"the loop hands round the block of {c.name}; {m.why}"))
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
    view: View,
    x: Rotation,
    inits: Mapping[Name, Atom],
    added: Sequence[tuple[Name, Atom, Name]],
    new: Mapping[Name, Atom],
    fresh: Fresh,
) -> Stm[Ann]:
    """The loop with other initial values, ``added`` parameters and without the allocation;
    ``new``: what stands for its block.
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
