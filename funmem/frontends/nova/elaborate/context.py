"""The state of elaboration at a place: names, types of this instance, and the names' meanings.

A polymorphic definition becomes one Core definition for each tuple of types that it is used at
(:class:`Polymorphic`): a closed class, ``num`` say, has its meaning at each instance.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from attrs import field

from funmem.frontends.inference.types import Array, Arrow, Meta, Opaque, Record, Rigid, Sum, Type
from funmem.frontends.nova import ast
from funmem.frontends.nova.errors import Code, failure
from funmem.frontends.nova.types import SumType, mentions
from funmem.frontends.nova.typing import Key, Typing
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.text import RESERVED

Wrap: TypeAlias = Callable[[Exp], Exp]
"""A binding or check that puts itself around the rest."""


@frozen(eq=False)
class Scope:
    """The names in scope; ``image``: the types that quantified variables stand for here."""

    names: "Mapping[Key, Name | Polymorphic]"
    image: Mapping[int, c.Type]

    def bind(self, key: Key, entry: "Name | Polymorphic") -> "Scope":
        """Return the scope with another name."""
        return Scope({**self.names, key: entry}, self.image)


@define(eq=False)
class Polymorphic:
    """A polymorphic definition, and its instances so far in the order of their first uses."""

    definition: ast.Definition
    quantified: tuple[int, ...]
    scope: Scope
    instances: dict[tuple[c.Type, ...], tuple[c.Binder, Exp]] = field(factory=dict)


@define(eq=False)
class Elaboration:
    """The state of elaborating one program; ``exp`` elaborates an expression."""

    typing: Typing
    exp: "Callable[[Elaboration, ast.Exp, Scope], Exp]"
    fresh: Fresh = field(factory=lambda: Fresh(map(Name, RESERVED)))
    known: dict[Name, Exp] = field(factory=dict)
    """The value of a let-bound name: functions and constants, for proofs that i is neutral."""
    foreign: dict[str, c.ForeignDef] = field(factory=dict)
    """The foreign functions, by the names in the program."""
    data: dict[Name, c.DataDef] = field(factory=dict)
    """Recursive sums that the program uses."""

    # ------------------------------------------------------------------ names

    def name(self, text: str) -> Name:
        """Return an unused name like one of the source."""
        return self.fresh.reserve(Name(text if IDENTIFIER.fullmatch(text) else "f"))

    def atom(self, e: Exp, t: c.Type, out: list[Wrap], base: str = "x") -> Exp:
        """Return a name or constant for a value; ``out`` gets its binding."""
        if isinstance(e, c.Var | c.Const):
            return e
        name = self.fresh(base)
        binder = c.Binder(name, t)
        self.known[name] = e
        out.append(lambda rest: c.Let((binder,), e, rest, e.at))
        return c.Var(name, e.at)

    # ------------------------------------------------------------------ types

    def type_of(self, e: ast.Exp, scope: Scope) -> c.Type:
        """Return the Core type of an expression in this instance."""
        return self.type(self.typing.types[e], scope, e.at)

    def type(self, t: Type, scope: Scope, at: Span = NOWHERE) -> c.Type:
        """Return the Core type of a type in this instance."""
        t = self.typing.solver.resolve(t)
        match t:
            case ScalarType():
                return t
            case Meta(k):
                if k not in scope.image:
                    raise failure(at, Code.AMBIGUOUS, "the type of this is not determined")
                return scope.image[k]
            case Array(elem):
                return c.Array(self.type(elem, scope, at))
            case Record(fields):
                return c.Record(tuple((label, self.type(u, scope, at)) for label, u in fields))
            case Arrow(param, result):
                return c.Arrow(self.type(param, scope, at), self.type(result, scope, at))
            case Opaque(hidden, args):
                given = tuple(self.type(a, scope, at) for a in args)
                owner = self.typing.declared.by_type.get(hidden)
                if owner is not None:
                    return self.sum_type(owner, given)
                (inner,) = given
                for _ in range(self.typing.declared.rank(t)):
                    inner = c.Array(inner)
                return inner
            case Rigid() | Sum():
                raise AssertionError(f"{t} is no type of an expression")

    def sum_type(self, owner: SumType, args: tuple[c.Type, ...]) -> c.Sum | c.Data:
        """Return a sum at these arguments; a recursive one by its name."""
        name = Name(owner.name)
        if not self._recursive(owner):
            return c.Sum(self._constructors(owner, dict(zip(owner.params, args, strict=True))))
        if name not in self.data:
            variables = {p: c.TypeVar(Name(p[1:])) for p in owner.params}
            tparams = tuple(v.name for v in variables.values())
            self.data[name] = c.DataDef(name, tparams, c.Sum(()), owner.at)
            own = c.Sum(self._constructors(owner, variables))
            self.data[name] = c.DataDef(name, tparams, own, owner.at)
        return c.Data(name, args)

    def _constructors(
        self, owner: SumType, image: Mapping[Name, c.Type]
    ) -> tuple[tuple[str, tuple[c.Type, ...]], ...]:
        table = self.typing.declared.constructors
        return tuple(
            (k.name, (self._payload(k.payload, image),)) for k in table.values() if k.sum is owner
        )

    def _payload(self, t: Type, image: Mapping[Name, c.Type]) -> c.Type:
        """Return a type over a sum's parameters, at their images."""
        match t:
            case Rigid(name):
                return image[name]
            case ScalarType():
                return t
            case Array(elem):
                return c.Array(self._payload(elem, image))
            case Record(fields):
                return c.Record(tuple((label, self._payload(u, image)) for label, u in fields))
            case Opaque(hidden, args):
                given = tuple(self._payload(a, image) for a in args)
                owner = self.typing.declared.by_type.get(hidden)
                if owner is not None:
                    return self.sum_type(owner, given)
                (inner,) = given
                for _ in range(self.typing.declared.rank(t)):
                    inner = c.Array(inner)
                return inner
            case Arrow() | Meta() | Sum():
                raise AssertionError(f"{t} is no type of a payload")

    def _recursive(self, owner: SumType) -> bool:
        """True if a value of a sum may contain another one of it."""
        declared = self.typing.declared
        todo, seen = [owner], {owner}
        while todo:
            current = todo.pop()
            for k in declared.constructors.values():
                if k.sum is not current:
                    continue
                for other in declared.sums.values():
                    if mentions(k.payload, other.hidden):
                        if other is owner:
                            return True
                        if other not in seen:
                            seen.add(other)
                            todo.append(other)
        return False


@frozen(eq=False)
class Call:
    """A built-in with all its arguments, which are names, constants or lambdas."""

    ctx: Elaboration
    name: str
    args: Sequence[Exp]
    params: Sequence[c.Type]
    """The types of the arguments."""
    result: c.Type
    at: Span


def wrapped(out: Iterable[Wrap], e: Exp) -> Exp:
    """Return ``e`` inside of its bindings and checks."""
    for wrap in reversed(list(out)):
        e = wrap(e)
    return e


def require(cond: Exp, message: str, values: tuple[Exp, ...], at: Span) -> Wrap:
    """Return the check that traps with a message unless ``cond`` holds."""
    return lambda rest: c.Assert(cond, message, values, rest, at)


def applied(fn: Exp, args: tuple[Exp, ...], at: Span) -> Exp:
    """Return an application; of an application, of its function to all arguments."""
    if isinstance(fn, c.App):
        return c.App(fn.fn, (*fn.args, *args), at)
    return c.App(fn, args, at)
