"""A result stays in the block that a loop or branch chose for it.

A loop that exchanges two blocks ends with its result in one of them, known only at run time.  The
entry point returns a copy in a block of its own, although the caller does not need to know which
block it is:

    let (m : mem) (x : [n]f32 @ m -> L) = loop …              … the same
    let (a : mem) = alloc 4*n                           ->
    let (y : [n]f32 @ a -> L) = copy x                        let (y : [n]f32 @ m -> L) = copy x
    in (a, y)                                                 in (m, y)

The copy then moves no data.  Five conditions apply:

    (1) begins_with_the_copy   block a is mentioned by no statement before the copy
    (2) lies_the_same          x and y have the same index function
    (3) may_be_kept            every block that m may stand for belongs to the program, is in the
                               same kind of memory as a, and has exactly a's size: so no more is
                               held, and less at the copy
    (4) last_used              the copy is the last use of x and its aliases
    (5) nothing_else_is_there  no other array or block variable that is used later may lie in or be
                               one of these blocks; blocks that one loop rotates are known to differ

A block that is allocated, and not chosen, is left to the conditions of merging itself.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

from funmem.ir.fun import Alloc, Ann, Copy, Entry, Home, Stm, Var
from funmem.ir.logic.blocks import apart
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.substitute import substitution
from funmem.ir.traverse import free_in_stm, map_body
from funmem.passes.framework import Context
from funmem.passes.mem.merge.lifetimes import Block, Lifetimes


@frozen
class Return:
    """``let (y : … @ a -> L) = copy x``, with x in a block that is one of several."""

    at: Stm[Ann]
    x: Name
    y: Name
    source: Home
    dest: Home
    lifetimes: Lifetimes

    def own(self) -> Mapping[Name, Block]:
        """Return the blocks that the entry point allocates or may overwrite."""
        return {**self.lifetimes.blocks, **self.lifetimes.given}

    def chosen(self) -> frozenset[Name]:
        """Return the blocks in one of which x lies."""
        return self.lifetimes.live.blocks.roots(self.source.block)

    def is_apart(self, m: Name) -> bool:
        """True if a block variable never stands for x's block."""
        return frozenset((m, self.source.block)) in self._apart

    @cached_property
    def _apart(self) -> frozenset[frozenset[Name]]:
        live = self.lifetimes.live
        for s in live.entry.body.stms:
            if any(p.name == self.source.block for p in s.pat):
                return apart(s, live.blocks)
        return frozenset()


def chosen(now: Lifetimes, ctx: Context) -> Lifetimes:
    """Return the entry point in which every such result stays in its block."""
    tried: set[Name] = set()
    while (found := next(_returns(now, tried), None)) is not None:
        tried.add(found.y)
        why = next((w for c in CONDITIONS if (w := c(found)) is not None), None)
        if why is None:
            now = Lifetimes.of_entry(_applied(found))
        else:
            number, reason = why
            ctx.remark(found.at, number, f"copy of {found.x}: {reason}")
    return now


def _returns(now: Lifetimes, tried: Collection[Name]) -> Iterator[Return]:
    """Yield the copies at the top level from a block variable to a block that is allocated
    there.
    """
    live = now.live
    for s in live.entry.body.stms:
        if isinstance(s.exp, Copy) and s.pat[0].name not in tried:
            (y,), source = s.pat, live.homes[s.exp.x]
            variable = source.block in live.blocks.sources
            if variable and y.home is not None and y.home.block in now.blocks:
                yield Return(s, s.exp.x, y.name, source, y.home, now)


# ---------------------------------------------------------------------- conditions

FailedCondition: TypeAlias = tuple[str, str]
"""The condition that fails, and the reason."""


def begins_with_the_copy(r: Return) -> FailedCondition | None:
    """(1) The destination's block is mentioned by no statement before the copy, nor outside of the
    body that contains the copy.
    """
    for s in r.lifetimes.live.entry.body.stms:
        if s is r.at:
            return None
        if not isinstance(s.exp, Alloc) and r.dest.block in _mentioned(s):
            return "(1) begins with the copy", f"{r.dest.block} is used before"
    return None


def lies_the_same(r: Return) -> FailedCondition | None:
    """(2) In the source's block the copy has the same index function."""
    if r.source.ix == r.dest.ix:
        return None
    return "(2) lies the same", f"{r.x} lies at {r.source.ix}, {r.y} at {r.dest.ix}"


def may_be_kept(r: Return) -> FailedCondition | None:
    """(3) Every block that m may stand for is the entry point's own, and of the
    destination's size.
    """
    condition, own, dest = "(3) may be kept", r.own(), r.own()[r.dest.block]
    for m in sorted(r.chosen()):
        if m not in own:
            return condition, f"{m} is the caller's"
        if own[m].size != dest.size:
            return condition, f"{m} has {own[m].size} bytes, {dest.name} has {dest.size}"
        if own[m].space is not dest.space:
            return condition, f"{m} is in {own[m].space.value} memory"
    return None


def last_used(r: Return) -> FailedCondition | None:
    """(4) The copied array, under any name, is not used again."""
    live = r.lifetimes.live
    later = live.aliases(r.x) & live.after(r.at)
    used = sorted(y for y in later if not r.is_apart(live.homes[y].block))
    if not used:
        return None
    also = "" if r.x in used else f", as {used[0]}"
    return "(4) last used", f"{r.x} is used later{also}"


def nothing_else_is_there(r: Return) -> FailedCondition | None:
    """(5) No other array or block variable that is mentioned later may lie in or be one of the
    blocks.
    """
    live, blocks = r.lifetimes.live, r.chosen()
    for x in sorted(live.after(r.at)):
        name = live.homes[x].block if x in live.homes else x
        if not r.is_apart(name) and not blocks.isdisjoint(live.blocks_named(x)):
            return "(5) nothing else is there", f"{x} may be in one of {', '.join(sorted(blocks))}"
    return None


CONDITIONS: tuple[Callable[[Return], FailedCondition | None], ...] = (
    begins_with_the_copy,
    lies_the_same,
    may_be_kept,
    last_used,
    nothing_else_is_there,
)


def _mentioned(s: Stm[Ann]) -> frozenset[Name]:
    """Return the names that a statement uses, and the blocks of the arrays that it binds."""
    return free_in_stm(s) | {p.home.block for p in s.pat if p.home is not None}


# ---------------------------------------------------------------------- apply


def _applied(r: Return) -> Entry[Ann]:
    """Return the entry point without the destination's block."""
    e = r.lifetimes.live.entry
    kept = tuple(s for s in e.body.stms if s.pat[:1] != _binder(r))
    body = evolve(e.body, stms=kept)
    return evolve(e, body=map_body(body, substitution({r.dest.block: Var(r.source.block)})))


def _binder(r: Return) -> tuple[object, ...]:
    """Return the pattern of the allocation of the destination's block."""
    return r.own()[r.dest.block].at.pat
