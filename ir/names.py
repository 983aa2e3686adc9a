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
"""What a name looks like in the concrete syntax (ASCII only: no look-alikes)."""

_SUFFIX = re.compile(r"_\d+$")


def stem(name: str) -> str:
    """A name without the number that a supply gave it: what it is called in the source."""
    return _SUFFIX.sub("", name) or name


class Fresh:
    """A supply of names that are not yet in use.

    ``Fresh(used)(base)`` answers ``base_1``, ``base_2``, … ; a numeric suffix that ``base``
    already carries is dropped first, so names do not grow as passes follow one another.
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
        """Mark ``name`` as used and answer it; a taken name is replaced by a fresh one."""
        if name in self._used:
            return self(name)
        self._used.add(name)
        return name
