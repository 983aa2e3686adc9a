"""The state that the elaboration shares: the tables, fresh names, and conversion of types."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.typing import (
    Computed,
    GlobalRef,
    LocalRef,
    Scheme,
    Typing,
    Witness,
)
from funmem.frontends.inference import types as ty
from funmem.ir import core as c
from funmem.ir.core_traverse import instantiate_type
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import Size

Wrap: TypeAlias = Callable[[c.Exp], c.Exp]
"""A binding for the rest of an expression: returns the rest with the binding around it."""

Elaborate: TypeAlias = Callable[[ast.Exp], c.Exp]
"""Translates a subexpression to Core."""


def wrapped(out: Iterable[Wrap], e: c.Exp) -> c.Exp:
    """Return ``e`` inside the bindings of ``out``, the first of which is the outermost."""
    for wrap in reversed(list(out)):
        e = wrap(e)
    return e


def let(binder: c.Binder, exp: c.Exp, at: Span) -> Wrap:
    """Return the binding ``let binder = exp in …``."""
    return lambda rest: c.Let((binder,), exp, rest, at)


def require(cond: c.Exp, message: str, values: tuple[c.Exp, ...], at: Span) -> Wrap:
    """Return the binding ``assert cond message in …``."""
    return lambda rest: c.Assert(cond, message, values, rest, at)


def i64(k: int) -> c.Const:
    """Return an i64 constant, a size or an index."""
    return c.Const(k, I64)


def not_supported(what: str, at: Span, hint: str = "") -> SourceError:
    """Return the error for a construct that Core or the elaboration does not support."""
    return SourceError(Diagnostic(at, "not-supported", f"not supported: {what}", hint))


def is_variable(name: Name) -> bool:
    """True for the name of a variable in a size; other names are sizes known only at run time."""
    return not name.startswith("?")


def core_type(t: ty.Type) -> c.Type:
    """Convert a type to Core, with the sizes that variables express."""
    match t:
        case ScalarType():
            return t
        case ty.Record(fields):
            return c.Record(tuple((label, core_type(u)) for label, u in fields))
        case ty.Sum(constructors):
            return c.Sum(tuple((n, tuple(map(core_type, us))) for n, us in constructors))
        case ty.Array(elem, size):
            named = size is not None and all(map(is_variable, size.free()))
            return c.Array(core_type(elem), size if named else None)
        case ty.Arrow(param, result):
            return c.Arrow(core_type(param), core_type(result))
        case ty.Rigid(name):
            return c.TypeVar(name)
        case ty.Meta() | ty.Opaque():
            raise TypeError("inference left a type undetermined")


def is_scalar(t: ty.Type) -> bool:
    """True for a scalar type."""
    return isinstance(t, ScalarType)


class Elaboration:
    """The tables of a checked program, and a supply of fresh names."""

    def __init__(self, typing: Typing, exp: "Callable[[Elaboration, ast.Exp], c.Exp]") -> None:
        self.typing = typing
        self._exp = exp
        self.fresh = Fresh([*typing.names.values(), *typing.definitions])
        self.remarks: list[Diagnostic] = []
        self.local_schemes: dict[Name, Scheme] = {}
        self.instances: dict[Name, dict[tuple[c.Type, ...], Name]] = {}
        self._binders = {name: binder for binder, name in typing.names.items()}

    def instance(self, name: Name, types: tuple[c.Type, ...]) -> Name:
        """Return the name of a polymorphic local function's instance at the given types."""
        found = self.instances.setdefault(name, {})
        return found.setdefault(types, self.fresh(name))

    def open_instances(
        self, variables: Iterable[Name]
    ) -> list[tuple[Name, Name, tuple[c.Type, ...]]]:
        """Remove and return the instances at types that mention ``variables``.

        ``variables`` are the type parameters of a local function, and the instances are those of
        enclosing functions; the instances of the local function itself tell the types in use.
        """
        some: dict[Name, c.Type] = dict.fromkeys(variables, I64)
        found = [
            (instance, name, types)
            for name, instances in self.instances.items()
            for types, instance in instances.items()
            if any(instantiate_type(t, some) != t for t in types)
        ]
        for _, name, types in found:
            del self.instances[name][types]
        return found

    def exp(self, e: ast.Exp) -> c.Exp:
        """Convert an expression to Core."""
        return self._exp(self, e)

    def type(self, node: ast.Exp | ast.Pattern) -> ty.Type:
        """Return the type of an expression or a pattern."""
        return self.typing.types[node]

    def core(self, node: ast.Exp | ast.Pattern) -> c.Type:
        """Return the type of an expression or a pattern, as a Core type."""
        return core_type(self.typing.types[node])

    def scalar(self, node: ast.Exp) -> ScalarType:
        """Return the type of a scalar expression."""
        t = self.typing.types[node]
        if not isinstance(t, ScalarType):
            raise TypeError(f"{node} is not a scalar but {t}")
        return t

    def name(self, node: object, text: str) -> Name:
        """Return the unique name of a binder that is a string in the tree."""
        return self.typing.names[node, text]

    def size(self, size: Size, at: Span) -> c.Exp | None:
        """Return a size as an i64 expression, or None if a name in it has no value here."""
        total: c.Exp | None = None
        for monomial, k in size.terms:
            term: c.Exp | None = i64(k) if k != 1 or not monomial else None
            for name in monomial:
                x = self._size_name(name, at)
                if x is None:
                    return None
                term = x if term is None else c.Bin(BinOp.MUL, term, x, at)
            assert term is not None
            total = term if total is None else c.Bin(BinOp.ADD, total, term, at)
        return i64(0) if total is None else total

    def is_local(self, name: Name) -> bool:
        """True if a name in a size is that of a local variable."""
        return is_variable(name) and name not in self.typing.definitions

    def _size_name(self, name: Name, at: Span) -> c.Exp | None:
        """Return a name's value: a variable, an expression from a type, or an array's length."""
        match self.typing.meanings.get(name):
            case Computed(e, args):
                made = self.exp(e)
                for parameter, size in args:
                    value = self.size(size, at)
                    if value is None:
                        return None
                    made = c.Let((c.Binder(parameter, I64),), value, made, at)
                return made
            case Witness(variable, dim):
                return c.Length(c.Var(variable), dim, at)
            case None:
                pass
        if name in self.typing.definitions:
            return c.Global(name, (), at)
        return c.Var(name, at) if is_variable(name) else None

    def updated_type(self, e: ast.LetWith) -> c.Type:
        """Return the type of x in ``let x[i] = e``, which is the type of the x it updates."""
        ref = self.typing.opened[e]
        if isinstance(ref, GlobalRef):
            return core_type(self.typing.definitions[ref.name].scheme.type)
        if not isinstance(ref, LocalRef):
            raise TypeError(f"{e.at}: an update of a built-in")
        binder = self._binders[ref.name]
        if isinstance(binder, tuple):
            outer = binder[0]
            if not isinstance(outer, ast.LetWith):
                raise TypeError(f"{e.at}: an update of a value that is not an array")
            return self.updated_type(outer)
        return core_type(self.typing.types[binder])

    def remark(self, at: Span, what: str, why: str) -> None:
        """Add a remark on the program."""
        self.remarks.append(Diagnostic(at, "comprehension", what, why, "remark"))

    def binder(self, base: str, t: c.Type) -> c.Binder:
        """Return a fresh binder."""
        return c.Binder(self.fresh(base), t)

    def atom(self, e: c.Exp, t: c.Type, out: list[Wrap], base: str = "t") -> c.Exp:
        """Return ``e`` if it is a variable or a constant, else bind it and return the variable."""
        if isinstance(e, c.Var | c.Const):
            return e
        b = self.binder(base, t)
        out.append(let(b, e, NOWHERE))
        return c.Var(b.name)
