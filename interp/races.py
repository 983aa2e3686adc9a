"""Who touched what: race freedom of kernels (paper 002, eq. 4), nested ones included (errata 19).

The paper collects the sets of addresses that each iteration reads and writes, and then demands
that what one iteration writes no other reads or writes.  Here the demand is checked at each
access, so nothing has to be collected.  Iterations run one after the other, each as a whole: of
every grain it is enough to know who wrote it and who read it first.  Nobody but this iteration may
have written what it touches, nor read what it writes; and if this iteration was the first to read
it, no other has read it since.

Beyond the paper, several iterations may write one value to one place, as a scatter does whose
indices repeat.  Who writes the value that is there *keeps* it: that meets neither reads nor writes,
whatever came before, but a write of another value that follows meets it as it meets a read, and it
is recorded as one, with a mark.  So a race is found in whatever order the iterations run.

A :class:`Watch` is one run of a kernel.  Its iterations have consecutive serial numbers, in the
order in which they run, larger than all given out before at its nesting level, and an access is
recorded as its *code*: the iteration's serial number and the statement, in one integer.  A code
below the watch's first one belongs to an earlier kernel and counts as no access; so the shadows of
a block are made once for each nesting level and never cleared.
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
"""The mark of a statement that kept what it is recorded to have read."""
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
    """What was done to a byte."""

    READ = "reads"
    WRITE = "writes"
    KEEP = "writes as they were"


def in_row_major_order(k: int) -> int:
    """The ``k``-th iteration, if they run forwards."""
    return k


class Watch:
    """One run of a kernel over ``sizes``; ``level`` counts the kernels around it.

    ``which`` says of the iteration that runs ``k``-th which one it is, in row-major order.
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
        """The next iteration begins."""
        self._code += 1 << SITE_BITS

    # -- accesses of one grain

    def read(self, block: Block, g: int, site: int) -> None:
        """Somebody may have written the grain only if it was this iteration."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        first, code = self._first, self._code
        seen = shadow.writer.item(g)
        if seen >= first and (seen ^ code) >> SITE_BITS:
            raise self._race(block, g, g + 1, site, Use.READ, seen, Use.WRITE)
        seen = shadow.reader.item(g)
        if seen < first:
            shadow.reader[g] = code | site

    def write(self, block: Block, g: int, site: int) -> None:
        """Somebody may have touched the grain only if it was this iteration."""
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
        """The grain is written as it is."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        if shadow.reader.item(g) < self._first:
            shadow.reader[g] = self._code | _KEPT | site

    # -- accesses of many grains

    def read_all(self, block: Block, where: Points, site: int) -> None:
        """As ``read``, for every grain of some places."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        self._demand(block, where, site, Use.READ, shadow.writer, Use.WRITE)
        self._note_readers(shadow, where, site)

    def write_all(self, block: Block, where: Points, site: int) -> None:
        """As ``write``, for every grain of some places."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        self._demand(block, where, site, Use.WRITE, shadow.writer, Use.WRITE)
        self._demand(block, where, site, Use.WRITE, shadow.reader, Use.READ)
        shadow.writer[where] = self._code | site

    def keep_all(self, block: Block, where: Points, site: int) -> None:
        """As ``keep``, for every grain of some places."""
        shadow = block.shadows.get(self.level) or self._new_shadow(block)
        self._note_readers(shadow, where, _KEPT | site)

    def _note_readers(self, shadow: Shadow, where: Points, site: int) -> None:
        """Who was the first to read each grain."""
        seen = shadow.reader[where]
        shadow.reader[where] = np.where(seen < self._first, self._code | site, seen)

    def _demand(
        self, block: Block, where: Points, site: int, use: Use, by: NDArray[np.int64], other: Use
    ) -> None:
        """None of the accesses recorded in ``by`` is another iteration's."""
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
        """Nobody has accessed the block at this level yet."""
        shadow = block.shadows[self.level] = Shadow(len(block.defined))
        return shadow

    # -- the report

    def _race(
        self, block: Block, start: int, end: int, site: int, use: Use, seen: int, other: Use
    ) -> MemoryFault:
        """Both iterations, both statements, the bytes (grains ``start`` to ``end``)."""
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
        """``(i = 1, j = 2)``, of the iteration that an access was."""
        k = (code - self._first) >> SITE_BITS
        index = nth_index(self._which(k), self._sizes)
        pairs = zip(self._names, index, strict=True)
        return f"({', '.join(f'{x} = {i}' for x, i in pairs)})"


def _nth(where: Points, k: int) -> int:
    return where.start + k if isinstance(where, slice) else int(where[k])


def _next_to(where: Points, k: int) -> bool:
    return isinstance(where, slice) or bool(where[k] == where[k - 1] + 1)
