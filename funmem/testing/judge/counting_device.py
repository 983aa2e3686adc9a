"""The runtime's host program and allocator, with the IMP interpreter in place of a device.

It measures the buffers that ``codegen/host.py`` requests from ``codegen/buffers.py``.  Nothing is
compiled, so that thousands of programs can be measured.
"""

from collections.abc import Callable, Sequence
from typing import cast

import pyopencl as cl

from funmem.codegen.buffers import Buffer, Pool
from funmem.codegen.host import Resolver, Run, Slots
from funmem.codegen.memory_plan import Traced
from funmem.codegen.plan import BlockArg, Fetch, Launch, Out
from funmem.codegen.plan_tree import Nodes, numbered
from funmem.explain.interpret import Interpreter
from funmem.interp.places import Block
from funmem.ir.diagnostics import Span
from funmem.ir.imp import ArrayPort, ImpEntry
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, ScalarType
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.values import ArgValue, ArrayValue


@define(eq=False)
class CountingPool(Pool):
    """A pool that counts buffers without allocating any."""

    def _made(self, size: int, at: Span) -> cl.Buffer:  # noqa: ARG002
        self.made += 1
        return cast(cl.Buffer, object())


class CountingDevice(Interpreter):
    """The ``host.Commands`` of one entry point."""

    def __init__(self, entry: ImpEntry, traced: Traced) -> None:
        Interpreter.__init__(self, entry, traced)
        self._pool = CountingPool(cast(cl.Context, None), 1 << 62, 1 << 62)
        self._slots = Slots()
        self._contents: dict[int, Block] = {}
        self._buffers: list[Buffer] = []  # kept alive, so that their ids stay unique
        self._outs = dict(answers(numbered(traced.plan.steps)))
        self._last = -1
        self._host = Resolver(self._slots, traced.plan.checks, self).steps(traced.plan.steps)

    def peak(self, args: Sequence[ArgValue]) -> int:
        """Return the peak memory of a call in bytes.  Raises InputError, Trap."""
        scalars = self.start(self.given(args))
        for v in self._plan.variables:
            self._slots.scalar(v.x)
        for p in self._plan.params:
            if isinstance(p, ArrayPort):
                self._slots.block(p.block)
        run = Run([0] * len(self._slots.scalars), [None] * len(self._slots.blocks))
        for x, slot in self._slots.scalars.items():
            run.scalars[slot] = scalars.get(x, 0)
        self._pool.peak = self._pool.live = 0
        for p, a in zip(self._plan.params, self._arguments, strict=True):
            if isinstance(p, ArrayPort) and isinstance(a, ArrayValue):
                buffer = self._pool.take(a.data.nbytes)
                self._buffers.append(buffer)
                self._contents[id(buffer)] = cast(Block, self._values[p.block])
                run.blocks[self._slots.block(p.block)] = buffer
        self._host(run)
        return self._pool.peak

    # -- host.Commands

    def take(self, size: int, at: Span) -> Buffer:
        buffer = self._pool.take(size, at)
        self._contents[id(buffer)] = self._heap.allocate(Name("block"), size, 0)
        self._buffers.append(buffer)
        return buffer

    def drop(self, buffer: Buffer) -> None:
        self._pool.drop(buffer)

    def launcher(self, kernel: int) -> Callable[[Run, int], None]:
        blocks = [a.x for a in self._plan.kernels[kernel].args if isinstance(a, BlockArg)]

        def launch(run: Run, n: int) -> None:  # noqa: ARG001
            for x, slot in self._slots.scalars.items():
                self._values[x] = run.scalars[slot]
            for x in blocks:
                buffer = run.blocks[self._slots.block(x)]
                if buffer is not None:
                    self._values[x] = self._contents[id(buffer)]
            self._last = kernel
            self._kernels[kernel]()

        return launch

    def sync(self) -> None:
        """Do nothing: the interpreter reports failures at once."""

    def round(self) -> None:
        """Do nothing: there are no failures to poll."""

    def answers(self, types: Sequence[ScalarType]) -> list[ScalarValue]:  # noqa: ARG002
        outs = self._outs[self._last]
        return [
            cast(ScalarValue, self._values.get(o.x, False if o.type is BOOL else 0)) for o in outs
        ]

    def read(  # type: ignore[override]  # the host's commands have their own
        self,
        buffer: Buffer,
        index: int,
        t: ScalarType,
        at: Span,  # noqa: ARG002
    ) -> ScalarValue:
        value: ScalarValue = self._contents[id(buffer)].view(t).item(index)
        return value != 0 if t is BOOL else value


def answers(nodes: Nodes) -> list[tuple[int, tuple[Out, ...]]]:
    """Return each kernel that returns scalars, and those scalars."""
    found: list[tuple[int, tuple[Out, ...]]] = []
    last = -1
    for node in nodes:
        match node.step:
            case Launch(kernel):
                last = kernel
            case Fetch(outs):
                found.append((last, outs))
            case _:
                for body in node.bodies:
                    found += answers(body)
    return found
