"""Runs a compiled program on a device.

    exe = Executable.load(compiled, open_device())
    exe(x, y)                       # the only entry point; arrays stay on the device
    exe.entry("main").run((x, y))   # values on the host, as the interpreters return them

Kernels are enqueued on one in-order queue without waiting in between.  The host waits where it
needs a scalar from the device, and at the end of a call that can trap or that uses memory of the
host.  Before it uses a value from the device, it tests whether a check failed there.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from math import prod
from time import perf_counter
from typing import Any, TypeAlias, cast

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
from funmem.codegen.device_call import OnDevice, run_text
from funmem.codegen.fast_call import fast_call
from funmem.codegen.forks import Threads, claim
from funmem.codegen.generated import define as define_functions
from funmem.codegen.host import array_argument, scalar_argument
from funmem.codegen.interrupts import Interruptible, nothing
from funmem.codegen.plan import Compiled, EntryPlan, Plan, signature_of
from funmem.codegen.program import Built, build
from funmem.codegen.stats import Seconds, Stats
from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    Diagnostic,
    Stuck,
    UsageError,
)
from funmem.ir.foreign_calls import NO_FUNCTIONS, Table
from funmem.ir.foreign_calls import call as call_foreign
from funmem.ir.imp import ArrayPort, Port, ScalarPort
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import Value
from funmem.ir.values import ArgValue, ArrayValue, bind, dtype, spread
from funmem.ir.values import Value as AnyValue


@define(eq=False)
class Executable:
    """A program built for a device; ``max_bytes`` limits the memory of a call."""

    plan: Plan
    source: str
    device: Device
    built: Built
    max_bytes: int | None = None
    foreign: Table = NO_FUNCTIONS
    """The foreign functions that the host calls."""
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
                    entry = EntryPoint(e, self.device, self.built, self.max_bytes, self.foreign)
                    self._entries[e.name] = entry
                return self._entries[e.name]
        known = ", ".join(f"`{x}`" for x in self.names)
        raise UsageError(Diagnostic(NOWHERE, "entry", f"no entry point `{name}`; there is {known}"))

    def __call__(self, *args: ArgValue) -> Any:
        """Call the only entry point; a single result is returned without a tuple."""
        return self.entry()(*args)


def _require_fp64(compiled: Compiled, device: Device) -> None:
    if compiled.plan.f64 and not device.info.fp64:
        message = f"the program uses f64, which {device.info.name} does not have"
        raise DeviceError(Diagnostic(NOWHERE, "device", message))


# ---------------------------------------------------------------------- one entry point

Given: TypeAlias = "Value | DeviceArray | NDArray[np.generic]"
"""An argument that has been accepted; an array has the parameter's type and shape."""


class EntryPoint:
    """An entry point resolved for a device; it may be called any number of times.

    A call returns when its kernels have run.  If all its arrays are on the device and no kernel has
    a check, it cannot trap, and returns at once (papers/decisions/calls.md).
    """

    def __init__(
        self,
        entry: EntryPlan,
        device: Device,
        built: Built,
        max_bytes: int | None = None,
        foreign: Table = NO_FUNCTIONS,
    ) -> None:
        self._foreign = foreign
        self.plan = entry
        self.signature = signature_of(entry)
        self.owner = 0
        """The process that has claimed the threads of OpenCL for this entry point."""
        self.cost: tuple[float, ...] = (0, 0)
        """Of the last call: launches, peak bytes, and the times between its parts."""
        self._device, self._max_bytes, self._demand = device, max_bytes, Demand(entry)
        commands = DeviceCommands(entry, device, built)
        text, names = run_text(entry, commands)
        names |= commands.names() | self._names()
        define_functions(text, names, "run of an entry point")
        self._go = cast(Callable[..., Any], names["go"])
        self._go_and_wait = cast(Callable[..., Any], names["go_and_wait"])
        self.call = fast_call(entry, OnDevice(), names) or self._explained

    def __call__(self, *args: ArgValue) -> Any:
        """Return the results: Python scalars and arrays that stay on the device.

        A single result is returned without a tuple.  Raises InputError, Trap, DeviceError.
        """
        return self.call(*args)

    def run(self, args: Sequence[ArgValue]) -> tuple[AnyValue, ...]:
        """Return the results as values on the host, once all kernels have run.

        Raises InputError, Trap, DeviceError.
        """
        sizes, given = self._bound(args)
        results = self._go_and_wait(*sizes, *given)
        every = results if len(self.plan.results) != 1 else (results,)
        values = tuple(ArrayValue(x.host()) if type(x) is DeviceArray else x for x in every)
        self.cost = (*self.cost[:-1], perf_counter())
        return values

    @property
    def stats(self) -> Stats:
        """Return the cost of the last call."""
        launches, peak, *times = self.cost
        parts = [b - a for a, b in pairwise(times)]
        return Stats(int(launches), int(peak), Seconds(*parts))

    # -- arguments

    def _explained(self, *args: ArgValue) -> Any:
        """Return the results for any arguments: converts them, or explains what is wrong."""
        sizes, given = self._bound(args)
        return self._go(*sizes, *given)

    def _bound(self, args: Sequence[ArgValue]) -> tuple[tuple[int, ...], tuple[Given, ...]]:
        """Return the sizes and the arguments once they are accepted, and fit into memory."""
        claim(Threads.OPENCL)
        self.owner = os.getpid()
        args = spread(self.signature.params, args)
        named, values = bind(self.signature, [_outlined(a) for a in args])
        sizes = tuple(named[x] for x in self.plan.sizes)
        self._require(sizes, values)
        ports = zip(self.plan.params, values, args, strict=True)
        return sizes, tuple(self._given(p, v, a) for p, v, a in ports)

    def _given(self, p: Port, v: AnyValue, a: ArgValue) -> Given:
        if isinstance(p, ScalarPort):
            return scalar_argument(p, v)
        if isinstance(a, DeviceArray):
            return a if a.device is self._device else a.host()
        return np.ascontiguousarray(array_argument(p, v).data)

    def _require(self, sizes: Sequence[int], values: Sequence[object]) -> None:
        """Raise DeviceError if the call needs more memory than there is."""
        named = dict(zip(self.plan.sizes, sizes, strict=True))
        self._demand.require(named, values, self._max_bytes, lambda: self._device.limit)

    # -- what the generated functions refer to

    def _names(self) -> dict[str, object]:
        device, pool = self._device, self._device.pool
        names: dict[str, object] = {
            "entry": self,
            "slow": lambda args: self._explained(*args),
            "limited": self._max_bytes is not None,
            "memory": self._require,
            "device": device,
            "lock": device.lock,
            "pool": pool,
            "returned": pool.returned,
            "drop": pool.drop,
            "settle": self._settle,
            "clock": perf_counter,
            "nothing": nothing,
            "Interruptible": Interruptible,
            "DeviceArray": DeviceArray,
            "foreign": partial(call_foreign, self._foreign),
        }
        for k, p in enumerate(self.plan.params):
            if isinstance(p, ArrayPort):
                written = p.block in self.plan.written
                names[f"on_device{k}"] = self._copied if written else self._lent
                names[f"on_host{k}"] = self._borrowed_or_copied(written)
        for k, r in enumerate(self.plan.results):
            if isinstance(r, ArrayPort):
                names[f"result{k}"] = self._result(r)
        return names

    def _settle(self, error: BaseException) -> None:
        """Wait, since borrowed memory must exist until all kernels have run.

        Raises DeviceError for an error of the driver.
        """
        with suppress(cl.Error):
            self._device.queue.finish()
        if isinstance(error, cl.Error):
            raise failed(self._device, error) from None

    def _lent(self, x: DeviceArray) -> Buffer:
        """Return a buffer for a result of another call that kernels only read."""
        return self._device.pool.lend(x.buffer, x.nbytes)

    def _copied(self, x: DeviceArray) -> Buffer:
        """Return a buffer with a copy of a result of another call."""
        buffer = self._device.pool.take(x.nbytes)
        if x.nbytes:
            queue, size = self._device.queue, x.nbytes
            self._device.pool.here(buffer, x.buffer)
            x.buffer.copy(queue, buffer, size)
        return buffer

    def _borrowed_or_copied(self, written: bool) -> Callable[[NDArray[np.generic]], Buffer]:
        """Return a function that returns a buffer for an array of the host.

        It is the array's own memory if the device shares it and no kernel writes to it.
        """
        pool, queue, moved = self._device.pool, self._device.queue, self._device.transfers
        borrows = not written and self._device.info.shares_memory

        def given(x: NDArray[np.generic]) -> Buffer:
            size = x.nbytes
            moved.sent(size)
            if borrows and size and x.flags.aligned:
                return pool.borrow(x)
            buffer = pool.take(size)
            if size:
                cl.enqueue_copy(queue, buffer.handle, x)
            return buffer

        return given

    def _result(self, p: ArrayPort) -> Callable[[Buffer | None, tuple[int, ...]], DeviceArray]:
        """Return a function that returns an array result, given its block and shape."""
        elem, elem_bytes, device = dtype(p.elem), p.elem.bytes, self._device
        pool = device.pool

        def result(buffer: Buffer | None, shape: tuple[int, ...]) -> DeviceArray:
            size = prod(shape) * elem_bytes
            if size and (buffer is None or size > buffer.size):
                raise Stuck(f"block `{p.block}` is smaller than the array in it")
            if buffer is None or not size:
                buffer = pool.take(0)
            elif buffer.borrowed:  # the memory of an argument, which the caller may change
                copy = pool.take(size)
                pool.here(copy, buffer)
                buffer.copy(device.queue, copy, size)
                device.queue.finish()
                buffer = copy
            else:
                buffer = buffer.of or buffer
                buffer.holders += 1
            return DeviceArray(device, buffer, shape, elem, size)

        return result


def _outlined(a: ArgValue) -> ArgValue:
    """Return an array with the shape and type of an argument, without moving its elements."""
    return a.outline() if isinstance(a, DeviceArray) else a
