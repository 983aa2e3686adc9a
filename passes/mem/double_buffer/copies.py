"""Copying: the parameter gets a block of its own, into which its next value is copied.

    (4) size_is_invariant       the parameter's shape mentions nothing that the loop binds
    (5) buffer_is_free          when the body ends, no parameter that stays where it is may lie in
                                the block of one that gets a buffer
    (6) nothing_is_put_there    no fresh array is put into the parameter's old block by name

Next values that lie in a parameter's block are copied before that block is overwritten: the
copies are ordered, and where they go round in a circle (a loop that exchanges two arrays, an array
that becomes its own reverse) one value is first copied to a block of its own.
"""

from collections.abc import Sequence

from funmem.ir.fun import Alloc, Ann, Atom, Binder, Copy, Home, MemType, Stm, Var
from funmem.ir.lmad import row_major
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size, product
from funmem.passes.mem.double_buffer.carried import (
    Carried,
    Refusal,
    Rewritten,
    View,
)
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
    """The parameters with new values get a buffer, unless a condition keeps them where they are.

    A parameter whose next value may lie in the block of one with new values has new values itself,
    unless all its values lie in one block, which is no buffer then.
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


def _refused(c: Carried, staying: Sequence[Carried], view: View) -> Refusal | None:
    conditions = (size_is_invariant, buffer_is_free, nothing_is_put_there)
    found = (condition(c, staying, view) for condition in conditions)
    return next((r for r in found if r is not None), None)


def size_is_invariant(c: Carried, _: Sequence[Carried], view: View) -> Refusal | None:
    """(4) The parameter's shape mentions nothing that the loop binds."""
    varying = frozenset[Name]().union(*(d.free() for d in c.type.shape)) & view.bound
    if not varying:
        return None
    reason = f"the size of {c.name} depends on {', '.join(sorted(varying))}"
    return Refusal(view.stm, "(4) the size is invariant", reason)


def buffer_is_free(c: Carried, staying: Sequence[Carried], view: View) -> Refusal | None:
    """(5) No parameter that stays where it is may lie in the buffer when the body ends."""
    names = ", ".join(d.name for d in staying if _reads(d, c, view))
    if not names:
        return None
    return Refusal(view.stm, "(5) the buffer is free", f"{names} may lie where {c.name} does")


def nothing_is_put_there(c: Carried, _: Sequence[Carried], view: View) -> Refusal | None:
    """(6) No fresh array is put into the parameter's block by name: it would stay behind."""
    found = next(view.put_there(c), None)
    if found is None:
        return None
    reason = f"{found.name} is put into the block of {c.name}"
    return Refusal(view.stm, "(6) nothing is put there", reason)


def _reads(c: Carried, other: Carried, view: View) -> bool:
    """Whether the next value of ``c`` may lie in the current block of ``other``; in its own block
    it may lie exactly where the current value does, for then nothing moves.
    """
    in_place = c == other and view.homes[c.result].ix == c.home.ix
    return view.may_lie_in(c.result, other.home.block) and not in_place


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


def buffered(view: View, plan: Buffers, fresh: Fresh) -> Rewritten:
    """The loop with buffers in front of it and copies at the end of its body."""
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


def _copy(y: Binder[Ann], x: Name, view: View) -> Stm[Ann]:
    """``let y = copy x``, for the loop's sake."""
    return Stm((y,), Copy(x), at=view.stm.at)


def _block(c: Carried, fresh: Fresh) -> tuple[Stm[Ann], Home]:
    """A block for an array like ``c``, and its home there."""
    m = fresh(f"{c.name}_mem")
    size: Size = product(c.type.shape) * c.type.elem.bytes
    alloc: Stm[Ann] = Stm((Binder(m, MemType(), None),), Alloc(size))
    return alloc, Home(m, row_major(c.type.shape))
