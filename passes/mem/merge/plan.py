"""The plan: greedily, in the order of allocation, each block joins a group.

A block joins the first group that meets all conditions, best fit first: a group of exactly its
size, then one that is large enough, then one that must grow.
"""

from collections.abc import Iterable

from funmem.ir.fun import Space
from funmem.ir.record import evolve, frozen
from funmem.passes.framework import Context
from funmem.passes.mem.liveness import Names
from funmem.passes.mem.merge.conditions import (
    CONDITIONS,
    OF_OWNERS,
    Condition,
    Surroundings,
    merged,
    peak_stays,
)
from funmem.passes.mem.merge.lifetimes import Block, Lifetimes
from funmem.passes.mem.merge.peak_guard import Group, Timeline
from funmem.passes.mem.merge.threads import Threads


@frozen
class MergePlan:
    """The groups of more than one block, and the refusals for the other blocks."""

    groups: tuple[Group, ...]
    refusals: tuple["MergeRefusal", ...]


@frozen
class MergeRefusal:
    """A condition that failed for a block and some groups."""

    block: Block
    condition: Condition
    group: Group
    reason: str
    others: int
    """The number of further groups for which it failed."""


def plan(lifetimes: Lifetimes, expandable: Names, *, interleaved: bool) -> MergePlan:
    """Return the plan for an entry point; ``expandable`` are the blocks that ``expand`` moves out
    of kernels.
    """
    threads = Threads(lifetimes.live)
    at = Surroundings(lifetimes, Timeline(lifetimes, expandable), threads, expandable, interleaved)
    kept = [Group((b,), (b.size,)) for b in lifetimes.given.values()]
    refusals: list[MergeRefusal] = []
    for b in lifetimes.blocks.values():
        found = _place(b, kept, at)
        if isinstance(found, Group):
            m = merged(found, b, at)
            kept[kept.index(found)] = m
            at.timeline.merge(m)
        else:
            kept.append(Group((b,), (b.size,)))
            refusals += found
    return MergePlan(tuple(g for g in kept if len(g.blocks) > 1), tuple(refusals))


def _place(b: Block, kept: list[Group], at: Surroundings) -> Group | tuple[MergeRefusal, ...]:
    """Return the group that a block joins, or the refusals of all groups."""
    refusals: dict[Condition, MergeRefusal] = {}
    fine: set[tuple[Space, tuple[int, ...]]] = set()
    for g in sorted(kept, key=lambda g: _fit(g, b, at)):
        where = g.owner.space, g.owner.level.path
        for condition in CONDITIONS if where not in fine else CONDITIONS[OF_OWNERS:]:
            old = refusals.get(condition)
            if (why := _refused(condition, g, b, at, again=old is not None)) is not None:
                new = MergeRefusal(b, condition, g, why, 0)
                refusals[condition] = new if old is None else evolve(old, others=old.others + 1)
                if CONDITIONS.index(condition) >= OF_OWNERS:
                    fine.add(where)
                break
        else:
            return g
    return tuple(refusals.values())


def _refused(
    condition: Condition, g: Group, b: Block, at: Surroundings, *, again: bool
) -> str | None:
    """Return the reason why a condition fails; ``again``: it failed before, so the text is not
    shown.
    """
    if again and condition is peak_stays and at.timeline.is_full(g, b, merged(g, b, at)):
        return "more would be held"
    return condition(g, b, at)


def _fit(g: Group, b: Block, at: Surroundings) -> int:
    if b.size in g.sizes:
        return 0
    return 1 if merged(g, b, at).sizes == g.sizes else 2


def report(p: MergePlan, ctx: Context) -> None:
    """Add a remark for every refusal; :func:`report_done` adds those for merges."""
    for r in p.refusals:
        number = CONDITIONS.index(r.condition) + 1
        name = r.condition.__name__.replace("_", " ")
        others = f" (likewise for {r.others} more)" if r.others else ""
        ctx.remark(
            r.block.at, f"({number}) {name}", f"not part of {r.group.name}: {r.reason}{others}"
        )


def report_done(groups: Iterable[Group], ctx: Context) -> None:
    """Add a remark for every block that became part of another one."""
    for g in groups:
        for b in g.blocks[1:]:
            ctx.did(b.at, "blocks share memory", f"{b.name} is part of {g.name}")
