"""Running a compiled program on a device.

    exe = Executable.load(compiled, open_device())
    exe(x, y)                       # the only entry point; arrays stay on the device
    exe.entry("main").run((x, y))   # values, as the interpreters answer them

Kernels are enqueued on one in-order queue and nobody waits between them.  The host waits where it
needs a scalar that a device computed, and at the end.  Before it uses anything a device computed
it looks whether a check failed there.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from time import perf_counter
from typing import TypeAlias, TypeVar

import numpy as np
import pyopencl as cl
from attrs import field
from numpy.typing import NDArray

from funmem.codegen.buffers import Buffer
from funmem.codegen.cache import Cache
from funmem.codegen.demand import Demand
from funmem.codegen.device import Device, failed
from funmem.codegen.device_array import DeviceArray
from funmem.codegen.forks import Threads, claim
from funmem.codegen.host import Do, GetInt, Resolver, Run, Slots, reported, signature_of, trap
from funmem.codegen.interrupts import Interruptible
from funmem.codegen.plan import (
    STATUS_HEAD,
    STATUS_OUT,
    BlockArg,
    Compiled,
    EntryPlan,
    KernelInfo,
    Plan,
    ScalarArg,
    most_answers,
)
from funmem.codegen.program import Built, build
from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    Diagnostic,
    FaultKind,
    MemoryFault,
    Span,
    Stuck,
    UsageError,
)
from funmem.ir.imp import ArrayPort, Port, ScalarPort
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, F16, ScalarType, Value, unpack
from funmem.ir.values import ArgValue, ArrayValue, bind, dtype
from funmem.ir.values import Value as AnyValue

Result: TypeAlias = Value | DeviceArray

T = TypeVar("T")

MAX_GROUP = 256


def group_size(is_gpu: bool, n: int, asked: int = 0) -> int:
    """Work-items of a group, for a range of n; the range is rounded up to whole groups.  ``asked``:
    of a long range, where somebody knows better.

    Few and fixed sizes, because PoCL compiles a kernel anew for each.  A short range is cut
    into small groups, so that it keeps every core busy: it may be a few long iterations.
    """
    if is_gpu:
        return (asked or MAX_GROUP) if n >= 1 << 16 else min(asked or 64, 64)
    return (asked or 64) if n > 1024 else 1


@frozen
class Seconds:
    """The parts of a call: arguments go to the device, kernels run, results come back."""

    pass_in: float = 0.0
    run: float = 0.0
    hand_back: float = 0.0


@frozen
class Stats:
    """What the last call cost: launches, the most bytes of blocks held at once, and time."""

    launches: int = 0
    peak_bytes: int = 0
    seconds: Seconds = Seconds()


@define(eq=False)
class Executable:
    """A program, built for a device; with ``max_bytes`` no call may need more."""

    plan: Plan
    source: str
    device: Device
    built: Built
    max_bytes: int | None = None
    _entries: dict[Name, "EntryPoint"] = field(factory=dict)

    @staticmethod
    def load(compiled: Compiled, device: Device, cache: Cache | None = None) -> "Executable":
        """Builds the kernels, or takes them from the cache."""
        _require_fp64(compiled, device)
        built = build(device, compiled.source, cache)
        return Executable(compiled.plan, compiled.source, device, built)

    @property
    def names(self) -> tuple[Name, ...]:
        """The entry points."""
        return tuple(e.name for e in self.plan.entries)

    def entry(self, name: str | None = None) -> "EntryPoint":
        """An entry point by its name; the only one needs no name.  Raises UsageError."""
        if name is None and len(self.plan.entries) == 1:
            name = self.plan.entries[0].name
        for e in self.plan.entries:
            if e.name == name:
                if e.name not in self._entries:
                    entry = EntryPoint(e, self.device, self.built, self.max_bytes)
                    self._entries[e.name] = entry
                return self._entries[e.name]
        known = ", ".join(f"`{x}`" for x in self.names)
        raise UsageError(Diagnostic(NOWHERE, "entry", f"no entry point `{name}`; there is {known}"))

    def __call__(self, *args: ArgValue) -> Result | tuple[Result, ...]:
        """The results of the only entry point; one result stands for itself."""
        return self.entry()(*args)


def _require_fp64(compiled: Compiled, device: Device) -> None:
    if compiled.plan.f64 and not device.info.fp64:
        message = f"the program uses f64, which {device.info.name} does not have"
        raise DeviceError(Diagnostic(NOWHERE, "device", message))


# ---------------------------------------------------------------------- one entry point


class EntryPoint:
    """An entry point, resolved for a device; callable any number of times."""

    def __init__(
        self, entry: EntryPlan, device: Device, built: Built, max_bytes: int | None = None
    ) -> None:
        self.plan = entry
        self.signature = signature_of(entry)
        self.stats = Stats()
        self._device, self._max_bytes, self._demand = device, max_bytes, Demand(entry)
        self._slots = Slots()
        self._defaults = [(self._slots.scalar(v.x), _zero(v.type)) for v in entry.variables]
        self._calls = Calls(entry, device, built, self._slots)
        self._body: Do = Resolver(self._slots, entry.checks, self._calls).steps(entry.steps)
        self._shapes = [
            [self._slots.size(d) for d in p.shape] if isinstance(p, ArrayPort) else []
            for p in entry.results
        ]
        for p in (*entry.params, *entry.results):
            self._slot(p)

    def __call__(self, *args: ArgValue) -> Result | tuple[Result, ...]:
        """The results as Python scalars and arrays on the device; one result stands for itself.

        Raises InputError, Trap, DeviceError.
        """
        results = self._called(args, lambda x: x)
        return results[0] if len(results) == 1 else results

    def run(self, args: Sequence[ArgValue]) -> tuple[AnyValue, ...]:
        """The results on the host.  Raises InputError, Trap, DeviceError."""
        return self._called(args, lambda x: ArrayValue(x.host()))

    def _called(
        self, args: Sequence[ArgValue], answer: Callable[[DeviceArray], T]
    ) -> tuple[Value | T, ...]:
        """The results; of an array what ``answer`` makes of it."""
        claim(Threads.OPENCL)
        sizes, values = bind(self.signature, [_outlined(a) for a in args])
        self._demand.require(sizes, values, self._max_bytes, lambda: self._device.limit)
        with self._device.lock, Interruptible(lambda: None):
            run = self._start(sizes)
            pool = self._device.pool
            pool.collect()
            before = pool.peak = pool.live
            peak, seconds = before, Seconds()
            kept: list[object] = []  # host memory that kernels read
            times = [perf_counter()]
            try:
                self._pass(run, values, args, kept)
                times.append(perf_counter())
                self._body(run)
                self._calls.finish()
                peak = pool.peak
                times.append(perf_counter())
                ports = zip(self.plan.results, self._shapes, strict=True)
                found = [self._result(run, p, shape) for p, shape in ports]
                results = tuple(answer(x) if isinstance(x, DeviceArray) else x for x in found)
                times.append(perf_counter())
                seconds = Seconds(*(b - a for a, b in pairwise(times)))
                return results
            except BaseException as error:
                with suppress(cl.Error):  # kernels read borrowed memory until they have run
                    self._device.queue.finish()
                peak = pool.peak
                if isinstance(error, cl.Error):
                    raise failed(self._device, error) from None
                raise
            finally:
                self.stats = Stats(self._calls.launches, peak - before, seconds)
                for buffer in run.blocks:
                    if buffer is not None:
                        pool.drop(buffer)

    def _slot(self, p: Port) -> int:
        return self._slots.block(p.block) if isinstance(p, ArrayPort) else self._slots.scalar(p.x)

    def _start(self, sizes: dict[Name, int]) -> Run:
        run = Run([0] * len(self._slots.scalars), [None] * len(self._slots.blocks))
        for slot, zero in self._defaults:
            run.scalars[slot] = zero
        for x, n in sizes.items():
            run.scalars[self._slots.scalar(x)] = n
        self._calls.start()
        return run

    def _pass(
        self,
        run: Run,
        values: Sequence[AnyValue],
        args: Sequence[ArgValue],
        kept: list[object],
    ) -> None:
        """The arguments: scalars into slots, arrays into buffers."""
        for p, v, a in zip(self.plan.params, values, args, strict=True):
            match p, v:
                case ArrayPort(block), ArrayValue(data):
                    source: DeviceArray | NDArray[np.generic] = data
                    if isinstance(a, DeviceArray):
                        source = a if a.device is self._device else a.host()
                    written = block in self.plan.written
                    run.blocks[self._slot(p)] = self._given(source, written, kept)
                case ScalarPort(), bool() | int() | float():
                    run.scalars[self._slot(p)] = v
                case _:
                    raise Stuck(f"`{v}` was bound to {p}")

    def _given(
        self, x: DeviceArray | NDArray[np.generic], written: bool, kept: list[object]
    ) -> Buffer:
        """The buffer of an argument: its own if nobody writes there, or a copy."""
        pool, queue = self._device.pool, self._device.queue
        if isinstance(x, DeviceArray):
            if not written:
                return pool.lend(x.buffer, x.nbytes)
            buffer = pool.take(x.nbytes)
            if x.nbytes:
                cl.enqueue_copy(queue, buffer.handle, x.buffer.handle, byte_count=x.nbytes)
            return buffer
        source = np.ascontiguousarray(x)
        if not written and self._device.info.shares_memory and x.nbytes and source.flags.aligned:
            kept.append(source)
            return pool.borrow(source)
        buffer = pool.take(source.nbytes)
        if source.nbytes:
            cl.enqueue_copy(queue, buffer.handle, source)
        return buffer

    def _result(self, run: Run, p: Port, dims: Sequence[GetInt]) -> Value | DeviceArray:
        if isinstance(p, ScalarPort):
            return run.scalars[self._slot(p)]
        shape = tuple(d(run.scalars) for d in dims)
        size, pool = math.prod(shape) * p.elem.bytes, self._device.pool
        buffer = run.blocks[self._slot(p)]
        if size and (buffer is None or size > buffer.size):
            raise Stuck(f"block `{p.block}` is smaller than the array in it")
        if buffer is None or not size:
            buffer = pool.take(0)
        elif buffer.borrowed:  # an argument, which may change
            mine = pool.take(size)
            cl.enqueue_copy(self._device.queue, mine.handle, buffer.handle, byte_count=size)
            self._device.queue.finish()
            buffer = mine
        else:
            buffer = buffer.of or buffer
            buffer.holders += 1
        return DeviceArray(self._device, buffer, shape, dtype(p.elem))


def _outlined(a: ArgValue) -> ArgValue:
    """What stands for an argument while shapes and types are compared."""
    return a.outline() if isinstance(a, DeviceArray) else a


def _zero(t: ScalarType) -> Value:
    return False if t is BOOL else 0.0 if t.is_float else 0


# ---------------------------------------------------------------------- commands


class Calls:
    """The commands of one entry point to its device (``host.Commands``)."""

    def __init__(self, entry: EntryPlan, device: Device, built: Built, slots: Slots) -> None:
        self.launches = 0
        self._entry, self._device, self._built, self._slots = entry, device, built, slots
        self._launch = 0
        self._rounds = 0
        self._ahead = Ahead()
        self._dirty = False
        """Whether a kernel may have written to the status buffer since it was read."""
        uses_status = any(k.status for k in entry.kernels)
        self._words = np.zeros(STATUS_OUT + most_answers(entry.steps), np.int64)
        self._status = self._new_status() if uses_status else None

    def _new_status(self) -> cl.Buffer:
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self._device.context, flags, hostbuf=np.zeros_like(self._words))

    def start(self) -> None:
        """The beginning of a call; the last one may have ended before anybody looked."""
        self.launches = 0
        if self._dirty:
            self._clear_status()

    def take(self, size: int, at: Span) -> Buffer:
        try:
            return self._device.pool.take(size, at)
        except DeviceError:
            self.sync()  # a trap before it is the program's answer
            raise

    def drop(self, buffer: Buffer) -> None:
        self._device.pool.drop(buffer)

    # -- launches

    def launcher(self, kernel: int) -> Callable[[Run, int], None]:
        """A function that runs a kernel over a number of work-items.

        Arguments stay set: only those that are other objects than at the last launch are set.
        ``set_arg`` takes longer than a launch to find out that an argument is a number, by way of
        exceptions; pyopencl has a name for who knows.
        """
        info = self._entry.kernels[kernel]
        k = self._built.kernel(info.name)
        set_arg, queue, task = k.set_arg, self._device.queue, info.task
        ahead = self._ahead
        set_number: Callable[[int, np.generic], None] = getattr(k, "_set_arg_buf", set_arg)
        sizes = cl.kernel_work_group_info
        most = k.get_work_group_info(sizes.WORK_GROUP_SIZE, self._device.handle)
        gpu, asked = self._device.info.is_gpu, self._entry.group
        status = self._status if info.status else None
        number = 0 if task else 1  # of the argument that tells launches apart
        if status is not None:
            set_arg(number + 1, status)
        scalars, blocks = self._arguments(info, number if status is None else number + 2)
        last: list[object] = [_UNSET] * (number + 2 + len(info.args))
        items, shape = -1, ((0,), (0,))

        def launch(r: Run, n: int) -> None:
            nonlocal items, shape
            if n != items:
                if n > _MOST_ITEMS:
                    self.sync()  # a trap before it is the program's answer
                    raise _too_many(info, n)
                items = -1  # here, as below, until it is so: anything may be interrupted
                group = 1 if task else min(group_size(gpu, n, asked), most)
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
        """A kernel's scalars and blocks: the number of each argument, its slot, its type."""
        scalars = [a for a in info.args if isinstance(a, ScalarArg)]
        blocks = [a for a in info.args if isinstance(a, BlockArg)]
        types = [_ARGUMENT.get(a.type) or dtype(a.type).type for a in scalars]
        slots = [self._slots.scalar(a.x) for a in scalars]
        behind = first + len(scalars)
        return (
            [(first + i, *each) for i, each in enumerate(zip(slots, types, strict=True))],
            [(behind + i, self._slots.block(a.x)) for i, a in enumerate(blocks)],
        )

    # -- answers

    def sync(self) -> None:
        """Waits for kernels that can fail and raises the trap of the first that did."""
        if self._dirty:
            self._read_status()

    def round(self) -> None:
        """After each round of a host's loop: if a kernel failed, the loop ends, if not at once."""
        self._rounds += 1
        if self._rounds >= _LOOK_AFTER:
            self._rounds = 0
            self.sync()

    def finish(self) -> None:
        """Waits for all kernels and raises the trap of the first that failed."""
        self._device.queue.finish()
        self.sync()

    def answers(self, types: Sequence[ScalarType]) -> list[Value]:
        """The scalars that the last task answers."""
        self._read_status()
        words = self._words[STATUS_OUT : STATUS_OUT + len(types)]
        return [unpack(w.tobytes()[: t.bytes], t) for w, t in zip(words, types, strict=True)]

    def read(self, buffer: Buffer, index: int, t: ScalarType, at: Span) -> Value:
        """One element."""
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


class Ahead:
    """How far launches run ahead of the device: not for much longer than a second, so that an
    interrupt, which ends the launching, ends the run.

    The host waits for a launch long before the last one, which costs a device nothing that is busy
    with those between.  Where they take long it waits more often.
    """

    def __init__(self) -> None:
        self._stride = 4
        self._left = self._stride
        self._mark: cl.Event | None = None

    def launched(self, event: cl.Event) -> None:
        """One more."""
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
"""Seconds to wait for some launches."""

_MOST_AHEAD = 1024

_UNSET = object()
"""No argument."""

_LOOK_AFTER = 2000
"""Rounds of the host's loops after which it waits for the device, to see whether a kernel failed:
often enough for people, and so rarely that the device's work does not show it.
"""

_MOST_ITEMS = (1 << 63) - 1 - MAX_GROUP


def _too_many(info: KernelInfo, n: int) -> DeviceError:
    return DeviceError(Diagnostic(info.at, "device", f"a kernel of {n} iterations is too large"))


_ARGUMENT: dict[ScalarType, type[np.generic]] = {BOOL: np.uint8, F16: np.float32}
"""Types of arguments that differ from those of elements: bool has no size in C, f16 is held as
float."""
