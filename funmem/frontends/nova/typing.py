"""The results of type inference, for elaboration."""

from collections.abc import Mapping
from typing import TypeAlias

from funmem.frontends.inference.types import Type
from funmem.frontends.inference.unify import Solver
from funmem.frontends.nova import ast
from funmem.frontends.nova.types import Constructor, Declarations
from funmem.ir.record import frozen

Key: TypeAlias = ast.Param | ast.Arm | ast.Definition
"""The binder of a local variable."""


@frozen
class LocalUse:
    """A local variable; ``types`` are those that its quantified variables stand for, in order."""

    key: Key
    types: tuple[Type, ...]


@frozen
class ConstructorUse:
    """A constructor as a function."""

    constructor: Constructor


@frozen
class BuiltInUse:
    """A built-in function with one type."""

    name: str


@frozen
class SpecialUse:
    """A built-in whose type depends on its arguments.

    ``arity``: how many arguments it takes (``map``: the function and the vectors).  ``rank``: that
    of the vectors.
    """

    name: str
    arity: int
    rank: int


@frozen
class ForeignUse:
    """A foreign function."""

    name: str


Use: TypeAlias = LocalUse | ConstructorUse | BuiltInUse | SpecialUse | ForeignUse


@frozen(eq=False)
class Typing:
    """The tables of a valid program.

    Types may contain metavariables that a definition in ``generic`` quantifies.
    """

    program: ast.Program
    declared: Declarations
    solver: Solver
    types: Mapping[ast.Exp, Type]
    uses: Mapping[ast.Var, Use]
    bound: Mapping[Key, Type]
    """The types of local variables."""
    foreign: Mapping[str, Type]
    """The types of foreign functions."""
    generic: Mapping[Key, tuple[int, ...]]
    """The metavariables that a polymorphic definition quantifies."""
