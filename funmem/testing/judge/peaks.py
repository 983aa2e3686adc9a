"""Predicted and measured peak memory: the largest total of simultaneously live blocks, in bytes.

The memory plan predicts the peak from sizes and scalars, or, where sizes depend on data, with the
IMP interpreter.  The runtime's host and allocator measure it on a device that only counts. The
closed formula must equal the measured peak, or be an upper bound if it is marked as one.  The
demand known before the run (``codegen.demand``) must be a lower bound, or equal if it is marked as
exact.
"""

from collections.abc import Sequence

from funmem.codegen.demand import Demand
from funmem.codegen.memory_limits import Need
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
from funmem.ir.imp import ImpEntry, ImpFunction
from funmem.ir.record import frozen
from funmem.ir.signature import signature
from funmem.ir.values import ArgValue
from funmem.testing.judge.counting_device import CountingDevice


@frozen
class Peak:
    """The peaks of one run in bytes.

    ``exact``: the formula is exact rather than a bound.  ``holds``: the formula's conditions hold.
    """

    path: str
    entry: str
    measured: int
    predicted: int
    formula: int
    exact: bool
    needs_data: bool
    holds: bool = True
    least: Need = Need(0, exact=False)

    @property
    def right(self) -> bool:
        agrees = self.formula == self.measured if self.exact else self.formula >= self.measured
        asked, measured = self.least.bytes, self.measured
        bound = asked == measured if self.least.exact else asked <= measured
        return self.predicted == measured and bound and (agrees or not self.holds)

    def __str__(self) -> str:
        what = "formula" if self.exact else "bound"
        least = f"{'asked for' if self.least.exact else 'at least'} {self.least.bytes}"
        numbers = f"predicted {self.predicted}, {what} {self.formula}, {least}"
        numbers = f"{numbers}, measured {self.measured}"
        return f"{self.path}: {self.entry}: {numbers}"


def predicted(
    plan: MemoryPlan, e: ImpEntry, ready: Traced, args: Sequence[ArgValue]
) -> tuple[Measured, bool]:
    """Return the predicted peak, and True if the prediction needed the input data."""
    given, _ = scalars_among(signature(e), args)
    try:
        return replay(plan, given), False
    except Unknown:
        device = Interpreter(ready)
        return replay(plan, device.given(args), device), True


def asked(plan: MemoryPlan, e: ImpEntry, args: Sequence[ArgValue]) -> Need:
    """Return the memory demand that is known before the run."""
    given, _ = scalars_among(signature(e), args)
    return Demand(plan.entry).need(given)


def counted_peak(
    name: str, e: ImpEntry, args: Sequence[ArgValue], functions: Sequence[ImpFunction] = ()
) -> Peak:
    """Return the peaks of a call, measured without a device; ``functions`` may be called.

    Raises Trap, InputError, and SourceError if a device could not run the entry point.
    """
    ready = traced(e, functions)
    measured = CountingDevice(ready).peak(args)
    plan = memory_plan(ready.plan)
    numbers, needs_data = predicted(plan, e, ready, args)
    formula = plan.peak.value(numbers.quantities)
    holds = plan.peak.holds(numbers.quantities)
    exact, least = plan.peak.exact, asked(plan, e, args)
    return Peak(name, e.name, measured, numbers.peak, formula, exact, needs_data, holds, least)
