"""Components of homes: block, offset and strides, and when two expressions denote the same one."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from funmem.ir.arith import exp_size, expanded, is_i64, literal
from funmem.ir.fun import Ann, Atom, Bin, Binder, Const, Convert, Home, ScalarExp, Stm, Un, Var
from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.symbol_table import SymbolTable
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size
from funmem.ir.traverse import (
    atom_size,
)

Component: TypeAlias = Name | Size
"""A component of a home: its block, its offset or a stride."""


@frozen
class Scope:
    """The homes of the arrays in scope, the i64 names that ``let`` binds, and their polynomials."""

    homes: SymbolTable[Home]
    values: SymbolTable[Size]
    lets: SymbolTable[ScalarExp]

    @staticmethod
    def of(known: PointFacts) -> "Scope":
        """Return the scope at a point of a program."""
        return Scope(
            SymbolTable(known.homes), SymbolTable(known.values), SymbolTable(known.scalars)
        )

    def binding(self, binders: Iterable[Binder[Ann]]) -> "Scope":
        homes = self.homes
        for b in binders:
            if b.home is not None:
                homes = homes.with_(b.name, b.home)
        return self if homes is self.homes else evolve(self, homes=homes)

    def after(self, s: Stm[Ann]) -> "Scope":
        match s:
            case Stm((b,), (Const() | Var() | Bin() | Un() | Convert()) as e) if b.type is I64:
                lets, values = self.lets.with_(b.name, e), self.values
                if (p := exp_size(e, values)) is not None:
                    values = values.with_(b.name, p)
                same = lets is self.lets and values is self.values
                return self if same else evolve(self, lets=lets, values=values)
            case _:
                return self.binding(s.pat)

    def expand(self, part: Component) -> Component:
        """Return a component in terms of names that no ``let`` binds to a polynomial."""
        return expanded(part, self.values) if isinstance(part, Size) else part

    def bound(self, part: Component) -> Size | None:
        """Return the polynomial that ``let`` binds to a component that is a name, if any."""
        e = self.lets.get(x) if isinstance(part, Size) and (x := part.as_name) else None
        return None if e is None else literal(e)


@frozen
class Arm:
    """One way to reach a pattern: the atoms returned, and the scope at the return."""

    result: tuple[Atom, ...]
    scope: Scope

    def home(self, j: int) -> Home:
        """Return the home of the array at position ``j``."""
        a = self.result[j]
        assert isinstance(a, Var)
        return self.scope.homes[a.name]

    def has(self, part: Component, value: Component) -> bool:
        """True if ``value`` denotes the component ``part`` of the home of one of this arm's
        arrays.
        """
        if value == part:
            return True
        expand, bound = self.scope.expand, self.scope.bound
        return _is_i64(value) and (bound(value) == part or expand(value) == expand(part))


def parts_of(h: Home) -> tuple[Component, ...]:
    """Return block, offset and strides."""
    return (h.block, h.ix.offset, *h.ix.strides)


def home_of(parts: Sequence[Component], like: Home) -> Home:
    """Return the home with these components and the lengths of ``like``."""
    block, offset, *strides = parts
    assert not isinstance(block, Size)
    sizes = [s for s in (offset, *strides) if isinstance(s, Size)]
    dims = tuple(Dim(d.len, s) for d, s in zip(like.ix.dims, sizes[1:], strict=True))
    return Home(block, Lmad(sizes[0], dims))


def substituted(part: Component, pat: Sequence[Name], result: Sequence[Atom]) -> Component:
    """Return S(part), where S maps a pattern's names to the atoms returned for them."""
    image = dict(zip(pat, result, strict=True))
    if isinstance(part, Size):
        used = part.free() & image.keys()
        return part.subst({x: atom_size(image[x]) for x in used})
    a = image.get(part)
    return a.name if isinstance(a, Var) else part


def _mentions(part: Component, names: frozenset[Name]) -> bool:
    free = part.free() if isinstance(part, Size) else frozenset({part})
    return not free.isdisjoint(names)


def kept_component(
    old: Component, actual: Sequence[Component], pat: Sequence[Name], arms: Sequence[Arm]
) -> Component | None:
    """Return ``old`` if it describes the component of every arm's array."""
    images = (substituted(old, pat, arm.result) for arm in arms)
    same = all(arm.has(p, q) for arm, p, q in zip(arms, actual, images, strict=True))
    return old if same else None


def agreed_component(
    actual: Sequence[Component], arms: Sequence[Arm], hidden: frozenset[Name]
) -> Component | None:
    """Return the component that all arms share, expressed with names from outside, if there
    is one.
    """
    for value in (*actual, arms[0].scope.expand(actual[0])):
        outside = not _mentions(value, hidden)
        if outside and all(arm.has(p, value) for arm, p in zip(arms, actual, strict=True)):
            return value
    return None


def _is_i64(part: Component) -> bool:
    """True if an offset or a stride is an i64 for all values of its names."""
    return isinstance(part, Size) and is_i64(part)
