"""The results of type inference, for elaboration."""

from collections.abc import Mapping
from typing import TypeAlias

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.types import Declared
from funmem.frontends.inference.types import Type
from funmem.frontends.inference.unify import Solver
from funmem.ir.record import frozen

Flow: TypeAlias = tuple[Type, Type]
"""Two effects: where the first happens, the second does."""


@frozen(eq=False)
class Scheme:
    """The type of a definition, the metavariables that it quantifies, and how effects flow.

    ``flows`` relates the effects in ``type`` (and IO) only; ``inner`` is all that was found.
    ``captures``: types that lambdas capture and that are not known yet, each with the region of the
    lambda, in which all of it must lie.
    """

    type: Type
    generic: tuple[int, ...]
    flows: tuple[Flow, ...]
    inner: tuple[Flow, ...]
    captures: tuple[tuple[Type, Type], ...]


@frozen(eq=False)
class Instance:
    """A use of a definition; ``types`` are those of its quantified variables, in order."""

    types: tuple[Type, ...]


@frozen(eq=False)
class Typing:
    """The tables of a valid program."""

    program: ast.Program
    declared: Declared
    solver: Solver
    types: Mapping[ast.Exp, Type]
    bound: Mapping[ast.Local, Type]
    schemes: Mapping[ast.Define, Scheme]
    instances: Mapping[ast.Call, Instance]
    """Uses of definitions; those in their own component have none."""
    effects: Mapping[ast.Lambda | ast.Kernel | ast.Fold, Type]
    """The effect of the code that a function, a kernel or a fold runs."""
    flows: tuple[Flow, ...]
    """How effects flow between closures whose types are written."""
