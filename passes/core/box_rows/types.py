"""Types with boxed vectors.

An array is *nested* if it lies in an array, or in a value of a sum or data type.  Nested arrays of
elements t are boxed vectors if t is in ``boxed``:

    [][]t   ->   []Row                            data Row = #boxed []t

A *cell* is the type of what is nested, and a *value* the type of an expression.
"""

from collections.abc import Iterable, Iterator

from funmem.ir import core as c
from funmem.ir.core import DataDef, Type
from funmem.ir.core_traverse import map_type, unsized
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import ScalarType
from funmem.passes.core.tables.families import BOXED, recursive_types


class Opened:
    """Types in which data types that are not recursive are the sums that define them."""

    def __init__(self, data: Iterable[DataDef]) -> None:
        every = list(data)
        recursive = recursive_types(every)
        self._sums = {d.name: d.type for d in every if d.name not in recursive}

    def type(self, t: Type) -> Type:
        """Return such a type."""
        if isinstance(t, c.Data) and t.name in self._sums:
            return self.type(self._sums[t.name])
        return map_type(t, self.type)

    def element(self, t: Type) -> Type:
        """Return the type of the elements of a vector, without sizes."""
        return unsized(self.type(t))


class Boxes:
    """The boxed vectors of a program, by the types of their elements; made as they are needed."""

    def __init__(self, boxed: Iterable[Type], opened: Opened, fresh: Fresh) -> None:
        self.boxed, self._opened = frozenset(boxed), opened
        self._fresh = fresh
        self._made: dict[Type, Name] = {}
        self._defs: list[DataDef] = []

    def vector(self, elem: Type) -> c.Data:
        """Return the type of boxed vectors of some elements."""
        key = unsized(elem)
        if key not in self._made:
            self._made[key] = name = self._fresh("row")
            payload = (c.Array(self.cell(key)),)
            self._defs.append(DataDef(name, (), c.Sum(((BOXED, payload),))))
        return c.Data(self._made[key])

    def definitions(self) -> tuple[DataDef, ...]:
        """Return the data types of the vectors."""
        return tuple(self._defs)

    def is_boxed(self, t: Type) -> bool:
        """True if a nested value of a type is a boxed vector."""
        return isinstance(t, c.Array) and self._opened.element(t.elem) in self.boxed

    def cell(self, t: Type) -> Type:
        """Return the type of what is nested."""
        match t:
            case c.Array(elem, size):
                return self.vector(elem) if self.is_boxed(t) else c.Array(self.cell(elem), size)
            case c.Record(fields):
                return c.Record(tuple((label, self.cell(u)) for label, u in fields))
            case c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
                return self.value(t)

    def value(self, t: Type) -> Type:
        """Return the type of an expression, a parameter or a result."""
        match t:
            case c.Array(elem, size):
                return c.Array(self.cell(elem), size)
            case c.Sum(constructors):
                cells = ((name, tuple(map(self.cell, us))) for name, us in constructors)
                return c.Sum(tuple(cells))
            case c.Record() | c.Arrow():
                return map_type(t, self.value)
            case c.Data() | c.TypeVar() | c.Token() | ScalarType():
                return t

    def data(self, d: DataDef) -> DataDef:
        """Return a data type whose values have boxed vectors."""
        new = self.value(d.type)
        assert isinstance(new, c.Sum)
        return d if new == d.type else evolve(d, type=new)


def arrays_in(t: Type) -> Iterator[c.Array]:
    """Yield the array types in a type, outer before inner; definitions of data are not entered."""
    if isinstance(t, c.Array):
        yield t
    found: list[Type] = []

    def note(u: Type) -> Type:
        found.append(u)
        return u

    map_type(t, note)
    for u in found:
        yield from arrays_in(u)


def closed(elems: Iterable[Type], data: Iterable[DataDef]) -> frozenset[Type]:
    """Return the element types of vectors, those of the vectors in their elements, and so on."""
    defs = {d.name: d for d in data}
    opened = Opened(defs.values())
    found, todo, seen = set[Type](), [opened.element(t) for t in elems], set[Name]()
    while todo:
        t = todo.pop()
        if t in found:
            continue
        found.add(t)
        todo += [unsized(a.elem) for a in arrays_in(t)]
        for name in _data_in(t):
            if name not in seen:
                seen.add(name)
                todo += [opened.element(a.elem) for a in arrays_in(defs[name].type)]
    return frozenset(found)


def _data_in(t: Type) -> Iterator[Name]:
    if isinstance(t, c.Data):
        yield t.name
    found: list[Type] = []

    def note(u: Type) -> Type:
        found.append(u)
        return u

    map_type(t, note)
    for u in found:
        yield from _data_in(u)
