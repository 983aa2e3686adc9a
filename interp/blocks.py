"""Memory as it is: blocks of bytes with a defined-bit each, and who touched which byte.

    block    bytes that may or may not have been written (errata 17: poison, not zero)
    watch    a running kernel; its iterations may run at once, so what one of them writes no
             other may touch (eq. 4); every running kernel, nested ones included, watches every
             access (errata 19)

A watch remembers, for each place, the first iteration that wrote it and the first two that read
it.  That is enough to see every conflict at its second access, whatever the order in which the
iterations run.  A block that was allocated inside an iteration belongs to that iteration: the
kernels around the allocation need not watch it.
"""

from collections.abc import Sequence
from math import prod
from typing import Protocol, TypeAlias

import numpy as np
from attrs import frozen

from funmem.ir.diagnostics import FaultKind, MemoryFault, Span
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType, Value, pack, unpack
from funmem.ir.values import ArrayValue, Mask, dtype

Index: TypeAlias = tuple[int, ...]


class Located(Protocol):
    """Who touches memory: a statement of any language."""

    @property
    def at(self) -> Span: ...


@frozen(eq=False)
class Access:
    """The iteration and the statement that touched a place."""

    iteration: Index
    who: Located


class Cell:
    """What a watch remembers of one place.  The two readers are different iterations."""

    __slots__ = ("other_reader", "reader", "writer")

    def __init__(self) -> None:
        self.writer: Access | None = None
        self.reader: Access | None = None
        self.other_reader: Access | None = None

    def copy(self) -> "Cell":
        cell = Cell()
        cell.writer, cell.reader, cell.other_reader = self.writer, self.reader, self.other_reader
        return cell


class Shadow:
    """The cells of one block, ``unit`` bytes each: the size of its elements, or else 1."""

    __slots__ = ("cells", "unit")

    def __init__(self, unit: int) -> None:
        self.unit = unit
        self.cells: dict[int, Cell] = {}

    def at(self, lo: int, size: int) -> list[tuple[int, Cell]]:
        """The cells of ``size`` bytes from ``lo``, with their first bytes."""
        if size != self.unit or lo % size:
            self._refine()
        places = (lo,) if size == self.unit else range(lo, lo + size)
        return [(p, self.cells.setdefault(p, Cell())) for p in places]

    def _refine(self) -> None:
        """Elements of several sizes live here: from now on, byte by byte."""
        self.cells = {
            p + k: cell.copy() for p, cell in self.cells.items() for k in range(self.unit)
        }
        self.unit = 1


class Block:
    """``size`` bytes; ``defined[k]`` is 1 once byte k was written."""

    __slots__ = ("data", "defined", "depth", "name", "size")

    def __init__(self, name: Name, size: int, depth: int = 0) -> None:
        self.name = name
        self.size = size
        self.data = bytearray(size)
        self.defined = bytearray(size)
        self.depth = depth
        """How many kernels were watching when it was allocated."""


class Watch:
    """One running kernel: ``iteration`` is the one that runs now."""

    def __init__(self, kernel: Located, indices: tuple[Name, ...]) -> None:
        self.kernel = kernel
        self.indices = indices
        self.iteration: Index = ()
        self._shadows: dict[Block, Shadow] = {}

    def _cells(self, block: Block, lo: int, size: int) -> list[tuple[int, Cell]]:
        shadow = self._shadows.get(block)
        if shadow is None:
            shadow = self._shadows[block] = Shadow(size)
        return shadow.at(lo, size)

    def read(self, block: Block, lo: int, size: int, who: Located) -> None:
        """``who`` reads bytes; no other iteration may have written them."""
        me = self.iteration
        for place, cell in self._cells(block, lo, size):
            w, r = cell.writer, cell.reader
            if w is not None and w.iteration is not me:
                raise self._race(block, place, w, "wrote", who, "reads")
            if r is None:
                cell.reader = Access(me, who)
            elif r.iteration is not me and cell.other_reader is None:
                cell.other_reader = Access(me, who)

    def write(self, block: Block, lo: int, size: int, who: Located) -> None:
        """``who`` writes bytes; no other iteration may have touched them."""
        me = self.iteration
        for place, cell in self._cells(block, lo, size):
            for seen, verb in (
                (cell.writer, "wrote"),
                (cell.reader, "read"),
                (cell.other_reader, "read"),
            ):
                if seen is not None and seen.iteration is not me:
                    raise self._race(block, place, seen, verb, who, "writes")
            if cell.writer is None:
                cell.writer = Access(me, who)

    def _race(
        self, block: Block, place: int, seen: Access, verb: str, who: Located, now: str
    ) -> MemoryFault:
        last = place + self._shadows[block].unit - 1
        message = (
            f"Iteration {self._show(seen.iteration)} {verb} bytes {place} to {last} of block "
            f"`{block.name}` ({seen.who.at}), and iteration {self._show(self.iteration)} {now} "
            f"them ({who.at})."
        )
        hint = f"both iterations belong to the kernel at {self.kernel.at}"
        return MemoryFault(FaultKind.RACE, message, who.at, hint)

    def _show(self, iteration: Index) -> str:
        pairs = zip(self.indices, iteration, strict=True)
        return f"({', '.join(f'{i} = {k}' for i, k in pairs)})"


class Memory:
    """All accesses of one run go through here: bounds, poison, races."""

    def __init__(self) -> None:
        self._watches: list[Watch] = []

    def reset(self) -> None:
        """A new run begins: no kernel is running."""
        self._watches.clear()

    # -- kernels

    def enter(self, watch: Watch) -> None:
        """A kernel starts to run."""
        self._watches.append(watch)

    def leave(self) -> None:
        """The kernel that started last has ended."""
        self._watches.pop()

    # -- blocks

    def allocate(self, name: Name, size: int) -> Block:
        """A fresh block that was never written; a negative size counts as 0."""
        return Block(name, max(0, size), len(self._watches))

    def load(self, block: Block, index: int, t: ScalarType, who: Located) -> Value:
        """Element ``index`` of the block seen as an array of ``t``.  Poison is a fault."""
        lo = self._touch(block, index, t.bytes, who)
        hi = lo + t.bytes
        if 0 in block.defined[lo:hi]:
            message = f"Bytes {lo} to {hi - 1} of block `{block.name}` were never written."
            raise MemoryFault(FaultKind.POISON, message, who.at)
        for watch in self._watches[block.depth :]:
            watch.read(block, lo, t.bytes, who)
        return unpack(bytes(block.data[lo:hi]), t)

    def store(self, block: Block, index: int, v: Value, t: ScalarType, who: Located) -> None:
        """Element ``index`` of the block, seen as an array of ``t``, becomes ``v``."""
        lo = self._touch(block, index, t.bytes, who)
        for watch in self._watches[block.depth :]:
            watch.write(block, lo, t.bytes, who)
        block.data[lo : lo + t.bytes] = pack(v, t)
        block.defined[lo : lo + t.bytes] = _ONES[t.bytes]

    def move(
        self,
        dst: Block,
        dst_index: int,
        src: Block,
        src_index: int,
        t: ScalarType,
        who: Located,
    ) -> None:
        """One element copied as it is, poison included."""
        size = t.bytes
        to, lo = self._touch(dst, dst_index, size, who), self._touch(src, src_index, size, who)
        for watch in self._watches[src.depth :]:
            watch.read(src, lo, size, who)
        for watch in self._watches[dst.depth :]:
            watch.write(dst, to, size, who)
        dst.data[to : to + size] = src.data[lo : lo + size]
        dst.defined[to : to + size] = src.defined[lo : lo + size]

    @staticmethod
    def _touch(block: Block, index: int, size: int, who: Located) -> int:
        """The first byte of an element, which must lie inside the block."""
        lo = index * size
        if lo < 0 or lo + size > block.size:
            message = (
                f"Bytes {lo} to {lo + size - 1} are outside block `{block.name}` of "
                f"{block.size} bytes."
            )
            raise MemoryFault(FaultKind.OUTSIDE, message, who.at)
        return lo

    # -- whole arrays, row-major from offset 0

    def put(self, name: Name, a: ArrayValue) -> Block:
        """A fresh block that holds exactly an array."""
        block = self.allocate(name, a.data.nbytes)
        block.data[:] = a.data.tobytes()
        block.defined[:] = np.repeat(a.mask().ravel(), a.data.itemsize).tobytes()
        return block

    def take(self, block: Block, t: ScalarType, shape: Sequence[int], who: Located) -> ArrayValue:
        """The array that a block begins with."""
        d = dtype(t)
        count = prod(shape)
        if count:
            self._touch(block, count - 1, t.bytes, who)
        n = count * t.bytes
        data = np.frombuffer(bytes(block.data[:n]), d).reshape(shape)
        defined = np.frombuffer(bytes(block.defined[:n]), np.bool_).reshape(count, t.bytes)
        mask: Mask = np.logical_and.reduce(defined, axis=1).reshape(shape)
        return ArrayValue(data, None if mask.all() else mask)


_ONES = {size: b"\1" * size for size in (1, 2, 4, 8)}
