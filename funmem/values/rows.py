"""Recursive data of callers, as rows of a table (``Table`` in ir/interface.py), and back.

    Variant("cons", 7, Variant("nil"))    ->    tag [1, 0]   column 0 [7, 0]   column 1 [1, 0]

Values may be deep: nothing here recurses into data, only into types.  A value that occurs twice has
a row for each occurrence, since links lead to later rows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from funmem.ir.diagnostics import InputError
from funmem.ir.fun import ArrayType
from funmem.ir.interface import Choice, Family, Group, Link, Many, Part, Table, Tree, Vector, count
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, ScalarType
from funmem.ir.signature import Parameter, Signature
from funmem.ir.values import ArrayValue, bind, dtype
from funmem.values.places import Place, wrong
from funmem.values.records import chosen_case, class_of, group_fields
from funmem.values.variants import Variant

_Path: TypeAlias = "tuple[_Path | None, int, int]"
"""The path to a value, the value's identity, and the length of the path."""

CHECKED = 16
"""Paths of this length, twice it, four times it, … are searched for a value that is in itself."""


def _repeats(path: _Path) -> bool:
    """True if a value is twice on a path."""
    seen = set[int]()
    at: _Path | None = path
    while at is not None:
        at, x, _ = at
        if x in seen:
            return True
        seen.add(x)
    return False


# ---------------------------------------------------------------------- to rows


class Writer:
    """The rows that some arguments lead to; ``types`` are those of the table's columns."""

    def __init__(self, table: Table, types: Sequence[Parameter]) -> None:
        self._table = table
        self._types = [p.type.elem if isinstance(p.type, ArrayType) else p.type for p in types]
        self._tags: list[int] = []
        self._columns: list[list[Any]] = [[] for _ in range(table.columns)]
        self._places: list[list[Place | None]] = [[] for _ in range(table.columns)]
        self._pools = [_Pool(t, k) for t, k in zip(table.pools, _firsts(table), strict=True)]
        self._todo = deque[tuple[int, Family, Any, Place, _Path]]()
        self._path: _Path | None = None
        """The values around the one that is taken apart."""

    def cells(self, t: Tree, x: Any, place: Place) -> list[tuple[Any, Place]]:
        """Return the parts of a value, and where they are; ``finish`` writes its rows."""
        match t:
            case Part():
                return [(x, place)]
            case Group(labels, trees):
                parts: list[tuple[Any, Place]] = []
                for label, u, y in zip(labels, trees, group_fields(t, x, place), strict=True):
                    inner = (place, f"[{label}]" if t.is_tuple else f".{label}")
                    parts += self.cells(u, y, inner)
                return parts
            case Link(family):
                row = len(self._tags)
                self._tags.append(0)
                for column in (*self._columns, *self._places):
                    column.append(None)
                path = (self._path, id(x), 1 if self._path is None else self._path[2] + 1)
                if path[2] >= CHECKED and not path[2] & (path[2] - 1) and _repeats(path):
                    raise wrong(place, "the value contains itself")
                self._todo.append((row, self._table.families[family], x, place, path))
                return [(row, place)]
            case Vector(pool):
                return [(k, place) for k in self._vector(self._pools[pool], x, place)]
            case Many(elem):
                cells = [self.cells(elem, y, (place, f"[{k}]")) for k, y in _elements(x, place)]
                if not cells:
                    return [([], place)]
                columns = zip(*cells, strict=True)
                return [([y for y, _ in column], place) for column in columns]
            case Choice():
                raise TypeError("a choice in a row")

    def finish(self) -> list[Any]:
        """Write the rows that are still to be written; return all columns.  Raises InputError.

        They are in order of breadth, as those of results are (passes/core/entry_data/outward.py).
        """
        while self._todo:
            self._row(*self._todo.popleft())
        columns: list[Any] = [np.array(self._tags, np.int64)]
        for values, places, t in zip(self._columns, self._places, self._types[1:], strict=False):
            columns.append(_column(values, t, places))
        for pool in self._pools:
            types = self._types[pool.first : pool.first + len(pool.columns)]
            for values, places, t in zip(pool.columns, pool.places, types, strict=True):
                columns.append(_column(values, t, places))
        return columns

    def _row(self, row: int, family: Family, x: Any, place: Place, path: _Path) -> None:
        k, case, payload = chosen_case(family.cases, x, place)
        self._tags[row], self._path = family.first + k, path
        cells: list[tuple[Any, Place]] = []
        for j, (u, y) in enumerate(zip(case.payload, payload, strict=True)):
            cells += self.cells(u, y, (place, f".payload[{j}]"))
        for column, (value, where) in zip(case.slots, cells, strict=True):
            self._columns[column][row], self._places[column][row] = value, where

    def _vector(self, pool: _Pool, x: Any, place: Place) -> tuple[int, int]:
        cells = [self.cells(pool.elem, y, (place, f"[{k}]")) for k, y in _elements(x, place)]
        first, pool.length = pool.length, pool.length + len(cells)
        for column, places, parts in zip(
            pool.columns, pool.places, zip(*cells, strict=True), strict=False
        ):
            column += [y for y, _ in parts]
            places += [where for _, where in parts]
        return first, len(cells)


class _Pool:
    """The elements of arrays in rows; ``first`` is the number of its first column."""

    def __init__(self, elem: Tree, columns: tuple[int, int]) -> None:
        self.elem, (self.first, count) = elem, columns
        self.columns: list[list[Any]] = [[] for _ in range(count)]
        self.places: list[list[Place | None]] = [[] for _ in range(count)]
        self.length = 0


def _firsts(table: Table) -> Iterator[tuple[int, int]]:
    """Yield the number of the first column of each pool, and how many it has."""
    first = 1 + table.columns
    for t in table.pools:
        yield first, count(t)
        first += count(t)


def _elements(x: Any, place: Place) -> Iterator[tuple[int, Any]]:
    """Return the elements of an array or sequence, numbered."""
    if isinstance(x, str | bytes):
        x = x.encode() if isinstance(x, str) else x
    elif isinstance(x, dict | Variant) or not hasattr(x, "__iter__"):
        name = type(x).__name__
        article = "an" if name[0] in "aeiou" else "a"
        raise wrong(place, f"expected an array, got {article} {name}")
    return enumerate(x)


def _column(values: list[Any], t: ScalarType, places: Sequence[Place | None]) -> Any:
    """Return the values of a column as an array; None is an unused place."""
    plain = {BOOL: bool, ScalarType.F64: float}.get(t, int if t.is_int else None)
    if plain is not None and all(v is None or type(v) is plain for v in values):
        try:
            return np.array([0 if v is None else v for v in values], dtype(t))
        except OverflowError:
            pass  # below, the place of the number that is out of range is known
    out = np.zeros(len(values), dtype(t))
    for k, (v, place) in enumerate(zip(values, places, strict=True)):
        if v is not None and place is not None:
            out[k] = _scalar(v, t, place)
    return out


def _scalar(x: Any, t: ScalarType, place: Place) -> Any:
    """Return an argument as a value of a scalar type.  Raises InputError with its place."""
    p = Parameter(Name("x"), t)
    try:
        return bind(Signature(Name("x"), (), (p,), ()), [x])[1][0]
    except InputError as error:
        message = error.diagnostic.message.partition(": ")[2] or error.diagnostic.message
        raise wrong(place, message) from None


# ---------------------------------------------------------------------- from rows


class Reader:
    """The values of the rows of a result."""

    def __init__(self, table: Table, columns: Sequence[Any]) -> None:
        arrays = [np.asarray(x.data if isinstance(x, ArrayValue) else x) for x in columns]
        cells = [x.tolist() for x in arrays[: 1 + table.columns]]
        tags, own = cells[0], cells[1:]
        self._pools = [[arrays[first + k] for k in range(n)] for first, n in _firsts(table)]
        self._trees = table.pools
        self._classes: dict[Group, Any] = {}
        self._values: list[Any] = [None] * len(tags)
        cases = [case for family in table.families for case in family.cases]
        for row in reversed(range(len(tags))):
            case = cases[tags[row]]
            parts = iter([own[k][row] for k in case.slots])
            self._values[row] = Variant(case.name, *[self.value(u, parts) for u in case.payload])

    def value(self, t: Tree, parts: Iterator[Any]) -> Any:
        """Return a value made of its next parts."""
        match t:
            case Part():
                return next(parts)
            case Group(_, trees):
                values = [self.value(u, parts) for u in trees]
                return tuple(values) if t.is_tuple else self._class(t)(*values)
            case Link():
                return self._values[int(next(parts))]
            case Vector(pool):
                first, n = int(next(parts)), int(next(parts))
                return self._elements(pool, first, n)
            case Many(elem):
                column = next(parts)
                return [self.value(elem, iter((x,))) for x in _items(column)]
            case Choice():
                raise TypeError("a choice in a row")

    def _class(self, t: Group) -> Any:
        """Return the class of the values of a record."""
        if t not in self._classes:
            self._classes[t] = class_of("record", t.labels)
        return self._classes[t]

    def _elements(self, pool: int, first: int, n: int) -> Any:
        columns, t = self._pools[pool], self._trees[pool]
        if isinstance(t, Part):
            return np.array(columns[0][first : first + n])
        rows = zip(*[x[first : first + n].tolist() for x in columns], strict=True)
        if not columns:
            return [self.value(t, iter(())) for _ in range(n)]
        return [self.value(t, iter(row)) for row in rows]


def _items(x: Any) -> Any:
    x = x.data if isinstance(x, ArrayValue) else x
    return x if isinstance(x, list) else np.asarray(x)
