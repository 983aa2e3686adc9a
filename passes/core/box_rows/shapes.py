"""What is known of the lengths of arrays: abstract values.

A *mark* is a number d ≥ 1, the index of the d-th enclosing map.  ``value`` are the indices that a
value depends on, ``length`` those that the lengths of the arrays in it depend on.  Two lengths with
one ``symbol`` are equal; None is a length of which nothing is known.
"""

from collections.abc import Iterable
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.core_traverse import unsized
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import ScalarType
from funmem.passes.core.box_rows.types import arrays_in

Marks: TypeAlias = frozenset[int]
Symbol: TypeAlias = "tuple[object, ...] | None"
NO: Marks = frozenset()


@frozen
class Shape:
    """An abstract value: of a scalar, its number has the symbol; of an array, its length."""

    value: Marks = NO
    length: Marks = NO
    symbol: Symbol = None
    row: "Shape | None" = None
    """The elements of an array, if something is known of them."""
    fields: "tuple[tuple[str, Shape], ...]" = ()
    """The fields of a record, if something is known of them."""
    none: bool = False
    """True of the elements of an array that has none."""

    def element(self) -> "Shape":
        """Return the elements of an array."""
        return self.row or Shape(self.value, self.length)

    def part(self, label: str) -> "Shape":
        """Return a field of a record."""
        return dict(self.fields).get(label, Shape(self.value, self.length))

    def lengths(self) -> Marks:
        """Return the indices that the length of any array in a value depends on."""
        inner = [self.row] if self.row else []
        parts = (*inner, *(s for _, s in self.fields))
        return self.length.union(*(s.lengths() for s in parts))

    def values(self) -> Marks:
        """Return the indices that anything in a value depends on."""
        inner = [self.row] if self.row else []
        parts = (*inner, *(s for _, s in self.fields))
        return (self.value | self.length).union(*(s.values() for s in parts))

    def also(self, value: Marks = NO, length: Marks = NO) -> "Shape":
        """Return the same shape, which depends on more."""
        if value <= self.value and length <= self.length:
            return self
        fields = tuple((x, s.also(value, length)) for x, s in self.fields)
        row = None if self.row is None else self.row.also(value)
        return evolve(
            self, value=self.value | value, length=self.length | length, fields=fields, row=row
        )

    def without(self, mark: int) -> "Shape":
        """Return the shape outside of a map."""
        return evolve(
            self,
            value=self.value - {mark},
            length=self.length - {mark},
            row=None if self.row is None else self.row.without(mark),
            fields=tuple((x, s.without(mark)) for x, s in self.fields),
        )


NOTHING = Shape(none=True)
"""The elements of an array without elements."""


def joined(a: Shape, b: Shape, choice: Marks = NO) -> Shape:
    """Return what holds of two values, one of which is chosen by something that depends on these
    indices.
    """
    if a.none or b.none:
        return b if a.none else a
    same = a.symbol is not None and a.symbol == b.symbol
    more = NO if same else choice
    labels = [x for x, _ in a.fields]
    fields = tuple((x, joined(a.part(x), b.part(x), choice)) for x in labels if b.fields)
    row = joined(a.element(), b.element(), choice) if a.row and b.row else None
    return Shape(
        a.value | b.value | choice,
        a.length | b.length | more,
        a.symbol if same else None,
        row,
        fields,
    )


def settled(before: Shape, after: Shape, turns: frozenset[int]) -> Shape:
    """Return what holds before and after a turn of a loop."""
    out = joined(before, after, turns)
    return _without_new_symbols(out, before)


def _without_new_symbols(s: Shape, before: Shape) -> Shape:
    row_ = None if s.row is None else _without_new_symbols(s.row, before.row or NOTHING)
    fields = tuple((x, _without_new_symbols(f, before.part(x))) for x, f in s.fields)
    symbol = s.symbol if s.symbol == before.symbol else None
    return evolve(s, symbol=symbol, row=row_, fields=fields)


def forgotten(s: Shape, call: int) -> Shape:
    """Return a shape without the symbols of numbers that a call, or one inside it, has computed."""
    row_ = None if s.row is None else forgotten(s.row, call)
    fields = tuple((x, forgotten(f, call)) for x, f in s.fields)
    return evolve(s, symbol=None if _made_in(s.symbol, call) else s.symbol, row=row_, fields=fields)


def _made_in(symbol: object, call: int) -> bool:
    match symbol:
        case ("let", _, int(made)):
            return made >= call
        case tuple():
            return any(_made_in(x, call) for x in symbol)
        case _:
            return False


def together(shapes: Iterable[Shape]) -> Shape:
    """Return a value that depends on whatever some values depend on."""
    marks = NO.union(*(s.values() for s in shapes))
    return Shape(marks, marks)


def unequal(a: Shape, b: Shape, t: Type) -> Iterable[Type]:
    """Yield the element types of arrays in two values of type t whose lengths may differ."""
    if a.none or b.none:
        return
    match t:
        case c.Array(elem, size):
            stated = size is not None and size.as_const is not None
            if not stated and (a.symbol is None or a.symbol != b.symbol):
                yield elem
            yield from unequal(a.element(), b.element(), elem)
        case c.Record(fields):
            for label, u in fields:
                yield from unequal(a.part(label), b.part(label), u)
        case c.Sum():
            yield from unknown(t)
        case c.Data() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
            return


def unknown(t: Type) -> Iterable[Type]:
    """Yield the element types of the arrays in a type whose lengths it does not state.

    The constructors of a sum share the places of their arrays, so all have to state one length.
    """
    match t:
        case c.Array(elem, size):
            if size is None:
                yield elem
            yield from unknown(elem)
        case c.Record(fields):
            for _, u in fields:
                yield from unknown(u)
        case c.Sum(constructors):
            arrays = [a for _, us in constructors for u in us for a in arrays_in(u)]
            for a in arrays:
                same = (b.size == a.size for b in arrays if unsized(b.elem) == unsized(a.elem))
                if a.size is None or not all(same):
                    yield a.elem
        case c.Data() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
            return


def varying(s: Shape, t: Type, mark: int) -> Iterable[Type]:
    """Yield the element types of the arrays in a value of type t whose lengths depend on a mark."""
    match t:
        case c.Array(elem):
            if mark in s.length:
                yield elem
            yield from varying(s.element(), elem, mark)
        case c.Record(fields):
            for label, u in fields:
                yield from varying(s.part(label), u, mark)
        case c.Sum():
            if mark in s.value | s.length:
                yield from unknown(t)
        case c.Data() | c.Arrow() | c.TypeVar() | c.Token() | ScalarType():
            return
