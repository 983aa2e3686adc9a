"""A budget for a device: blocks that do not fit lie on the host until a kernel needs them.

A kernel needs all its blocks at once, but a program may have more.  Before a launch, ``here``
brings back the blocks of the kernel that were evicted.  If there is no room for them, or for a new
block, the blocks that were not used for the longest time are copied to the host.  So regions that
take more than the device has do run if those of each kernel fit (paper 000, section 5: a region
moves as a whole, and only when it is needed).  Both ways count as transfers (stats.py).

Memory of the host that a kernel uses in place is not counted.
"""

from collections.abc import Iterable

import numpy as np
import pyopencl as cl
from attrs import field

from funmem.codegen.buffers import Buffer
from funmem.codegen.memory_limits import human
from funmem.codegen.stats import Transfers
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, Span
from funmem.ir.record import define


@define(eq=False)
class Residence:
    """The blocks on a device; ``used`` are their bytes, at most ``budget``.

    ``evicted`` counts the blocks that went to the host.
    """

    context: cl.Context
    queue: cl.CommandQueue
    transfers: Transfers
    budget: int
    used: int = 0
    evicted: int = 0
    _blocks: dict[int, Buffer] = field(factory=dict)
    """The blocks on the device by identity, the one used least recently first."""

    def made(self, size: int, at: Span = NOWHERE) -> cl.Buffer:
        """Return a new buffer; others are evicted if there is no room.  Raises DeviceError."""
        self._make_room(size, (), at)
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, max(size, 1))

    def enter(self, buffer: Buffer) -> None:
        """Count a block that is on the device."""
        self._blocks[id(buffer)] = buffer
        self.used += buffer.size

    def leave(self, buffer: Buffer) -> None:
        """Forget a block, wherever it is, and release its memory."""
        if self._blocks.pop(id(buffer), None) is not None:
            self.used -= buffer.size
        if buffer.away is None:
            buffer.handle.release()
        buffer.away = None

    def here(self, *buffers: Buffer | None) -> None:
        """Bring blocks to the device, all at once.  Raises DeviceError if they do not fit."""
        given = [b for b in buffers if b is not None]
        whole = {id(b.of or b): b.of or b for b in given}
        away = [b for b in whole.values() if b.away is not None]
        for k in whole:
            if k in self._blocks:
                self._blocks[k] = self._blocks.pop(k)
        self._make_room(sum(b.size for b in away), whole.keys(), NOWHERE)
        for b in away:
            b.handle = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, max(b.size, 1))
            if b.size and b.away is not None:
                cl.enqueue_copy(self.queue, b.handle, b.away)
            b.away = None
            self.transfers.sent(b.size)
            self.enter(b)
        for b in given:
            if b.of is not None:
                b.handle = b.of.handle

    def _make_room(self, size: int, needed: Iterable[int], at: Span) -> None:
        keep = frozenset(needed)
        for k in [k for k in self._blocks if k not in keep]:
            if self.used + size <= self.budget:
                return
            self._evict(self._blocks[k])
        if self.used + size > self.budget:
            message = f"a kernel needs {human(self.used + size)} at once, the budget is"
            hint = "allow more with `keep_within` of the device"
            given = "allow more with --device-bytes"
            text = f"{message} {human(self.budget)}"
            raise DeviceError(Diagnostic(at, "memory", text, hint, command=given))

    def _evict(self, b: Buffer) -> None:
        """Copy a block to the host, after the kernels that use it, and release its memory."""
        b.away = np.empty(b.size, np.uint8)
        if b.size:
            cl.enqueue_copy(self.queue, b.away, b.handle)
        b.handle.release()
        self.transfers.fetched(b.size)
        self.evicted += 1
        self.used -= b.size
        del self._blocks[id(b)]
