"""The runtime's host program and allocator, with the IMP interpreter in place of a device.

It measures the buffers that the statements of ``codegen/host_code.py`` request from
``codegen/buffers.py``.  No kernel is compiled, so that thousands of programs can be measured.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import pyopencl as cl

from funmem.codegen.buffers import Buffer, Pool
from funmem.codegen.generated import define as define_functions
from funmem.codegen.host_code import HostCode, tuple_of
from funmem.codegen.memory_plan import Traced
from funmem.codegen.plan import BlockArg, Fetch, Launch, Out, ScalarArg
from funmem.codegen.plan_tree import Nodes, numbered
from funmem.explain.interpret import Interpreter
from funmem.interp.places import Block
from funmem.ir.diagnostics import Span
from funmem.ir.imp import ArrayPort
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
    """The commands that the host's statements give to a device, for one entry point."""

    def __init__(self, traced: Traced) -> None:
        Interpreter.__init__(self, traced)
        self._pool = CountingPool(cast(cl.Context, None), 1 << 62, 1 << 62)
        self._contents: dict[int, Block] = {}
        self._buffers: list[Buffer] = []  # kept alive, so that their ids stay unique
        self._outs = dict(answers(numbered(traced.plan.steps)))
        self._last = -1
        self._host = self._run_function()

    def _run_function(self) -> Callable[..., None]:
        """Return the host's program, a function of the scalars and blocks of the arguments."""
        plan = self._plan
        code = HostCode(plan, self._launch)
        given = [code.scalar(x) for x in plan.sizes]
        for p in plan.params:
            given.append(code.buffer(p.block) if isinstance(p, ArrayPort) else code.scalar(p.x))
        steps = code.body()
        lines = [
            f"def run({', '.join(given)}):",
            *(f" {x}" for x in (*code.zeros(), *steps)),
            " return",
        ]
        names = {
            **code.names,
            "launch": self.launched,
            "take": self.take,
            "drop": self.drop,
            "sync": lambda: None,  # the interpreter reports failures at once
            "round": lambda: None,
            "answers": self.answers,
            "read": self.element,
        }
        run = define_functions("\n".join(lines) + "\n", names, "host program")["run"]
        return cast(Callable[..., None], run)

    def _launch(self, code: HostCode, step: Launch, n: str) -> list[str]:  # noqa: ARG002
        info = self._plan.kernels[step.kernel]
        scalars = {a.x for a in info.args if isinstance(a, ScalarArg)}
        scalars |= {x for d in step.dims for x in d.free()}
        blocks = [a.x for a in info.args if isinstance(a, BlockArg)]
        values = tuple_of([code.buffer(x) for x in blocks])
        return [
            f"launch({step.kernel}, {code.values(sorted(scalars))}, {code.name(blocks)}, {values})"
        ]

    def peak(self, args: Sequence[ArgValue]) -> int:
        """Return the peak memory of a call in bytes.  Raises InputError, Trap."""
        scalars = self.start(self.given(args))
        given: list[object] = [scalars[x] for x in self._plan.sizes]
        self._pool.peak = self._pool.live = 0
        for p, a in zip(self._plan.params, self._arguments, strict=True):
            if isinstance(p, ArrayPort) and isinstance(a, ArrayValue):
                buffer = self._pool.take(a.data.nbytes)
                self._buffers.append(buffer)
                self._contents[id(buffer)] = cast(Block, self._values[p.block])
                given.append(buffer)
            else:
                given.append(a)
        self._host(*given)
        return self._pool.peak

    # -- commands

    def take(self, size: int, at: Span) -> Buffer:
        buffer = self._pool.take(size, at)
        self._contents[id(buffer)] = self._heap.allocate(Name("block"), size, 0)
        self._buffers.append(buffer)
        return buffer

    def drop(self, buffer: Buffer) -> None:
        self._pool.drop(buffer)

    def launched(
        self,
        kernel: int,
        scalars: Mapping[Name, ScalarValue],
        blocks: Sequence[Name],
        buffers: Sequence[Buffer | None],
    ) -> None:
        """Interpret a kernel over the given values of its variables."""
        self._values.update(scalars)
        for x, buffer in zip(blocks, buffers, strict=True):
            if buffer is not None:
                self._values[x] = self._contents[id(buffer)]
        self._last = kernel
        self._kernels[kernel]()

    def answers(self, types: Sequence[ScalarType]) -> list[ScalarValue]:  # noqa: ARG002
        outs = self._outs[self._last]
        return [
            cast(ScalarValue, self._values.get(o.x, False if o.type is BOOL else 0)) for o in outs
        ]

    def element(self, buffer: Buffer, index: int, t: ScalarType, at: Span) -> ScalarValue:  # noqa: ARG002
        """Return an element of a block."""
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
