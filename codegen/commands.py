"""The commands of a host plan to an OpenCL device: launches, results of tasks, failures."""

import ctypes
import struct
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, TypeAlias, cast

import numpy as np
import pyopencl as cl

from funmem.codegen.buffers import Buffer
from funmem.codegen.device import Device, address_of
from funmem.codegen.host import reported, trap
from funmem.codegen.host_code import HostCode, tuple_of
from funmem.codegen.plan import (
    STATUS_HEAD,
    STATUS_OUT,
    BlockArg,
    EntryPlan,
    KernelInfo,
    Launch,
    ScalarArg,
    most_answers,
)
from funmem.codegen.program import Built
from funmem.ir.diagnostics import DeviceError, Diagnostic, FaultKind, MemoryFault, Span
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, SCALARS, ScalarType, Value, unpack

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


SHARES = 16
"""The number of work-items per compute unit that share the iterations of a kernel.

More would balance the load better; each takes a fraction of a microsecond.
"""


def work_items(n: int, grain: int, units: int) -> int:
    """Return the number of work-items that share n iterations (``KernelInfo.grain``)."""
    return max(1, min(n // grain, SHARES * units))


class DeviceCommands:
    """Executes the commands of one entry point on its device, and prints its launches.

    Its methods are what the statements of ``host_code`` call.
    """

    def __init__(self, entry: EntryPlan, device: Device, built: Built) -> None:
        self.launches = 0
        self._kernels: dict[int, _Kernel] = {}
        self._entry, self._device, self._built = entry, device, built
        self.number = 0
        """The number of the last launch that can fail."""
        self._rounds = 0
        self._ahead = LaunchThrottle()
        self.dirty = False
        """True if a kernel may have written to the status buffer since it was last read."""
        uses_status = any(k.status for k in entry.kernels)
        self._words = np.zeros(STATUS_OUT + most_answers(entry.steps), np.int64)
        self._status = self._new_status() if uses_status else None
        self._shared = False
        """True if ``_words`` is the memory of the status buffer."""
        if self._status is not None and device.stays_in_place:
            address = address_of(device, self._status)
            words = (ctypes.c_int64 * len(self._words)).from_address(address)
            self._words, self._shared = np.ctypeslib.as_array(words), True

    def _new_status(self) -> cl.Buffer:
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self._device.context, flags, hostbuf=np.zeros_like(self._words))

    def start(self) -> None:
        """Begin a call; reset the status buffer if the last call ended without reading it."""
        self.launches = 0
        if self.dirty:
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

    def launch(self, code: HostCode, step: Launch, n: str) -> list[str]:
        """Return the Python statements of a launch over ``n`` work-items.

        A launch sets all arguments: numbers in one call of pyopencl and buffers in another, which
        takes less time than finding out what has changed.
        """
        info = self._entry.kernels[step.kernel]
        kernel = self._kernel(step.kernel)
        k = code.name(kernel.handle)
        numbers = [] if info.task else [("l", "n")]
        shapes, shape = code.name(kernel.shapes), code.name(kernel.shape)
        lines = [f"n = {n}", f"g, l = {shapes}.get(n) or {shape}(n)", "commands.launches += 1"]
        if info.status:
            lines += ["commands.number += 1", "commands.dirty = True"]
            numbers.append(("l", "commands.number"))
        at = len(numbers) + info.status
        packed = [f"{i}, {c.encode()!r}, {v}" for i, (c, v) in enumerate(numbers)]
        scalars = [a for a in info.args if isinstance(a, ScalarArg)]
        blocks = [code.buffer(a.x) for a in info.args if isinstance(a, BlockArg)]
        for i, a in enumerate(scalars, at):
            x = code.scalar(a.x)
            value = f"int({x})" if a.type is BOOL else x
            packed.append(f"{i}, {_CODES[a.type].encode()!r}, {value}")
        if packed:
            lines.append(f"{code.name(kernel.set_numbers)}({tuple_of(packed)})")
        handles = [
            f"{i}, None if {b} is None else {b}.handle"
            for i, b in enumerate(blocks, at + len(scalars))
        ]
        if handles and self._device.pool.residence is not None:
            lines.append(f"here({', '.join(blocks)})")
        if handles:
            lines.append(f"{code.name(kernel.set_buffers)}({tuple_of(handles)})")
        lines.append(f"launched(enqueue(queue, {k}, g, l))")
        return lines

    def names(self) -> dict[str, object]:
        """Return what the statements of a plan refer to."""
        return {
            "commands": self,
            "queue": self._device.queue,
            "enqueue": cl.enqueue_nd_range_kernel,
            "launched": self._ahead.launched,
            "here": self._device.pool.here,
            "start": self.start,
            "take": self.take if self._status is not None else self._device.pool.take,
            "sync": self.sync,
            "round": self.round,
            "answers": self.answers,
            "read": self.read,
        }

    def _kernel(self, number: int) -> "_Kernel":
        """Return a kernel with the arguments set that never change."""
        if number in self._kernels:
            return self._kernels[number]
        info, device = self._entry.kernels[number], self._device
        handle = self._built.kernel(info.name)
        if info.status:
            handle.set_arg(1 if info.task else 2, self._status)
        limit = cl.kernel_work_group_info.WORK_GROUP_SIZE
        most = int(str(handle.get_work_group_info(limit, device.handle)))
        gpu, units, preferred = device.info.is_gpu, device.info.units, self._entry.group
        shapes: dict[int, Shape] = {}

        def shape(n: int) -> Shape:
            if n > _MOST_ITEMS:
                self.sync()  # a trap of an earlier kernel takes precedence
                raise _too_many(info, n)
            if len(shapes) >= _MOST_SHAPES:
                shapes.clear()
            if info.task or info.grain:
                items = 1 if info.task else work_items(n, info.grain, units)
                return shapes.setdefault(n, ((items,), (1,)))
            group = min(group_size(gpu, n, preferred), most)
            return shapes.setdefault(n, ((-(-n // group) * group,), (group,)))

        self._kernels[number] = _Kernel(
            handle, _number_setter(handle), _buffer_setter(handle), shapes, shape
        )
        return self._kernels[number]

    # -- results and failures

    def sync(self) -> None:
        """Wait for kernels that can fail.  Raises the trap of the first that failed."""
        if self.dirty:
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
        self._device.pool.here(buffer)
        buffer.read(self._device.queue, cell, index * t.bytes)
        return unpack(cell.tobytes(), t)

    def _read_status(self) -> None:
        assert self._status is not None
        if self._shared:
            self._device.queue.finish()
        else:
            cl.enqueue_copy(self._device.queue, self._words, self._status)
        failed = int(self._words[0])
        if failed:
            words = self._words[STATUS_HEAD:].tolist()
            self._clear_status()
            check = self._entry.checks[failed - 1]
            raise trap(check, reported(check, words))
        self.dirty = False

    def _clear_status(self) -> None:
        assert self._status is not None
        if self._shared:
            self._device.queue.finish()
            self._words[:] = 0
        else:
            cl.enqueue_copy(self._device.queue, self._status, np.zeros_like(self._words))
        self.dirty = False


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

_LOOK_AFTER = 2000
"""Iterations of host loops after which the host waits for the device to see if a kernel failed.

It is small enough for interactive use, and large enough not to slow the device down.
"""

_MOST_ITEMS = (1 << 63) - 1 - MAX_GROUP
"""Cap on the size of a range: rounded up to groups it must fit an i64."""


def _too_many(info: KernelInfo, n: int) -> DeviceError:
    return DeviceError(Diagnostic(info.at, "device", f"a kernel of {n} iterations is too large"))


_MOST_SHAPES = 1024
"""Cap on the number of ranges of a kernel whose shapes are remembered."""

Shape: TypeAlias = tuple[tuple[int], tuple[int]]
"""The number of work-items, rounded up to groups, and the number in a group."""


@frozen(eq=False)
class _Kernel:
    """A kernel, the functions that set its arguments, and the shapes of its ranges."""

    handle: cl.Kernel
    set_numbers: Callable[[Sequence[object]], None]
    set_buffers: Callable[[Sequence[object]], None]
    shapes: dict[int, Shape]
    shape: Callable[[int], Shape]


_CODES = dict(zip(SCALARS, "BbhilBHILffd", strict=True))
"""Codes of :mod:`struct` for arguments; bool has no size in OpenCL and f16 is passed as float."""


def _number_setter(kernel: cl.Kernel) -> Callable[[Sequence[object]], None]:
    """Return a function that sets numbers, given as index, code, value, index, code, ….

    ``set_arg`` recognises a number by way of exceptions, which takes longer than a launch.
    """
    several = getattr(kernel, "_set_arg_buf_pack_multi", None)
    if several is not None and struct.calcsize("l") == 8:
        return cast(Callable[[Sequence[object]], None], several)

    def one_by_one(given: Sequence[Any]) -> None:
        for i, code, value in zip(given[::3], given[1::3], given[2::3], strict=True):
            kernel.set_arg(i, np.dtype(_WIDE.get(code, code.decode())).type(value))

    return one_by_one


_WIDE = {b"l": "int64", b"L": "uint64"}


def _buffer_setter(kernel: cl.Kernel) -> Callable[[Sequence[object]], None]:
    """Return a function that sets buffers, given as index, buffer, index, buffer, …."""
    several = getattr(kernel, "_set_arg_multi", None)
    if several is not None:
        return cast(Callable[[Sequence[object]], None], several)

    def one_by_one(given: Sequence[Any]) -> None:
        for i, buffer in zip(given[::2], given[1::2], strict=True):
            kernel.set_arg(i, buffer)

    return one_by_one
