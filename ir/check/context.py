"""Γ, the typing context: the names in scope, with their types and, in FUNMEM, their homes.

A name is bound once in an entry point, so Γ is a table, and an inner scope is a copy of it.
"""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from attrs import field

from funmem.ir.check.rules import Report
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.fun import Ann, Binder, Function, Home, ScalarExp, Type
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size

NO_FUNCTIONS: Mapping[Name, Function] = MappingProxyType({})


@define
class Gamma:
    """Γ.  Types and homes belong to one scope, the rest to the whole entry point.

    ``seen``: where each name is bound; ``lets``: the expressions that ``let`` binds to i64 names;
    ``known``: the polynomials that these are; ``functions``: those that may be called.
    """

    types: dict[Name, Type] = field(factory=dict)
    homes: dict[Name, Home] = field(factory=dict)
    seen: dict[Name, Span] = field(factory=dict)
    known: dict[Name, Size] = field(factory=dict)
    lets: dict[Name, ScalarExp] = field(factory=dict)
    report: Report = field(factory=Report)
    functions: Mapping[Name, Function] = NO_FUNCTIONS

    def inner(self, *binders: Binder[Ann]) -> "Gamma":
        """Return Γ, p … as an inner scope: additions to it are not visible outside."""
        types, homes = dict(self.types), dict(self.homes)
        g = Gamma(types, homes, self.seen, self.known, self.lets, self.report, self.functions)
        g.add(*binders)
        return g

    def add(self, *binders: Binder[Ann]) -> None:
        """Γ, p …, from here to the end of the scope."""
        for p in binders:
            self.types[p.name] = p.type
            if p.home is not None:
                self.homes[p.name] = p.home

    def not_i64(self, sizes: Iterable[Size]) -> Name | None:
        """Return the first variable of sizes that is not an i64 variable in scope, or None."""
        types = self.types
        names = (x for d in sizes for m, _ in d.terms for x in m)
        return next((x for x in names if types.get(x) is not I64), None)

    def what(self, x: Name | None) -> str:
        """Return a name with its type, for a message."""
        return f"{x} has type {self.types[x]}" if x in self.types else f"{x} is not in scope"

    def help(self, x: Name | None, fits: Callable[[Type], bool] = lambda _: True) -> str:
        """Return a hint for a name that is not in scope; ``fits`` selects suitable types."""
        if x is None or x in self.types:
            return ""
        if x in self.seen:
            where = "" if self.seen[x] == NOWHERE else f" in line {self.seen[x].line}"
            return f"{x} is bound{where}, but that is not visible here"
        near = get_close_matches(x, [y for y, t in self.types.items() if fits(t)], n=1)
        return f"did you mean {near[0]}?" if near else ""

    def help_i64(self, x: Name | None) -> str:
        """Return a hint for a name that is not an i64 variable in scope."""
        return self.help(x, lambda t: t is I64)
