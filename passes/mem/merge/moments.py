"""The moments of an entry point as numbers, and sets of moments as bit masks.

Moments are numbered in textual order: a statement, then everything inside it, then the next
statement.  So the moments of a body are a range, and most queries are answered by a few ranges:

    t     0   let (x …) = …
          1   if c then
          2     let (a : mem) = alloc 4*n         since(branch, 1)   5, 6
          3     let (y … @ a …) = …               before(b, entry)   0, 1, 2, 3, 4, 5
          4     end
              else
          …
"""

from collections.abc import Callable, Iterable
from functools import cache, reduce
from operator import or_
from typing import TypeAlias

from funmem.ir.fun import Ann, Stm
from funmem.ir.names import Name
from funmem.ir.sizes import Size
from funmem.passes.mem.liveness import Level, Names, Role
from funmem.passes.mem.merge.lifetimes import Block, Lifetimes

Mask = int
"""A set of moments: bit t for the moment with number t."""

Path: TypeAlias = tuple[int, ...]
"""Identifies a body (:class:`~funmem.passes.mem.liveness.Level`)."""

Nonneg: TypeAlias = Callable[[Size], bool]
"""True if a size is not negative by the facts at some place."""


def ones(first: int, last: int) -> Mask:
    """Return the moments from ``first`` to ``last``, both included."""
    return (1 << last + 1) - (1 << first) if first <= last else 0


def numbers(mask: Mask) -> Iterable[int]:
    """Yield the moments of a set in order."""
    text = bin(mask)[:1:-1]
    t = text.find("1")
    while t >= 0:
        yield t
        t = text.find("1", t + 1)


class Moments:
    """The moments of an entry point, with queries for those that have a property."""

    def __init__(self, lifetimes: Lifetimes) -> None:
        self._lifetimes = lifetimes
        self._of_body: dict[Path, list[int]] = {}
        self._statement: dict[Path, int] = {}
        self._starts: dict[Name, int] = {}
        self._before: dict[tuple[Name, int], Mask] = {}
        self._nonneg: dict[int, Nonneg] = {}
        named: dict[Names, list[int]] = {}
        for t, h in enumerate(lifetimes.held):
            self._enter(h.moment.level, t)
            for ms in h.named:
                named.setdefault(ms, []).append(t)
            s = h.moment.at
            if s is not None and s.pat and s.pat[0].name in lifetimes.blocks:
                self._starts[s.pat[0].name] = t
        masks = {ms: _mask(ts) for ms, ts in named.items()}
        self._surely = {x: mask for ms, mask in masks.items() if len(ms) == 1 for x in ms}
        self._choices = tuple((ms, mask) for ms, mask in masks.items() if len(ms) > 1)
        self._may: dict[Name, Mask] = {}
        for ms, mask in masks.items():
            for x in ms:
                self._may[x] = self._may.get(x, 0) | mask

    def _enter(self, level: Level, t: int) -> None:
        """Add a moment of a body; the first one comes right after the statement around the body."""
        if level.path not in self._of_body:
            self._of_body[level.path] = []
            if level.outer is not None:
                self._statement[level.path] = self._of_body[level.outer.path][-1]
        self._of_body[level.path].append(t)

    def may(self, names: Names) -> Mask:
        """Return where one of some blocks may be mentioned or live."""
        return reduce(or_, (self._may.get(x, 0) for x in names), 0)

    def surely(self, names: Names) -> Mask:
        """Return where one of some blocks certainly is."""
        own = reduce(or_, (self._surely.get(x, 0) for x in names), 0)
        return reduce(or_, (mask for ms, mask in self._choices if ms <= names), own)

    def body(self, path: Path) -> Mask:
        """Return the moments of a body, those further inside included."""
        own = self._of_body[path]
        return ones(own[0], own[-1])

    def before(self, m: Name, depth: int) -> Mask:
        """Return where, in the body at ``depth - 1`` around a block's allocation, the allocation
        may still follow: up to the allocation, but in no other branch; everywhere in a loop around
        it.
        """
        key = (m, depth)
        if key not in self._before:
            self._before[key] = self._comes_to(self._starts[m], depth)
        return self._before[key]

    def _comes_to(self, start: int, depth: int) -> Mask:
        outwards = self._lifetimes.held[start].moment.level.outwards()
        around = [*outwards][::-1]
        last, others = start, 0
        for level in around[depth:]:
            own = self._of_body[level.path]
            others |= ones(self._statement[level.path] + 1, own[0] - 1)
            if level.role is Role.LOOP:
                last = own[-1]
                break
        return ones(self._of_body[around[depth - 1].path][0], last) & ~others

    def inside(self, kernels: Iterable[Stm[Ann]]) -> Mask:
        """Return the moments at some kernels and in their bodies."""
        wanted = {id(k) for k in kernels}
        found = 0
        if wanted:
            bodies: dict[int, list[Path]] = {}
            for t, h in enumerate(self._lifetimes.held):
                if id(h.moment.at) in wanted:
                    found |= 1 << t
                    bodies[t] = []
            for path, t in self._statement.items():
                if t in bodies:
                    found |= self.body(path)
        return found

    def nonneg(self, b: Block) -> Nonneg:
        """Return the test by the facts in front of a block.  Its answers are cached, since the same
        sizes are compared for every group that could take the block.
        """
        key = id(b.known.facts)  # kept alive by the block
        if key not in self._nonneg:
            self._nonneg[key] = cache(b.known.nonneg)
        return self._nonneg[key]

    def since(self, path: Path, first: int) -> Mask:
        """Return the moments from a statement of a body to the end of the body."""
        own = self._of_body[path]
        return ones(own[first], own[-1])


def _mask(moments: Iterable[int]) -> Mask:
    """Return the set of some moments, given in order."""
    found, first, last = 0, 0, -1
    for t in moments:
        if t != last + 1:
            found |= ones(first, last)
            first = t
        last = t
    return found | ones(first, last)
