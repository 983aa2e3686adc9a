"""Copying: the parameter gets a block of its own, into which its next value is copied.

    (4) size_is_invariant       the parameter's shape mentions no name that the loop binds
    (5) buffer_is_free          at the end of the body, no parameter without a buffer may lie in the
                                block of one that gets a buffer
    (6) nothing_is_put_there    no fresh array is put into the parameter's old block by name

A next value that lies in a parameter's block is copied before that block is overwritten: the copies
are ordered.  If they form a cycle (a loop that exchanges two arrays, an array that becomes its own
reverse), one value is first copied to a temporary block.
"""

from collections.abc import Sequence

from funmem.ir.fun import Alloc, Ann, Atom, Binder, Copy, Home, MemType, Stm, Var
from funmem.ir.lmad import row_major
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size, product
from funmem.passes.mem.double_buffer.carried import (
    Carried,
    LoopView,
    Rewritten,
)
from funmem.passes.mem.double_buffer.initial import initial_value_dies
from funmem.passes.mem.refusal import Refusal


@frozen
class Step:
    """One copy at the end of the body."""

    array: Carried
    staged: bool
    """True for a copy into a temporary block; a later step copies it to the buffer."""


@frozen
class Buffers:
    """The parameters that get a buffer, and the copies in order."""

    members: tuple[Carried, ...]
    steps: tuple[Step, ...]
    refusals: tuple[Refusal, ...]


# ---------------------------------------------------------------------- analysis


def buffers(view: LoopView) -> Buffers:
    """Return the plan: a buffer for every parameter with new values that no condition refuses.

    A parameter whose next value may lie in the block of one with new values has new values itself,
    unless all its values lie in one block; this block is then no buffer.
    """
    new = [c for c in view.arrays() if view.is_new(c)]
    refusals: dict[Name, Refusal] = {}
    while True:
        members = tuple(c for c in new if c.name not in refusals)
        staying = [c for c in new if c.name in refusals]
        found = {c.name: r for c in members if (r := _refused(c, staying, view)) is not None}
        if not found:
            return Buffers(members, _steps(members, view), tuple(refusals.values()))
        refusals |= found


def _refused(c: Carried, staying: Sequence[Carried], view: LoopView) -> Refusal | None:
    conditions = (size_is_invariant, buffer_is_free, nothing_is_put_there)
    found = (condition(c, staying, view) for condition in conditions)
    return next((r for r in found if r is not None), None)


def size_is_invariant(c: Carried, _: Sequence[Carried], view: LoopView) -> Refusal | None:
    """(4) The parameter's shape mentions no name that the loop binds."""
    varying = frozenset[Name]().union(*(d.free() for d in c.type.shape)) & view.bound
    if not varying:
        return None
    reason = f"the size of {c.name} depends on {', '.join(sorted(varying))}"
    return Refusal(view.stm, "(4) the size is invariant", reason)


def buffer_is_free(c: Carried, staying: Sequence[Carried], view: LoopView) -> Refusal | None:
    """(5) At the end of the body, no parameter without a buffer may lie in the block of ``c``."""
    names = ", ".join(d.name for d in staying if _reads(d, c, view))
    if not names:
        return None
    return Refusal(view.stm, "(5) the buffer is free", f"{names} may lie where {c.name} does")


def nothing_is_put_there(c: Carried, _: Sequence[Carried], view: LoopView) -> Refusal | None:
    """(6) No fresh array is put into the parameter's old block by name: it would remain there."""
    found = next(view.put_there(c), None)
    if found is None:
        return None
    reason = f"{found.name} is put into the block of {c.name}"
    return Refusal(view.stm, "(6) nothing is put there", reason)


def _reads(c: Carried, other: Carried, view: LoopView) -> bool:
    """True if the next value of ``c`` may lie in the current block of ``other``.

    In its own block it may lie exactly where the current value does: then no data moves.
    """
    in_place = c == other and view.homes[c.result].ix == c.home.ix
    return view.may_lie_in(c.result, other.home.block) and not in_place


def _steps(members: Sequence[Carried], view: LoopView) -> tuple[Step, ...]:
    """Return the copies in an order in which every block is read before it is overwritten."""
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


def buffered(view: LoopView, plan: Buffers, fresh: Fresh) -> Rewritten:
    """Return the loop with buffers in front of it and copies at the end of its body."""
    before: list[Stm[Ann]] = []
    made: list[tuple[Stm[Ann], str]] = []
    buffer: dict[Name, Home] = {}
    params = list(view.loop.params)
    for c in plan.members:
        p = params[c.position]
        home, init = view.homes[c.init], p.init
        if (why := initial_value_dies(c, view)) is not None:
            alloc, home = _block(c, fresh)
            start = _copy(Binder(fresh(c.init), c.type, home), c.init, view)
            before += [alloc, start]
            made.append((start, f"the loop writes to the place of {c.name}; {why}"))
            init = Var(start.pat[0].name)
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
        move = _copy(Binder(fresh(c.result), c.type, home), value[c.name], view)
        stms.append(move)
        made.append(
            (move, f"{c.name} keeps its place, and the loop makes its next value elsewhere")
        )
        value[c.name] = move.pat[0].name
        result[c.position] = Var(value[c.name])
    body = view.loop.body
    body = evolve(body, stms=(*body.stms, *stms), result=tuple(result))
    loop = evolve(view.stm, exp=evolve(view.loop, params=tuple(params), body=body))
    return Rewritten((*before, loop), tuple(made))


def _copy(y: Binder[Ann], x: Name, view: LoopView) -> Stm[Ann]:
    """Return ``let y = copy x`` at the loop's place in the source."""
    return Stm((y,), Copy(x), at=view.stm.at)


def _block(c: Carried, fresh: Fresh) -> tuple[Stm[Ann], Home]:
    """Return an allocation for an array like ``c``, and the array's home in it."""
    m = fresh(f"{c.name}_mem")
    size: Size = product(c.type.shape) * c.type.elem.bytes
    alloc: Stm[Ann] = Stm((Binder(m, MemType(), None),), Alloc(size))
    return alloc, Home(m, row_major(c.type.shape))
