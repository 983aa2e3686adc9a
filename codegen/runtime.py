"""Runs a compiled program on a device.

    exe = Executable.load(compiled, open_device())
    exe(x, y)                       # the only entry point; arrays stay on the device
    exe.entry("main").run((x, y))   # values on the host, as the interpreters return them

Kernels are enqueued on one in-order queue without waiting in between.  The host waits where it
needs a scalar from the device, and at the end of a call.  Before it uses a value from the device,
it tests whether a check failed there.
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
from funmem.codegen.commands import DeviceCommands
from funmem.codegen.demand import Demand
from funmem.codegen.device import Device, failed
from funmem.codegen.device_array import DeviceArray
from funmem.codegen.forks import Threads, claim
from funmem.codegen.host import (
    Do,
    GetInt,
    Resolver,
    Run,
    Slots,
    array_argument,
    scalar_argument,
    signature_of,
)
from funmem.codegen.interrupts import Interruptible
from funmem.codegen.plan import (
    Compiled,
    EntryPlan,
    Plan,
)
from funmem.codegen.program import Built, build
from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    Diagnostic,
    Stuck,
    UsageError,
)
from funmem.ir.imp import ArrayPort, Port, ScalarPort
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, ScalarType, Value
from funmem.ir.values import ArgValue, ArrayValue, bind, dtype
from funmem.ir.values import Value as AnyValue

Result: TypeAlias = Value | DeviceArray

T = TypeVar("T")


@frozen
class Seconds:
    """The seconds that a call spent on passing arguments, running kernels, returning results."""

    pass_in: float = 0.0
    run: float = 0.0
    hand_back: float = 0.0


@frozen
class Stats:
    """The cost of the last call: launches, peak memory (bytes of all held blocks), and time."""

    launches: int = 0
    peak_bytes: int = 0
    seconds: Seconds = Seconds()


@define(eq=False)
class Executable:
    """A program built for a device; ``max_bytes`` limits the memory of a call."""

    plan: Plan
    source: str
    device: Device
    built: Built
    max_bytes: int | None = None
    _entries: dict[Name, "EntryPoint"] = field(factory=dict)

    @staticmethod
    def load(compiled: Compiled, device: Device, cache: Cache | None = None) -> "Executable":
        """Build the kernels, or load them from the cache.  Raises DeviceError."""
        _require_fp64(compiled, device)
        built = build(device, compiled.source, cache)
        return Executable(compiled.plan, compiled.source, device, built)

    @property
    def names(self) -> tuple[Name, ...]:
        """Return the names of the entry points."""
        return tuple(e.name for e in self.plan.entries)

    def entry(self, name: str | None = None) -> "EntryPoint":
        """Return the entry point called ``name``, or the only one.  Raises UsageError."""
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
        """Call the only entry point; a single result is returned without a tuple."""
        return self.entry()(*args)


def _require_fp64(compiled: Compiled, device: Device) -> None:
    if compiled.plan.f64 and not device.info.fp64:
        message = f"the program uses f64, which {device.info.name} does not have"
        raise DeviceError(Diagnostic(NOWHERE, "device", message))


# ---------------------------------------------------------------------- one entry point


class EntryPoint:
    """An entry point resolved for a device; it may be called any number of times."""

    def __init__(
        self, entry: EntryPlan, device: Device, built: Built, max_bytes: int | None = None
    ) -> None:
        self.plan = entry
        self.signature = signature_of(entry)
        self.stats = Stats()
        self._device, self._max_bytes, self._demand = device, max_bytes, Demand(entry)
        self._slots = Slots()
        self._defaults = [(self._slots.scalar(v.x), _zero(v.type)) for v in entry.variables]
        self._commands = DeviceCommands(entry, device, built, self._slots)
        self._body: Do = Resolver(self._slots, entry.checks, self._commands).steps(entry.steps)
        self._shapes = [
            [self._slots.size(d) for d in p.shape] if isinstance(p, ArrayPort) else []
            for p in entry.results
        ]
        for p in (*entry.params, *entry.results):
            self._slot(p)

    def __call__(self, *args: ArgValue) -> Result | tuple[Result, ...]:
        """Return the results: Python scalars and arrays that stay on the device.

        A single result is returned without a tuple.  Raises InputError, Trap, DeviceError.
        """
        results = self._called(args, lambda x: x)
        return results[0] if len(results) == 1 else results

    def run(self, args: Sequence[ArgValue]) -> tuple[AnyValue, ...]:
        """Return the results as values on the host.  Raises InputError, Trap, DeviceError."""
        return self._called(args, lambda x: ArrayValue(x.host()))

    def _called(
        self, args: Sequence[ArgValue], convert: Callable[[DeviceArray], T]
    ) -> tuple[Value | T, ...]:
        """Return the results; ``convert`` is applied to each array."""
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
                self._commands.finish()
                peak = pool.peak
                times.append(perf_counter())
                ports = zip(self.plan.results, self._shapes, strict=True)
                found = [self._result(run, p, shape) for p, shape in ports]
                results = tuple(convert(x) if isinstance(x, DeviceArray) else x for x in found)
                times.append(perf_counter())
                seconds = Seconds(*(b - a for a, b in pairwise(times)))
                return results
            except BaseException as error:
                with suppress(cl.Error):  # borrowed memory must exist until all kernels have run
                    self._device.queue.finish()
                peak = pool.peak
                if isinstance(error, cl.Error):
                    raise failed(self._device, error) from None
                raise
            finally:
                self.stats = Stats(self._commands.launches, peak - before, seconds)
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
        self._commands.start()
        return run

    def _pass(
        self,
        run: Run,
        values: Sequence[AnyValue],
        args: Sequence[ArgValue],
        kept: list[object],
    ) -> None:
        """Store scalar arguments in their slots and array arguments in buffers."""
        for p, v, a in zip(self.plan.params, values, args, strict=True):
            match p:
                case ArrayPort(block):
                    source: DeviceArray | NDArray[np.generic] = array_argument(p, v).data
                    if isinstance(a, DeviceArray):
                        source = a if a.device is self._device else a.host()
                    written = block in self.plan.written
                    run.blocks[self._slot(p)] = self._given(source, written, kept)
                case ScalarPort():
                    run.scalars[self._slot(p)] = scalar_argument(p, v)

    def _given(
        self, x: DeviceArray | NDArray[np.generic], written: bool, kept: list[object]
    ) -> Buffer:
        """Return a buffer for an argument: its own memory if no kernel writes to it, or a copy."""
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
        elif buffer.borrowed:  # the memory of an argument, which the caller may change
            copy = pool.take(size)
            cl.enqueue_copy(self._device.queue, copy.handle, buffer.handle, byte_count=size)
            self._device.queue.finish()
            buffer = copy
        else:
            buffer = buffer.of or buffer
            buffer.holders += 1
        return DeviceArray(self._device, buffer, shape, dtype(p.elem))


def _outlined(a: ArgValue) -> ArgValue:
    """Return an array with the shape and type of an argument, without moving its elements."""
    return a.outline() if isinstance(a, DeviceArray) else a


def _zero(t: ScalarType) -> Value:
    return False if t is BOOL else 0.0 if t.is_float else 0
