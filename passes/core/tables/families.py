"""The tables of each recursive data type: a family of columns.

    data List = #nil | #cons (i64, List)          columns  i64, i32
    data Tree = #leaf i64 | #node Tree Tree       columns  tag i8, i64, i32, i32

A record is a row of the columns, and a value of the type is a link: the number of its row, an i32.
A constructor without a payload has no row: the first one is -1, the second -2, ….  If more than one
constructor has a payload, the first column is the tag, the position of the constructor among them.
The payload of a constructor is taken apart into leaves (scalars, links, sums), and constructors
share columns of equal types.  A type is recursive if it occurs in its own definition, directly or
through other types.

A boxed vector (vectors.py) has one column, of its elements, and its value is {offset, length}.
"""

from collections.abc import Iterator, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import DataDef, Exp, Type
from funmem.ir.core_traverse import has_token, map_type, unsized
from funmem.ir.core_types import tag_type
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I32, I64, ScalarType, normalise

LINK = I32
"""The type of a link."""

BOXED = "boxed"
"""The constructor of boxed vectors."""

VECTOR = c.Record((("offset", I64), ("length", I64)))
"""The type of a vector after the pass."""


def element_type(d: DataDef) -> Type | None:
    """Return the type of the elements of a boxed vector; None for another data type."""
    match d.type.constructors:
        case ((name, (c.Array(elem),)),) if name == BOXED:
            return elem
        case _:
            return None


@frozen
class Row:
    """A constructor with a payload: its tag, and the column of each leaf of its payload."""

    tag: int
    columns: tuple[int, ...]


@frozen
class Family:
    """The tables of one type.

    ``columns`` are the types of the elements, and ``origins`` what they were before the pass: a
    column of links holds links to one type.  ``rows`` are the constructors with a payload, and
    ``links`` the links that the others are.
    """

    data: DataDef
    tagged: bool
    columns: tuple[Type, ...]
    origins: tuple[Type, ...]
    rows: Mapping[str, Row]
    links: Mapping[str, int]

    @property
    def tag(self) -> ScalarType:
        """The type of the tag column."""
        found = self.columns[0]
        assert isinstance(found, ScalarType)
        return found


class Families:
    """The recursive data types of a program, and types in which their values are links."""

    def __init__(self, data: Sequence[DataDef]) -> None:
        self._data = {d.name: d for d in data}
        self.vectors = frozenset(d.name for d in data if element_type(d) is not None)
        """The boxed vectors (vectors.py)."""
        self.names = recursive_types(data) | self.vectors
        """The recursive types and the boxed vectors: the types that have tables."""
        self.of = {d.name: self._family(d) for d in data if d.name in self.names}
        """The tables of each of these types."""

    def inside(self, t: Type) -> frozenset[Name]:
        """Return the recursive types whose values a value of a type can contain or lead to."""
        return frozenset(reached(t, self._data) & self.names)

    def type(self, t: Type) -> Type:
        """Return a type in which recursive data are links."""
        if isinstance(t, c.Data) and t.name in self.names:
            return VECTOR if t.name in self.vectors else LINK
        return map_type(t, self.type)

    def data(self, name: Name) -> DataDef:
        """Return the definition of a data type."""
        return self._data[name]

    def sum(self, t: Type) -> c.Sum:
        """Return the sum that a type is, or that a data type is defined as."""
        found = self._data[t.name].type if isinstance(t, c.Data) else t
        assert isinstance(found, c.Sum)
        return found

    def others(self) -> tuple[DataDef, ...]:
        """Return the data types that are not recursive."""
        out: list[DataDef] = []
        for d in self._data.values():
            if d.name not in self.names:
                t = self.type(d.type)
                assert isinstance(t, c.Sum)
                out.append(DataDef(d.name, d.tparams, t, d.at))
        return tuple(out)

    def _family(self, d: DataDef) -> Family:
        elem = element_type(d)
        if elem is not None:
            column = unsized(self.type(elem))
            if self.has_array(column):
                raise _unsupported(d.at, "an array inside the elements of a boxed vector")
            return Family(d, False, (column,), (unsized(elem),), {BOXED: Row(0, (0,))}, {})
        leaves = {
            name: [x for t in payload for x in self.leaves(t, d.at)]
            for name, payload in d.type.constructors
        }
        boxed = [name for name, found in leaves.items() if found]
        tagged = len(boxed) > 1
        tags = c.Sum(tuple((name, ()) for name in boxed))
        types: list[tuple[Type, Type]] = [(tag_type(tags), tag_type(tags))] if tagged else []
        first = len(types)
        rows: dict[str, Row] = {}
        for k, name in enumerate(boxed):
            taken: list[int] = []
            for t in leaves[name]:
                free = (j for j, u in enumerate(types) if j >= first and j not in taken and u == t)
                j = next(free, len(types))
                if j == len(types):
                    types.append(t)
                taken.append(j)
            rows[name] = Row(k, tuple(taken))
        single = [name for name, found in leaves.items() if not found]
        columns, origins = tuple(new for new, _ in types), tuple(old for _, old in types)
        links = {x: -1 - k for k, x in enumerate(single)}
        return Family(d, tagged, columns, origins, rows, links)

    def leaves(self, t: Type, at: Span) -> Iterator[tuple[Type, Type]]:
        """Yield the types of the leaves of a payload, and what they were before the pass.

        Leaves without links are what they are, so that they can share columns.
        """
        old = unsized(t)
        new = unsized(self.type(t))
        if isinstance(old, c.Record):
            for _, u in old.fields:
                yield from self.leaves(u, at)
        elif isinstance(old, c.Data) and old.name in self.vectors:
            yield from ((u, u) for _, u in VECTOR.fields)
        else:
            if self.has_array(new):
                raise _unsupported(at, "an array inside recursive data")
            if has_token(new):
                raise _unsupported(at, "a token inside recursive data")
            yield new, old if self.inside(old) else new

    def has_array(self, t: Type) -> bool:
        """True if a value of a type, whose recursive data are links, contains an array."""
        match t:
            case c.Array():
                return True
            case c.Record(fields):
                return any(self.has_array(u) for _, u in fields)
            case c.Sum(constructors):
                return any(self.has_array(u) for _, us in constructors for u in us)
            case c.Data(name):
                return self.has_array(self.type(self._data[name].type))
            case ScalarType() | c.Arrow() | c.TypeVar() | c.Token():
                return False

    def blank(self, t: Type) -> Exp:
        """Return the value that fills a place of a type that nothing uses."""
        match t:
            case ScalarType():
                return c.Const(normalise(0, t), t)
            case c.Record(fields):
                return c.Fields(tuple((label, self.blank(u)) for label, u in fields))
            case c.Sum() | c.Data():
                name, payload = self.sum(t).constructors[0]
                return c.Construct(name, tuple(self.blank(self.type(u)) for u in payload), t)
            case c.Array(elem):
                return c.Replicate(c.Const(0, I64), self.blank(elem))
            case c.Arrow() | c.TypeVar() | c.Token():
                raise TypeError(f"a value of type {t}")


def reached(t: Type, data: Mapping[Name, DataDef]) -> set[Name]:
    """Return the data types that occur in a type, directly or in the definition of another."""
    found, todo = set[Name](), [t]
    while todo:
        for x in mentioned(todo.pop()):
            if x not in found:
                found.add(x)
                todo.append(data[x].type)
    return found


def recursive_types(data: Sequence[DataDef]) -> frozenset[Name]:
    """Return the data types that occur in their own definitions."""
    defs = {d.name: d for d in data}
    return frozenset(d.name for d in data if d.name in reached(d.type, defs))


def mentioned(t: Type) -> Iterator[Name]:
    """Yield the data types that occur in a type."""
    found: list[Name] = []

    def look(u: Type) -> Type:
        if isinstance(u, c.Data):
            found.append(u.name)
        return map_type(u, look)

    look(t)
    yield from found


def _unsupported(at: Span, what: str) -> SourceError:
    return SourceError(Diagnostic(at, "not-supported", f"not supported: {what}"))
