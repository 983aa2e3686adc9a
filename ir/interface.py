"""Interfaces: entry points as their source language has them.

    entry main (p : {x : f32, y : f32}) : #none | #some i32

is, in FUN, an entry point with two parameters and two results.  The interface says which of them
belong together: ``p`` is a group of two parts, the result a choice with a tag and one slot.

    part      a scalar, an array of scalars, or rows of them
    group     {l : t, …}           the parts of its fields, in order; a tuple has the labels 0, 1, …
    choice    #a t … | #b t …      a tag, the number of a case, then slots, which the cases share

An array of groups is a group of arrays; an array of choices is the tuple of its parts.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from funmem.ir.names import Name
from funmem.ir.record import frozen


@frozen
class Part:
    """One parameter or result."""


@frozen
class Group:
    """A record or a tuple."""

    labels: tuple[str, ...]
    trees: "tuple[Tree, ...]"

    @property
    def is_tuple(self) -> bool:
        return self.labels == tuple(map(str, range(len(self.labels))))


@frozen
class Case:
    """A constructor: its payload, and the slot of each part of the payload."""

    name: str
    payload: "tuple[Tree, ...]"
    slots: tuple[int, ...]


@frozen
class Choice:
    """A sum; ``slots`` is their number."""

    cases: tuple[Case, ...]
    slots: int


Tree: TypeAlias = Part | Group | Choice


@frozen
class Interface:
    """The parameters of an entry point by name, and its result."""

    params: tuple[tuple[Name, Tree], ...]
    result: Tree

    @property
    def is_flat(self) -> bool:
        """True if each parameter is a part, and the result one, or a tuple of parts."""
        return all(isinstance(t, Part) for _, t in self.params) and _is_flat(self.result)


def _is_flat(t: Tree) -> bool:
    match t:
        case Part():
            return True
        case Group(_, trees):
            return t.is_tuple and len(trees) != 1 and all(isinstance(u, Part) for u in trees)
        case Choice():
            return False


def count(t: Tree) -> int:
    """Return the number of parts."""
    match t:
        case Part():
            return 1
        case Group(_, trees):
            return sum(map(count, trees))
        case Choice(_, slots):
            return 1 + slots


def array_of(t: Tree) -> Tree:
    """Return the tree of an array of elements with this tree."""
    match t:
        case Group(labels, trees) if count(t):
            # a field without parts has none in an array of records either
            return Group(labels, tuple([array_of(u) if count(u) else u for u in trees]))
        case Choice(_, slots):
            return Group(tuple(map(str, range(1 + slots))), (Part(),) * (1 + slots))
        case Part() | Group():
            return Part()


def show(t: Tree, parts: Iterator[str]) -> str:
    """Return a type as text, with these texts for the parts."""
    match t:
        case Part():
            return next(parts)
        case Group(labels, trees):
            shown = [show(u, parts) for u in trees]
            if t.is_tuple:
                return f"({', '.join(shown)}{',' if len(shown) == 1 else ''})"
            fields = zip(labels, shown, strict=True)
            return f"{{{', '.join(f'{label}: {u}' for label, u in fields)}}}"
        case Choice(cases, slots):
            next(parts)
            own = [next(parts) for _ in range(slots)]
            return " | ".join([_show_case(x, own) for x in cases])


def _show_case(x: Case, slots: Sequence[str]) -> str:
    own = iter([slots[k] for k in x.slots])
    payload = [(u, show(u, own)) for u in x.payload]
    return " ".join([f"#{x.name}", *(f"({s})" if isinstance(u, Choice) else s for u, s in payload)])
