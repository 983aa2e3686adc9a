"""Objects by name, of which other packages add more: passes, front ends, targets.

funmem's own objects stand in a table, name -> ``module:attribute``.  Another package declares its
objects in its ``pyproject.toml``, as entry points of the group:

    [project.entry-points."funmem.passes"]
    my-pass = "my_package.passes:my_pass"

A module is imported when one of its objects is looked up.  Entry points are read only for names
that the table lacks.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.record import frozen

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


@frozen
class Plugins(Generic[T]):
    """The objects of a class: ``what`` is the word for one, as in ``pass`` or ``front end``."""

    group: str
    """The name of the group of entry points."""
    kind: type[T]
    what: str
    table: Mapping[str, str]
    code: str
    """The code of errors."""

    def foreign(self) -> "dict[str, EntryPoint]":
        """Return the entry points of other packages by name."""
        from importlib.metadata import entry_points  # slow to import, and rarely needed

        return {e.name: e for e in entry_points(group=self.group) if e.name not in self.table}

    def names(self) -> tuple[str, ...]:
        """Return all names, those of funmem first."""
        return (*self.table, *sorted(self.foreign()))

    def get(self, name: str) -> T | None:
        """Return the object of a name, or None.  Raises UsageError for an entry of another type."""
        if (place := self.table.get(name)) is not None:
            return self.load(name, place)
        if (entry := self.foreign().get(name)) is not None:
            return self._as_kind(name, entry.load())
        return None

    def load(self, name: str, place: str) -> T:
        """Return the object at ``module:attribute``.  Raises UsageError for another type."""
        module, _, attribute = place.partition(":")
        return self._as_kind(name, getattr(import_module(module), attribute))

    def find(self, name: str) -> T:
        """Return the object of a name.  Raises a UsageError, which lists the names, if there is
        none.
        """
        found = self.get(name)
        return self.unknown(name, self.names()) if found is None else found

    def unknown(self, name: str, names: Iterable[str]) -> T:
        """Raise the UsageError for an unknown name."""
        from difflib import get_close_matches

        names = list(names)
        near = get_close_matches(name, names, n=3)
        known = f"did you mean {' or '.join(near)}?" if near else f"there is {', '.join(names)}"
        message = f"there is no {self.what} `{name}`"
        raise UsageError(Diagnostic(NOWHERE, self.code, message, known))

    def _as_kind(self, name: str, value: object) -> T:
        if isinstance(value, self.kind):
            return value
        what, is_a = f"{self.what} `{name}`", type(value).__name__
        message = f"the entry registered as {what} is not a {self.kind.__name__} but a {is_a}"
        raise UsageError(Diagnostic(NOWHERE, self.code, message))
