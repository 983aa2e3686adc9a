"""Mappings from names, of which every place of a program sees one."""

from collections.abc import Mapping
from typing import TypeVar

from funmem.ir.names import Name

_V = TypeVar("_V")


class Shared(dict[Name, _V]):
    """A mapping that the facts of many places share.

    Names identify their binders, so that whoever has it is not disturbed by names that are bound
    at later places; only a name that is bound anew, to something else, makes a copy necessary.
    """

    def with_(self, x: Name, value: _V) -> "Shared[_V]":
        """The mapping, where ``x`` stands for ``value``."""
        known = self.get(x)
        if known is None:
            self[x] = value
        elif known is not value and known != value:
            copy = Shared(self)
            copy[x] = value
            return copy
        return self


def shared(m: Mapping[Name, _V]) -> Shared[_V]:
    """The mapping itself, if it is shared already, or a copy that may be."""
    return m if isinstance(m, Shared) else Shared(m)
