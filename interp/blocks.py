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

from collections.abc import Iterable, Sequence
from math import prod
from typing import Protocol, TypeAlias

import numpy as np

from funmem.interp.traps import nonnegative
from funmem.ir.diagnostics import FaultKind, MemoryFault, Span
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType, Value, pack, unpack
from funmem.ir.values import ArrayValue, Mask, dtype

Index: TypeAlias = tuple[int, ...]


class Located(Protocol):
    """Who touches memory: a statement of any language."""

    @property
    def at(self) -> Span: ...


Access: TypeAlias = tuple[Index, Located]
"""The iteration and the statement that touched a place.  Iterations are compared by identity."""


class Shadow:
    """What a watch remembers of one block: per place, who wrote it first and who read it first;
    and the first of another iteration to read it.

    A place is ``unit`` bytes: the size of the block's elements, or 1 if they differ in size.
    """

    __slots__ = ("other_reader", "reader", "unit", "writer")

    def __init__(self, unit: int) -> None:
        self.unit = unit
        self.writer: dict[int, Access] = {}
        self.reader: dict[int, Access] = {}
        self.other_reader: dict[int, Access] = {}

    def places(self, lo: int, size: int) -> Iterable[int]:
        """The places of an element, each named by its first byte."""
        if size == self.unit:
            return (lo,)
        if self.unit != 1:
            self._refine()
        return range(lo, lo + size)

    def _refine(self) -> None:
        """Elements of several sizes live here: from now on, byte by byte."""
        unit, self.unit = self.unit, 1
        for seen in (self.writer, self.reader, self.other_reader):
            fine = {p + k: access for p, access in seen.items() for k in range(unit)}
            seen.clear()
            seen.update(fine)


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

    def _shadow(self, block: Block, size: int) -> Shadow:
        shadow = self._shadows.get(block)
        if shadow is None:
            shadow = self._shadows[block] = Shadow(size)
        return shadow

    def read(self, block: Block, lo: int, size: int, who: Located) -> None:
        """``who`` reads an element; no other iteration may have written its bytes."""
        shadow, me = self._shadow(block, size), self.iteration
        for p in shadow.places(lo, size):
            seen = shadow.writer.get(p)
            if seen is not None and seen[0] is not me:
                raise self._race(block, p, (seen, "wrote"), (who, "reads"))
            seen = shadow.reader.get(p)
            if seen is None:
                shadow.reader[p] = (me, who)
            elif seen[0] is not me and p not in shadow.other_reader:
                shadow.other_reader[p] = (me, who)

    def write(self, block: Block, lo: int, size: int, who: Located) -> None:
        """``who`` writes an element; no other iteration may have touched its bytes."""
        shadow, me = self._shadow(block, size), self.iteration
        for p in shadow.places(lo, size):
            seen = shadow.writer.get(p)
            if seen is None:
                shadow.writer[p] = (me, who)
            elif seen[0] is not me:
                raise self._race(block, p, (seen, "wrote"), (who, "writes"))
            for readers in (shadow.reader, shadow.other_reader):
                seen = readers.get(p)
                if seen is not None and seen[0] is not me:
                    raise self._race(block, p, (seen, "read"), (who, "writes"))

    def _race(
        self, block: Block, place: int, first: tuple[Access, str], now: tuple[Located, str]
    ) -> MemoryFault:
        ((iteration, other), did), (who, does) = first, now
        last = place + self._shadows[block].unit - 1
        message = (
            f"Iteration {self._show(iteration)} {did} bytes {place} to {last} of block "
            f"`{block.name}` ({other.at}), and iteration {self._show(self.iteration)} {does} "
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
        """The array that a block begins with.  A negative size traps."""
        nonnegative(shape, who.at)
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
