"""The meanings of names: the environments of files, and the scopes inside a definition.

Values and modules share a name space, in which a later name hides an earlier one.  Types and module
types have name spaces of their own.  A :class:`Names` holds the names in scope for the declarations
of a file, or the names that the file exports.  A :class:`Scope` adds the local names of a
definition; leaving a scope restores the names that were shadowed, from a trail.
"""

from collections.abc import Iterable
from typing import TypeAlias

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.library import Stated
from funmem.frontends.futhark.typing import Scheme
from funmem.frontends.inference.types import Hidden, Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- what names stand for


@define(eq=False)
class LocalVar:
    """A variable of a definition.

    ``generic``: the type parameters of a local function, instantiated at each use.
    ``grouped``: the place of a ``group by`` after which the variable is unusable.
    """

    name: Name
    type: Type
    at: Span
    generic: tuple[Name, ...] = ()
    kinds: dict[Name, ast.ParamKind] = field(factory=dict)
    grouped: Span | None = None


@define(eq=False)
class Global:
    """A definition of a file.  ``scheme`` is None until known; ``kinds`` are those of its types."""

    name: Name
    stated: ast.ValDec | Stated
    names: "Names"
    scheme: Scheme | None = None
    kinds: dict[Name, ast.ParamKind] = field(factory=dict)
    prelude: bool = False
    lazy: bool = False
    """True if it is unused so far and is checked only if it becomes used."""
    abstract: bool = False
    """True inside a parametric module, which is checked with unknown arguments and never run."""

    @property
    def dec(self) -> ast.ValDec:
        """The tree of the definition."""
        return self.stated if isinstance(self.stated, ast.ValDec) else self.stated.dec


@frozen(eq=False)
class Builtin:
    """A member of a built-in module; module "" holds the overloaded operators."""

    module: str
    name: str


@define(eq=False)
class Viewed:
    """``own`` as seen through a module type, under the name ``name``; ``kinds`` of its types.

    The type in ``scheme`` has the ``hidden`` types where the type of ``own`` has their definitions.
    """

    name: Name
    own: "Global | Builtin | Viewed"
    scheme: Scheme
    kinds: dict[Name, ast.ParamKind]
    hidden: frozenset[Hidden]

    @property
    def base(self) -> "Global | Builtin":
        """The value at the end of the chain of views."""
        return self.own.base if isinstance(self.own, Viewed) else self.own


ValueEntry: TypeAlias = LocalVar | Global | Builtin | Viewed


@define(eq=False)
class Abbreviation:
    """``type t 'a [n] = …``: ``type`` mentions the parameters as Rigid types (and sizes).

    ``hidden``: set if a module type made it abstract; users then see this in place of ``type``.
    """

    dec: ast.TypeDec
    names: "Names"
    params: tuple[Name, ...]
    type: Type
    sized: tuple[Type, tuple[Name, ...]] | None = None
    """The type with sizes, and the sizes that it leaves open (phase 2)."""
    hidden: Hidden | None = None


@define(eq=False)
class TypeVariable:
    """``'a`` in scope."""

    name: Name
    kind: ast.ParamKind


TypeEntry: TypeAlias = Abbreviation | TypeVariable | ScalarType


@frozen(eq=False)
class BuiltinModule:
    """``i32``, …, ``bool``, ``intrinsics``."""

    name: str


VALUE, TYPE = "value", "type"
"""Kinds of names: ``value`` includes modules, and ``type`` includes module types."""


@define(eq=False)
class Names:
    """The names in scope for declarations, or exported by them: of a file, or of ``{ … }``."""

    values: dict[str, ValueEntry] = field(factory=dict)
    types: dict[str, TypeEntry] = field(factory=dict)
    modules: "dict[str, Names | BuiltinModule]" = field(factory=dict)
    parametric: "dict[str, Parametric]" = field(factory=dict)
    sigs: "dict[str, Signature]" = field(factory=dict)
    lost: set[tuple[str, str]] = field(factory=set)
    """Kind and name of each name that lost its meaning by a noted error; `*` is any name."""

    def lose(self, kind: str, name: str) -> None:
        """Mark ``name`` as having no meaning because of a noted error."""
        self.hide(name) if kind == VALUE else self.types.pop(name, None)
        self.lost.add((kind, name))

    def lacks(self, kind: str, name: str) -> bool:
        """True if ``name`` has no meaning because of a noted error."""
        return not self.lost.isdisjoint(((kind, name), (kind, "*")))

    def has(self, name: str) -> bool:
        """True if ``name`` means a value or a module."""
        return any(name in space for space in (self.values, self.modules, self.parametric))

    def hide(self, name: str) -> None:
        """Remove the value or module called ``name``."""
        for space in (self.values, self.modules, self.parametric):
            space.pop(name, None)

    def bind(self, name: str, made: "ValueEntry | Module | Parametric") -> None:
        """Bind ``name`` to a value or a module from here on."""
        self.hide(name)
        self.lost.discard((VALUE, name))
        match made:
            case Parametric():
                self.parametric[name] = made
            case Names() | BuiltinModule():
                self.modules[name] = made
            case LocalVar() | Global() | Builtin() | Viewed():
                self.values[name] = made

    def open(self, other: "Names") -> None:
        """Bring all names in ``other`` into scope."""
        for name in (*other.values, *other.modules, *other.parametric):
            self.hide(name)
        self.values.update(other.values)
        self.types.update(other.types)
        self.modules.update(other.modules)
        self.parametric.update(other.parametric)
        self.sigs.update(other.sigs)
        self.lost.update(other.lost)

    def copy(self) -> "Names":
        """Return a copy that can be extended independently."""
        names = Names()
        names.open(self)
        return names


@frozen(eq=False)
class Parametric:
    """``module m (p: s) … : sig = body``, with ``names`` in scope.

    ``body`` is None for a parameter of another parametric module, of which only ``sig`` is known.
    """

    params: tuple[ast.ModParam, ...]
    sig: ast.SigExp | None
    body: ast.ModExp | None
    names: Names


@frozen(eq=False)
class Signature:
    """A module type, with ``names`` in scope; ``predefined``: its name, if it has no ``exp``."""

    exp: ast.SigExp | None
    names: Names
    predefined: str = ""


Module: TypeAlias = Names | BuiltinModule

# ---------------------------------------------------------------------- scopes


@define(eq=False)
class Scope:
    """The names in scope at one point of a definition."""

    names: Names
    values: dict[str, ValueEntry] = field(factory=dict)
    types: dict[str, TypeEntry] = field(factory=dict)
    trail: list[tuple[str, ValueEntry | None]] = field(factory=list)
    type_trail: list[tuple[str, TypeEntry | None]] = field(factory=list)

    def mark(self) -> tuple[int, int]:
        """Return a mark for :meth:`leave`."""
        return len(self.trail), len(self.type_trail)

    def bind(self, name: str, value: ValueEntry) -> None:
        """Bind ``name`` to ``value`` from here on."""
        self.trail.append((name, self.values.get(name)))
        self.values[name] = value

    def hide(self, name: str) -> None:
        """Remove the local value called ``name``."""
        self.trail.append((name, self.values.pop(name, None)))

    def bind_type(self, name: str, entry: TypeEntry) -> None:
        """Bind the type name ``name`` to ``entry`` from here on."""
        self.type_trail.append((name, self.types.get(name)))
        self.types[name] = entry

    def leave(self, mark: tuple[int, int]) -> None:
        """Undo all bindings since ``mark``."""
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

    def value(self, name: str) -> ValueEntry | None:
        """Return the meaning of an unqualified name."""
        return self.values.get(name) or self.names.values.get(name)

    def type(self, name: str) -> TypeEntry | None:
        """Return the meaning of an unqualified type name."""
        return self.types.get(name) or self.names.types.get(name)

    def module(self, quals: Iterable[str]) -> Module | None:
        """Return the module ``m.n``, or None."""
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
    """Return a unique name for a binder called ``name``, which may be an operator."""
    if not IDENTIFIER.fullmatch(name):
        name = "op_" + "_".join(_SIGNS.get(c, f"x{ord(c):x}") for c in name)
    return fresh.reserve(Name(name))
