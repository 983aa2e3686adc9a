"""What all records have in common: frozen, compared by their fields, cheap to define.

``@frozen`` is ``attrs.frozen`` whose comparison, hash and representation are shared functions
instead of code that attrs writes and compiles for each class.  That halves the time it takes to
define a class; with some four hundred classes it is what ``funmem check`` would mostly do.
"""

from operator import attrgetter
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from attrs import evolve, frozen  # what a type checker knows of them
else:

    def frozen(cls=None, *, eq=True):
        """A frozen class with slots; ``field(eq=False)`` and ``field(eq=key)`` are respected.

        ``eq=False``: compared and hashed by identity.  Plain loops, no comprehensions: trees are
        deep, and each would cost a frame per level.
        """
        if cls is None:
            return lambda c: frozen(c, eq=eq)

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

        own = vars(cls)
        if "__repr__" not in own:
            cls.__repr__ = represent
        if eq and "__eq__" not in own:
            cls.__eq__ = equal
            if own.get("__hash__") is None:
                cls.__hash__ = hashed
        made = attrs.frozen(cls, eq=False, repr=False)
        parts = tuple(_part(a) for a in attrs.fields(made) if a.eq)
        names = tuple(a.name for a in attrs.fields(made) if a.repr)
        made.__given__ = tuple((a.alias, a.name) for a in attrs.fields(made) if a.init)
        return made

    def evolve(record, **changes):
        """The record with other values of some fields, as ``attrs.evolve`` in half the time."""
        for given, name in record.__given__:
            if given not in changes:
                changes[given] = getattr(record, name)
        return record.__class__(**changes)

    def _part(attribute):
        """What two records must agree on in one field."""
        get, key = attrgetter(attribute.name), attribute.eq_key
        return get if key is None else lambda x: key(get(x))


__all__ = ["evolve", "frozen"]
