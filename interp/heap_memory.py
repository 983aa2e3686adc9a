"""The heap of a run (H in fig. 10): blocks, and all accesses to their bytes.

Every access is checked to lie inside its block and is observed by the enclosing kernels (races.py).
A scalar is read only from bytes that were written (errata 17).  :meth:`Heap.copy`, the paper's
memcpy, moves arrays; it also moves bytes that were never written.  Its source and destination must
be identical or disjoint (errata 16).
"""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from funmem.interp import places
from funmem.interp.arrays import MOST_BYTES, allocatable
from funmem.interp.places import Block, Cell, Place, Points
from funmem.interp.races import Site, Watch, in_row_major_order
from funmem.interp.traps import Shape, show_shape
from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    Diagnostic,
    FaultKind,
    MemoryFault,
    Span,
    Stuck,
)
from funmem.ir.fun import Ann, Stm
from funmem.ir.imp import ImpStm
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, ScalarType
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.values import ArrayValue, Data, dtype

NOT_INJECTIVE = "two elements have the same address"
"""What a fault says of a new array whose index function is not injective."""


@frozen
class HeapStats:
    """The allocations of a run: blocks and bytes in total, and the peak of live bytes.

    A block is live from its allocation until the end of the body that allocated or returned it; in
    a loop, until an iteration does not return it.  Iterations of a kernel count one at a time.
    Blocks of arguments do not count.

    ``copies``: the number of arrays that ``copy``, ``concat``, updates etc. moved to another place
    outside of kernels.  Copies in kernels are excluded only if races are checked.
    """

    blocks: int
    allocated: int
    peak: int
    copies: int = 0


class ThreadMemoryError(DeviceError):
    """A thread of a kernel or an operator needs more memory than there is."""


class Heap:
    """The blocks of a run, the watches of running kernels, and statistics."""

    def __init__(self, *, check_races: bool, largest: int = MOST_BYTES) -> None:
        self._check_races = check_races
        self._largest = largest
        self._sites: list[Site] = []
        self._watches: list[Watch] = []
        self._serials: dict[int, int] = {}
        self._owned: list[Block] = []
        self._blocks = self._allocated = self._alive = self._peak = self._copies = 0

    def restart(self, *, check_races: bool) -> None:
        """Prepare for a new run of the same statements: remove all blocks and watches."""
        self._check_races = check_races
        self._watches.clear()
        self._owned.clear()
        self._serials.clear()
        self._blocks = self._allocated = self._alive = self._peak = self._copies = 0

    def site(self, s: Stm[Ann] | ImpStm) -> int:
        """Register a statement for reports and return its number."""
        self._sites.append(Site(s))
        return len(self._sites) - 1

    # -- blocks

    def argument(self, name: Name, a: ArrayValue) -> Place:
        """Return the place of an argument: a new block with a copy of the array, row-major."""
        block = Block(name, a.data.nbytes, 0)
        place = places.row_major(block, a.elem, a.shape)
        block.grains(a.elem)
        n = a.data.size
        block.view(a.elem)[:n] = a.data.ravel()
        block.defined_view()[:n] = a.mask().ravel()
        return place

    def is_kept(self, x: Name, place: Place, a: ArrayValue, at: Span) -> None:
        """Raise MemoryFault if an argument that is not unique has been overwritten."""
        now = place.block.view(a.elem)[: a.data.size]
        if now.tobytes() != a.data.ravel().astype(now.dtype, copy=False).tobytes():
            message = f"the argument `{x}` is not unique, and was overwritten"
            raise MemoryFault(FaultKind.CLOBBERED, message, at)

    def allocate(self, name: Name, size: int, level: int) -> Block:
        """E-MEM-ALLOC: return a block whose bytes are unwritten.

        A negative size counts as 0: the expression that needs the block traps.  Raises DeviceError
        for a block above the limit, ThreadMemoryError if it is allocated in a kernel.
        """
        if size > self._largest:
            what = f"a block of {size} bytes does not fit into memory"
            error = ThreadMemoryError if level else DeviceError
            raise error(Diagnostic(NOWHERE, "memory", what))
        block = Block(name, max(0, size), level)
        self._owned.append(block)
        self._blocks += 1
        self._allocated += block.size
        self._alive += block.size
        self._peak = max(self._peak, self._alive)
        return block

    def mark(self) -> int:
        """Return a mark of the present moment, for ``settle``."""
        return len(self._owned)

    def settle(self, mark: int, kept: Sequence[object]) -> None:
        """End the lifetime of the blocks allocated since ``mark`` that are not in ``kept``."""
        recent = self._owned[mark:]
        alive = [b for b in recent if any(b is k for k in kept)]
        self._alive -= sum(b.size for b in recent) - sum(b.size for b in alive)
        self._owned[mark:] = alive

    @property
    def stats(self) -> HeapStats:
        return HeapStats(self._blocks, self._allocated, self._peak, self._copies)

    # -- kernels

    def watch(
        self,
        level: int,
        names: Sequence[Name],
        sizes: Shape,
        site: int,
        which: Callable[[int], int] = in_row_major_order,
    ) -> Watch:
        """Return the watch of a kernel that starts to run; it is active from enter to leave."""
        first = self._serials.get(level, 1)
        self._serials[level] = first + prod(max(0, n) for n in sizes)
        return Watch(level, first, names, sizes, self._sites, site, which)

    def enter(self, watch: Watch) -> None:
        """Let ``watch`` observe all accesses, as the innermost watch."""
        if self._check_races:
            self._watches.append(watch)

    def leave(self) -> None:
        """Deactivate the innermost watch."""
        if self._check_races:
            self._watches.pop()

    # -- one element

    def load(self, p: Place, address: int, site: int) -> ScalarValue:
        """Return the scalar at an address, in elements, of the array's block."""
        block, elem = p.block, p.elem
        k = self._grains(block, elem, address, site)
        g = address * k
        if not block.defined[g] or (k > 1 and 0 in block.defined[g : g + k]):
            raise self._poison(block, elem, address, site)
        for watch in self._watches:
            if watch.level >= block.level:
                for grain in range(g, g + k):
                    watch.read(block, grain, site)
        v: ScalarValue = block.view(elem).item(address)
        return v != 0 if elem is BOOL else v

    def store(self, p: Place, address: int, v: ScalarValue, site: int) -> None:
        """Store ``v`` at an address, in elements, of the array's block."""
        block, elem = p.block, p.elem
        k = self._grains(block, elem, address, site)
        g = address * k
        for watch in self._watches:
            if watch.level >= block.level:
                for grain in range(g, g + k):
                    watch.write(block, grain, site)
        block.view(elem)[address] = v
        if k == 1:
            block.defined[g] = 1
        else:
            block.defined[g : g + k] = b"\1" * k

    def move(self, dst: Place, to: int, src: Place, address: int, site: int) -> None:
        """Copy an element from one address to another, whether it was written or not.

        If the destination already has the value, or both are unwritten, the value is kept
        (races.py): several iterations of a scatter may give an element the same value.
        """
        d, s, size = dst.block, src.block, dst.elem.bytes
        self._same_grain(d, s)
        k = self._grains(d, dst.elem, to, site)
        self._grains(s, src.elem, address, site)
        g, from_g = to * k, address * k
        new = s.bytes[address * size : (address + 1) * size]
        was = 0 not in d.defined[g : g + k]
        there = was is (0 not in s.defined[from_g : from_g + k]) and (
            not was
            or d.bytes[to * size : (to + 1) * size] == new
            or _both_nan(dst, to, src, address)
        )
        for watch in self._watches:
            for grain in range(k):
                if watch.level >= s.level:
                    watch.read(s, from_g + grain, site)
                if watch.level >= d.level:
                    (watch.keep if there else watch.write)(d, g + grain, site)
        d.bytes[to * size : (to + 1) * size] = new
        d.defined[g : g + k] = s.defined[from_g : from_g + k]

    def _grains(self, block: Block, elem: ScalarType, address: int, site: int) -> int:
        """Return the number of grains of an element.  Raises MemoryFault outside of the block."""
        size = elem.bytes
        if address < 0 or (address + 1) * size > block.size:
            raise self._outside(block, range(address, address + 1), elem, self._sites[site].at)
        return 1 if size == block.grain else block.grains(elem)

    # -- many elements

    def get(self, p: Place, index: Shape, site: int) -> Cell:
        """Return the element or the row at an index."""
        if len(index) == len(p.lens):
            return self.load(p, places.address(p, index), site)
        return places.fix(p, index)

    def put(self, dst: Place, index: Shape, v: Cell, site: int) -> None:
        """Store ``v`` as the element or the row at an index."""
        if isinstance(v, Place):
            self.copy(places.fix(dst, index), v, site)
        elif isinstance(v, Block):
            raise Stuck("a block is stored as an element")
        else:
            self.store(dst, places.address(dst, index), v, site)

    def fill(self, dst: Place, data: Data, site: int) -> Place:
        """Write an array without undefined elements to a place of its shape; return the place."""
        self._same_lens(dst, data.shape, site)
        if dst.is_empty:
            return dst
        where, grains = self._locate(dst, site)
        self._write(dst.block, grains, site)
        dst.block.view(dst.elem)[where] = data.ravel()
        dst.block.defined_view()[grains] = 1
        return dst

    def copy(self, dst: Place, src: Place, site: int) -> Place:
        """Copy an array (memcpy) and return the destination.

        The places must be identical, and then nothing is done, or disjoint.
        """
        self._same_lens(dst, src.lens, site)
        if dst.is_empty or places.same(dst, src):
            return dst
        self._same_grain(dst.block, src.block)
        where, grains = self._locate(dst, site)
        from_where, from_grains = self._locate(src, site)
        if not places.disjoint(dst, src):
            message = f"a copy's source {src} and its destination {dst} overlap partly"
            raise MemoryFault(FaultKind.COPY_OVERLAP, message, self._sites[site].at)
        self._copies += not self._watches
        for watch in self._watches:
            if watch.level >= src.block.level:
                watch.read_all(src.block, from_grains, site)
        self._write(dst.block, grains, site)
        dst.block.view(dst.elem)[where] = src.block.view(src.elem)[from_where]
        dst.block.defined_view()[grains] = src.block.defined_view()[from_grains]
        return dst

    def look(self, p: Place, site: int) -> None:
        """Let the watches observe a read of an array, whether it was written or not."""
        if self._watches and not p.is_empty:
            _, grains = self._locate(p, site)
            for watch in self._watches:
                if watch.level >= p.block.level:
                    watch.read_all(p.block, grains, site)

    def replace(self, dst: Place, src: Place, site: int) -> None:
        """Copy an array like ``copy``; equal values count as kept, as in ``move``."""
        if dst.is_empty or not self._equal(dst, src, site):
            self.copy(dst, src, site)
            return
        (_, grains), (_, from_grains) = self._locate(dst, site), self._locate(src, site)
        self._copies += not self._watches
        for watch in self._watches:
            if watch.level >= src.block.level:
                watch.read_all(src.block, from_grains, site)
            if watch.level >= dst.block.level:
                watch.keep_all(dst.block, grains, site)

    def _equal(self, a: Place, b: Place, site: int) -> bool:
        """True if two arrays of one shape have the same values and the same unwritten elements."""
        (at_a, grains_a), (at_b, grains_b) = self._locate(a, site), self._locate(b, site)
        x, y = a.block.view(a.elem)[at_a], b.block.view(b.elem)[at_b]
        bits = f"u{a.elem.bytes}"
        same = x.view(bits) == y.view(bits)
        if a.elem.is_float:
            same |= np.isnan(x) & np.isnan(y)
        written, there = _written(a, grains_a), _written(b, grains_b)
        return bool((written == there).all() and (same | ~written).all())

    def _write(self, block: Block, grains: Points, site: int) -> None:
        for watch in self._watches:
            if watch.level >= block.level:
                watch.write_all(block, grains, site)

    def _locate(self, p: Place, site: int) -> tuple[Points, Points]:
        """Return the addresses of an array's elements and grains.

        Raises MemoryFault if it does not lie inside its block.
        """
        self.inside(p, self._sites[site].at)
        where = places.points(p)
        return where, places.spread(where, p.block.grains(p.elem))

    def value(self, p: Place, at: Span) -> ArrayValue:
        """Return the array read through its index function; unwritten elements are undefined."""
        if p.is_empty:
            return ArrayValue(np.empty(allocatable(p.lens, p.elem), dtype(p.elem)))
        self.inside(p, at)
        k = p.block.grains(p.elem)
        where = places.points(p)
        data = p.block.view(p.elem)[where].astype(dtype(p.elem)).reshape(p.lens)
        written = _written(p, places.spread(where, k))
        return ArrayValue(data) if written.all() else ArrayValue(data, written.reshape(p.lens))

    # -- conditions on places

    def inside(self, p: Place, at: Span) -> None:
        """Raise MemoryFault unless every element lies inside the block."""
        e = places.extent(p)
        if e and (e.start < 0 or e.stop * p.elem.bytes > p.block.size):
            raise self._outside(p.block, e, p.elem, at)

    def fits(self, p: Place, at: Span) -> None:
        """Raise MemoryFault unless a home of a new array lies inside its block and is injective
        (errata 11).
        """
        self.inside(p, at)
        if not places.injective(p):
            raise MemoryFault(FaultKind.RACE, f"{NOT_INJECTIVE}: {p}", at)

    @staticmethod
    def _same_grain(a: Block, b: Block) -> None:
        """Refine the grains of two blocks to the same size."""
        if a.grain > b.grain:
            a.refine(b.grain)
        elif b.grain > a.grain:
            b.refine(a.grain)

    def _same_lens(self, dst: Place, lens: Shape, site: int) -> None:
        if dst.lens != lens:
            message = f"{show_shape(lens)} is written to a place of shape {show_shape(dst.lens)}"
            raise Stuck(f"{self._sites[site].at}: {message}")

    def _outside(self, block: Block, e: range, elem: ScalarType, at: Span) -> MemoryFault:
        message = (
            f"bytes {e.start * elem.bytes} to {e.stop * elem.bytes - 1} are not all inside block "
            f"`{block.name}` of {block.size} bytes"
        )
        return MemoryFault(FaultKind.OUTSIDE, message, at)

    def _poison(self, block: Block, elem: ScalarType, address: int, site: int) -> MemoryFault:
        lo = address * elem.bytes
        what = f"bytes {lo} to {lo + elem.bytes - 1} of block `{block.name}` were never written"
        return MemoryFault(FaultKind.POISON, what, self._sites[site].at)


def _written(p: Place, grains: Points) -> NDArray[np.bool_]:
    """Return for each element of a place whether it was written; ``grains``: those of the place."""
    bits = p.block.defined_view()[grains].reshape(-1, p.block.grains(p.elem))
    written: NDArray[np.bool_] = bits.min(axis=-1) != 0
    return written


def _both_nan(a: Place, i: int, b: Place, k: int) -> bool:
    """True if two elements are NaN; all NaNs count as one value."""
    if not a.elem.is_float:
        return False
    x, y = a.block.view(a.elem).item(i), b.block.view(b.elem).item(k)
    return bool(x != x and y != y)
