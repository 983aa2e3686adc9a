"""Γ: the names in scope, with types without sizes; Γ ⊢ t: well-formed types."""

from collections.abc import Mapping, MutableMapping

from attrs import field

from funmem.ir import core as c
from funmem.ir.check.rules import many, require
from funmem.ir.core import DataDef, Def, ForeignDef, Type
from funmem.ir.core_traverse import has_token, instantiate_type, unsized
from funmem.ir.core_types import is_size
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size


@define(eq=False)
class Gamma:
    """Γ: the types of local names, the type variables, the definitions and data types."""

    types: MutableMapping[Name, Type]
    tvars: frozenset[Name]
    defs: Mapping[Name, Def]
    data: Mapping[Name, DataDef]
    foreign: Mapping[Name, ForeignDef] = field(factory=dict)

    def having(self, types: Mapping[Name, Type]) -> "Gamma":
        """Γ, x : t …"""
        return Gamma({**self.types, **types}, self.tvars, self.defs, self.data, self.foreign)

    def binding(self, *binders: c.Binder) -> "Gamma":
        """Γ, p …"""
        return self.having({b.name: unsized(b.type) for b in binders})

    def sum(self, t: Type) -> c.Sum | None:
        """Return the sum type that ``t`` is or is defined as; None if it is neither."""
        if isinstance(t, c.Data):
            d = self.data[t.name]
            image = dict(zip(d.tparams, t.args, strict=True))
            found = instantiate_type(d.type, image)
            t = unsized(found)
        return t if isinstance(t, c.Sum) else None


def show(t: Type) -> str:
    """Return a type as messages show it."""
    from funmem.ir.text.print_core import show_core  # imported late: only error messages need it

    return show_core(t)


def well_formed(g: Gamma, t: Type, at: Span) -> None:
    """Γ ⊢ t: raise SourceError unless the type is well formed."""
    match t:
        case ScalarType() | c.Token():
            return
        case c.TypeVar(name):  # C-TYPE-VAR
            require(name in g.tvars, at, "C-TYPE-VAR", "type variable {} is not in scope", name)
        case c.Array(elem):
            without_tokens(elem, "an array", at)
            well_formed(g, elem, at)
        case c.Record(fields):  # C-RECORD-TYPE
            labels = [label for label, _ in fields]
            once = len(set(labels)) == len(labels)
            require(once, at, "C-RECORD-TYPE", "{} has a field twice", show(t))
            for _, u in fields:
                well_formed(g, u, at)
        case c.Sum(constructors):  # C-SUM-TYPE
            names = [name for name, _ in constructors]
            once = len(set(names)) == len(names)
            require(once, at, "C-SUM-TYPE", "{} has a constructor twice", show(t))
            require(bool(names), at, "C-SUM-TYPE", "a sum without constructors")
            for _, us in constructors:
                for u in us:
                    without_tokens(u, "a sum", at)
                    well_formed(g, u, at)
        case c.Data(name, args):  # C-DATA-TYPE
            require(name in g.data, at, "C-DATA-TYPE", "data type {} is not defined", name)
            n = len(g.data[name].tparams)
            text = "{} takes {}, but is given {}"
            require(len(args) == n, at, "C-DATA-TYPE", text, name, many(n, "argument"), len(args))
            for u in args:
                without_tokens(u, "a data type", at)
                well_formed(g, u, at)
        case c.Arrow(param, result):
            well_formed(g, param, at)
            well_formed(g, result, at)


def without_tokens(t: Type, what: str, at: Span) -> None:
    """Require that a type which is part of another one has no tokens (C-TOKEN)."""
    require(not has_token(t), at, "C-TOKEN", "{} of {} would hold tokens", what, show(t))


def _constant(g: Gamma, x: Name) -> Type | None:
    return I64 if x in g.defs and is_size(g.defs[x]) else None


def known_sizes(g: Gamma, t: Type, at: Span) -> None:
    """Require that the program can evaluate the sizes in a type (C-SIZE).

    Their names are i64 variables in scope, or definitions of type i64 without type parameters.
    """

    def size(d: Size) -> None:
        for x in sorted(d.free()):
            holds = (g.types[x] if x in g.types else _constant(g, x)) is I64
            require(holds, at, "C-SIZE", "size {}: {} is not an i64 variable in scope", d, x)

    match t:
        case c.Array(elem, d):
            if d is not None:
                size(d)
            known_sizes(g, elem, at)
        case c.Record(fields):
            for _, u in fields:
                known_sizes(g, u, at)
        case _:
            pass  # sizes inside other types are not evaluated
