"""Detects races in kernels (paper 002, eq. 4), including nested kernels (errata 19).

The paper collects the addresses that each iteration reads and writes, and then requires that no
iteration reads or writes an address that another one writes.  Here the requirement is checked at
each access, so no sets are collected.  Iterations run one after the other.  For every grain it
suffices to record its last writer and its first reader:

    read     no other iteration may have written the grain
    write    no other iteration may have written it, nor been its first reader; if this iteration
             was the first reader, no other has read it since, for this one is still running

Beyond the paper, several iterations may write the same value to the same address, as a scatter with
repeated indices does.  An access that writes the value that is already there *keeps* it.  It does
not conflict with earlier reads or writes.  A later write of another value conflicts with it as with
a read, so it is recorded as a read with a mark.  So a race is found in any order of iterations.

A :class:`Watch` observes one run of a kernel.  Its iterations have consecutive serial numbers, in
the order in which they run, larger than all earlier ones at its nesting level.  An access is
recorded as a *code*: the serial number of the iteration and the statement in one integer.  A code
below the watch's first one belongs to an earlier kernel and is ignored.  So a block needs one
shadow for each nesting level, which is never cleared.
"""

from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from funmem.interp.places import Block, Points, Shadow, nth_index
from funmem.interp.traps import Shape
from funmem.ir.diagnostics import FaultKind, MemoryFault, Span
from funmem.ir.fun import Ann, Stm
from funmem.ir.imp import ImpStm
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.text import show_imp_stm, show_stm

SITE_BITS = 20
_KEPT = 1 << (SITE_BITS - 1)
"""Marks the statement of a recorded read that was a write of the value already there."""
_SITE_MASK = _KEPT - 1
_LONGEST_TEXT = 72


@frozen(eq=False)
class Site:
    """A statement that accesses memory."""

    stm: Stm[Ann] | ImpStm

    @property
    def at(self) -> Span:
        return self.stm.at

    def __str__(self) -> str:
        s = self.stm
        text = " ".join((show_stm(s) if isinstance(s, Stm) else show_imp_stm(s)).split())
        short = text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
        return f"{self.at}: {short}"


class Use(Enum):
    """The kind of an access."""

    READ = "reads"
    WRITE = "writes"
    KEEP = "writes as they were"


def in_row_major_order(k: int) -> int:
    """Return the ``k``-th iteration if iterations run forwards."""
    return k


class Watch:
    """Observes one run of a kernel over ``sizes``; ``level``: the number of enclosing kernels.

    ``which`` maps the position of an iteration in the execution order to its row-major position.
    """

    __slots__ = ("_code", "_first", "_names", "_site", "_sites", "_sizes", "_which", "level")

    def __init__(
        self,
        level: int,
        first: int,
        names: Sequence[Name],
        sizes: Shape,
        sites: Sequence[Site],
        site: int,
        which: Callable[[int], int] = in_row_major_order,
    ) -> None:
        self.level = level
        self._first = first << SITE_BITS
        self._code = (first - 1) << SITE_BITS
        self._names, self._sizes = names, sizes
        self._sites, self._site = sites, site
        self._which = which

    def next(self) -> None:
        """Begin the next iteration."""
        self._code += 1 << SITE_BITS

    # -- accesses of one grain

    def read(self, block: Block, g: int, site: int) -> None:
        """Record a read.  Raises MemoryFault if another iteration has written the grain."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        first, code = self._first, self._code
        seen = shadow.writer.item(g)
        if seen >= first and (seen ^ code) >> SITE_BITS:
            raise self._race(block, g, g + 1, site, Use.READ, seen, Use.WRITE)
        seen = shadow.reader.item(g)
        if seen < first:
            shadow.reader[g] = code | site

    def write(self, block: Block, g: int, site: int) -> None:
        """Record a write.  Raises MemoryFault if another iteration has accessed the grain."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        first, code = self._first, self._code
        seen = shadow.writer.item(g)
        if seen >= first and (seen ^ code) >> SITE_BITS:
            raise self._race(block, g, g + 1, site, Use.WRITE, seen, Use.WRITE)
        seen = shadow.reader.item(g)
        if seen >= first and (seen ^ code) >> SITE_BITS:
            raise self._race(block, g, g + 1, site, Use.WRITE, seen, Use.READ)
        shadow.writer[g] = code | site

    def keep(self, block: Block, g: int, site: int) -> None:
        """Record a write of the value that the grain already has."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        if shadow.reader.item(g) < self._first:
            shadow.reader[g] = self._code | _KEPT | site

    # -- accesses of many grains

    def read_all(self, block: Block, where: Points, site: int) -> None:
        """Record a read of every grain in ``where``, like ``read``."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        self._demand(block, where, site, Use.READ, shadow.writer, Use.WRITE)
        self._note_readers(shadow, where, site)

    def write_all(self, block: Block, where: Points, site: int) -> None:
        """Record a write of every grain in ``where``, like ``write``."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        self._demand(block, where, site, Use.WRITE, shadow.writer, Use.WRITE)
        self._demand(block, where, site, Use.WRITE, shadow.reader, Use.READ)
        shadow.writer[where] = self._code | site

    def keep_all(self, block: Block, where: Points, site: int) -> None:
        """Record that every grain in ``where`` keeps its value, like ``keep``."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        self._note_readers(shadow, where, _KEPT | site)

    def _note_readers(self, shadow: Shadow, where: Points, site: int) -> None:
        """Record the first reader of each grain."""
        seen = shadow.reader[where]
        shadow.reader[where] = np.where(seen < self._first, self._code | site, seen)

    def _demand(
        self, block: Block, where: Points, site: int, use: Use, by: NDArray[np.int64], other: Use
    ) -> None:
        """Raise MemoryFault if another iteration has an access recorded in ``by``."""
        seen = by[where]
        foreign = (seen >= self._first) & (((seen ^ self._code) >> SITE_BITS) != 0)
        if not foreign.any():
            return
        k = int(foreign.argmax())
        code = int(seen[k])
        end = k + 1
        while end < len(seen) and foreign[end] and seen[end] == code and _next_to(where, end):
            end += 1
        start = _nth(where, k)
        raise self._race(block, start, start + end - k, site, use, code, other)

    def _new_shadow(self, block: Block) -> Shadow:
        """Return an empty shadow of a block for this nesting level."""
        shadow = block.shadows[self.level] = Shadow(len(block.defined))
        return shadow

    # -- the report

    def _race(
        self, block: Block, start: int, end: int, site: int, use: Use, seen: int, other: Use
    ) -> MemoryFault:
        """Return a fault that names both iterations, both statements and the bytes.

        The bytes are those of the grains from ``start`` up to ``end``, exclusively.
        """
        here, there = self._sites[site], self._sites[seen & _SITE_MASK]
        if other is Use.READ and seen & _KEPT:
            other = Use.KEEP
        message = (
            f"iteration {self._index(self._code)} {use.value} bytes {start * block.grain} to "
            f"{end * block.grain - 1} of block `{block.name}`, which iteration "
            f"{self._index(seen)} {other.value}\n"
            f"  {use.value}: {here}\n"
            f"  {other.value}: {there}"
        )
        hint = f"the iterations are those of {self._sites[self._site]}"
        return MemoryFault(FaultKind.RACE, message, here.at, hint)

    def _index(self, code: int) -> str:
        """Return the indices of the iteration in an access code as ``(i = 1, j = 2)``."""
        k = (code - self._first) >> SITE_BITS
        index = nth_index(self._which(k), self._sizes)
        pairs = zip(self._names, index, strict=True)
        return f"({', '.join(f'{x} = {i}' for x, i in pairs)})"


def _nth(where: Points, k: int) -> int:
    return where.start + k if isinstance(where, slice) else int(where[k])


def _next_to(where: Points, k: int) -> bool:
    return isinstance(where, slice) or bool(where[k] == where[k - 1] + 1)
