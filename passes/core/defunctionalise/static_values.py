"""Static values: the values of function-valued expressions at compile time."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.record import frozen


@frozen
class Dyn:
    """A value at run time: a variable or a constant, and its type."""

    atom: c.Var | c.Const
    type: Type


@frozen
class Closure:
    """A lambda that still takes ``params``, and the environment of its free names."""

    params: tuple[c.Binder, ...]
    body: Exp
    env: "Env"
    at: Span
    inside: tuple[Name, ...] = ()
    """The definitions whose bodies contain it, to notice inlining that never ends."""


@frozen
class Defined:
    """A first-order definition, applied to fewer arguments than it takes."""

    definition: Def
    params: tuple[Type, ...]
    args: tuple[Dyn, ...]


@frozen
class Rec:
    """A record that contains functions."""

    fields: "tuple[tuple[str, Static], ...]"


Static: TypeAlias = Dyn | Closure | Defined | Rec


Table: TypeAlias = "dict[Name, tuple[Static, Type]]"
"""The static value of each name, and its type in the old program."""


class Env(Mapping[Name, Type]):
    """The names of the old program that are in scope; as a mapping, their types.

    A chain of small tables, so that extending an environment is cheap.
    """

    __slots__ = ("_parent", "_table")

    def __init__(self, table: Table, parent: "Env | None" = None) -> None:
        self._table = table
        self._parent = parent

    def static(self, name: Name) -> Static:
        """Return the static value of a name."""
        return self._find(name)[0]

    def _find(self, name: Name) -> tuple[Static, Type]:
        env: Env | None = self
        while env is not None:
            if (found := env._table.get(name)) is not None:
                return found
            env = env._parent
        raise KeyError(name)

    def __getitem__(self, name: Name) -> Type:
        return self._find(name)[1]

    def __iter__(self) -> Iterator[Name]:
        env: Env | None = self
        while env is not None:
            yield from env._table
            env = env._parent

    def __len__(self) -> int:
        return len(set(self))
