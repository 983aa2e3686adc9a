"""The moments at which blocks are needed, and those at which they are held.

At each *moment* (a statement, or the end of a body) the arrays that must exist at the same time are
*needed*: those that a leaf statement reads, those that it binds, and those that are used later.
Two blocks *conflict* if two different arrays, one in each, are needed at one moment.  A block that
``if`` or ``loop`` chooses counts as every block that it may be.

    let (y : … @ b) = copy x             x and y: the copy reads x while it writes y
    let (z : … @ c) = y[0 : n] …         c conflicts with what is used after it, through any alias

The first is no conflict if it is the last use of x and y gets the same index function: in one block
the copy moves no data.

Inside a kernel only later uses by the same thread count.  Whether its threads would interfere is a
separate condition, checked for every kernel that uses both blocks (``threads.py``).  At the end of
its body a kernel copies the body's results to its own, so all of these are needed there.

A block is *held* from its allocation to the last mention of itself, of a variable that may stand
for it, or of an array in it: this is how long the runtime keeps it.  It is *surely* held if no
``if`` or ``loop`` decides whether it is this block.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Binder,
    Body,
    Copy,
    DerivedArray,
    Entry,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Map,
    MemType,
    Opaque,
    RaggedKernel,
    Scalar,
    Space,
    Stm,
)
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import frozen
from funmem.ir.sizes import Size, product
from funmem.ir.traverse import (
    bound_in_stms,
    free_in_stm,
    inner_binders,
    sub_bodies,
    walk,
)
from funmem.passes.mem.liveness import (
    NONE,
    Level,
    Liveness,
    Moment,
    Names,
    Role,
    binders_of,
    moments,
    names_of_atoms,
)


@frozen
class Block:
    """An allocation and its position."""

    name: Name
    size: Size
    space: Space
    at: Stm[Ann]
    level: Level
    body: Body[Ann]
    known: PointFacts
    """The facts in front of the allocation."""
    given: bool = False
    """True for the block of an argument: it is not allocated here, and its size is fixed."""

    def in_kernel(self) -> bool:
        """True if each thread of a kernel has its own."""
        return self.outermost_kernel() is not None

    def outermost_kernel(self) -> Stm[Ann] | None:
        """Return the kernel on the host in whose bodies it is allocated, if any."""
        roles = (Role.KERNEL, Role.OPERATOR)
        kernels = [x.of for x in self.level.outwards() if x.role in roles]
        return kernels[-1] if kernels else None


@frozen
class KernelUse:
    """A kernel, the facts in front of it, and the blocks from outside that it mentions."""

    at: Stm[Ann]
    kernel: Kernel[Ann]
    known: PointFacts
    blocks: Names


@frozen
class Held:
    """The blocks held at a moment: for each array and block variable, the blocks that it may be."""

    moment: Moment
    named: frozenset[Names]


@frozen
class Uses:
    """The first uses of blocks in a body."""

    first: Mapping[Name, int]
    """Block -> the position of the first statement that uses it."""
    count: int
    """The number of statements."""

    @staticmethod
    def of(uses: Sequence[Names]) -> "Uses":
        """Return the first uses, given the blocks that each statement uses, in order."""
        first: dict[Name, int] = {}
        for k, blocks in enumerate(uses):
            for m in blocks:
                first.setdefault(m, k)
        return Uses(first, len(uses))


_NO_CONFLICTS: Mapping[Name, str] = MappingProxyType({})


@frozen
class Lifetimes:
    """The facts about the blocks of one entry point; the larger tables are computed on demand."""

    live: Liveness
    moments: tuple[Moment, ...]
    blocks: Mapping[Name, Block]
    """The blocks in the order of their allocations."""
    given: Mapping[Name, Block]
    """The blocks of arguments that the entry point may overwrite."""
    shared: tuple[KernelUse, ...]

    @staticmethod
    def of_entry(e: Entry[Ann]) -> "Lifetimes":
        """Return the lifetimes of the blocks of an entry point."""
        live = Liveness.of_entry(e)
        every = tuple(moments(e))
        given = {b.name: b for b in _given(e, every)}
        found = _AllocationsAndKernels(live)
        found.body(e.body, of_entry(e))
        levels = {m.at.pat[0].name: m for m in every if m.at is not None and m.at.pat}
        blocks = {x: _block(s, levels[x], known) for x, (s, known) in found.allocs.items()}
        return Lifetimes(live, every, blocks, given, tuple(found.shared))

    @cached_property
    def arguments(self) -> Mapping[Name, Size]:
        """The blocks of arguments, and their sizes."""
        return _arguments(self.live.entry)

    @cached_property
    def conflicts(self) -> Mapping[Name, Mapping[Name, str]]:
        """Block -> block -> the moment at which both are needed, for a remark."""
        own = moments(self.live.entry, own_thread=True)
        return _conflicts(own, self.live, frozenset(self.blocks.keys() | self.given.keys()))

    @cached_property
    def held(self) -> tuple[Held, ...]:
        """The blocks held at each moment."""
        return tuple(_held(m, self.live) for m in self.moments)

    @cached_property
    def uses(self) -> Mapping[tuple[int, ...], tuple[Names, ...]]:
        """The path of a body -> the blocks that each of its statements mentions at any depth, under
        any name; an allocation is not a use.
        """
        return {path: tuple(_uses(s, self.live) for s in b.stms) for path, b in self._bodies}

    @cached_property
    def first_uses(self) -> Mapping[tuple[int, ...], "Uses"]:
        """The path of a body -> the first use of each block."""
        return {path: Uses.of(uses) for path, uses in self.uses.items()}

    @cached_property
    def bound_at(self) -> Mapping[tuple[int, ...], Mapping[Name, int]]:
        """The path of a body -> the position of the statement that binds a name, at any depth."""
        return {
            path: {x: k for k, s in enumerate(b.stms) for x in bound_in_stms((s,))}
            for path, b in self._bodies
        }

    @cached_property
    def elements(self) -> Mapping[Name, frozenset[int]]:
        """Block -> the sizes in bytes of the elements of the arrays that may lie in it."""
        return _elements(self.live.entry, self.live)

    @property
    def _bodies(self) -> Iterator[tuple[tuple[int, ...], Body[Ann]]]:
        return ((m.level.path, m.body) for m in self.moments if m.at is None)

    def conflicts_of(self, m: Name) -> Mapping[Name, str]:
        """Return the blocks that conflict with a block, and the moments."""
        return self.conflicts.get(m, _NO_CONFLICTS)

    def kernels_of(self, m: Name) -> Sequence[KernelUse]:
        """Return the kernels whose threads use a block from outside."""
        return self._kernels.get(m, ())

    def beside(self, m: Name) -> Names:
        """Return the blocks, itself included, that these kernels use from outside."""
        if m not in self._beside:
            self._beside[m] = NONE.union(*(k.blocks for k in self.kernels_of(m)))
        return self._beside[m]

    @cached_property
    def _beside(self) -> dict[Name, Names]:
        return {}

    @cached_property
    def _kernels(self) -> Mapping[Name, list[KernelUse]]:
        found: dict[Name, list[KernelUse]] = {}
        for k in self.shared:
            for m in k.blocks:
                found.setdefault(m, []).append(k)
        return found


def _block(s: Stm[Ann], m: Moment, known: PointFacts) -> Block:
    assert isinstance(s.exp, Alloc)
    return Block(s.pat[0].name, s.exp.size, s.exp.space, s, m.level, m.body, known)


def _given(e: Entry[Ann], every: Sequence[Moment]) -> Iterator[Block]:
    """Yield the blocks of unique arguments as if they were allocated in front of everything."""
    known, body = of_entry(e), e.body
    level = next(m.level for m in every if m.body is body)
    for p in e.params:
        home, t = p.binder.home, p.binder.type
        if p.unique and home is not None and isinstance(t, ArrayType):
            size = array_bytes(t)
            at: Stm[Ann] = Stm((Binder(home.block, MemType(), None),), Alloc(size))
            yield Block(home.block, size, Space.DEVICE, at, level, body, known, given=True)


def _arguments(e: Entry[Ann]) -> dict[Name, Size]:
    return {
        p.binder.home.block: array_bytes(p.binder.type)
        for p in e.params
        if p.binder.home is not None and isinstance(p.binder.type, ArrayType)
    }


def array_bytes(t: ArrayType) -> Size:
    """Return the number of bytes of an array's elements."""
    return product(t.shape) * t.elem.bytes


def _elements(e: Entry[Ann], live: Liveness) -> dict[Name, frozenset[int]]:
    found: dict[Name, frozenset[int]] = {}
    for b in binders_of(e):
        if isinstance(b.type, ArrayType):
            for m in live.roots(b.name):
                found[m] = found.get(m, frozenset()) | {b.type.elem.bytes}
    return found


# ---------------------------------------------------------------------- allocations and kernels


class _AllocationsAndKernels:
    """Finds the allocations and the kernels, with the facts at each."""

    def __init__(self, live: Liveness) -> None:
        self.live = live
        self.allocs: dict[Name, tuple[Stm[Ann], PointFacts]] = {}
        self.shared: list[KernelUse] = []

    def body(self, b: Body[Ann], known: PointFacts) -> None:
        for s in b.stms:
            match s.exp:
                case Alloc():
                    self.allocs[s.pat[0].name] = (s, known)
                case Kernel() as k:
                    self.shared.append(KernelUse(s, k, known, mentions(s, self.live)))
                case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert():
                    pass
                case If() | Loop() | Opaque():
                    pass
                case RaggedKernel():
                    raise unscheduled()
            for inner, inside in zip(sub_bodies(s.exp), known.inside(s.exp), strict=True):
                self.body(inner, inside)
            known = known.after(s)


def mentions(s: Stm[Ann], live: Liveness) -> Names:
    """Return the blocks from outside that a statement mentions, at any depth, under any name; also
    blocks that were allocated in a branch or loop before it and of which one was chosen.
    """
    names = free_in_stm(s) | {p.name for p in s.pat}
    return blocks_of_names(names, live)


def _uses(s: Stm[Ann], live: Liveness) -> Names:
    if isinstance(s.exp, Alloc):
        return NONE
    bound = (x for t in walk(Body((s,), ())) if not isinstance(t.exp, Alloc) for x in _binds(t))
    return blocks_of_names((*bound, *free_in_stm(s)), live)


def _binds(s: Stm[Ann]) -> Iterator[Name]:
    return (p.name for p in (*s.pat, *inner_binders(s.exp)))


def blocks_of_names(names: Iterable[Name], live: Liveness) -> Names:
    """Return the blocks in which arrays lie or that block variables stand for; other names are
    ignored.
    """
    known = (live.blocks_named(x) for x in names if x in live.memory)
    return frozenset[Name]().union(*known)


# ---------------------------------------------------------------------- needed


def needed_at(m: Moment, live: Liveness) -> Names:
    """Return the arrays whose elements matter at a moment; ``m`` is from the view of one thread."""
    names = set(m.after)
    match m.at:
        case None:
            around = m.level.of
            if around is not None and isinstance(around.exp, Kernel):
                names |= {p.name for p in around.pat}
        case Stm(pat) as s:
            match s.exp:
                case If() | Loop():
                    names |= {p.name for p in pat}
                case Kernel() as k:
                    names |= {p.name for p in pat}
                    if not isinstance(k.collective, Map):
                        # An operator's parameter is written even if the operator ignores it.
                        names |= free_in_stm(s) | {p.name for p in inner_binders(k)}
                case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Opaque():
                    names |= {p.name for p in s.pat} | free_in_stm(s)
                case Assert() | Alloc():
                    pass
                case RaggedKernel():
                    raise unscheduled()
    return frozenset(x for x in names if x in live.homes)


def _conflicts(
    every: Sequence[Moment], live: Liveness, blocks: Names
) -> dict[Name, dict[Name, str]]:
    found: dict[Name, dict[Name, str]] = {}
    seen: set[tuple[Names, Names]] = set()
    for m in every:
        needed, same = needed_at(m, live), copied_in_place(m, live)
        if (needed, same) in seen:
            continue
        seen.add((needed, same))
        arrays = [(x, live.roots(x) & blocks) for x in sorted(needed)]
        for k, (x, ms) in enumerate(arrays):
            for y, others in arrays[:k]:
                if {x, y} == same:
                    continue
                for a in ms:
                    for b in others - {a}:
                        if b not in found.setdefault(a, {}):
                            where = f"{x} and {y} are needed at {moment_name(m)}"
                            found[a][b] = found.setdefault(b, {})[a] = where
    return found


def copied_in_place(m: Moment, live: Liveness) -> Names:
    """Return the two arrays of a copy that moves no data if their blocks are merged: both have the
    same index function, and it is the last use of the copied one.
    """
    match m.at:
        case Stm((y,), Copy(x)) if x not in m.after and y.home is not None:
            return frozenset((x, y.name)) if live.homes[x].ix == y.home.ix else NONE
        case _:
            return NONE


def moment_name(m: Moment) -> str:
    """Return the text for a moment in a remark."""
    if m.at is not None:
        return statement_name(m.at)
    around = m.level.of
    return "the end" if around is None else f"the end of the {m.level.role.value}"


def statement_name(s: Stm[Ann]) -> str:
    """Return the text for a statement in a remark: the names that it binds."""
    return " ".join(p.name for p in s.pat) or type(s.exp).__name__.lower()


# ---------------------------------------------------------------------- held


def _held(m: Moment, live: Liveness) -> Held:
    names = m.after
    if m.at is not None:
        names |= {p.name for p in m.at.pat} | free_in_stm(m.at)
    else:
        names |= names_of_atoms(m.body.result)
    return Held(m, frozenset(live.blocks_named(x) for x in names if x in live.memory))
