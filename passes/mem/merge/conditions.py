"""The conditions for merging a block into another: each returns None, or the reason for a refusal.

A *group* is an allocation that may already serve for several blocks; its *owner* is the first of
them.  *Block* is the next one, which is allocated later or further inside.
"""

from collections.abc import Callable
from typing import TypeAlias

from attrs import field

from funmem.ir.fun import Loop
from funmem.ir.names import Fresh, Name
from funmem.ir.record import frozen
from funmem.ir.sizes import Size
from funmem.ir.traverse import (
    bound_in_stms,
)
from funmem.passes.mem.liveness import Level, Names, Role, names_of_atoms
from funmem.passes.mem.merge.lifetimes import Block, Lifetimes
from funmem.passes.mem.merge.peak_guard import Group, Sums, Timeline
from funmem.passes.mem.merge.sizes import largest, maximum
from funmem.passes.mem.merge.threads import Threads


@frozen
class Surroundings:
    """The inputs of the conditions besides a group and a block."""

    lifetimes: Lifetimes
    timeline: Timeline
    threads: Threads
    expandable: Names
    """The blocks in kernels that ``expand`` moves out: they are held as long as the kernel runs."""
    interleaved: bool
    _sizes: dict[tuple[Sums, Size, int, int], Sums] = field(factory=dict, init=False)
    _computed: dict[tuple[Sums, int], str | None] = field(factory=dict, init=False)


def merged(g: Group, b: Block, at: Surroundings) -> Group:
    """Return the group with one more block, and with as few sizes as possible.

    A size is dropped if another one is certainly at least as large and is known at the allocation.
    The facts at ``b`` may show that ``b`` is smaller, but not that the group is.
    """
    key = g.sizes, b.size, id(g.owner.known.facts), id(b.known.facts)  # kept alive by the blocks
    sizes = at._sizes.get(key)
    if sizes is None:
        if b.size in g.sizes or any(b.known.nonneg(d - b.size) for d in g.sizes):
            sizes = g.sizes
        else:
            sizes = largest((*g.sizes, b.size), g.owner.known)
        at._sizes[key] = sizes
    return Group((*g.blocks, b), sizes)


# ---------------------------------------------------------------------- conditions


def same_space(g: Group, b: Block, _: Surroundings) -> str | None:
    """(1) Both blocks are in the same kind of memory."""
    if g.owner.space is b.space:
        return None
    return f"{g.name} is in {g.owner.space.value} memory, {b.name} in {b.space.value} memory"


def in_scope(g: Group, b: Block, _: Surroundings) -> str | None:
    """(2) The group is in scope wherever the block is allocated."""
    if g.owner.level.encloses(b.level):
        return None
    return f"{g.name} is not in scope where {b.name} is allocated"


def stays_in_its_thread(g: Group, b: Block, _: Surroundings) -> str | None:
    """(3) No kernel is around the block and not around the group: its threads would share the
    block.
    """
    for level in b.level.up_to(g.owner.level):
        if level.role in (Role.KERNEL, Role.OPERATOR):
            return f"every thread has its own {b.name}, and all would share {g.name}"
    return None


def ends_with_its_iteration(g: Group, b: Block, at: Surroundings) -> str | None:
    """(4) No loop between group and block passes the block on to its next iteration: that iteration
    would overwrite the block while it still reads it.
    """
    for level in b.level.up_to(g.owner.level):
        if level.of is not None and isinstance(level.of.exp, Loop):
            results = names_of_atoms(level.of.exp.body.result)
            if b.name in at.lifetimes.live.blocks.reach_all(results):
                return f"the next iteration or the loop's result lives in {b.name}"
    return None


def never_needed_together(g: Group, b: Block, at: Surroundings) -> str | None:
    """(5) There is no moment at which an array in the group and an array in the block are both
    needed.
    """
    others = at.lifetimes.conflicts_of(b.name)
    if g.names.isdisjoint(others):
        return None
    return next(others[a.name] for a in g.blocks if a.name in others)


def threads_keep_apart(g: Group, b: Block, at: Surroundings) -> str | None:
    """(6) In every kernel that uses both from outside, each thread accesses only its own part."""
    kernels = at.lifetimes.kernels_of(b.name)
    if g.names.isdisjoint(at.lifetimes.beside(b.name)):
        return None
    for a in g.blocks:
        for k in (k for k in kernels if a.name in k.blocks):
            if (why := at.threads.apart(k, a.name, b.name)) is not None:
                return why
    return None


def elements_fit_together(g: Group, b: Block, at: Surroundings) -> str | None:
    """(7) Elements of two sizes in a thread's block: the block is not interleaved with those of
    other threads, and its size is a multiple of the larger element size.  Otherwise ``expand``
    would round it up.
    """
    if not b.in_kernel():
        return None
    of = at.lifetimes.elements
    sizes = frozenset[int]().union(*(of.get(x.name, frozenset()) for x in (*g.blocks, b)))
    found = ", ".join(map(str, sorted(sizes)))
    if len(sizes) > 1 and at.interleaved:
        return f"elements of {found} bytes cannot be interleaved in one block"
    for d in merged(g, b, at).sizes if len(sizes) > 1 else ():
        if d.divided_by(max(sizes)) is None:
            return f"with elements of {found} bytes, {d} bytes would be rounded up"
    return None


def size_is_known(g: Group, b: Block, at: Surroundings) -> str | None:
    """(8) The larger size is known or can be computed in front of the first use of either."""
    m = merged(g, b, at)
    if g.owner.given and m.sizes != g.sizes:
        return f"{g.name} is an argument's and has {g.owner.size} bytes"
    late = unknown_before(m, at.timeline.first_use(g, b), at)
    if late:
        return f"the size of {m.name} needs {', '.join(sorted(late))}, which is bound later"
    if len(m.sizes) > 1:
        varying = sorted(names_of(m) & _bound_in_kernels(g.owner.level))
        if varying:
            return (
                f"either size may be the larger one, and {', '.join(varying)} varies in the kernel"
            )
        return _why_not_computed(m, at)
    return None


def _why_not_computed(m: Group, at: Surroundings) -> str | None:
    key = m.sizes, id(m.owner.known.facts)
    if key not in at._computed:
        computed = maximum(m.sizes, m.owner.known, Fresh(()))
        at._computed[key] = computed if isinstance(computed, str) else None
    return at._computed[key]


def unknown_before(g: Group, first: int, at: Surroundings) -> Names:
    """Return the names in the group's size that are bound at or after its first use, the statement
    at position ``first``.
    """
    bound = at.lifetimes.bound_at[g.owner.level.path]
    return frozenset(x for x in names_of(g) if bound.get(x, -1) >= first)


def names_of(g: Group) -> Names:
    """Return the names in a group's size."""
    return frozenset[Name]().union(*(d.free() for d in g.sizes))


def _bound_in_kernels(level: Level) -> Names:
    """Return the names that the kernels around a body bind."""
    around = (x.of for x in level.outwards() if x.role in (Role.KERNEL, Role.OPERATOR))
    return bound_in_stms(s for s in around if s is not None)


def peak_stays(g: Group, b: Block, at: Surroundings) -> str | None:
    """(9) The peak is not raised (``peak_guard.py``).

    ``expand`` moves either all blocks of a kernel out of it or none, and by (3) ``b`` is in the
    same kernel as the group.
    """
    if b.name in at.expandable:
        return None
    return at.timeline.raised(g, b, merged(g, b, at))


Condition: TypeAlias = Callable[[Group, Block, Surroundings], str | None]

CONDITIONS: tuple[Condition, ...] = (
    same_space,
    in_scope,
    stays_in_its_thread,
    ends_with_its_iteration,
    never_needed_together,
    threads_keep_apart,
    elements_fit_together,
    size_is_known,
    peak_stays,
)

OF_OWNERS = 4
"""The number of conditions, from the first, that give the same answer for all groups whose owners
are allocated in one body and in one kind of memory.
"""
