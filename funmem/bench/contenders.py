"""Contenders: the programs that a benchmark compares."""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from attrs import field

from funmem.bench.tasks import Arrays
from funmem.ir.record import frozen
from funmem.ir.values import Data


@frozen(eq=False)
class Run:
    """One run: seconds of computing, seconds of transferring arguments and results, the results."""

    seconds: float
    results: Callable[[], Arrays]
    transfer: float = 0.0


@frozen(eq=False)
class Contender:
    """An implementation of a task.

    ``run`` runs it once, or raises Lost if it cannot run any more.  ``prepared``: seconds of each
    one-time step, by name.  ``close`` releases its resources.
    """

    name: str
    run: Callable[[], Run]
    prepared: Mapping[str, float] = field(factory=dict)
    close: Callable[[], None] = lambda: None


class Lost(Exception):
    """Raised if a contender cannot continue; ``why`` is the reason."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@frozen
class Absent:
    """A peer that was requested but cannot run, and why."""

    name: str
    why: str


def timed(call: Callable[[], Sequence[Data]]) -> Run:
    """Time a call whose arguments and results are not transferred."""
    start = perf_counter()
    results = call()
    seconds = perf_counter() - start
    return Run(seconds, lambda: tuple(results))
