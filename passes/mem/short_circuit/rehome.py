"""Move fresh arrays to other homes: the statements that must come earlier, and the new program."""

from collections.abc import Mapping, Sequence

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Body,
    Compound,
    DerivedArray,
    Entry,
    FreshArray,
    Home,
    Index,
    InPlace,
    Scalar,
    Stm,
)
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.may_trap import why_traps
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.traverse import (
    bound_in_stms,
    free_in_exp,
    map_sub_bodies,
    sub_bodies,
    with_bodies,
)
from funmem.passes.mem.relocate import followed, relocate_entry
from funmem.passes.mem.short_circuit.view import names_of


@frozen
class Lift:
    """Statements of a body that must come earlier, before the one at ``first``."""

    first: int
    names: frozenset[Name]


@frozen
class CannotLift(Exception):
    """A name is bound too late, by a statement that does not move."""

    name: Name
    reason: str


def lift(stms: Sequence[Stm[Ann]], first: int, names: frozenset[Name], known: PointFacts) -> Lift:
    """Return the statements that must come before the one at ``first`` so that ``names`` are bound
    there.

    Allocations and scalar expressions that cannot trap may come earlier, with what they need.
    Raises :class:`CannotLift`.
    """
    lifted: set[Name] = set()
    needed = set(names)
    if needed.isdisjoint(names_of(stms[first:])):
        return Lift(first, frozenset())
    known = known.binding(b for s in stms[first:] for b in s.pat)  # operands that are lifted too
    for s in reversed(stms[first:]):
        mine = needed & names_of((s,))
        if mine:
            why = _stays(s, known)
            if why is not None:
                raise CannotLift(min(mine), why)
            lifted |= mine
            needed |= free_in_exp(s.exp)
    return Lift(first, frozenset(lifted))


def _stays(s: Stm[Ann], known: PointFacts) -> str | None:
    match s.exp:
        case Alloc():
            return None
        case Scalar():
            return why_traps(s.exp, known)
        case (Index() | DerivedArray() | FreshArray() | InPlace() | Compound() | Assert()) as e:
            return f"it is a {type(e).__name__.lower()}"


def lifted(b: Body[Ann], what: Lift) -> Body[Ann]:
    """Return the body with these statements before the one at ``first``, in their order."""
    if not what.names:
        return b
    here = b.stms[what.first].at  # an allocation fails where its first array is made
    moving = tuple(
        evolve(s, at=here) if isinstance(s.exp, Alloc) else s
        for s in b.stms[what.first :]
        if names_of((s,)) & what.names
    )
    rest = tuple(s for s in b.stms[what.first :] if not names_of((s,)) & what.names)
    return evolve(b, stms=(*b.stms[: what.first], *moving, *rest))


def moved_inside(
    body: Body[Ann],
    what: Lift,
    homes: Mapping[Name, Home],
    start: PointFacts,
    end: int,
    fresh: Fresh,
) -> Body[Ann]:
    """Return the body with fresh arrays at new homes, and with the homes in it that follow from
    these; the rest of the program is not affected.

    ``start``: the facts at the first statement that makes one of the arrays; after ``end``
    statements no moved array is mentioned.  Raises :class:`~funmem.ir.logic.derive.Homeless` if a
    reshape no longer has an index function.
    """
    whole = end == len(body.stms)
    part = Body(body.stms[what.first : end], body.result if whole else ())
    here = evolve(what, first=0)
    new = followed(at_homes(lifted(part, here), homes), start, homes, fresh)
    stms = (*body.stms[: what.first], *new.stms, *body.stms[end:])
    return evolve(body, stms=stms, result=new.result if whole else body.result)


def moved_everywhere(
    e: Entry[Ann], body: Body[Ann], what: Lift, homes: Mapping[Name, Home], fresh: Fresh
) -> Entry[Ann]:
    """Return the entry point with fresh arrays of a body at new homes, and with all homes that
    follow.
    """
    found = replaced(e.body, body, at_homes(lifted(body, what), homes))
    assert found is not None
    return relocate_entry(evolve(e, body=found), fresh, homes)


def at_homes(b: Body[Ann], homes: Mapping[Name, Home]) -> Body[Ann]:
    """Return the body with these arrays at these homes, otherwise unchanged."""
    stms: list[Stm[Ann]] = []
    for s in b.stms:
        if not homes.keys().isdisjoint(bound_in_stms((s,))):
            pat = tuple(evolve(p, home=homes.get(p.name, p.home)) for p in s.pat)
            s = evolve(s, pat=pat, exp=map_sub_bodies(s.exp, lambda c: at_homes(c, homes)))
        stms.append(s)
    return evolve(b, stms=tuple(stms))


def replaced(b: Body[Ann], old: Body[Ann], new: Body[Ann]) -> Body[Ann] | None:
    """Return ``b`` with a body inside it, or itself, replaced; None if ``old`` is not in ``b``."""
    if b is old:
        return new
    for k, s in enumerate(b.stms):
        bodies = sub_bodies(s.exp)
        inner = [replaced(c, old, new) for c in bodies]
        if any(c is not None for c in inner):
            exp = with_bodies(s.exp, (d or c for c, d in zip(bodies, inner, strict=True)))
            return evolve(b, stms=(*b.stms[:k], evolve(s, exp=exp), *b.stms[k + 1 :]))
    return None


def replaced_in(b: Body[Ann], k: int, old: Body[Ann], new: Body[Ann]) -> Body[Ann]:
    """Return ``b`` with a body inside its statement at position ``k`` replaced."""
    part = replaced(Body(b.stms[k : k + 1], ()), old, new)
    assert part is not None
    return evolve(b, stms=(*b.stms[:k], *part.stms, *b.stms[k + 1 :]))
