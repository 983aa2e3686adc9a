"""Symbol tables that the facts of many program points share."""

from collections.abc import Mapping
from typing import TypeVar

from funmem.ir.names import Name

_V = TypeVar("_V")


class SymbolTable(dict[Name, _V]):
    """A table from names to values that only grows, and is shared by many program points.

    Names are unique, so an entry for a name that is bound later does no harm at earlier points.
    Only a name that is bound again, to another value, requires a copy of the table.
    """

    def with_(self, x: Name, value: _V) -> "SymbolTable[_V]":
        """Return the table with ``x`` bound to ``value``: this one, extended, or a copy."""
        known = self.get(x)
        if known is None:
            self[x] = value
        elif known is not value and known != value:
            copy = SymbolTable(self)
            copy[x] = value
            return copy
        return self


def symbol_table(m: Mapping[Name, _V]) -> SymbolTable[_V]:
    """Return the mapping itself if it is a symbol table, or else a copy that is one."""
    return m if isinstance(m, SymbolTable) else SymbolTable(m)
