"""Γ and Δ: the names in scope with their region types, and the regions in scope."""

from collections.abc import Iterable, Mapping, MutableMapping, Sequence

from funmem.ir import core as c
from funmem.ir.check.core.context import show
from funmem.ir.check.core.premises import same as same
from funmem.ir.check.rules import many, require
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import map_parts, map_type, unsized
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define, evolve
from funmem.ir.regions.forms import (
    LETREGION,
    OWN,
    STATIC,
    Places,
    bare,
    over,
    regions_in,
    split,
    step,
    unwrapped,
)


@define(eq=False)
class Gamma:
    """Γ: the types of local names; Δ: the regions in scope; the definitions and data types.

    ``ended`` are the regions that have ended before the expression.  ``last`` are those whose
    ``letregion`` has the expression in tail position: nothing follows it there, so they may end.
    """

    types: MutableMapping[Name, Type]
    regions: frozenset[Name]
    defs: Mapping[Name, Def]
    places: Places
    ended: frozenset[Name] = frozenset()
    last: frozenset[Name] = frozenset()

    def having(self, types: Mapping[Name, Type]) -> "Gamma":
        """Γ, x : t …"""
        return evolve(self, types={**self.types, **types})

    def during(self, regions: Iterable[Name]) -> "Gamma":
        """Δ, 'r …"""
        return evolve(self, regions=self.regions.union(regions), last=self.last.union(regions))

    def after(self, regions: Iterable[Name]) -> "Gamma":
        """Δ without 'r …"""
        gone = frozenset(regions)
        left, last = self.regions - gone, self.last - gone
        return evolve(self, regions=left, ended=self.ended | gone, last=last)

    def inside(self) -> "Gamma":
        """Γ; Δ for an expression after which others follow."""
        return evolve(self, last=frozenset()) if self.last else self


def shown(r: Name) -> str:
    """Return a region as messages show it."""
    return show(c.TypeVar(r))


def in_scope(g: Gamma, regions: Iterable[Name], at: Span) -> None:
    """Require that regions are in scope (R-SCOPE)."""
    for r in regions:
        known = r in g.regions or r == STATIC
        require(known, at, "R-SCOPE", "region {} is not in scope", shown(r))


def shape(t: Type) -> Type:
    """Return a type in which all regions have one name: what is left is where regions stand."""
    return c.TypeVar(OWN) if isinstance(t, c.TypeVar) else map_type(t, shape)


def well_formed(g: Gamma, t: Type, at: Span) -> Type:
    """Δ ⊢ t: return the type without sizes, if it is well formed (R-TYPE).

    Each array and each function has a region, and so has a data type that holds some; its region
    is the only one in it.  A function of several parameters has one.
    """
    t = unsized(t)
    want = g.places.located(bare(t), lambda _: OWN)
    require(shape(t) == want, at, "R-TYPE", "{} should look like {}", show(t), show(want))
    in_scope(g, regions_in(t), at)
    return t


def binder_types(g: Gamma, binders: Sequence[c.Binder], at: Span) -> list[Type]:
    """Δ ⊢ p …: check the binders' types; return them without sizes."""
    return [well_formed(g, b.type, at) for b in binders]


def bound(binders: Sequence[c.Binder], types: Sequence[Type]) -> dict[Name, Type]:
    """Return the names of binders with their types."""
    return {b.name: t for b, t in zip(binders, types, strict=True)}


def makes(g: Gamma, given: Sequence[Name], n: int, at: Span, what: str = "array") -> None:
    """Require that ``at`` names n regions in scope, one for each level that is made (R-AT)."""
    text = "the expression makes {}, but `at` names {}"
    require(len(given) == n, at, "R-AT", text, many(n, what), many(len(given), "region"))
    in_scope(g, given, at)


def in_regions(g: Gamma, elem: Type, given: Sequence[Name], n: int, at: Span) -> Type:
    """Return the type of n levels of new arrays in the regions that ``at`` names."""
    makes(g, given, n, at)
    return over(elem, given)


def only(r: Name, types: Iterable[Type], at: Span, rule: str, what: str) -> None:
    """Require that values lie in one region: that of the closure that captures them."""
    for t in types:
        inside = all(x == r for x in regions_in(t))
        text = "{} of type {} is captured by a function in {}"
        require(inside, at, rule, text, what, show(t), shown(r))


def applied(t: Type, args: Sequence[Type], rule: str, what: str, where: Span) -> Type:
    """Return the type of a function's result.  A partial application captures its arguments."""
    captured: list[Type] = []
    partial: Name | None = None
    for k, u in enumerate(args, 1):
        found = split(t)
        param, t = step(t)
        same(u, param, rule, f"{what} {k}", where)
        partial = None
        if found is not None:
            captured.append(u)
            rest = split(t)
            if rest is not None and isinstance(rest[1], c.Arrow):
                partial = rest[0]
    if partial is not None:
        only(partial, captured, where, "R-PARTIAL", "an argument")
    return t


def used(e: Exp) -> frozenset[Name]:
    """Return the free regions of an expression."""
    found = set[Name]()

    def visit(x: Exp) -> Exp:
        found.update(used(x))
        return x

    def note(t: Type) -> Type:
        found.update(regions_in(t))
        return t

    local = unwrapped(e, LETREGION)
    if local is not None:
        return used(local[1]) - frozenset(local[0])
    map_parts(e, visit, note)
    return frozenset(found)
