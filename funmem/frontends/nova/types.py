"""The types of a NOVA program: what the ``types`` section defines, and their texts in messages.

int …, unit, (t, …), t -> t      those of :mod:`funmem.frontends.inference.types`
vector t, vector#1 t             Array
vector#n t, n > 1                a nominal type with one argument
(T t …), T a sum                 a nominal type; another name of a type is expanded
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import field

from funmem.frontends.inference.type_parts import children, substitute
from funmem.frontends.inference.types import (
    UNIT,
    Array,
    Arrow,
    Hidden,
    Meta,
    Opaque,
    Record,
    Rigid,
    Sum,
    Type,
    tuple_type,
)
from funmem.frontends.inference.unify import Because, Functional, Solver, describe
from funmem.frontends.nova import ast
from funmem.frontends.nova.errors import Code, fail
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, F32, F64, I8, I16, I32, ScalarType

NUM = frozenset([I8, I16, I32, F32, F64])
INT = frozenset([I8, I16, I32])
FLOAT = frozenset([F32, F64])
"""The closed classes; ``eq`` is a demand of its own."""

UNKNOWN = "not known"
"""The text of a type of which nothing is known."""

Variables: TypeAlias = Callable[[ast.TypeVar], Type]
"""The meaning of ``'a`` where a type is written."""


@frozen(eq=False)
class SumType:
    """A sum of the ``types`` section; payloads are types over ``params``."""

    hidden: Hidden
    params: tuple[Name, ...]
    at: Span

    @property
    def name(self) -> str:
        return self.hidden.text


@frozen
class Constructor:
    """A constructor and the sum that it belongs to."""

    name: str
    sum: SumType
    payload: Type


@define(eq=False)
class Declarations:
    """The named types of a program."""

    solver: Solver
    definitions: dict[str, ast.TypeDefinition] = field(factory=dict)
    sums: dict[str, SumType] = field(factory=dict)
    by_type: dict[Hidden, SumType] = field(factory=dict)
    constructors: dict[str, Constructor] = field(factory=dict)
    aliases: dict[str, Type] = field(factory=dict)
    ranks: dict[int, Hidden] = field(factory=dict)
    open: list[str] = field(factory=list)
    """The aliases that are being expanded."""

    def define(self, types: Sequence[ast.TypeDefinition]) -> None:
        """Enter a ``types`` section."""
        for d in types:
            if d.name in self.definitions:
                fail(d.at, Code.NAME, f"the type `{d.name}` is defined twice")
            self.definitions[d.name] = d
            if isinstance(d.body, tuple):
                params = tuple(map(Name, d.params))
                hidden = Hidden(d.name, params, None, False, comparable=True)
                self.sums[d.name] = made = SumType(hidden, params, d.at)
                self.by_type[hidden] = made
        for d in types:
            if isinstance(d.body, tuple):
                self._constructors(d, d.body, self.sums[d.name])
            else:
                self._alias(d.name)

    def _constructors(
        self, d: ast.TypeDefinition, body: tuple[ast.Constructor, ...], owner: SumType
    ) -> None:
        for k in body:
            if k.name in self.constructors:
                other = self.constructors[k.name].sum.name
                fail(k.at, Code.NAME, f"`{k.name}` is already a constructor of `{other}`")
            payload = self.of(k.payload, _parameters(d))
            self.simple(k.at, payload, f"what `{k.name}` holds")
            self.constructors[k.name] = Constructor(k.name, owner, payload)

    def _alias(self, name: str) -> Type:
        d = self.definitions[name]
        if name in self.open:
            fail(d.at, Code.TYPE, f"the type `{name}` is defined by itself", "a sum may be")
        if name not in self.aliases:
            assert not isinstance(d.body, tuple)
            self.open.append(name)
            self.aliases[name] = self.of(d.body, _parameters(d))
            self.open.pop()
        return self.aliases[name]

    def of(self, t: ast.Type, variables: Variables) -> Type:
        """Return the type that is written.  Raises SourceError."""
        match t:
            case ast.Basic(basic):
                return basic
            case ast.Unit():
                return UNIT
            case ast.TypeVar():
                return variables(t)
            case ast.Named():
                return self._named(t, variables)
            case ast.Vector(elem, rank, at):
                inner = self.of(elem, variables)
                self.simple(at, inner, "a vector's element")
                return self.vector(inner, rank or 1)
            case ast.Tuple(elems, at):
                parts = [self.of(e, variables) for e in elems]
                for part in parts:
                    self.simple(at, part, "a tuple's element")
                return tuple_type(*parts)
            case ast.Function(param, result):
                return Arrow(self.of(param, variables), self.of(result, variables))

    def _named(self, t: ast.Named, variables: Variables) -> Type:
        d = self.definitions.get(t.name)
        if d is None:
            known = ", ".join(f"`{n}`" for n in self.definitions)
            hint = (
                f"the `types` section defines {known}" if known else "there is no `types` section"
            )
            fail(t.at, Code.NAME, f"there is no type `{t.name}`", hint)
        if len(t.args) != len(d.params):
            count = len(d.params)
            wanted = "no type" if not count else "1 type" if count == 1 else f"{count} types"
            hint = f"`({' '.join([t.name, *d.params])})`" if count else f"`{t.name}`"
            fail(t.at, Code.TYPE, f"`{t.name}` takes {wanted}, not {len(t.args)}", hint)
        args = tuple(self.of(a, variables) for a in t.args)
        for a in args:
            self.simple(t.at, a, f"an argument of `{t.name}`")
        if t.name in self.sums:
            return Opaque(self.sums[t.name].hidden, args)
        return substitute(self._alias(t.name), dict(zip(map(Name, d.params), args, strict=True)))

    def vector(self, elem: Type, rank: int = 1) -> Type:
        """Return ``vector#rank elem``."""
        if rank == 1:
            return Array(elem)
        if rank not in self.ranks:
            params = (Name("'a"),)
            self.ranks[rank] = Hidden(f"vector#{rank}", params, None, False, comparable=True)
        return Opaque(self.ranks[rank], (elem,))

    def rank(self, t: Type) -> int:
        """Return the rank of a vector type; 0 if it is none, or not known to be one."""
        match self.solver.resolve(t):
            case Array():
                return 1
            case Opaque(hidden) if hidden not in self.by_type:
                return next(n for n, h in self.ranks.items() if h is hidden)
            case _:
                return 0

    def simple(self, at: Span, t: Type, what: str) -> None:
        """Require that a type contains no function (``nova-simple``)."""
        try:
            self.solver.demand_order0(t, Because(what, at))
        except Functional:
            message = f"{what} must not be or contain a function: it is {self.text(t)}"
            fail(at, Code.SIMPLE, message, "functions may be bound, passed and returned")

    def equality(self, at: Span, t: Type, what: str) -> None:
        """Require that values of a type can be compared."""
        self.solver.demand_equal(t, Because(what, at))

    def text(self, t: Type) -> str:
        """Return a type as messages show it."""
        t = self.solver.zonk(t)
        if isinstance(t, Meta):
            shape = self.solver.cells[t.id].shape
            return UNKNOWN if shape is None else describe(shape)
        return show(t)


def _parameters(d: ast.TypeDefinition) -> Variables:
    def find(v: ast.TypeVar) -> Type:
        if v.name not in d.params:
            hint = f"`({d.name} {v.name} : …)` declares it"
            fail(v.at, Code.NAME, f"`{v.name}` is no parameter of `{d.name}`", hint)
        return Rigid(Name(v.name))

    return find


_BASIC: dict[ScalarType, str] = {
    I32: "int",
    I16: "int16",
    I8: "int8",
    F32: "float",
    F64: "double",
    BOOL: "bool",
}


def show(t: Type, tight: bool = False) -> str:
    """Return ``t`` as it is written; ``tight``: in parentheses unless it is an atom."""
    match t:
        case ScalarType():
            return _BASIC[t]
        case Rigid(name):
            return name
        case Meta():
            return "_"
        case Array(elem):
            return f"vector {show(elem, tight=True)}"
        case Opaque(hidden, args):
            text = " ".join([hidden.text, *(show(a, tight=True) for a in args)])
            return f"({text})" if args and not hidden.text.startswith("vector#") else text
        case Record(fields):
            return "(" + ", ".join(show(f) for _, f in fields) + ")" if fields else "unit"
        case Arrow(param, result):
            text = f"{show(param, tight=True)} -> {show(result)}"
            return f"({text})" if tight else text
        case Sum():
            raise AssertionError("NOVA's sums are nominal")


def mentions(t: Type, hidden: Hidden) -> bool:
    """True if a nominal type occurs in ``t``."""
    return (isinstance(t, Opaque) and t.hidden is hidden) or any(
        mentions(part, hidden) for part in children(t)
    )
