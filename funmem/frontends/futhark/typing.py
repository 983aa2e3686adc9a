"""The tables that the checkers fill, keyed by nodes of the tree.

``infer`` (types), ``sizes`` (sizes) and ``consume`` (uniqueness) read a program in this order;
:mod:`elaborate` turns the tree and the tables into Core.  The tables map each binder to a *unique*
name, shared with no other binder, so later phases need no scopes.
"""

from typing import TypeAlias

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.inference.types import Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.sizes import Size

# ---------------------------------------------------------------------- what a name refers to


@frozen
class LocalRef:
    """A variable bound in the same definition; ``labels`` are the fields in ``x.a.b``.

    ``types`` and ``sizes``: the instances of the parameters of a local function's scheme.
    """

    name: Name
    labels: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    sizes: tuple[Size | None, ...] = ()


@frozen
class View:
    """A specification of a value in a module type: its name, and its type arguments at this use."""

    name: Name
    types: tuple[Type, ...]


@frozen
class RestrictedValue:
    """``val f [n] 'a : t`` at the place where a module is restricted to it.

    ``types``: its type parameters.  ``of``: the definition behind it.
    """

    types: tuple[Name, ...]
    of: Name | None
    spec: ast.ValSpec = field(eq=False)
    at: Span = field(eq=False)


@frozen
class GlobalRef:
    """An instance of a definition in the program, in a file it imports, or in the prelude.

    ``types`` and ``sizes`` are the instances of its type and size parameters (:class:`Scheme`).  A
    size is None if it is not passed, because the definition finds it in its arguments
    (``Scheme.implicit_sizes``).  ``view``: the specification through which it is used, if any.
    """

    name: Name
    types: tuple[Type, ...]
    sizes: tuple[Size | None, ...]
    labels: tuple[str, ...] = ()
    view: View | None = None


@frozen
class BuiltinRef:
    """An operator or a member of a built-in module (``f32.sqrt``, ``i64.+``, ``intrinsics.map``).

    ``module`` is "" for the overloaded operators; ``type`` is the type at this use.
    ``sizes``: as in GlobalRef, for intrinsics whose sizes inference determines.
    """

    module: str
    name: str
    type: Type
    sizes: tuple[Size | None, ...] = ()
    labels: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    """The instances of an intrinsic's type parameters, without sizes."""


Ref: TypeAlias = LocalRef | GlobalRef | BuiltinRef

# ---------------------------------------------------------------------- definitions


@frozen
class Scheme:
    """``∀ sizes, types. type``, the type of a definition.

    ``types``: the declared type parameters, then those that inference generalised over.
    ``sizes``: the declared size parameters, and one for each size ``[]`` in a parameter.
    ``implicit_sizes``: the sizes that are a whole dimension of a parameter that is an array, or of
    an array field of a parameter, but not inside a function type or a sum; the callee finds them
    there.  The other sizes are passed as leading i64 arguments, in order.
    """

    types: tuple[Name, ...]
    sizes: tuple[Name, ...]
    type: Type
    implicit_sizes: frozenset[Name] = frozenset()

    @property
    def explicit_sizes(self) -> tuple[Name, ...]:
        """The sizes that a caller passes as arguments."""
        return tuple(n for n in self.sizes if n not in self.implicit_sizes)


@frozen
class Definition:
    """A checked definition with its unique global name."""

    name: Name
    scheme: Scheme
    dec: ast.ValDec = field(eq=False)
    prelude: bool = False
    """True for definitions of the prelude."""
    abstract: bool = False
    """True inside a parametric module, which is checked with unknown arguments and never run."""


@frozen
class Computed:
    """A size that is the value of an i64 expression.

    ``args``: the instances of the parameters of abbreviations in it.
    """

    exp: ast.Exp
    args: tuple[tuple[Name, Size], ...] = ()


@frozen
class Witness:
    """A size known only at run time: dimension ``dim`` of the variable ``array``."""

    array: Name
    dim: int


Meaning: TypeAlias = Computed | Witness

Bound: TypeAlias = tuple[object, str]
"""The key of a binder that is a string in the tree: its node, and the string."""


@define
class Typing:
    """The tables.  ``types`` holds every expression and pattern, with sizes after phase 2."""

    types: dict[ast.Exp | ast.Pattern, Type] = field(factory=dict)
    refs: dict[ast.QualName, Ref] = field(factory=dict)
    """The references of ``Var.name``, ``BinOp.op`` and operator sections."""
    names: "dict[ast.PVar | Bound, Name]" = field(factory=dict)
    """The unique names of binders.  The key is a ``PVar``, or a pair ``(node, string)`` for binders
    that are strings (``LetFun.name``, ``ForLess.index``, ``LetWith.name``, ``Let.sizes``, type
    parameters, ``QGroup.key_name``, …).  A parameter without a name has no entry."""
    opened: dict[ast.LetWith, Ref] = field(factory=dict)
    """The reference of ``x`` on the right-hand side of ``let x[i] = e``."""
    initials: dict[ast.PVar, Ref] = field(factory=dict)
    """The outer variables that initialise ``loop (x, y) for …``."""
    annotations: dict[ast.TypeExp, Type] = field(factory=dict)
    """The type that a type expression denotes, with sizes."""
    abbreviations: dict[ast.TEName, ast.TypeDec] = field(factory=dict)
    """The type names that are abbreviations, with their declarations."""
    local_schemes: dict[ast.LetFun, Scheme] = field(factory=dict)
    """Local functions; the type parameters are only those used at several types."""
    single: dict[Name, Type] = field(factory=dict)
    """The single instance of each other type parameter of local functions."""
    definitions: dict[Name, Definition] = field(factory=dict)
    """The checked definitions, each after those it uses other than itself."""
    specs: dict[Name, RestrictedValue] = field(factory=dict)
    """The specifications in module types, by the names of views."""
    entries: list[Name] = field(factory=list)
    ragged: set[Name] = field(factory=set)
    """The sizes of rows that may differ in length: those of comprehensions."""
    rows: set[ast.Exp] = field(factory=set)
    """The sources of comprehensions that are such rows."""
    meanings: dict[Name, Meaning] = field(factory=dict)
    """The meaning of each name in a size that is not a variable, for arguments and annotations."""
