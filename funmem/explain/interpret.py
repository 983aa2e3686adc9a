"""Compute the scalars that a device would compute, by the IMP interpreter (``explain -i``)."""

from collections.abc import Callable, Sequence
from typing import cast

from funmem.codegen.host import condition_names, holds, trap
from funmem.codegen.memory_plan import Traced
from funmem.codegen.memory_plan.replay import Scalars
from funmem.codegen.plan import ReadScalar, Test
from funmem.codegen.plan_tree import evaluate
from funmem.interp.imp import Machine
from funmem.ir.imp import Read
from funmem.ir.names import Name
from funmem.ir.scalars import Value as ScalarValue
from funmem.ir.signature import Signature
from funmem.ir.values import ArgValue, ArrayValue, Value, bind


def scalars_among(
    signature: Signature, args: Sequence[ArgValue]
) -> tuple[Scalars, tuple[Value, ...]]:
    """Return the sizes and scalars of a call, and all its arguments.  Raises InputError."""
    sizes, values = bind(signature, args)
    scalars: Scalars = dict(sizes)
    for p, v in zip(signature.params, values, strict=True):
        if not isinstance(v, ArrayValue):
            scalars[p.name] = v
    return scalars, values


class Interpreter(Machine):
    """Interprets an entry point, one kernel at a time, as the host's plan requests."""

    def __init__(self, traced: Traced) -> None:
        Machine.__init__(self, traced.entry, functions=traced.functions)  # declares all variables
        self._plan = traced.plan
        self._kernels = [self._block(body) for body in traced.bodies]
        self._reads: dict[int, Callable[[], None]] = {}
        self._arguments: tuple[Value, ...] = ()

    def given(self, args: Sequence[ArgValue]) -> Scalars:
        """Set the arguments of the next run, and return their sizes and scalars.

        Raises InputError.
        """
        scalars, self._arguments = scalars_among(self._signature, args)
        return scalars

    def start(self, scalars: Scalars) -> Scalars:
        """Start a run, and return its variables, which include the interpreter's blocks."""
        self._heap.restart(check_races=False)
        self._values.clear()
        self._values.update(scalars)
        for p, v in zip(self._entry.params, self._arguments, strict=True):
            self._pass(p, v)
        return cast(Scalars, self._values)

    def allocate(self, x: Name, size: int) -> None:
        self._values[x] = self._heap.allocate(x, size, 0)

    def alias(self, x: Name, y: Name) -> None:
        self._values[x] = self._values[y]

    def launch(self, kernel: int) -> None:
        self._kernels[kernel]()

    def read(self, step: ReadScalar) -> ScalarValue:
        """Return one element, as the host reads it."""
        if id(step) not in self._reads:
            read = Read(step.x, step.block, step.index, step.elem, step.at)
            self._reads[id(step)] = self._step(read)
        self._reads[id(step)]()
        return cast(ScalarValue, self._values[step.x])

    def verify(self, check: int) -> None:
        """Perform a check of the host.  Raises Trap."""
        info = self._plan.checks[check]
        scalars = cast(Scalars, self._values)
        if isinstance(info.cond, Test):
            good = bool(evaluate(info.cond.cond)(scalars))
        else:
            good = holds(info.cond, lambda x: int(scalars[x]))
        if not good:
            names = condition_names(info.cond)
            known = {x: v for x, v in scalars.items() if isinstance(v, bool | int | float)}
            assert names <= known.keys()
            raise trap(info, known)
