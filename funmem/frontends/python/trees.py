"""Trees: tuples, lists, dicts, named tuples and dataclasses of values, as arguments and results.

    flatten((x, {"a": y}))    ->    [x, y], and a structure that builds the same tree again

A structure is hashable, so it is part of a variant's key.  An instance of a dataclass is built
without ``__init__``: its fields may be symbolic.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from funmem.ir.record import frozen


@frozen
class Leaf:
    """The place of a value."""


@frozen
class Node:
    """A container: its class, the labels of its parts, and their structures."""

    kind: type
    labels: tuple[str, ...]
    parts: tuple[Structure, ...]


Structure = Leaf | Node
LEAF = Leaf()


def is_container(x: Any) -> bool:
    """True for what a tree has inside."""
    return isinstance(x, tuple | list | dict) or _is_dataclass(x)


def _is_dataclass(x: Any) -> bool:
    return hasattr(type(x), "__dataclass_fields__")


def flatten(x: Any, leaves: list[Any]) -> Structure:
    """Append the leaves of a tree, in order, and return its structure."""
    if isinstance(x, tuple | list):
        labels = getattr(x, "_fields", None) or tuple(map(str, range(len(x))))
        return Node(type(x), tuple(labels), tuple([flatten(y, leaves) for y in x]))
    if isinstance(x, dict):
        keys = tuple(x)
        return Node(type(x), keys, tuple([flatten(x[k], leaves) for k in keys]))
    if _is_dataclass(x):
        names = tuple([f.name for f in dataclasses.fields(x)])
        return Node(type(x), names, tuple([flatten(getattr(x, f), leaves) for f in names]))
    leaves.append(x)
    return LEAF


def build(structure: Structure, leaves: Iterator[Any]) -> Any:
    """Return the tree of a structure with these leaves."""
    if isinstance(structure, Leaf):
        return next(leaves)
    parts = [build(p, leaves) for p in structure.parts]
    kind = structure.kind
    if issubclass(kind, dict):
        return kind(zip(structure.labels, parts, strict=True))
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*parts)
    if issubclass(kind, tuple | list):
        return kind(parts)
    made = object.__new__(kind)
    for label, part in zip(structure.labels, parts, strict=True):
        object.__setattr__(made, label, part)
    return made


def flat(x: Any) -> tuple[list[Any], Structure]:
    """Return the leaves of a tree, and its structure."""
    leaves: list[Any] = []
    return leaves, flatten(x, leaves)


def rebuilt(structure: Structure, leaves: Sequence[Any]) -> Any:
    """Return the tree of a structure with these leaves."""
    return build(structure, iter(leaves))


def map_tree(f: Callable[[Any], Any], x: Any) -> Any:
    """Return the tree with ``f`` applied to each leaf."""
    leaves, structure = flat(x)
    return rebuilt(structure, [f(y) for y in leaves])


def paths(structure: Structure, base: str) -> Iterator[str]:
    """Yield a name for each leaf: ``b.x``, ``p[0]``."""
    if isinstance(structure, Leaf):
        yield base
        return
    indexed = issubclass(structure.kind, tuple | list) and not hasattr(structure.kind, "_fields")
    mapping = issubclass(structure.kind, dict)
    for label, part in zip(structure.labels, structure.parts, strict=True):
        if indexed:
            yield from paths(part, f"{base}[{label}]")
        elif mapping:
            yield from paths(part, f"{base}[{label!r}]")
        else:
            yield from paths(part, f"{base}.{label}")


def show(structure: Structure, leaves: Iterator[str]) -> str:
    """Return the text of a tree whose leaves are these texts."""
    if isinstance(structure, Leaf):
        return next(leaves)
    parts = [show(p, leaves) for p in structure.parts]
    kind = structure.kind
    if issubclass(kind, tuple | list) and not hasattr(kind, "_fields"):
        if issubclass(kind, list):
            return f"[{', '.join(parts)}]"
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    named = [f"{label}: {p}" for label, p in zip(structure.labels, parts, strict=True)]
    if issubclass(kind, dict):
        return f"{{{', '.join(named)}}}"
    return f"{kind.__name__}({', '.join(named)})"
