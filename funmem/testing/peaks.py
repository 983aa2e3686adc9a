"""Predicted and measured peaks: the bytes of all blocks that are held at the same time.

The memory plan predicts from sizes and scalars, or, where sizes depend on data, with the
interpreter of IMP; the runtime's host and allocator measure, on a device that only counts.  The
closed formula says the same, unless it says that it is a bound: then it is not less.
"""

from collections.abc import Sequence

from funmem.codegen.memory_plan import (
    Measured,
    MemoryPlan,
    Traced,
    Unknown,
    memory_plan,
    replay,
    traced,
)
from funmem.explain.interpret import Interpreter, scalars_among
from funmem.ir.imp import ImpEntry
from funmem.ir.record import frozen
from funmem.ir.signature import signature
from funmem.ir.values import ArgValue
from funmem.testing.counting_device import CountingDevice


@frozen
class Peak:
    """What was said of one run, in bytes; ``exact``: of the formula, if it ``holds`` there."""

    path: str
    entry: str
    measured: int
    predicted: int
    formula: int
    exact: bool
    needs_data: bool
    holds: bool = True

    @property
    def right(self) -> bool:
        agrees = self.formula == self.measured if self.exact else self.formula >= self.measured
        return self.predicted == self.measured and (agrees or not self.holds)

    def __str__(self) -> str:
        what = "formula" if self.exact else "bound"
        numbers = f"predicted {self.predicted}, {what} {self.formula}, measured {self.measured}"
        return f"{self.path}: {self.entry}: {numbers}"


def predicted(
    plan: MemoryPlan, e: ImpEntry, ready: Traced, args: Sequence[ArgValue]
) -> tuple[Measured, bool]:
    """What a run will hold, and whether that took more than its sizes and scalars."""
    given, _ = scalars_among(signature(e), args)
    try:
        return replay(plan, given), False
    except Unknown:
        device = Interpreter(e, ready)
        return replay(plan, device.given(args), device), True


def counted_peak(name: str, e: ImpEntry, args: Sequence[ArgValue]) -> Peak:
    """The peaks of a call, measured without a device.

    Raises Trap, InputError, and SourceError where a device could not run the entry point.
    """
    ready = traced(e)
    measured = CountingDevice(e, ready).peak(args)
    plan = memory_plan(ready.plan)
    numbers, needs_data = predicted(plan, e, ready, args)
    formula = plan.peak.value(numbers.quantities)
    holds = plan.peak.holds(numbers.quantities)
    return Peak(name, e.name, measured, numbers.peak, formula, plan.peak.exact, needs_data, holds)
