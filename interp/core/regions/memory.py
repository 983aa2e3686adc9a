"""The memory of Core/r: regions of growing tables, whose contents are poison after their end.

    Region          a table for each type of what lies in it; it lives on the host and the device
    Table           rows of one type; a full one is copied to one of twice the size
    Cell            an array, a payload or a closure in a table
    StoredRows      an array of Core whose elements are read from its cell
    StoredTagged    a value of a data type whose payload is

A region moves between host and device as a whole, up to what it uses, when somebody reads it there:
the outermost array operation that applies a function is the kernel.
"""

from collections.abc import Iterable
from typing import Self, TypeAlias

from attrs import field

from funmem.interp.core.values import Closure, Rows, Tagged, Val
from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.diagnostics import NOWHERE, FaultKind, MemoryFault, Span
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType

FIRST = 8
"""The rows for which a new table has room."""

POINTER, LINK, TAG = 8, 4, 1
"""Bytes of an array or a function (two i32), of a value of a data type that lies in a region (an
i32), and of the tag of a sum.
"""

Content: TypeAlias = "tuple[Val, ...] | None"
"""The values of a cell; None is poison."""


@define(eq=False)
class Table:
    """Rows of one type: ``width`` bytes each."""

    width: int
    cells: list[Content] = field(factory=list)
    used: int = 0
    room: int = 0


@define(eq=False)
class Memory:
    """All regions of a run, and what they took."""

    count: int = 0
    live: int = 0
    """Bytes in use now."""
    peak: int = 0
    reserved: int = 0
    """Bytes of the tables, which have room for more rows."""
    reserved_peak: int = 0
    allocated: int = 0
    grown: int = 0
    """Bytes that tables copied to grow."""
    moved: int = 0
    """Bytes that moved between host and device."""
    transfers: int = 0
    regions_peak: int = 0
    alive: int = 0
    kernels: int = 0
    """The number of kernels around the current expression."""

    def begin(self, name: Name) -> "Region":
        """Begin a region; ``name`` is that of the program."""
        self.count += 1
        self.alive += 1
        self.regions_peak = max(self.regions_peak, self.alive)
        return Region(self, name, self.count)


@define(eq=False)
class Region:
    """A block of memory that grows; ``number`` tells the regions of a run apart."""

    memory: Memory
    name: Name
    number: int
    tables: dict[Type, Table] = field(factory=dict)
    ended: bool = False
    used: int = 0
    on_host: bool = True
    on_device: bool = True

    def allocate(self, t: Type, width: int, values: tuple[Val, ...], rows: int) -> "Cell":
        """Return a new cell of so many rows in the table for a type."""
        self.require(NOWHERE)
        table = self.tables.get(t)
        if table is None:
            table = self.tables[t] = Table(width)
        self._grow(table, rows)
        table.cells.append(values)
        table.used += rows
        self._took(rows * width)
        self._written()
        return Cell(self, table, len(table.cells) - 1)

    def replace(self, cell: "Cell", values: tuple[Val, ...]) -> "Cell":
        """Return the cell of an updated array: it takes no memory but that of the old one."""
        self.require(NOWHERE)
        cell.table.cells.append(values)
        self._written()
        return Cell(self, cell.table, len(cell.table.cells) - 1)

    def _grow(self, table: Table, rows: int) -> None:
        m, before = self.memory, table.room
        while table.room < table.used + rows:
            table.room = max(FIRST, 2 * table.room)
        if before and table.room > before:
            m.grown += table.used * table.width
        m.reserved += (table.room - before) * table.width
        m.reserved_peak = max(m.reserved_peak, m.reserved)

    def _took(self, n: int) -> None:
        m = self.memory
        self.used += n
        m.allocated += n
        m.live += n
        m.peak = max(m.peak, m.live)

    def _written(self) -> None:
        inside = self.memory.kernels > 0
        self.on_host, self.on_device = not inside, inside

    def looked_at(self) -> None:
        """Move the region to where it is read, unless it is there."""
        inside = self.memory.kernels > 0
        if self.on_device if inside else self.on_host:
            return
        self.memory.moved += self.used
        self.memory.transfers += 1
        self.on_host = self.on_device = True

    def end(self) -> None:
        """End the region, unless it has ended: all its contents are poison."""
        if self.ended:
            return
        self.ended = True
        m = self.memory
        m.alive -= 1
        m.live -= self.used
        for table in self.tables.values():
            m.reserved -= table.room * table.width
            table.cells[:] = [None] * len(table.cells)

    def require(self, at: Span) -> None:
        """Raise MemoryFault if the region has ended."""
        if self.ended:
            message = f"region '{self.name} is used after its end"
            raise MemoryFault(FaultKind.REGION_ENDED, message, at)


@frozen(eq=False)
class Cell:
    """A place in a table."""

    region: Region
    table: Table
    index: int

    def read(self) -> "tuple[Val, ...]":
        """Return the values.  Raise MemoryFault after the end of the region."""
        self.region.looked_at()
        found = self.table.cells[self.index]
        if found is None:
            message = f"region '{self.region.name} is read after its end"
            raise MemoryFault(FaultKind.REGION_ENDED, message)
        return found


class StoredRows(Rows):
    """An array in a region."""

    cell: Cell

    @classmethod
    def of(cls, cell: Cell, row: Type) -> Self:
        """Return the array in a cell."""
        v = cls((), row)
        v.cell = cell
        return v

    @property
    def elems(self) -> "tuple[Val, ...]":
        """The elements, read from the region."""
        return self.cell.read()


class StoredTagged(Tagged):
    """A value of a data type whose payload lies in a region."""

    cell: Cell

    @classmethod
    def of(cls, cell: Cell, name: str, type_: c.Sum | c.Data) -> Self:
        """Return the value whose payload is in a cell."""
        v = cls(name, (), type_)
        v.cell = cell
        return v

    @property
    def args(self) -> "tuple[Val, ...]":
        """The payload, read from the region."""
        return self.cell.read()


@frozen(eq=False)
class StoredClosure(Closure):
    """A closure in a region."""

    cell: Cell | None = None


def place_of(v: Val) -> Region | None:
    """Return the region in which a value lies; None if it lies in none."""
    if isinstance(v, StoredRows | StoredTagged | StoredClosure) and v.cell is not None:
        return v.cell.region
    return None


def width(t: Type, boxed: frozenset[Name], sums: "dict[Name, c.Sum]") -> int:
    """Return the bytes of a value of a type of Core in a row."""
    match t:
        case ScalarType():
            return t.bytes
        case c.Array() | c.Arrow():
            return POINTER
        case c.Record(fields):
            return sum(width(u, boxed, sums) for _, u in fields)
        case c.Sum(constructors):
            payloads = (sum(width(u, boxed, sums) for u in us) for _, us in constructors)
            return TAG + max(payloads, default=0)
        case c.Data(name):
            return LINK if name in boxed else width(sums[name], boxed, sums)
        case c.TypeVar() | c.Token():
            return 0


def widths(ts: Iterable[Type], boxed: frozenset[Name], sums: "dict[Name, c.Sum]") -> int:
    """Return the bytes of values of these types."""
    return sum(width(t, boxed, sums) for t in ts)
