"""The types of an instance: no unknown is left, effects are IO or PURE, and all that is left of a
region is whether it is shared.

int u64 float bool   scalars              char        u8
str                  []u8                 (vec t)     []t; in a shared region (i64, i64)
(ptr t)              []t if t is a type of the language, else an i64, a handle
void                 the empty record     other symbols   i64, a handle
T                    a sum; a recursive one by its name
(closure (t …) -> r) t -> … -> r; with IO  token -> t -> … -> (token, r); () is a parameter if
                     there is no other; if a shared region is in its type, it takes and returns the
                     stores too
"""

from collections.abc import Mapping, Sequence

from attrs import field

from funmem.frontends.harlan.effects import happening
from funmem.frontends.harlan.elaborate.shared import Regions
from funmem.frontends.harlan.elaborate.wraps import group_type
from funmem.frontends.harlan.types import CHAR, IO, PTR_TYPE, STR, VEC_TYPE, VOID, Datatype
from funmem.frontends.harlan.typing import Scheme, Typing
from funmem.frontends.inference.types import Hidden, Meta, Opaque, Record, Type
from funmem.frontends.inference.unify import OneOf
from funmem.ir import core as c
from funmem.ir.names import IDENTIFIER, Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import I32, I64, U8, U64, ScalarType

PURE = Opaque(Hidden("pure", (), None, False), ())
REGION = Opaque(Hidden("region", (), None, False), ())
SHARED = Opaque(Hidden("shared", (), None, False), ())

REFERENCE = c.tuple_type(I64, I64)
"""The offset and the length of a vector in a shared region (stores.py)."""


@frozen(eq=False)
class Kinds:
    """The unknown effects and regions in a type; the others stand for types."""

    effects: frozenset[int]
    regions: frozenset[int]


@define(eq=False)
class Grounds:
    """Turns the types of one instance of a definition into ground ones.

    ``image``: what the quantified variables stand for; ``happens``: the other effects that are IO.
    """

    typing: Typing
    shared: Regions
    image: Mapping[int, Type]
    happens: set[int]

    def of(self, t: Type) -> Type:
        """Return the ground type."""
        t = self.typing.solver.resolve(t)
        match t:
            case Meta(k):
                return self.image.get(k) or self._default(k)
            case Opaque(hidden, args):
                declared = self.typing.declared
                if hidden in declared.by_type:
                    return Opaque(hidden, tuple(map(self.region, args)))
                if hidden in (VEC_TYPE, PTR_TYPE):
                    return Opaque(hidden, (self.of(args[0]), self.region(args[1])))
                if declared.is_closure(t):
                    *parts, effect, region = args
                    own = tuple(self.of(p) for p in parts)
                    return Opaque(hidden, (*own, self.effect(effect), self.region(region)))
                return t
            case _:
                return t

    def _default(self, k: int) -> Type:
        """Return the type of what nothing determines: int, or the first number type it may be."""
        shape = self.typing.solver.cells[k].shape
        if isinstance(shape, OneOf) and I32 not in shape.options:
            return U64 if U64 in shape.options else self.typing.declared.float
        return I32

    def region(self, t: Type) -> Type:
        """Return SHARED or REGION."""
        return SHARED if t == SHARED or self.shared.shared(t) else REGION

    def effect(self, t: Type) -> Type:
        """Return IO or PURE."""
        t = self.typing.solver.resolve(t)
        if isinstance(t, Meta):
            return self.image.get(t.id) or (IO if t.id in self.happens else PURE)
        return t


def kinds(typing: Typing, t: Type) -> Kinds:
    """Return the unknown effects and regions that occur in a type."""
    effects: set[int] = set()
    regions: set[int] = set()

    def go(t: Type) -> None:
        t = typing.solver.resolve(t)
        if not isinstance(t, Opaque):
            return
        args, declared = t.args, typing.declared
        if t.hidden in declared.functions.values():
            note(effects, args[-1])
            args = args[:-1]
        elif args:
            note(regions, args[-1])
            args = args[:-1]
            if declared.is_closure(t):
                note(effects, args[-1])
                args = args[:-1]
        for a in args:
            go(a)

    def note(into: set[int], t: Type) -> None:
        t = typing.solver.resolve(t)
        if isinstance(t, Meta):
            into.add(t.id)

    go(t)
    return Kinds(frozenset(effects), frozenset(regions))


def instance(typing: Typing, shared: Regions, scheme: Scheme, image: Mapping[int, Type]) -> Grounds:
    """Return the types of an instance in which quantified variables stand for ``image``."""
    known = kinds(typing, scheme.type)
    effects = {k: image[k] is IO or image[k] == IO for k in known.effects if k in image}
    flows = (*scheme.inner, *typing.flows)
    happens = happening(typing.solver, flows, effects)
    return Grounds(typing, shared, image, happens)


@define(eq=False)
class CoreTypes:
    """The Core types of ground types, and the datatypes that need a definition."""

    typing: Typing
    globals: Grounds
    stores: Sequence[c.Type] = ()
    """The types of elements that have a store."""
    data: dict[Name, c.DataDef] = field(factory=dict)
    names: dict[str, str] = field(factory=dict)
    """The names in Core of constructors and datatypes."""

    def of(self, t: Type) -> c.Type:
        """Return the Core type."""
        match t:
            case ScalarType():
                return t
            case Record():
                return c.UNIT
            case Opaque(hidden, args):
                if t == CHAR:
                    return U8
                if t == STR:
                    return c.Array(U8)
                if hidden is PTR_TYPE and self.is_handle(args[0]):
                    return I64
                if hidden in (VEC_TYPE, PTR_TYPE):
                    return REFERENCE if args[1] == SHARED else c.Array(self.of(args[0]))
                owner = self.typing.declared.by_type.get(hidden)
                if owner is not None:
                    return self.datatype(owner, t)
                if self.typing.declared.is_closure(t):
                    return self.closure(t)
                return I64
            case _:
                raise AssertionError(f"{t} is not ground")

    def is_handle(self, t: Type) -> bool:
        """True for a foreign type."""
        declared = self.typing.declared
        return isinstance(t, Opaque) and t.hidden in declared.foreign.values()

    def closure(self, t: Opaque) -> c.Type:
        """Return the type of a closure."""
        *params, result, effect, _ = t.args
        threads: list[c.Type] = [c.TOKEN] if effect == IO else []
        threads += self.threaded(mentions_store(t))
        given = [*threads, *(self.of(p) for p in params)]
        values = [*threads, *([self.of(result)] if has_value(result) or not threads else [])]
        return c.arrow(given or [c.UNIT], group_type(values))

    def threaded(self, stores: bool) -> list[c.Type]:
        """Return the types of the stores, if code takes them."""
        return [t for elem in self.stores for t in (c.Array(elem), I64)] if stores else []

    def with_token(self, value: c.Type) -> c.Type:
        """Return the type of a token and a value."""
        return c.TOKEN if value == c.UNIT else c.tuple_type(c.TOKEN, value)

    def identifier(self, name: str) -> str:
        """Return the name in Core of a constructor or datatype."""
        if name not in self.names:
            text = "".join(x if x.isascii() and (x.isalnum() or x == "_") else "_" for x in name)
            text = text if IDENTIFIER.fullmatch(text) else f"c{text}"
            base, k = text, 1
            while text in self.names.values():
                k += 1
                text = f"{base}_{k}"
            self.names[name] = text
        return self.names[name]

    def fields(self, t: Opaque) -> Sequence[tuple[str, tuple[Type, ...]]]:
        """Return the constructors of a ground datatype with the ground types of their fields."""
        of = self.typing.declared.of
        region = t.args[0] if t.args else REGION
        return [
            (k.name, tuple(self.globals.of(of(u, lambda: region)) for u in k.fields))
            for k in self.typing.declared.by_type[t.hidden].tree.constructors
        ]

    def datatype(self, owner: Datatype, t: Opaque) -> c.Sum | c.Data:
        """Return a datatype: a sum, or the name of one that contains itself."""
        if not self._recursive(t):
            return self._sum(t)
        kind = "shared type" if SHARED in t.args else "type"
        name = Name(self.identifier(f"{owner.name} {kind}"))
        if name not in self.data:
            self.data[name] = c.DataDef(name, (), c.Sum(()), owner.tree.at)
            self.data[name] = c.DataDef(name, (), self._sum(t), owner.tree.at)
        return c.Data(name, ())

    def _sum(self, t: Opaque) -> c.Sum:
        return c.Sum(
            tuple(
                (self.identifier(name), tuple(map(self.of, fields)))
                for name, fields in self.fields(t)
            )
        )

    def _recursive(self, whole: Opaque) -> bool:
        seen: set[Hidden] = set()

        def reaches(t: Type) -> bool:
            if not isinstance(t, Opaque):
                return False
            if t.hidden is whole.hidden:
                return True
            if t.hidden not in self.typing.declared.by_type:
                return any(map(reaches, t.args))
            if t.hidden in seen:
                return False
            seen.add(t.hidden)
            return any(reaches(u) for _, fields in self.fields(t) for u in fields)

        return any(reaches(u) for _, fields in self.fields(whole) for u in fields)


def mentions_store(t: Type) -> bool:
    """True if references, or closures over them, can be reached from values of a ground type."""
    return isinstance(t, Opaque) and any(u == SHARED or mentions_store(u) for u in t.args)


def is_scalar(t: Type) -> bool:
    """True for numbers, bools, chars and texts, whose vectors are printed in one line."""
    return isinstance(t, ScalarType) or t in (CHAR, STR)


def has_value(t: Type) -> bool:
    """True unless the type is void."""
    return t != VOID
