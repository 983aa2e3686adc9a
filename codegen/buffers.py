"""Device memory: reference-counted buffers, kept for reuse, within the limits of the device.

Sizes are exact integers, so a request of 2^63 bytes is refused like any other that does not fit.
A block of 0 bytes has a buffer of 1 byte: OpenCL has no empty buffers.

``Pool.live`` and ``peak_bytes`` measure the memory that a program needs, which is also what
:mod:`funmem.codegen.memory_plan` predicts:

    counted         the requested bytes of every block that a variable holds: arguments, from the
                    start of a call to their last use; intermediate arrays; and results, to the end
                    of the call
    not counted     buffers that are kept for reuse (``Pool.kept``); rounding by the driver; the
                    status buffer of an entry point (plan.py: a constant, at least 256 bytes if a
                    kernel can fail, else 0)

Where device and host share memory, an argument that no kernel writes to is used in place: its
buffer is borrowed from the caller.  It is counted like any other, and so is an argument that is a
result of another call.  Some drivers copy memory whose address is not a multiple of the device's
alignment.  If they let kernels use any address of the host (fine-grained system memory, OpenCL 2.0,
section 3.3.3), kernels are given the address instead of a buffer.
"""

import ctypes
from collections import defaultdict, deque
from typing import TYPE_CHECKING

import numpy as np
import pyopencl as cl
from attrs import field
from numpy.typing import NDArray

from funmem.codegen.memory_limits import human
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, Span
from funmem.ir.record import define

if TYPE_CHECKING:
    from funmem.codegen.residence import Residence

CAP = 1 << 30
"""Cap on the bytes that a pool keeps for reuse."""


class HostMemory(cl.SVM):  # type: ignore[type-arg]
    """Memory of the host that kernels are given by its address.  ``data``: its bytes."""

    def __init__(self, owner: NDArray[np.generic]) -> None:
        address = owner.__array_interface__["data"][0]
        # an array of numpy may be read-only, and pyopencl asks for a writable one
        self.data = np.ctypeslib.as_array((ctypes.c_uint8 * owner.nbytes).from_address(address))
        self._owner = owner
        super().__init__(self.data)

    def release(self) -> None:
        """Do nothing: the memory belongs to the caller."""


@define(eq=False)
class Buffer:
    """A device buffer for a block of ``size`` bytes, held by ``holders`` variables.

    ``borrowed``: the memory belongs to an argument of the call.  ``of``: the
    buffer of an earlier result that is passed as this argument.  ``address``: where the host finds
    the memory, 0 if that is not known.  ``away``: the bytes of a block that was evicted to the host
    (residence.py); then ``handle`` has been released.
    """

    handle: "cl.Buffer | HostMemory"
    size: int
    holders: int = 1
    borrowed: bool = False
    of: "Buffer | None" = None
    address: int = 0
    away: NDArray[np.uint8] | None = None

    @property
    def own(self) -> cl.Buffer:
        """Return the handle of a block that is not the memory of an argument."""
        assert not isinstance(self.handle, HostMemory)
        return self.handle

    def read(self, queue: cl.CommandQueue, to: NDArray[np.uint8], start: int) -> None:
        """Copy the bytes from byte ``start`` on to an array of the host, and wait for them."""
        if isinstance(self.handle, HostMemory):
            to[:] = self.handle.data[start : start + len(to)]
        else:
            cl.enqueue_copy(queue, to, self.handle, src_offset=start)

    def copy(self, queue: cl.CommandQueue, to: "Buffer", size: int) -> None:
        """Copy the first ``size`` bytes to another block of the device."""
        if isinstance(self.handle, HostMemory):
            cl.enqueue_copy(queue, to.own, self.handle.data[:size])
        else:
            cl.enqueue_copy(queue, to.own, self.handle, byte_count=size)


@define(eq=False)
class Pool:
    """The buffers of one device.

    ``live``: the bytes that variables hold.  ``lent``: the bytes of results that are passed as
    arguments; they are held by the caller and by the call.  ``peak``: the maximum of ``live`` +
    ``lent`` since it was reset, so that an argument counts wherever it comes from.  ``kept``: the
    free bytes that are kept for reuse; reuse needs no waiting, since the queue runs in order.
    ``residence``: decides which blocks are on the device, if there is a budget.
    ``copies_below``: the driver copies memory of the host whose address is not a multiple of it.
    ``returned``: buffers of results that were deleted; any thread may append to it at any time.
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
    residence: "Residence | None" = None
    copies_below: int = 1
    _free: dict[int, list[Buffer]] = field(factory=lambda: defaultdict(list))

    def take(self, size: int, at: Span = NOWHERE) -> Buffer:
        """Return a buffer of ``size`` bytes with one holder, or raise DeviceError."""
        size = size if size > 0 else 0
        if self.residence is not None:
            self.collect()
            buffer = self._held(self.residence.made(size, at), size)
            self.residence.enter(buffer)
            return buffer
        live = self.live + size
        if size > self.max_block or live > self.max_total:
            self._require(size, at)
        free = self._free.get(size or 1)
        if not free:
            return self._held(self._made(size, at), size)
        buffer = free.pop()
        buffer.size, buffer.holders = size, 1
        self.kept -= size
        self.live = live
        if live + self.lent > self.peak:
            self.peak = live + self.lent
        return buffer

    def borrow(self, data: NDArray[np.generic]) -> Buffer:
        """Return a read-only buffer that uses the memory of ``data``, which must not be empty.

        The memory must exist until the buffer is dropped and all kernels have run.  Raises
        DeviceError if it does not fit.
        """
        self._require(data.nbytes, NOWHERE)
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.USE_HOST_PTR
        handle: cl.Buffer | HostMemory
        if data.__array_interface__["data"][0] % self.copies_below:
            handle = HostMemory(data)
        else:
            handle = cl.Buffer(self.context, flags, hostbuf=data)
        buffer = self._held(handle, data.nbytes)
        buffer.borrowed = True
        return buffer

    def lend(self, buffer: Buffer, size: int) -> Buffer:
        """Return a read-only buffer for the first ``size`` bytes of the buffer of a result."""
        buffer.holders += 1
        self.lent += size
        if self.live + self.lent > self.peak:
            self.peak = self.live + self.lent
        return Buffer(buffer.handle, size, of=buffer)

    def drop(self, buffer: Buffer) -> None:
        """Remove a holder; with the last one the buffer becomes free for reuse."""
        buffer.holders -= 1
        if buffer.holders:
            return
        if buffer.of is not None:
            self.lent -= buffer.size
            self.drop(buffer.of)
            return
        self.live -= buffer.size
        if self.residence is not None and not buffer.borrowed:
            self.residence.leave(buffer)
        elif buffer.borrowed or self.kept + buffer.size > self.cap:
            buffer.handle.release()
        else:
            self._free[buffer.size or 1].append(buffer)
            self.kept += buffer.size

    def here(self, *buffers: Buffer | None) -> None:
        """Bring blocks that were evicted back to the device.  Raises DeviceError."""
        if self.residence is not None:
            self.residence.here(*buffers)

    def collect(self) -> None:
        """Drop the buffers of deleted results."""
        while self.returned:
            self.drop(self.returned.popleft())

    def flush(self) -> None:
        """Release all free buffers to the driver."""
        for buffers in self._free.values():
            for b in buffers:
                b.handle.release()
        self._free.clear()
        self.kept = 0

    def _require(self, size: int, at: Span) -> None:
        if size > self.max_block:
            raise _too_small(at, f"a block needs {human(size)}", self.max_block, " for one block")
        if self.live + size > self.max_total:
            self.collect()
        if self.live + size > self.max_total:
            raise _too_small(at, f"the program needs {human(self.live + size)}", self.max_total, "")

    def _held(self, handle: cl.Buffer | HostMemory, size: int) -> Buffer:
        self.live += size
        if self.live + self.lent > self.peak:
            self.peak = self.live + self.lent
        return Buffer(handle, size)

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
