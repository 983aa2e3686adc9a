"""Apply a plan: one allocation for each group, in front of its first use.

Homes keep their index functions and change their blocks; nothing else changes.
"""

from collections.abc import Mapping, Sequence

from funmem.ir.fun import Alloc, Ann, Body, Entry, Kernel, Stm, Var
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.substitute import substitution
from funmem.ir.traverse import free_in_stm, map_body, map_sub_bodies, with_exp, with_stms
from funmem.passes.mem.merge.peak_guard import Group
from funmem.passes.mem.merge.sizes import maximum


def apply(e: Entry[Ann], groups: Sequence[Group], fresh: Fresh) -> Entry[Ann]:
    """Return the entry point with one allocation for each group, except those whose owner is an
    argument's block.
    """
    owners = {b.name: g.name for g in groups for b in g.blocks}
    body = _renamed(e.body, {x: y for x, y in owners.items() if x != y})
    allocs = {g.name: _allocation(g, fresh) for g in groups if not g.owner.given}
    return evolve(e, body=_placed(body, allocs))


def late(b: Body[Ann]) -> Body[Ann]:
    """Return the body with each allocation in front of its first use; kernels are unchanged.

    A block is held from its allocation on, so this never raises the peak.
    """
    stms = tuple(
        s if isinstance(s.exp, Kernel) else with_exp(s, map_sub_bodies(s.exp, late)) for s in b.stms
    )
    allocs = {s.pat[0].name: (s,) for s in stms if isinstance(s.exp, Alloc)}
    return _inserted(with_stms(b, stms), allocs)


def _renamed(b: Body[Ann], owners: Mapping[Name, Name]) -> Body[Ann]:
    """Return the body with the blocks renamed and without their allocations."""

    def without(b: Body[Ann]) -> Body[Ann]:
        kept = (s for s in b.stms if not (isinstance(s.exp, Alloc) and s.pat[0].name in owners))
        return with_stms(b, (with_exp(s, map_sub_bodies(s.exp, without)) for s in kept))

    return map_body(without(b), substitution({x: Var(y) for x, y in owners.items()}))


def _allocation(g: Group, fresh: Fresh) -> tuple[Stm[Ann], ...]:
    """Return the allocation of a group, preceded by the statements that compute its size."""
    size = maximum(g.sizes, g.owner.known, fresh)
    assert not isinstance(size, str)
    return (*size.before, evolve(g.owner.at, exp=Alloc(size.size, g.owner.space)))


def _placed(b: Body[Ann], allocs: Mapping[Name, tuple[Stm[Ann], ...]]) -> Body[Ann]:
    """Return the body with allocations replaced, at any depth."""
    stms = [with_exp(s, map_sub_bodies(s.exp, lambda c: _placed(c, allocs))) for s in b.stms]
    here = {s.pat[0].name for s in stms if isinstance(s.exp, Alloc)} & allocs.keys()
    return _inserted(with_stms(b, stms), {x: allocs[x] for x in allocs if x in here})


def _inserted(b: Body[Ann], allocs: Mapping[Name, tuple[Stm[Ann], ...]]) -> Body[Ann]:
    """Return the body in which each of these blocks is allocated in front of its first use."""
    rest = [s for s in b.stms if not (isinstance(s.exp, Alloc) and s.pat[0].name in allocs)]
    waiting = dict(allocs)
    stms: list[Stm[Ann]] = []
    for s in rest:
        used = free_in_stm(s)
        for x in [x for x in waiting if x in used]:
            stms += waiting.pop(x)
        stms.append(s)
    for left in waiting.values():
        stms += left
    return with_stms(b, stms)
