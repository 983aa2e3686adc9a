"""What names mean: the environments of files, and the scopes inside a definition.

Values and modules share a name space: the later one hides the other.  Types, and module types, live
in name spaces of their own.  A file's :class:`Names` hold what its
declarations may use and what it offers to importers.  Inside a definition a :class:`Scope` adds
local names on top; leaving a scope restores what they shadowed, from a trail.
"""

from collections.abc import Iterable
from typing import TypeAlias

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.library import Stated
from funmem.frontends.futhark.types import Hidden, Type
from funmem.frontends.futhark.typing import Scheme
from funmem.ir.diagnostics import Span
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- what names stand for


@define(eq=False)
class LocalVar:
    """A variable of a definition.

    ``generic``: the type parameters of a local function, which each use instantiates.
    ``grouped``: it was bound before a ``group by``, after which it is not to be used.
    """

    name: Name
    type: Type
    at: Span
    generic: tuple[Name, ...] = ()
    kinds: dict[Name, ast.ParamKind] = field(factory=dict)
    grouped: Span | None = None


@define(eq=False)
class Global:
    """A definition of a file.  ``scheme`` is None until it is known; ``kinds`` of its types."""

    name: Name
    stated: ast.ValDec | Stated
    names: "Names"
    scheme: Scheme | None = None
    kinds: dict[Name, ast.ParamKind] = field(factory=dict)
    prelude: bool = False
    lazy: bool = False
    """Nobody has used it yet, and it is to be checked only if somebody does."""
    abstract: bool = False
    """It stands in a parametric module that is checked for its own sake: nothing runs it."""

    @property
    def dec(self) -> ast.ValDec:
        """Its tree."""
        return self.stated if isinstance(self.stated, ast.ValDec) else self.stated.dec


@frozen(eq=False)
class Builtin:
    """A member of a built-in module; module "" holds the overloaded operators."""

    module: str
    name: str


@define(eq=False)
class Viewed:
    """``own`` as a module type shows it, by the name ``name``; ``kinds`` of its types.

    Where the type in ``scheme`` has one of the ``hidden``, own has what that is.
    """

    name: Name
    own: "Global | Builtin | Viewed"
    scheme: Scheme
    kinds: dict[Name, ast.ParamKind]
    hidden: frozenset[Hidden]

    @property
    def base(self) -> "Global | Builtin":
        """What it is a view of, directly or not."""
        return self.own.base if isinstance(self.own, Viewed) else self.own


Value: TypeAlias = LocalVar | Global | Builtin | Viewed


@define(eq=False)
class Abbreviation:
    """``type t 'a [n] = …``: ``type`` mentions the parameters as Rigid types (and sizes).

    ``hidden``: a module type has made it abstract; users see that in place of ``type``.
    """

    dec: ast.TypeDec
    names: "Names"
    params: tuple[Name, ...]
    type: Type
    sized: tuple[Type, tuple[Name, ...]] | None = None
    """The same with sizes, and those that it leaves open (phase 2)."""
    hidden: Hidden | None = None


@define(eq=False)
class TypeVariable:
    """``'a``, where it is bound."""

    name: Name
    kind: ast.ParamKind


TypeEntry: TypeAlias = Abbreviation | TypeVariable | ScalarType


@frozen(eq=False)
class BuiltinModule:
    """``i32``, …, ``bool``, ``intrinsics``."""

    name: str


VALUE, TYPE = "value", "type"
"""Kinds of names: values and modules, types and module types."""


@define(eq=False)
class Names:
    """A module, or what is in scope in one: of a file, or of ``{ … }``."""

    values: dict[str, Value] = field(factory=dict)
    types: dict[str, TypeEntry] = field(factory=dict)
    modules: "dict[str, Names | BuiltinModule]" = field(factory=dict)
    parametric: "dict[str, Parametric]" = field(factory=dict)
    sigs: "dict[str, Signature]" = field(factory=dict)
    lost: set[tuple[str, str]] = field(factory=set)
    """Kind and name of what has no meaning because of an error that was noted; `*`: of anything."""

    def lose(self, kind: str, name: str) -> None:
        """``name`` has no meaning, because of an error that was noted."""
        self.hide(name) if kind == VALUE else self.types.pop(name, None)
        self.lost.add((kind, name))

    def lacks(self, kind: str, name: str) -> bool:
        """Whether it has no meaning because of such an error."""
        return not self.lost.isdisjoint(((kind, name), (kind, "*")))

    def has(self, name: str) -> bool:
        """Whether ``name`` means a value or a module."""
        return any(name in space for space in (self.values, self.modules, self.parametric))

    def hide(self, name: str) -> None:
        """``name`` no longer means the value or module that it meant here."""
        for space in (self.values, self.modules, self.parametric):
            space.pop(name, None)

    def bind(self, name: str, made: "Value | Module | Parametric") -> None:
        """``name`` means a value or a module from here on."""
        self.hide(name)
        self.lost.discard((VALUE, name))
        match made:
            case Parametric():
                self.parametric[name] = made
            case Names() | BuiltinModule():
                self.modules[name] = made
            case _:
                self.values[name] = made

    def open(self, other: "Names") -> None:
        """Everything in ``other`` becomes visible here."""
        for name in (*other.values, *other.modules, *other.parametric):
            self.hide(name)
        self.values.update(other.values)
        self.types.update(other.types)
        self.modules.update(other.modules)
        self.parametric.update(other.parametric)
        self.sigs.update(other.sigs)
        self.lost.update(other.lost)

    def copy(self) -> "Names":
        """The same, to which more may be added."""
        names = Names()
        names.open(self)
        return names


@frozen(eq=False)
class Parametric:
    """``module m (p: s) … : sig = body``, where ``names`` are in scope.

    Without ``body`` it is the parameter of another one, of which only ``sig`` is known.
    """

    params: tuple[ast.ModParam, ...]
    sig: ast.SigExp | None
    body: ast.ModExp | None
    names: Names


@frozen(eq=False)
class Signature:
    """A module type, where ``names`` are in scope; ``predefined``: its name, if that says all."""

    exp: ast.SigExp | None
    names: Names
    predefined: str = ""


Module: TypeAlias = Names | BuiltinModule

# ---------------------------------------------------------------------- scopes


@define(eq=False)
class Scope:
    """The names in scope at one point of a definition."""

    names: Names
    values: dict[str, Value] = field(factory=dict)
    types: dict[str, TypeEntry] = field(factory=dict)
    trail: list[tuple[str, Value | None]] = field(factory=list)
    type_trail: list[tuple[str, TypeEntry | None]] = field(factory=list)

    def mark(self) -> tuple[int, int]:
        """A point to go back to."""
        return len(self.trail), len(self.type_trail)

    def bind(self, name: str, value: Value) -> None:
        """``name`` means ``value`` from here on."""
        self.trail.append((name, self.values.get(name)))
        self.values[name] = value

    def hide(self, name: str) -> None:
        """``name`` no longer means the local value that it meant."""
        self.trail.append((name, self.values.pop(name, None)))

    def bind_type(self, name: str, entry: TypeEntry) -> None:
        """The type ``name`` means ``entry`` from here on."""
        self.type_trail.append((name, self.types.get(name)))
        self.types[name] = entry

    def leave(self, mark: tuple[int, int]) -> None:
        """Forget what was bound since ``mark``."""
        while len(self.trail) > mark[0]:
            name, old = self.trail.pop()
            if old is None:
                self.values.pop(name, None)
            else:
                self.values[name] = old
        while len(self.type_trail) > mark[1]:
            name, entry = self.type_trail.pop()
            if entry is None:
                del self.types[name]
            else:
                self.types[name] = entry

    def value(self, name: str) -> Value | None:
        """What an unqualified name means."""
        return self.values.get(name) or self.names.values.get(name)

    def type(self, name: str) -> TypeEntry | None:
        """What an unqualified type name means."""
        return self.types.get(name) or self.names.types.get(name)

    def module(self, quals: Iterable[str]) -> Module | None:
        """The module ``m.n``, if there is one."""
        here: Module = self.names
        for q in quals:
            if not isinstance(here, Names):
                return None
            found = here.modules.get(q)
            if found is None:
                return None
            here = found
        return here


# ---------------------------------------------------------------------- unique names

_SIGNS = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "over",
    "%": "mod",
    "=": "eq",
    "!": "bang",
    "<": "lt",
    ">": "gt",
    "|": "bar",
    "&": "and",
    "^": "hat",
    "#": "hash",
    "$": "dollar",
    ".": "dot",
    "~": "tilde",
    "@": "at",
    "?": "what",
    ":": "colon",
}


def unique(fresh: Fresh, name: str) -> Name:
    """A name of its own for a binder called ``name``, which may be an operator."""
    if not IDENTIFIER.fullmatch(name):
        name = "op_" + "_".join(_SIGNS.get(c, f"x{ord(c):x}") for c in name)
    return fresh.reserve(Name(name))
