"""Interfaces: entry points as their source language has them.

    entry main (p : {x : f32, y : f32}) : #none | #some i32

is, in FUN, an entry point with two parameters and two results.  The interface says which of them
belong together: ``p`` is a group of two parts, the result a choice with a tag and one slot.

    part      a scalar, an array of scalars, or rows of them
    group     {l : t, …}           the parts of its fields, in order; a tuple has the labels 0, 1, …
    choice    #a t … | #b t …      a tag, the number of a case, then slots, which the cases share
    link      a sum from which recursive data can be reached: the number of a row of a table

An array of groups is a group of arrays; an array of choices is the tuple of its parts.

A :class:`Table` follows the other parts of the parameters, or of the result.  A row is a value of a
sum: its tag, and the parts of its payload in columns, which all constructors share.  A link leads
from a row to a later one.  An array in a row is an offset and a length in a pool.
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


@frozen
class Link:
    """A value that is a row of the table, of this family; ``name`` is its type."""

    family: int
    name: str


@frozen
class Vector:
    """An array in a row: its offset and length in a pool."""

    pool: int


@frozen
class Many:
    """An array whose elements have links: an array for each part of an element."""

    elem: "Tree"


Tree: TypeAlias = Part | Group | Choice | Link | Vector | Many


@frozen
class Family:
    """A sum whose values are rows; ``first`` is the tag of its first case.

    The ``slots`` of a case are columns of the table.
    """

    name: str
    first: int
    cases: tuple[Case, ...]


@frozen
class Table:
    """Rows: a column of tags, ``columns`` others, and for each pool a column for each part.

    ``pools`` are the trees of the pools' elements.
    """

    families: tuple[Family, ...]
    columns: int
    pools: tuple[Tree, ...]

    @property
    def parts(self) -> int:
        """The number of columns."""
        return 1 + self.columns + sum(map(count, self.pools))


@frozen
class Interface:
    """The parameters of an entry point by name, and its result.

    ``given`` are the rows that the parameters lead to, ``returned`` those of the result.
    """

    params: tuple[tuple[Name, Tree], ...]
    result: Tree
    given: Table | None = None
    returned: Table | None = None

    @property
    def is_flat(self) -> bool:
        """True if each parameter is a part, and the result one, or a tuple of parts."""
        tables = self.given or self.returned
        flat = all(isinstance(t, Part) for _, t in self.params) and _is_flat(self.result)
        return flat and not tables


def _is_flat(t: Tree) -> bool:
    match t:
        case Part():
            return True
        case Group(_, trees):
            return t.is_tuple and len(trees) != 1 and all(isinstance(u, Part) for u in trees)
        case Choice() | Link() | Vector() | Many():
            return False


def count(t: Tree) -> int:
    """Return the number of parts."""
    match t:
        case Part() | Link():
            return 1
        case Vector():
            return 2
        case Group(_, trees):
            return sum(map(count, trees))
        case Choice(_, slots):
            return 1 + slots
        case Many(elem):
            return count(elem)


def array_of(t: Tree) -> Tree:
    """Return the tree of an array of elements with this tree."""
    match t:
        case Group(labels, trees) if count(t):
            # a field without parts has none in an array of records either
            return Group(labels, tuple([array_of(u) if count(u) else u for u in trees]))
        case Choice(_, slots):
            return Group(tuple(map(str, range(1 + slots))), (Part(),) * (1 + slots))
        case Link() | Vector() | Many():
            return Many(t)
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
        case Link(_, name):
            next(parts)
            return name
        case Many(elem):
            own = [next(parts) for _ in range(count(elem))]
            return f"{show(elem, iter([text.partition('[')[0] for text in own]))}[]"
        case Vector():
            raise TypeError("a vector is only in a row")


def _show_case(x: Case, slots: Sequence[str]) -> str:
    own = iter([slots[k] for k in x.slots])
    payload = [(u, show(u, own)) for u in x.payload]
    return " ".join([f"#{x.name}", *(f"({s})" if isinstance(u, Choice) else s for u, s in payload)])
