"""(9) Merging must not raise the peak.

The *peak* is the largest sum of the sizes of the blocks that are held at one moment.  Merging two
blocks whose live ranges do not overlap saves nothing and may cost: the merged block always has the
size of the larger one, and it is held in the gap between both live ranges.  Merging pays if both
are held at once although only one is needed: in front of loops that allocations were hoisted out
of, and in kernels.

    |--------- a, 8*n ---------|                          |-- a, 8*n --|
        |------ b, 8*n ------|                 or, bad                      |-- b, 8*m ---------|

Let M be the merged block, and t a moment at which it is held.  Merging is allowed if for every t

    M is no larger than what a and b hold at t together, or
    all blocks then held at t are no larger than all that were held at another moment u, which
    every run that reaches t reaches as well (a moment of the same body, or of one around it).

In both cases the sum at t was reached before, at t or at u.  So the peak of every run that does not
trap is at most what it was; by induction this holds for all merges of a pass.  To be conservative,
blocks that are only possibly held (chosen by ``if`` or ``loop``) count after the merge and not
before it.  The blocks of arguments, which are freed at their last use, are part of all sums.

In a kernel whose allocations will be expanded, all of them are later held while the kernel runs,
for all threads.  Two of these may always be merged, since a maximum does not exceed the sum.  More
is held while the kernel runs than this analysis sees, so its moments are not compared with others.
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
"""Bytes: the largest of these sizes."""


@frozen
class Group:
    """One allocation for several blocks; its size is the largest of ``sizes``."""

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


# ---------------------------------------------------------------------- held blocks


@frozen
class Span:
    """The moments at which a group may be held, and those at which it surely is."""

    may: Mask
    surely: Mask


@frozen
class _Extent:
    """The data from which a group's span is computed."""

    first: int
    """The position, in the owner's body, of the first statement that uses it."""
    gaps: Mask
    """The moments that precede the allocation of one of its blocks other than the owner."""
    may: Mask
    """The moments at which one of its blocks may be held anyway."""


class Timeline:
    """The blocks that may be held and those that surely are, at every moment, updated by each
    merge.
    """

    def __init__(self, lifetimes: Lifetimes, expandable: Names) -> None:
        """Make a group for every block; ``expandable`` are the blocks that ``expand`` moves out of
        kernels.
        """
        self.lifetimes = lifetimes
        self.moments = Moments(lifetimes)
        kernels = [lifetimes.blocks[x].outermost_kernel() for x in expandable]
        self.expanding = self.moments.inside([k for k in kernels if k is not None])
        """The moments of kernels whose threads' blocks ``expand`` will combine."""
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
        """Replace the groups of the blocks of ``m`` by ``m``, a group with one more block."""
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

    # ------------------------------------------------------------------ spans

    def first_use(self, g: Group, b: Block | None = None) -> int:
        """Return the position, in the owner's body, of the first statement that uses a group or the
        block ``b``, allocations apart; the number of statements if none does.
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
        """Return the extent of a group with one more block."""
        old, path = self._extents[g], self.groups[g].owner.level.path
        gaps = old.gaps | self.moments.before(b.name, len(path))
        may = old.may | self._extents[b.name].may
        return _Extent(min(old.first, self._first(b, path)), gaps, may)

    def _span(self, m: Group, e: _Extent) -> Span:
        """Return the moments at which a group is held, from its first use on: those at which one of
        its blocks was held before, and those that precede the allocation of one of them.
        """
        since = -1 if m.owner.given else self.moments.since(m.owner.level.path, e.first)
        return Span((e.may | e.gaps) & since, (self.moments.surely(m.names) | e.gaps) & since)

    # ------------------------------------------------------------------ bytes held

    def raised(self, g: Group, b: Block, m: Group) -> str | None:
        """Return where ``m``, which consists of group ``g`` and block ``b``, raises the peak; None
        if nowhere.

        The facts in front of ``b`` hold in its own body: a run that does not get there holds ``m``
        as well.
        """
        left = self._more(g, b, m)
        own = frozenset((g.name, b.name))
        seen = set[_Situation]()
        for t in numbers(left):
            h, expanding = self.lifetimes.held[t], self.expanding >> t & 1
            path = h.moment.level.path
            held, others = self.surely[t] & own, self.may[t] - own
            key = (held, others, path, expanding)
            if key in seen:
                continue
            seen.add(key)
            basis = b if b.level.encloses(h.moment.level) else g.owner
            nonneg = self.moments.nonneg(basis)
            each = (d for x in sorted(held) for d in self.groups[x].sizes)  # no size counts below 0
            before = (*self.sums(held), *each)
            if at_most(m.sizes, before, nonneg):
                continue
            if not expanding and self.reached(t, others, m, basis):
                continue
            if not self._spans[b.name].may >> t & 1:
                holder = g.name if self._spans[g.name].may >> t & 1 else None
                full = m.sizes, holder, id(basis.known.facts)
                self._full[full] = self._full.get(full, 0) | 1 << t
            wanted = " or ".join(map(str, m.sizes))
            instead = " and ".join(sorted(held)) or "nothing"
            return f"{wanted} bytes would be held at {moment_name(h.moment)} instead of {instead}"
        return None

    def is_full(self, g: Group, b: Block, m: Group) -> bool:
        """True if an earlier refusal implies that the peak would be raised: at a moment where ``m``
        would be held and ``b`` was not, as many bytes were too many for another block.  They still
        are, since merging neither lowers the bytes held at a moment nor raises the peak.
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
        """Return the moments at which ``m`` may be held and may be larger than what was held."""
        extent = self._joined(g.name, b)
        since = -1 if g.owner.given else self.moments.since(g.owner.level.path, extent.first)
        left = (extent.may | extent.gaps) & since
        if set(m.sizes) <= set(g.sizes):
            left &= ~self._spans[g.name].surely
        if set(m.sizes) <= {b.size}:
            left &= ~self._spans[b.name].surely
        return left

    def reached(self, t: int, others: Names, m: Group, basis: Block) -> bool:
        """True if the bytes held at ``t`` after a merge were held at another moment before it, by
        the facts in front of ``basis``.
        """
        nonneg, facts = self.moments.nonneg(basis), basis.known.facts
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
        """Return the bytes of groups and arguments together: the largest of these sums."""
        if owners not in self._sums:
            every = [self._sizes(x) for x in sorted(owners)]
            choices = islice(cartesian(*every), MANY)
            self._sums[owners] = tuple(map(total, choices))
        return self._sums[owners]

    def _sizes(self, x: Name) -> Sums:
        return self.groups[x].sizes if x in self.groups else (self.lifetimes.arguments[x],)


class _Reached:
    """The sets of blocks surely held at the moments of a body, with queries for large sums."""

    def __init__(self) -> None:
        self._held: dict[Names, tuple[Sums, int]] = {}
        """Blocks that are held together -> their bytes, and the number of such moments."""
        self._with_sums: dict[Sums, dict[Names, None]] = {}
        self._mentioning: dict[Name, dict[Sums, None]] = {}

    def add(self, owners: Names, sums: Sums) -> None:
        """Add a moment at which these are held."""
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
        """Remove a moment."""
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
        """Return the sums that may be provably at least as large as ``after``: sums that lack a
        name which nothing can compensate for are left out.
        """
        few: Collection[Sums] = self._with_sums
        for x in () if facts.indices else _needed(after, facts):
            some = self._mentioning.get(x, {})
            few = some if len(some) < len(few) else few
        return few

    def with_sums(self, sums: Sums) -> Iterable[Names]:
        """Return the sets of blocks that are held together and have this many bytes."""
        return self._with_sums[sums]


def _names(sums: Sums) -> Names:
    return frozenset[Name]().union(*(d.free() for d in sums))


def _needed(after: Sums, facts: Facts) -> Names:
    """Return the names that a size must contain to be provably as large as one of these
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
    """Return, for each of ``count`` moments, the names whose mask contains it."""
    names: list[list[Name]] = [[] for _ in range(count)]
    for x, mask in masks.items():
        for t in numbers(mask):
            names[t].append(x)
    shared: dict[tuple[Name, ...], Names] = {}
    return [shared.setdefault(key, frozenset(key)) for key in map(tuple, names)]


_Situation: TypeAlias = tuple[Names, Names, Path, int]
"""The blocks surely held, those possibly held, the body, and whether it is being expanded."""

MANY = 64
"""The cap on the number of combinations of sizes that are compared."""


def at_most(after: Sequence[Size], before: Sequence[Size], nonneg: Nonneg) -> bool:
    """True if the largest of some sizes is provably at most the largest of others."""
    if len(after) >= MANY:
        return False
    some = frozenset(before)
    return all(d in some or any(nonneg(c - d) for c in before) for d in after)
