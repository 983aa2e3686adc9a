"""What all syntax nodes have in common: frozen, compared by their fields, cheap to define.

``@node`` is ``attrs.frozen`` whose comparison, hash and representation are shared functions
instead of code that attrs writes and compiles for each class.  That halves the time it takes to
define a class; with some eighty node classes it is what ``funmem check`` would mostly do.
"""

from operator import attrgetter
from typing import TYPE_CHECKING

from attrs import fields, frozen

if TYPE_CHECKING:
    from attrs import frozen as node  # what a type checker knows of it
else:

    def node(cls):
        """A frozen class with slots; ``field(eq=False)`` and ``field(eq=key)`` are respected."""

        def equal(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return self is other or key(self) == key(other)

        def hashed(self):
            return hash((cls.__name__, key(self)))

        def represent(self):
            shown = (f"{a.name}={getattr(self, a.name)!r}" for a in fields(type(self)) if a.repr)
            return f"{cls.__qualname__}({', '.join(shown)})"

        cls.__eq__, cls.__hash__, cls.__repr__ = equal, hashed, represent
        made = frozen(cls, eq=False, repr=False)
        key = _key(fields(made))
        return made

    def _key(attributes):
        """What two nodes of a class must agree on."""
        compared = [a for a in attributes if a.eq]
        if any(a.eq_key for a in compared):
            parts = [(attrgetter(a.name), a.eq_key or (lambda x: x)) for a in compared]
            return lambda x: tuple(part(get(x)) for get, part in parts)
        return attrgetter(*(a.name for a in compared)) if compared else lambda _: ()


__all__ = ["node"]
