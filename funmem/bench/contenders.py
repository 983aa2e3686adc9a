"""Who takes part in a comparison."""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from attrs import field

from funmem.bench.tasks import Arrays
from funmem.ir.record import frozen
from funmem.ir.values import Data


@frozen(eq=False)
class Run:
    """One run: seconds of computing and of moving arguments and results, and what came out."""

    seconds: float
    results: Callable[[], Arrays]
    transfer: float = 0.0


@frozen(eq=False)
class Contender:
    """Somebody who computes a task.

    ``prepared``: seconds of what happens once, by name.  ``close`` gives back what is held.  A run
    raises Lost where there will be no more.
    """

    name: str
    run: Callable[[], Run]
    prepared: Mapping[str, float] = field(factory=dict)
    close: Callable[[], None] = lambda: None


class Lost(Exception):
    """Somebody who took part cannot go on; ``why``."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@frozen
class Absent:
    """Somebody who was asked for and cannot take part, and why."""

    name: str
    why: str


def timed(call: Callable[[], Sequence[Data]]) -> Run:
    """A run whose arguments and results stay where they are."""
    start = perf_counter()
    results = call()
    seconds = perf_counter() - start
    return Run(seconds, lambda: tuple(results))
