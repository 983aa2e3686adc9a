"""What the checkers find out about a program, as tables keyed by nodes of the tree.

``infer`` (types), ``sizes`` (sizes) and ``consume`` (uniqueness) read a program in that order;
:mod:`elaborate` turns the tree and these tables into Core.  A name in the tree becomes a *unique*
name here: two binders never share one, so later phases need no scopes.
"""

from typing import TypeAlias

from attrs import field

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.types import Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.sizes import Size

# ---------------------------------------------------------------------- what a name refers to


@frozen
class LocalRef:
    """A variable bound in the same definition; ``labels``: ``x.a.b`` projects.

    ``types`` and ``sizes``: what the parameters of a local function's scheme stand for here.
    """

    name: Name
    labels: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    sizes: tuple[Size | None, ...] = ()


@frozen
class View:
    """A module type's specification of a value: its name, and what its type parameters are here."""

    name: Name
    types: tuple[Type, ...]


@frozen
class Spec:
    """``val f [n] 'a : t``, where a module is restricted to it; ``of``: the definition behind it.

    ``types``: the type parameters.
    """

    types: tuple[Name, ...]
    of: Name | None
    spec: ast.ValSpec = field(eq=False)
    at: Span = field(eq=False)


@frozen
class GlobalRef:
    """A definition (of the program, a file it imports, or the prelude), instantiated.

    ``types`` and ``sizes`` are what its type and size parameters (``Scheme``) stand for here; a
    size is None if no argument needs to be passed because the definition finds it in its
    arguments (see ``Scheme.implicit_sizes``).  ``view``: as what a module type shows it.
    """

    name: Name
    types: tuple[Type, ...]
    sizes: tuple[Size | None, ...]
    labels: tuple[str, ...] = ()
    view: View | None = None


@frozen
class BuiltinRef:
    """An operator or a member of a built-in module (``f32.sqrt``, ``i64.+``, ``intrinsics.map``).

    ``module`` is "" for the overloaded operators; ``type`` is its type here.
    ``sizes``: as in GlobalRef, for intrinsics whose sizes inference determines.
    """

    module: str
    name: str
    type: Type
    sizes: tuple[Size | None, ...] = ()
    labels: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    """What an intrinsic's type parameters stand for here, without sizes."""


Ref: TypeAlias = LocalRef | GlobalRef | BuiltinRef

# ---------------------------------------------------------------------- definitions


@frozen
class Scheme:
    """``∀ sizes, types. type`` of a definition.

    ``types``: declared type parameters, then those that inference generalised over.
    ``sizes``: declared size parameters (and those of sizes written ``[]`` in parameters).
    ``implicit_sizes``: those among them that stand as a whole dimension of a parameter that is an
    array, or a field of one (not inside a function type or a sum): the callee finds them there.
    The others are passed as leading i64 arguments, in order.
    """

    types: tuple[Name, ...]
    sizes: tuple[Name, ...]
    type: Type
    implicit_sizes: frozenset[Name] = frozenset()

    @property
    def explicit_sizes(self) -> tuple[Name, ...]:
        """The sizes that a caller passes."""
        return tuple(n for n in self.sizes if n not in self.implicit_sizes)


@frozen
class Definition:
    """A checked definition under its unique global name."""

    name: Name
    scheme: Scheme
    dec: ast.ValDec = field(eq=False)
    prelude: bool = False
    """Whether it comes with the language."""
    abstract: bool = False
    """It stands in a parametric module that is checked for its own sake: nothing runs it."""


@frozen
class Computed:
    """A size that is the value of an i64 expression.

    ``args``: what parameters of abbreviations stand for in it.
    """

    exp: ast.Exp
    args: tuple[tuple[Name, Size], ...] = ()


@frozen
class Witness:
    """A size that only running makes known: a variable that has it as a dimension."""

    array: Name
    dim: int


Meaning: TypeAlias = Computed | Witness

Bound: TypeAlias = tuple[object, str]
"""A binder that is a string in the tree: the node it stands in, and the string."""


@define
class Typing:
    """The tables.  ``types``: of every expression and pattern; sizes are known after phase 2."""

    types: dict[ast.Exp | ast.Pattern, Type] = field(factory=dict)
    refs: dict[ast.QualName, Ref] = field(factory=dict)
    """For ``Var.name``, ``BinOp.op``, operator sections."""
    names: "dict[ast.PVar | Bound, Name]" = field(factory=dict)
    """The unique name that a ``PVar`` binds; for binders that are strings (``LetFun.name``,
    ``ForLess.index``, ``LetWith.name``, ``Let.sizes``, type parameters, ``QGroup.key_name``, …)
    the key is the pair ``(node, string)``.  A parameter without a name has none."""
    opened: dict[ast.LetWith, Ref] = field(factory=dict)
    """What ``x`` in ``let x[i] = e`` refers to on the right-hand side."""
    initials: dict[ast.PVar, Ref] = field(factory=dict)
    """What the variables in ``loop (x, y) for …``, without initial value, refer to outside."""
    annotations: dict[ast.TypeExp, Type] = field(factory=dict)
    """The type that a type expression denotes, with its sizes."""
    abbreviations: dict[ast.TEName, ast.TypeDec] = field(factory=dict)
    """The names of types that are abbreviations, and what they abbreviate."""
    local_schemes: dict[ast.LetFun, Scheme] = field(factory=dict)
    """Local functions; their type parameters are only those that are used at several types."""
    single: dict[Name, Type] = field(factory=dict)
    """The other type parameters of local functions: the one type that each is used at."""
    definitions: dict[Name, Definition] = field(factory=dict)
    """In an order in which each comes after those it uses, but for itself."""
    specs: dict[Name, Spec] = field(factory=dict)
    """By the names of views."""
    entries: list[Name] = field(factory=list)
    meanings: dict[Name, Meaning] = field(factory=dict)
    """What a name in a size that is no variable stands for, where it is an argument or stated."""
