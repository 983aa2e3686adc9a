"""Values of sum types in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Variant:
    """A value of a sum type: the name of a constructor, and its payload.

        Variant("none")     Variant("some", 3)     match v: case Variant("some", (x,)): …

    It does not change.  Variants with equal names and payloads are equal, arrays element by
    element.
    """

    __slots__ = ("name", "payload")
    __match_args__ = ("name", "payload")
    name: str
    payload: tuple[Any, ...]

    def __init__(self, name: str, *payload: Any) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "payload", payload)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Variant does not change: `{name}` cannot be set")

    def __reduce__(self) -> tuple[type[Variant], tuple[Any, ...]]:
        return Variant, (self.name, *self.payload)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variant):
            return NotImplemented
        return self.name == other.name and _same(self.payload, other.payload)

    def __hash__(self) -> int:
        return hash((self.name, len(self.payload)))

    def __repr__(self) -> str:
        return f"Variant({', '.join(map(repr, (self.name, *self.payload)))})"


def _same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """True if two sequences have the same parts; arrays are compared element by element."""
    return len(a) == len(b) and all(map(_equal, a, b))


def _equal(x: Any, y: Any) -> bool:
    if isinstance(x, tuple | list) and isinstance(y, tuple | list):
        return _same(x, y)
    if hasattr(x, "__array__") or hasattr(y, "__array__"):
        return np.array_equal(np.asarray(x), np.asarray(y))
    return bool(x == y)
