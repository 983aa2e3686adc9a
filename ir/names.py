"""Names and the supply of fresh ones.

A program binds every name once (the checker's rule ``T-FRESH``), so a name identifies its
binder and substitution needs no renaming.  A pass that makes new bindings draws their names from
a :class:`Fresh` supply that knows every name the program already uses; there is no global
counter, so running a pass twice on the same program gives the same text.
"""

import re
from collections.abc import Iterable
from typing import NewType

Name = NewType("Name", str)

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_']*")
"""An identifier of the concrete syntax; ASCII only, so that no two look alike."""

_SUFFIX = re.compile(r"_\d+$")


def stem(name: str) -> str:
    """Return a name without the number that a supply appended."""
    return _SUFFIX.sub("", name) or name


class Fresh:
    """A supply of unused names.

    ``Fresh(used)(base)`` returns ``base_1``, ``base_2``, …; a numeric suffix of ``base`` is
    dropped first, so that names do not grow from pass to pass.
    """

    def __init__(self, used: Iterable[Name]) -> None:
        self._used: set[str] = set(used)
        self._next: dict[str, int] = {}

    def __call__(self, base: str) -> Name:
        stem = _SUFFIX.sub("", base) or "x"
        k = self._next.get(stem, 1)
        while (name := f"{stem}_{k}") in self._used:
            k += 1
        self._next[stem] = k + 1
        self._used.add(name)
        return Name(name)

    def reserve(self, name: Name) -> Name:
        """Mark ``name`` as used and return it; return a fresh name if it is taken."""
        if name in self._used:
            return self(name)
        self._used.add(name)
        return name
