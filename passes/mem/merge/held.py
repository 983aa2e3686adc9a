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

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import islice
from itertools import product as cartesian
from operator import or_
from typing import TypeAlias

from attrs import field

from funmem.ir.fun import Ann, Stm
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import ZERO, Size
from funmem.passes.mem.liveness import Names, Role
from funmem.passes.mem.merge.lifetimes import Block, Held, Lifetimes, moment_name

Mask = int
"""A set of moments: bit t for the moment of that number."""

Nonneg: TypeAlias = Callable[[Size], bool]
"""Whether a size is not negative, as far as is known somewhere."""


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


# ---------------------------------------------------------------------- moments


@frozen
class Place:
    """Where a moment is: in every body around it, at which position."""

    path: tuple[int, ...]
    positions: tuple[int, ...]
    loops: tuple[bool, ...]
    """Whether that body is a loop's."""

    def reaches(self, other: "Place", depth: int) -> bool:
        """Whether ``other`` may come later; inside the body at ``depth - 1``, which runs once."""
        common = 0
        for mine, others in zip(self.path, other.path, strict=False):
            if mine != others:
                break
            common += 1
        if any(self.loops[depth:common]):
            return True
        here, there = self.positions[common - 1], other.positions[common - 1]
        return here < there or (here == there and len(self.path) == common)


def places_of(held: Sequence[Held]) -> tuple[Place, ...]:
    """The places of moments: those of one body in order, a statement before those inside it."""
    count: dict[tuple[int, ...], int] = {}
    places: list[Place] = []
    for h in held:
        level = h.moment.level
        count[level.path] = count.get(level.path, -1) + 1
        around = [x.path for x in level.outwards()][::-1]
        loops = [x.role is Role.LOOP for x in level.outwards()][::-1]
        places.append(Place(level.path, tuple(count[p] for p in around), tuple(loops)))
    return tuple(places)


class Moments:
    """The moments of an entry point, to be asked which of them have a property."""

    def __init__(self, lifetimes: Lifetimes) -> None:
        self._lifetimes = lifetimes
        self._places = places_of(lifetimes.held)
        self._named: dict[Names, Mask] = {}
        self._starts: dict[Name, Place] = {}
        self._before: dict[tuple[Name, int], Mask] = {}
        self._since: dict[tuple[tuple[int, ...], int], Mask] = {}
        self._near: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._nonneg: dict[Name, Nonneg] = {}
        for t, (h, place) in enumerate(zip(lifetimes.held, self._places, strict=True)):
            for ms in h.named:
                self._named[ms] = self._named.get(ms, 0) | 1 << t
            s = h.moment.at
            if s is not None and s.pat and s.pat[0].name in lifetimes.blocks:
                self._starts[s.pat[0].name] = place

    def may(self, names: Names) -> Mask:
        """Where one of some blocks may be mentioned, or be live."""
        masks = (mask for ms, mask in self._named.items() if not ms.isdisjoint(names))
        return reduce(or_, masks, 0)

    def surely(self, names: Names) -> Mask:
        """Where one of some blocks is, for certain."""
        return reduce(or_, (mask for ms, mask in self._named.items() if ms <= names), 0)

    def before(self, m: Name, depth: int) -> Mask:
        """Where the allocation of a block may still come, in the body at ``depth - 1``."""
        key = (m, depth)
        if key not in self._before:
            start = self._starts[m]
            self._before[key] = _mask(p.reaches(start, depth) for p in self._places)
        return self._before[key]

    def inside(self, kernels: Sequence[Stm[Ann]]) -> Mask:
        """At some kernels, or in one of their bodies."""

        def of(h: Held) -> bool:
            around = (h.moment.at, *(x.of for x in h.moment.level.outwards()))
            return any(s is k for s in around for k in kernels)

        return _mask(map(of, self._lifetimes.held))

    def near(self, path: tuple[int, ...]) -> tuple[int, ...]:
        """The moments of a body, and of those around it."""
        if path not in self._near:
            paths = enumerate(p.path for p in self._places)
            self._near[path] = tuple(t for t, p in paths if path[: len(p)] == p)
        return self._near[path]

    def nonneg(self, b: Block) -> Nonneg:
        """By what is known in front of a block.  The same sizes are compared for every group that
        could take the block, so the answers are remembered.
        """
        if b.name not in self._nonneg:
            self._nonneg[b.name] = cache(b.known.nonneg)
        return self._nonneg[b.name]

    def since(self, path: tuple[int, ...], first: int) -> Mask:
        """From a statement of a body on, to the end of the body."""
        key, depth = (path, first), len(path)
        if key not in self._since:
            self._since[key] = _mask(
                p.path[:depth] == path and p.positions[depth - 1] >= first for p in self._places
            )
        return self._since[key]


def _mask(bits: Iterator[bool]) -> Mask:
    return sum(1 << t for t, bit in enumerate(bits) if bit)


# ---------------------------------------------------------------------- what is held


@frozen
class Span:
    """The moments at which a group may be held, and those at which it surely is."""

    may: Mask
    surely: Mask


@frozen
class Timeline:
    """What may be held, and what surely is, at every moment."""

    lifetimes: Lifetimes
    moments: Moments
    groups: Mapping[Name, Group]
    """Owner -> group."""
    may: tuple[Names, ...]
    """The owners of groups, and the blocks of arguments, that may be held at each moment."""
    surely: tuple[Names, ...]
    expanding: Mask
    """Where a kernel runs whose threads' blocks ``expand`` will put together."""
    _sums: dict[Names, tuple[Size, ...]] = field(factory=dict, init=False)
    _tops: dict[tuple[int, ...], tuple[Names, ...]] = field(factory=dict, init=False)

    @staticmethod
    def of(lifetimes: Lifetimes, expandable: Names) -> "Timeline":
        """Every block is a group of its own; ``expandable``: those that ``expand`` takes out of
        kernels.
        """
        moments = Moments(lifetimes)
        kernels = [lifetimes.blocks[x].outermost_kernel() for x in expandable]
        expanding = moments.inside([k for k in kernels if k is not None])
        every = (*lifetimes.blocks.items(), *lifetimes.given.items())
        groups = {x: Group((b,), (b.size,)) for x, b in every}
        nothing = (frozenset[Name](),) * len(lifetimes.held)
        start = Timeline(lifetimes, moments, groups, nothing, nothing, expanding)
        given = (frozenset((x,)) for x in lifetimes.arguments.keys() - groups.keys())
        spans = {x: Span(moments.may(xs), moments.surely(xs)) for xs in given for x in xs}
        spans |= {x: start.span(g) for x, g in groups.items()}
        may = _at_each(len(lifetimes.held), {x: s.may for x, s in spans.items()})
        surely = _at_each(len(lifetimes.held), {x: s.surely for x, s in spans.items()})
        return evolve(start, may=may, surely=surely)

    def merging(self, m: Group) -> "Timeline":
        """The timeline with a group in place of its blocks."""
        groups = {x: g for x, g in self.groups.items() if x not in m.names} | {m.name: m}
        span = self.span(m)
        return Timeline(
            self.lifetimes,
            self.moments,
            groups,
            _instead(self.may, m, span.may),
            _instead(self.surely, m, span.surely),
            self.expanding,
        )

    # ------------------------------------------------------------------ where it is held

    def first_use(self, m: Group) -> int:
        """The position, in the owner's body, of the first statement that uses a group, apart from
        allocations; the number of statements if none does.
        """
        uses = self.lifetimes.uses[m.owner.level.path]
        found = (k for k, blocks in enumerate(uses) if not blocks.isdisjoint(m.names))
        return next(found, len(uses))

    def span(self, m: Group) -> Span:
        """When a group is held, from its first use on: where one of its blocks was held already,
        and wherever one of them is still to come.
        """
        path = m.owner.level.path
        since = -1 if m.owner.given else self.moments.since(path, self.first_use(m))
        gaps = reduce(or_, (self.moments.before(b.name, len(path)) for b in m.blocks[1:]), 0)
        may, surely = self.moments.may(m.names), self.moments.surely(m.names)
        return Span((may | gaps) & since, (surely | gaps) & since)

    # ------------------------------------------------------------------ how much is held

    def raised(self, g: Group, b: Block, m: Group) -> str | None:
        """Where ``m``, which consists of group ``g`` and block ``b``, raises the peak.

        What is known in front of ``b`` holds in its own body: a run that does not come there holds
        ``m`` as well.
        """
        span = self.span(m).may
        own = frozenset((g.name, b.name))
        seen, asked = set[_Situation](), set[_Situation]()
        for t, h in enumerate(self.lifetimes.held):
            if not span >> t & 1:
                continue
            path, expanding = h.moment.level.path, self.expanding >> t & 1
            key = (self.surely[t], self.may[t], path, expanding)
            if key in seen:
                continue
            seen.add(key)
            held, others = self.surely[t] & own, self.may[t] - own
            key = (held, others, path, expanding)
            if key in asked:
                continue
            asked.add(key)
            nonneg = self.moments.nonneg(b if b.level.encloses(h.moment.level) else g.owner)
            each = (d for x in sorted(held) for d in self.groups[x].sizes)  # no size counts below 0
            before = (*self.sums(held), *each)
            if at_most(m.sizes, before, nonneg):
                continue
            if not expanding and self.reached(t, others, m, nonneg):
                continue
            total = " or ".join(map(str, m.sizes))
            instead = " and ".join(sorted(held)) or "nothing"
            return f"{total} bytes would be held at {moment_name(h.moment)} instead of {instead}"
        return None

    def reached(self, t: int, others: Names, m: Group, nonneg: Nonneg) -> bool:
        """Whether what is held at ``t`` after a merge was held at another moment before it."""
        after = tuple(d + s for d in self.sums(others) for s in m.sizes)
        for before in self.tops(self.lifetimes.held[t].moment.level.path):
            if at_most(after, self.sums(before), nonneg):
                new = (d for x in others - before for d in self._sizes(x))
                if all(map(nonneg, new)):  # a block of a negative size has 0 bytes
                    return True
        return False

    def tops(self, path: tuple[int, ...]) -> tuple[Names, ...]:
        """What is surely held at the moments of a body and of those around it, where no other of
        these moments has all of it and more; most blocks first.
        """
        if path not in self._tops:
            near = {self.surely[t] for t in self.moments.near(path)}
            most = (xs for xs in near if not any(xs < others for others in near))
            self._tops[path] = tuple(sorted(most, key=lambda xs: (-len(xs), sorted(xs))))
        return self._tops[path]

    def sums(self, owners: Names) -> tuple[Size, ...]:
        """The bytes of groups and arguments together: the largest of these sums."""
        if owners not in self._sums:
            every = [self._sizes(x) for x in sorted(owners)]
            choices = islice(cartesian(*every), MANY)
            self._sums[owners] = tuple(sum(c, start=ZERO) for c in choices)
        return self._sums[owners]

    def _sizes(self, x: Name) -> tuple[Size, ...]:
        return self.groups[x].sizes if x in self.groups else (self.lifetimes.arguments[x],)


def _at_each(count: int, masks: Mapping[Name, Mask]) -> tuple[Names, ...]:
    """For each of ``count`` moments the names in whose mask it is."""
    names: list[list[Name]] = [[] for _ in range(count)]
    for x, mask in masks.items():
        while mask:
            t = (mask & -mask).bit_length() - 1
            names[t].append(x)
            mask &= mask - 1
    shared: dict[tuple[Name, ...], Names] = {}
    return tuple(shared.setdefault(key, frozenset(key)) for key in map(tuple, names))


def _instead(at_each: Sequence[Names], m: Group, mask: Mask) -> tuple[Names, ...]:
    """For each moment the names, where a group that is held at some takes its blocks' place."""
    owner = frozenset((m.name,))
    rest = (xs if xs.isdisjoint(m.names) else xs - m.names for xs in at_each)
    return tuple(xs | owner if mask >> t & 1 else xs for t, xs in enumerate(rest))


_Situation: TypeAlias = tuple[Names, Names, tuple[int, ...], int]
"""What is surely held, and what may be, in which body, and whether that is being expanded."""

MANY = 64
"""So many combinations of sizes are too many to be looked at."""


def at_most(after: Sequence[Size], before: Sequence[Size], nonneg: Nonneg) -> bool:
    """Whether the largest of some sizes is at most the largest of others, for certain."""
    if len(after) >= MANY:
        return False
    some = frozenset(before)
    return all(d in some or any(nonneg(c - d) for c in before) for d in after)
