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
        """A frozen class with slots; ``field(eq=False)`` and ``field(eq=key)`` are respected.

        Plain loops, no comprehensions: trees are deep, and each would cost a frame per level.
        """

        def equal(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            for part in parts:
                a, b = part(self), part(other)
                if not (a is b or a == b):
                    return False
            return True

        def hashed(self):
            values = [cls.__name__]
            for part in parts:
                values.append(part(self))
            return hash(tuple(values))

        def represent(self):
            shown = []
            for name in names:
                shown.append(f"{name}={getattr(self, name)!r}")
            return f"{cls.__qualname__}({', '.join(shown)})"

        cls.__eq__, cls.__hash__, cls.__repr__ = equal, hashed, represent
        made = frozen(cls, eq=False, repr=False)
        parts = tuple(_part(a) for a in fields(made) if a.eq)
        names = tuple(a.name for a in fields(made) if a.repr)
        return made

    def _part(attribute):
        """What two nodes must agree on in one field."""
        get, key = attrgetter(attribute.name), attribute.eq_key
        return get if key is None else lambda x: key(get(x))


__all__ = ["node"]
