"""Copying: the parameter gets a block of its own, into which its next value is copied.

    (5) size_is_invariant       the parameter's shape mentions nothing that the loop binds
    (6) buffer_is_free          when the body ends, no parameter that is not copied itself may lie
                                in the block of one that is
    (7) nothing_is_put_there    no fresh array is put into the parameter's old block by name

Next values that lie in a parameter's block are copied before that block is overwritten: the
copies are ordered, and where they go round in a circle (a loop that exchanges two arrays, an array
that becomes its own reverse) one value is first copied to a block of its own.
"""

from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from funmem.ir.fun import Alloc, Ann, Atom, Binder, Copy, Home, Kernel, MemType, Stm, Var
from funmem.ir.lmad import row_major
from funmem.ir.names import Fresh, Name
from funmem.ir.sizes import Size, product
from funmem.ir.traverse import inner_binders, walk
from funmem.passes.mem.blocks import is_fresh
from funmem.passes.mem.double_buffer.carried import Carried, Refusal, View
from funmem.passes.mem.double_buffer.initial import initial_value_dies


@frozen
class Step:
    """One copy at the end of the body."""

    array: Carried
    staged: bool
    """Into a block of its own: another step moves it on to the buffer."""


@frozen
class Buffers:
    """The parameters that get a buffer, and the copies in order."""

    members: tuple[Carried, ...]
    steps: tuple[Step, ...]
    refusals: tuple[Refusal, ...]


# ---------------------------------------------------------------------- analysis


def buffers(view: View) -> Buffers:
    """Which parameters get a buffer: those with new values, and those that would lie in these."""
    arrays = tuple(view.arrays())
    members = [c for c in arrays if view.is_new(c)]
    refusals: list[Refusal] = []
    while True:
        joining = [c for c in arrays if c not in members and _lies_in_one(c, members, view)]
        barred = [c for c in (*members, *joining) if _refused(c, view) is not None]
        if not joining and not barred:
            return Buffers(tuple(members), _steps(members, view), tuple(refusals))
        leaving = [m for m in members if m in barred or any(_reads(c, m, view) for c in barred)]
        for c in leaving:
            refusals.append(_refused(c, view) or buffer_is_free(c, barred, view))
        members = [c for c in (*members, *joining) if c not in leaving and c not in barred]


def _refused(c: Carried, view: View) -> Refusal | None:
    return size_is_invariant(c, view) or nothing_is_put_there(c, view)


def size_is_invariant(c: Carried, view: View) -> Refusal | None:
    """(5) The parameter's shape mentions nothing that the loop binds."""
    varying = frozenset[Name]().union(*(d.free() for d in c.type.shape)) & view.bound
    if not varying:
        return None
    reason = f"the size of {c.name} depends on {', '.join(sorted(varying))}"
    return Refusal(view.stm, "(5) the size is invariant", reason)


def buffer_is_free(c: Carried, others: Sequence[Carried], view: View) -> Refusal:
    """(6) No parameter that stays where it is may lie in the buffer when the body ends."""
    names = ", ".join(d.name for d in others if _reads(d, c, view))
    return Refusal(view.stm, "(6) the buffer is free", f"{names} may lie where {c.name} does")


def nothing_is_put_there(c: Carried, view: View) -> Refusal | None:
    """(7) No fresh array is put into the parameter's block by name: it would stay behind."""
    at = view.position(c.home.block)
    blocks = {c.home.block} if at is None else {c.home.block, view.stm.pat[at].name}
    for b in _placed(view):
        if not blocks.isdisjoint(view.blocks.reach(b[1])):
            reason = f"{b[0]} is put into the block of {c.name}"
            return Refusal(view.stm, "(7) nothing is put there", reason)
    return None


def _placed(view: View) -> Iterator[tuple[Name, Name]]:
    """The arrays of the entry point that are put into a block by name, and that block."""
    for s in walk(view.entry):
        binders = s.pat if is_fresh(s.exp) else ()
        params = inner_binders(s.exp) if isinstance(s.exp, Kernel) else ()
        yield from ((b.name, b.home.block) for b in (*binders, *params) if b.home is not None)


def _reads(c: Carried, other: Carried, view: View) -> bool:
    """Whether the next value of ``c`` may lie in the current block of ``other``; in its own block
    it may lie exactly where the current value does, for then nothing moves.
    """
    in_place = c == other and view.homes[c.result].ix == c.home.ix
    return view.may_lie_in(c.result, other.home.block) and not in_place


def _lies_in_one(c: Carried, members: Sequence[Carried], view: View) -> bool:
    return any(_reads(c, m, view) for m in members)


def _steps(members: Sequence[Carried], view: View) -> tuple[Step, ...]:
    """The copies in an order in which no block is written before it has been read."""
    steps: list[Step] = []
    waiting = list(members)
    unread: list[Carried] = list(members)
    while waiting:
        free = [c for c in waiting if not any(_reads(d, c, view) for d in unread)]
        if free:
            steps.append(Step(free[0], staged=False))
            waiting.remove(free[0])
            unread = [d for d in unread if d != free[0]]
        else:
            steps.append(Step(unread[0], staged=True))
            unread = unread[1:]
    return tuple(steps)


# ---------------------------------------------------------------------- apply


def buffered(view: View, plan: Buffers, fresh: Fresh) -> tuple[Stm[Ann], ...]:
    """The loop with buffers in front of it and copies at the end of its body."""
    before: list[Stm[Ann]] = []
    buffer: dict[Name, Home] = {}
    params = list(view.loop.params)
    for c in plan.members:
        p = params[c.position]
        home, init = view.homes[c.init], p.init
        if initial_value_dies(c, view) is not None:
            alloc, home = _block(c, fresh)
            start: Binder[Ann] = Binder(fresh(c.init), c.type, home)
            before += [alloc, Stm((start,), Copy(c.init))]
            init = Var(start.name)
        buffer[c.name] = home
        params[c.position] = evolve(p, binder=evolve(p.binder, home=home), init=init)
    stms: list[Stm[Ann]] = []
    value = {c.name: c.result for c in plan.members}
    result: list[Atom] = list(view.loop.body.result)
    for step in plan.steps:
        c = step.array
        if step.staged:
            alloc, home = _block(c, fresh)
            stms.append(alloc)
        else:
            home = buffer[c.name]
        y: Binder[Ann] = Binder(fresh(c.result), c.type, home)
        stms.append(Stm((y,), Copy(value[c.name])))
        value[c.name] = y.name
        result[c.position] = Var(y.name)
    body = view.loop.body
    body = evolve(body, stms=(*body.stms, *stms), result=tuple(result))
    return (*before, evolve(view.stm, exp=evolve(view.loop, params=tuple(params), body=body)))


def _block(c: Carried, fresh: Fresh) -> tuple[Stm[Ann], Home]:
    """A block for an array like ``c``, and its home there."""
    m = fresh(f"{c.name}_mem")
    size: Size = product(c.type.shape) * c.type.elem.bytes
    alloc: Stm[Ann] = Stm((Binder(m, MemType(), None),), Alloc(size))
    return alloc, Home(m, row_major(c.type.shape))
