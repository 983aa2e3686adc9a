"""The commands of a host plan to an OpenCL device: launches, results of tasks, failures."""

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
import pyopencl as cl

from funmem.codegen.buffers import Buffer
from funmem.codegen.device import Device
from funmem.codegen.host import Run, Slots, reported, trap
from funmem.codegen.plan import (
    STATUS_HEAD,
    STATUS_OUT,
    BlockArg,
    EntryPlan,
    KernelInfo,
    ScalarArg,
    most_answers,
)
from funmem.codegen.program import Built
from funmem.ir.diagnostics import DeviceError, Diagnostic, FaultKind, MemoryFault, Span
from funmem.ir.scalars import BOOL, F16, ScalarType, Value, unpack
from funmem.ir.values import dtype

MAX_GROUP = 256
"""The largest default group size."""


def group_size(is_gpu: bool, n: int, preferred: int = 0) -> int:
    """Return the number of work-items per group for a range of n, which is rounded up to groups.

    ``preferred``: the group size that the program requests for long ranges; 0: none.

    There are few sizes, because PoCL compiles a kernel again for each one.  A short range has small
    groups, so that a few long iterations still use all cores.
    """
    if is_gpu:
        return (preferred or MAX_GROUP) if n >= 1 << 16 else min(preferred or 64, 64)
    return (preferred or 64) if n > 1024 else 1


class DeviceCommands:
    """Executes the commands of one entry point on its device (``host.Commands``)."""

    def __init__(self, entry: EntryPlan, device: Device, built: Built, slots: Slots) -> None:
        self.launches = 0
        self._entry, self._device, self._built, self._slots = entry, device, built, slots
        self._launch = 0
        self._rounds = 0
        self._ahead = LaunchThrottle()
        self._dirty = False
        """True if a kernel may have written to the status buffer since it was last read."""
        uses_status = any(k.status for k in entry.kernels)
        self._words = np.zeros(STATUS_OUT + most_answers(entry.steps), np.int64)
        self._status = self._new_status() if uses_status else None

    def _new_status(self) -> cl.Buffer:
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self._device.context, flags, hostbuf=np.zeros_like(self._words))

    def start(self) -> None:
        """Begin a call; reset the status buffer if the last call ended without reading it."""
        self.launches = 0
        if self._dirty:
            self._clear_status()

    def take(self, size: int, at: Span) -> Buffer:
        try:
            return self._device.pool.take(size, at)
        except DeviceError:
            self.sync()  # a trap of an earlier kernel takes precedence
            raise

    def drop(self, buffer: Buffer) -> None:
        self._device.pool.drop(buffer)

    # -- launches

    def launcher(self, kernel: int) -> Callable[[Run, int], None]:
        """Return a function that runs a kernel over a number of work-items.

        OpenCL keeps the arguments of a kernel, so a launch sets only those that have changed.
        ``set_arg`` recognises a number by way of exceptions, which takes longer than a launch;
        pyopencl's ``_set_arg_buf`` sets it directly.
        """
        info = self._entry.kernels[kernel]
        k = self._built.kernel(info.name)
        set_arg, queue, task = k.set_arg, self._device.queue, info.task
        ahead = self._ahead
        set_number: Callable[[int, np.generic], None] = getattr(k, "_set_arg_buf", set_arg)
        sizes = cl.kernel_work_group_info
        most = k.get_work_group_info(sizes.WORK_GROUP_SIZE, self._device.handle)
        gpu, preferred = self._device.info.is_gpu, self._entry.group
        status = self._status if info.status else None
        number = 0 if task else 1  # the index of the argument `launch`
        if status is not None:
            set_arg(number + 1, status)
        scalars, blocks = self._arguments(info, number if status is None else number + 2)
        last: list[object] = [_UNSET] * (number + 2 + len(info.args))
        items, shape = -1, ((0,), (0,))

        def launch(r: Run, n: int) -> None:
            nonlocal items, shape
            if n != items:
                if n > _MOST_ITEMS:
                    self.sync()  # a trap of an earlier kernel takes precedence
                    raise _too_many(info, n)
                items = -1  # here, as below, invalid until set: an interrupt may come in between
                group = 1 if task else min(group_size(gpu, n, preferred), most)
                shape = ((-(-n // group) * group,), (group,))
                if not task:
                    set_number(0, np.int64(n))
                items = n
            self.launches += 1
            if status is not None:
                self._launch += 1
                self._dirty = True
                set_number(number, np.int64(self._launch))
            for i, slot, as_type in scalars:
                value = r.scalars[slot]
                if value is not last[i]:
                    last[i] = _UNSET
                    set_number(i, as_type(value))
                    last[i] = value
            for i, slot in blocks:
                block = r.blocks[slot]
                which = -1 if block is None else block.number
                if which != last[i]:
                    last[i] = _UNSET
                    set_arg(i, None if block is None else block.handle)
                    last[i] = which
            ahead.launched(cl.enqueue_nd_range_kernel(queue, k, *shape))

        return launch

    def _arguments(
        self, info: KernelInfo, first: int
    ) -> tuple[list[tuple[int, int, type[np.generic]]], list[tuple[int, int]]]:
        """Return the scalar arguments of a kernel as (index, slot, type), and the block arguments
        as (index, slot).  ``first``: the index of the first argument.
        """
        scalars = [a for a in info.args if isinstance(a, ScalarArg)]
        blocks = [a for a in info.args if isinstance(a, BlockArg)]
        types = [_ARGUMENT.get(a.type) or dtype(a.type).type for a in scalars]
        slots = [self._slots.scalar(a.x) for a in scalars]
        behind = first + len(scalars)
        return (
            [(first + i, *each) for i, each in enumerate(zip(slots, types, strict=True))],
            [(behind + i, self._slots.block(a.x)) for i, a in enumerate(blocks)],
        )

    # -- results and failures

    def sync(self) -> None:
        """Wait for kernels that can fail.  Raises the trap of the first that failed."""
        if self._dirty:
            self._read_status()

    def round(self) -> None:
        """Count an iteration of a host loop; test for failed kernels once in ``_LOOK_AFTER``."""
        self._rounds += 1
        if self._rounds >= _LOOK_AFTER:
            self._rounds = 0
            self.sync()

    def finish(self) -> None:
        """Wait for all kernels.  Raises the trap of the first that failed."""
        self._device.queue.finish()
        self.sync()

    def answers(self, types: Sequence[ScalarType]) -> list[Value]:
        """Return the scalars of the given types that the last task returns."""
        self._read_status()
        words = self._words[STATUS_OUT : STATUS_OUT + len(types)]
        return [unpack(w.tobytes()[: t.bytes], t) for w, t in zip(words, types, strict=True)]

    def read(self, buffer: Buffer, index: int, t: ScalarType, at: Span) -> Value:
        """Return element ``index`` of a block of elements of type ``t``.  Raises MemoryFault."""
        if not 0 <= index < buffer.size // t.bytes:
            message = f"element {index} of a block of {buffer.size} bytes"
            raise MemoryFault(FaultKind.OUTSIDE, message, at)
        cell = np.empty(t.bytes, np.uint8)
        cl.enqueue_copy(self._device.queue, cell, buffer.handle, src_offset=index * t.bytes)
        return unpack(cell.tobytes(), t)

    def _read_status(self) -> None:
        assert self._status is not None
        cl.enqueue_copy(self._device.queue, self._words, self._status)
        failed = int(self._words[0])
        if failed:
            self._clear_status()
            check = self._entry.checks[failed - 1]
            raise trap(check, reported(check, self._words[STATUS_HEAD:].tolist()))
        self._dirty = False

    def _clear_status(self) -> None:
        assert self._status is not None
        cl.enqueue_copy(self._device.queue, self._status, np.zeros_like(self._words))
        self._dirty = False


class LaunchThrottle:
    """Limits how far launches run ahead of the device: to about a second.

    An interrupt stops the launching, so the run ends soon after it.  The host waits for a launch
    some way back in the queue; the device is busy with the later ones meanwhile, so the wait costs
    nothing.  The longer launches take, the more often the host waits.
    """

    def __init__(self) -> None:
        self._stride = 4
        self._left = self._stride
        self._mark: cl.Event | None = None

    def launched(self, event: cl.Event) -> None:
        """Register the event of a new launch; wait for an earlier one if it is time."""
        self._left -= 1
        if self._left:
            return
        if self._mark is not None:
            before = perf_counter()
            self._mark.wait()
            waited = perf_counter() - before
            if waited > _LONG:
                self._stride = max(1, self._stride // 4)
            elif waited < _LONG / 4:
                self._stride = min(_MOST_AHEAD, 2 * self._stride)
        self._mark, self._left = event, self._stride


_LONG = 0.2
"""Seconds of waiting beyond which the host waits more often."""

_MOST_AHEAD = 1024
"""Cap on the number of launches between two waits."""

_UNSET = object()
"""Marks an argument that is not set."""

_LOOK_AFTER = 2000
"""Iterations of host loops after which the host waits for the device to see if a kernel failed.

It is small enough for interactive use, and large enough not to slow the device down.
"""

_MOST_ITEMS = (1 << 63) - 1 - MAX_GROUP
"""Cap on the size of a range: rounded up to groups it must fit an i64."""


def _too_many(info: KernelInfo, n: int) -> DeviceError:
    return DeviceError(Diagnostic(info.at, "device", f"a kernel of {n} iterations is too large"))


_ARGUMENT: dict[ScalarType, type[np.generic]] = {BOOL: np.uint8, F16: np.float32}
"""Argument types that differ from element types: bool has no size in OpenCL, f16 is passed as
float.
"""
