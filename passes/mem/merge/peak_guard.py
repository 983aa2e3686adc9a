"""(9) Merging must not raise the peak.

The *peak* is the largest sum of the sizes of the blocks that are held at one moment.  Merging two
blocks that do not overlap in time saves nothing at that, and may cost: the block is as large as
the larger one all the time, and is held in the gap between both.  It pays where both are held at
once although only one is needed: in front of loops that allocations were hoisted out of, and in
kernels.

    |--------- a, 8*n ---------|                          |-- a, 8*n --|
        |------ b, 8*n ------|                 or, bad                      |-- b, 8*m ---------|

Let M be the merged block, and t a moment at which it is held.  Merging is allowed if for every t

    M is no larger than what a and b hold at t together, or
    all blocks then held at t are no larger than all that were held at another moment u, which
    every run that comes to t comes to as well (a moment of the same body, or of one around it).

In both cases the sum at t was reached before, at t or at u.  So the peak of every run that does
not trap is at most what it was; by induction for every merge of a pass.  To be on the safe side
what is only possibly held (a block that ``if`` or ``loop`` chooses) counts after, not before.  The
blocks of arguments, which go with their last use, take part in all sums.

In a kernel whose allocations will be expanded, all of them are then held as long as the kernel
runs, for all threads: two of these may always be merged, since no maximum exceeds the sum; and
what is held while it runs is more than is seen here, so that no other moment compares with it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from itertools import product as cartesian
from typing import TypeAlias

from attrs import field

from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import Size, total
from funmem.passes.mem.liveness import Names
from funmem.passes.mem.merge.lifetimes import Block, Lifetimes, moment_name
from funmem.passes.mem.merge.moments import Mask, Moments, Nonneg, Path, numbers

Sums: TypeAlias = tuple[Size, ...]
"""Bytes: the largest of these."""


@frozen
class Group:
    """One allocation for several blocks; as large as the largest of ``sizes``."""

    blocks: tuple[Block, ...]
    sizes: tuple[Size, ...]
    names: Names = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "names", frozenset(b.name for b in self.blocks))

    @property
    def owner(self) -> Block:
        """The block whose allocation stays."""
        return self.blocks[0]

    @property
    def name(self) -> Name:
        return self.owner.name


# ---------------------------------------------------------------------- what is held


@frozen
class Span:
    """The moments at which a group may be held, and those at which it surely is."""

    may: Mask
    surely: Mask


@frozen
class _Extent:
    """What a group's span is computed from."""

    first: int
    """The position, in the owner's body, of the first statement that uses it."""
    gaps: Mask
    """Where the allocation of one of its blocks, the owner apart, is still to come."""
    may: Mask
    """Where one of its blocks may be held anyway."""


class Timeline:
    """What may be held, and what surely is, at every moment, as merging goes on."""

    def __init__(self, lifetimes: Lifetimes, expandable: Names) -> None:
        """Every block is a group of its own; ``expandable``: those that ``expand`` takes out of
        kernels.
        """
        self.lifetimes = lifetimes
        self.moments = Moments(lifetimes)
        kernels = [lifetimes.blocks[x].outermost_kernel() for x in expandable]
        self.expanding = self.moments.inside([k for k in kernels if k is not None])
        """Where a kernel runs whose threads' blocks ``expand`` will put together."""
        every = (*lifetimes.blocks.items(), *lifetimes.given.items())
        self.groups = {x: Group((b,), (b.size,)) for x, b in every}
        """Owner -> group."""
        self._extents = {x: self._extent(g) for x, g in self.groups.items()}
        given = (frozenset((x,)) for x in lifetimes.arguments.keys() - self.groups.keys())
        may, surely = self.moments.may, self.moments.surely
        self._spans = {x: Span(may(xs), surely(xs)) for xs in given for x in xs}
        self._spans |= {x: self._span(g, self._extents[x]) for x, g in self.groups.items()}
        count = len(lifetimes.held)
        self.may = _at_each(count, {x: s.may for x, s in self._spans.items()})
        """The owners of groups, and the blocks of arguments, that may be held at each moment."""
        self.surely = _at_each(count, {x: s.surely for x, s in self._spans.items()})
        self._sums: dict[Names, Sums] = {}
        self._reached: dict[Path, _Reached] = {}
        for t, h in enumerate(lifetimes.held):
            reached = self._reached.setdefault(h.moment.level.path, _Reached())
            reached.add(self.surely[t], self.sums(self.surely[t]))
        self._full: dict[tuple[Sums, Name | None, int], Mask] = {}

    def merge(self, m: Group) -> None:
        """Put a group of one block more in its blocks' place."""
        b = m.blocks[-1]
        old, alone = self._spans[m.name], self._spans.pop(b.name)
        grown = m.sizes != self.groups[m.name].sizes
        extent = self._joined(m.name, b)
        span = self._span(m, extent)
        del self.groups[b.name], self._extents[b.name]
        self.groups[m.name], self._extents[m.name], self._spans[m.name] = m, extent, span
        for t in numbers((span.may & ~old.may) | alone.may):
            self.may[t] = self.may[t] - m.names | {m.name}
        changed = (span.surely & ~old.surely) | alone.surely
        if grown:
            changed |= old.surely
            self._sums = {xs: sums for xs, sums in self._sums.items() if m.name not in xs}
        changes = [(t, self._reached_at(t), self.surely[t]) for t in numbers(changed)]
        for _, reached, before in changes:
            reached.remove(before)
        for t, reached, before in changes:
            self.surely[t] = now = before - m.names | {m.name}
            reached.add(now, self.sums(now))

    def _reached_at(self, t: int) -> "_Reached":
        return self._reached[self.lifetimes.held[t].moment.level.path]

    # ------------------------------------------------------------------ where it is held

    def first_use(self, g: Group, b: Block | None = None) -> int:
        """The position, in the owner's body, of the first statement that uses a group or, if there
        is one, a block, apart from allocations; the number of statements if none does.
        """
        first = self._extents[g.name].first
        return first if b is None else min(first, self._first(b, g.owner.level.path))

    def _first(self, b: Block, path: Path) -> int:
        uses = self.lifetimes.first_uses[path]
        return uses.first.get(b.name, uses.count)

    def _extent(self, g: Group) -> _Extent:
        first = self._first(g.owner, g.owner.level.path)
        return _Extent(first, 0, self.moments.may(g.names))

    def _joined(self, g: Name, b: Block) -> _Extent:
        """The extent of a group with one block more."""
        old, path = self._extents[g], self.groups[g].owner.level.path
        gaps = old.gaps | self.moments.before(b.name, len(path))
        may = old.may | self._extents[b.name].may
        return _Extent(min(old.first, self._first(b, path)), gaps, may)

    def _span(self, m: Group, e: _Extent) -> Span:
        """When a group is held, from its first use on: where one of its blocks was held already,
        and wherever one of them is still to come.
        """
        since = -1 if m.owner.given else self.moments.since(m.owner.level.path, e.first)
        return Span((e.may | e.gaps) & since, (self.moments.surely(m.names) | e.gaps) & since)

    # ------------------------------------------------------------------ how much is held

    def raised(self, g: Group, b: Block, m: Group) -> str | None:
        """Where ``m``, which consists of group ``g`` and block ``b``, raises the peak.

        What is known in front of ``b`` holds in its own body: a run that does not come there holds
        ``m`` as well.
        """
        left = self._more(g, b, m)
        own = frozenset((g.name, b.name))
        asked = set[_Situation]()
        for t in numbers(left):
            h, expanding = self.lifetimes.held[t], self.expanding >> t & 1
            path = h.moment.level.path
            held, others = self.surely[t] & own, self.may[t] - own
            key = (held, others, path, expanding)
            if key in asked:
                continue
            asked.add(key)
            who = b if b.level.encloses(h.moment.level) else g.owner
            nonneg = self.moments.nonneg(who)
            each = (d for x in sorted(held) for d in self.groups[x].sizes)  # no size counts below 0
            before = (*self.sums(held), *each)
            if at_most(m.sizes, before, nonneg):
                continue
            if not expanding and self.reached(t, others, m, who):
                continue
            if not self._spans[b.name].may >> t & 1:
                holder = g.name if self._spans[g.name].may >> t & 1 else None
                full = m.sizes, holder, id(who.known.facts)
                self._full[full] = self._full.get(full, 0) | 1 << t
            wanted = " or ".join(map(str, m.sizes))
            instead = " and ".join(sorted(held)) or "nothing"
            return f"{wanted} bytes would be held at {moment_name(h.moment)} instead of {instead}"
        return None

    def is_full(self, g: Group, b: Block, m: Group) -> bool:
        """Whether it is known already that the peak would be raised: where ``m`` would be held, and
        ``b`` was not, as many bytes were too many for another block.  They still are: merging never
        lowers what is held at a moment, nor raises the most that is.
        """
        left = self._more(g, b, m) & ~self._spans[b.name].may
        inside = self.moments.body(b.level.path)
        for holder, where in ((g.name, self._spans[g.name].may), (None, ~self._spans[g.name].may)):
            mine = self._full.get((m.sizes, holder, id(b.known.facts)), 0) & inside
            others = self._full.get((m.sizes, holder, id(g.owner.known.facts)), 0) & ~inside
            if left & where & (mine | others):
                return True
        return False

    def _more(self, g: Group, b: Block, m: Group) -> Mask:
        """Where ``m`` may be held, and may be more than what was."""
        extent = self._joined(g.name, b)
        since = -1 if g.owner.given else self.moments.since(g.owner.level.path, extent.first)
        left = (extent.may | extent.gaps) & since
        if set(m.sizes) <= set(g.sizes):
            left &= ~self._spans[g.name].surely
        if set(m.sizes) <= {b.size}:
            left &= ~self._spans[b.name].surely
        return left

    def reached(self, t: int, others: Names, m: Group, who: Block) -> bool:
        """Whether what is held at ``t`` after a merge was held at another moment before it, by what
        is known in front of ``who``.
        """
        nonneg, facts = self.moments.nonneg(who), who.known.facts
        after = tuple(d + s for d in self.sums(others) for s in m.sizes)
        path = self.lifetimes.held[t].moment.level.path
        for depth in range(len(path), 0, -1):
            reached = self._reached[path[:depth]]
            for sums in reached.candidates(after, facts):
                if at_most(after, sums, nonneg) and any(
                    all(nonneg(d) for x in others - xs for d in self._sizes(x))
                    for xs in reached.with_sums(sums)
                ):  # a block of a negative size has 0 bytes
                    return True
        return False

    def sums(self, owners: Names) -> Sums:
        """The bytes of groups and arguments together: the largest of these sums."""
        if owners not in self._sums:
            every = [self._sizes(x) for x in sorted(owners)]
            choices = islice(cartesian(*every), MANY)
            self._sums[owners] = tuple(map(total, choices))
        return self._sums[owners]

    def _sizes(self, x: Name) -> Sums:
        return self.groups[x].sizes if x in self.groups else (self.lifetimes.arguments[x],)


class _Reached:
    """What is surely held at the moments of a body, to be asked for where it was most."""

    def __init__(self) -> None:
        self._held: dict[Names, tuple[Sums, int]] = {}
        """Blocks that are held together -> their bytes, and at how many moments."""
        self._with_sums: dict[Sums, dict[Names, None]] = {}
        self._mentioning: dict[Name, dict[Sums, None]] = {}

    def add(self, owners: Names, sums: Sums) -> None:
        """One more moment at which these are held."""
        _, count = self._held.get(owners, (sums, 0))
        self._held[owners] = sums, count + 1
        if count:
            return
        if sums not in self._with_sums:
            self._with_sums[sums] = {}
            for x in _names(sums):
                self._mentioning.setdefault(x, {})[sums] = None
        self._with_sums[sums][owners] = None

    def remove(self, owners: Names) -> None:
        """One moment less."""
        sums, count = self._held[owners]
        if count > 1:
            self._held[owners] = sums, count - 1
            return
        del self._held[owners], self._with_sums[sums][owners]
        if not self._with_sums[sums]:
            del self._with_sums[sums]
            for x in _names(sums):
                del self._mentioning[x][sums]

    def candidates(self, after: Sums, facts: Facts) -> Iterable[Sums]:
        """The sums that may be at least as large as ``after``, for certain: those without a name
        that nothing makes up for are not.
        """
        few: Collection[Sums] = self._with_sums
        for x in () if facts.indices else _needed(after, facts):
            some = self._mentioning.get(x, {})
            few = some if len(some) < len(few) else few
        return few

    def with_sums(self, sums: Sums) -> Iterable[Names]:
        """The blocks that are held together and have so many bytes."""
        return self._with_sums[sums]


def _names(sums: Sums) -> Names:
    return frozenset[Name]().union(*(d.free() for d in sums))


def _needed(after: Sums, facts: Facts) -> Names:
    """The names without which no size is known to be as large as one of these
    (:func:`~funmem.ir.logic.prove.hopeless`).
    """
    needed: set[Name] = set()
    for d in after:
        doubtful: set[Name] = set()
        for m, k in d.terms:
            if k < 0 or facts.cancels(m):
                doubtful.update(m)
        needed |= d.free() - doubtful
    return frozenset(needed)


def _at_each(count: int, masks: Mapping[Name, Mask]) -> list[Names]:
    """For each of ``count`` moments the names in whose mask it is."""
    names: list[list[Name]] = [[] for _ in range(count)]
    for x, mask in masks.items():
        for t in numbers(mask):
            names[t].append(x)
    shared: dict[tuple[Name, ...], Names] = {}
    return [shared.setdefault(key, frozenset(key)) for key in map(tuple, names)]


_Situation: TypeAlias = tuple[Names, Names, Path, int]
"""What is surely held, and what may be, in which body, and whether that is being expanded."""

MANY = 64
"""So many combinations of sizes are too many to be looked at."""


def at_most(after: Sequence[Size], before: Sequence[Size], nonneg: Nonneg) -> bool:
    """Whether the largest of some sizes is at most the largest of others, for certain."""
    if len(after) >= MANY:
        return False
    some = frozenset(before)
    return all(d in some or any(nonneg(c - d) for c in before) for d in after)
