"""Device memory: buffers with an owner count, kept for reuse, within what the device has.

Sizes are exact integers, so a request of 2^63 bytes is refused like any other that does not fit.
A block of 0 bytes gets a buffer of 1: OpenCL has no empty buffers.

What counts as memory that a program takes (``Pool.live``, ``peak_bytes``), and what
:mod:`funmem.codegen.memory_plan` predicts:

    counts          the bytes of every block that a variable holds, as many as were asked for:
                    arguments, from the start of a call to their last use, intermediate arrays, and
                    results, to the end of the call
    does not count  buffers that are kept for reuse (``Pool.kept``); what a driver rounds up; the
                    status buffer of an entry point, through which kernels report (``plan.py``: a
                    constant, at least 256 bytes if any kernel can fail, else nothing)

Where device and host share their memory an argument that nobody writes to *is* its buffer: it is
borrowed from whoever calls.  It counts like any other, and so does a result of another call.
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import count

import numpy as np
import pyopencl as cl
from attrs import field
from numpy.typing import NDArray

from funmem.codegen.memory_limits import human
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, Span
from funmem.ir.record import define

CAP = 1 << 30
"""Bytes that a pool keeps for reuse."""


@define(eq=False)
class Buffer:
    """A device buffer for a block of ``size`` bytes; ``holders`` variables hold it.

    ``number``: no other ever has it.  ``borrowed``: it is the memory of an argument.  ``of``: the
    buffer of an earlier result, which this one stands for as an argument.
    """

    handle: cl.Buffer
    size: int
    number: int
    holders: int = 1
    borrowed: bool = False
    of: "Buffer | None" = None


@define(eq=False)
class Pool:
    """The buffers of one device.

    ``live`` bytes are held by variables, ``lent`` of them by two: the caller's and the argument's;
    ``peak`` is the most that both ever were since it was reset, so that an argument counts wherever
    it comes from.  ``kept`` bytes are free for reuse, which needs no waiting: the queue runs in
    order.
    ``returned``: buffers whose holders were results; any thread puts them there, at any time.
    """

    context: cl.Context
    max_block: int
    max_total: int
    cap: int = CAP
    live: int = 0
    lent: int = 0
    peak: int = 0
    kept: int = 0
    made: int = 0
    returned: deque[Buffer] = field(factory=deque)
    _numbers: Iterator[int] = field(factory=count)
    _free: dict[int, list[cl.Buffer]] = field(factory=lambda: defaultdict(list))

    def take(self, size: int, at: Span = NOWHERE) -> Buffer:
        """A buffer of ``size`` bytes with one holder.  Raises DeviceError if it does not fit."""
        size = max(size, 0)
        self._require(size, at)
        return self._held(self._reused(size) or self._made(size, at), size)

    def borrow(self, data: NDArray[np.generic]) -> Buffer:
        """A buffer that is this memory, not empty, which has to exist until it is dropped and all
        kernels have run; nobody writes to it.  Raises DeviceError if it does not fit.
        """
        self._require(data.nbytes, NOWHERE)
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.USE_HOST_PTR
        buffer = self._held(cl.Buffer(self.context, flags, hostbuf=data), data.nbytes)
        buffer.borrowed = True
        return buffer

    def lend(self, buffer: Buffer, size: int) -> Buffer:
        """A buffer that is the first bytes of one that somebody else holds; nobody writes there."""
        buffer.holders += 1
        self.lent += size
        self.peak = max(self.peak, self.live + self.lent)
        return Buffer(buffer.handle, size, buffer.number, of=buffer)

    def drop(self, buffer: Buffer) -> None:
        """One holder less; with the last one the buffer is free for reuse."""
        buffer.holders -= 1
        if buffer.holders:
            return
        if buffer.of is not None:
            self.lent -= buffer.size
            self.drop(buffer.of)
            return
        self.live -= buffer.size
        if buffer.borrowed or self.kept + buffer.size > self.cap:
            buffer.handle.release()
        else:
            self._free[max(buffer.size, 1)].append(buffer.handle)
            self.kept += buffer.size

    def collect(self) -> None:
        """Drops what was returned."""
        while self.returned:
            self.drop(self.returned.popleft())

    def flush(self) -> None:
        """Gives all free buffers back to the device."""
        for buffers in self._free.values():
            for b in buffers:
                b.release()
        self._free.clear()
        self.kept = 0

    def _require(self, size: int, at: Span) -> None:
        if size > self.max_block:
            raise _too_small(at, f"a block needs {human(size)}", self.max_block, " for one block")
        if self.live + size > self.max_total:
            self.collect()
        if self.live + size > self.max_total:
            raise _too_small(at, f"the program needs {human(self.live + size)}", self.max_total, "")

    def _held(self, handle: cl.Buffer, size: int) -> Buffer:
        self.live += size
        self.peak = max(self.peak, self.live + self.lent)
        return Buffer(handle, size, next(self._numbers))

    def _reused(self, size: int) -> cl.Buffer | None:
        free = self._free.get(max(size, 1))
        if not free:
            return None
        self.kept -= size
        return free.pop()

    def _made(self, size: int, at: Span) -> cl.Buffer:
        if self.live + self.kept + size > self.max_total:
            self.flush()
        try:
            self.made += 1
            return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, max(size, 1))
        except cl.MemoryError:
            needs = f"the program needs {human(self.live + size)}"
            raise _too_small(at, needs, self.max_total, ", of which less is free") from None


def _too_small(at: Span, needs: str, has: int, what: str) -> DeviceError:
    return DeviceError(Diagnostic(at, "memory", f"{needs}, the device has {human(has)}{what}"))
