"""A mixin that counts the work of an interpreter and stops at a limit, equal on all machines.

It is mixed into the interpreters that share control.py: :mod:`funmem.interp.metered` for values,
:mod:`funmem.interp.heap` for memory.
"""

from abc import ABC
from collections.abc import Callable, Iterator, Sequence

from funmem.interp.control import Control, V
from funmem.interp.traps import Shape
from funmem.ir.fun import Ann, Body
from funmem.ir.names import Name


class TooMuch(Exception):
    """The program exceeds a limit on its work or on the size of its arrays."""


class Counted(Control[V], ABC):
    """Counts statements and iterations.

    Iterations without statements take time as well: those of a kernel with an empty inner
    dimension.
    """

    left = 0
    """The number of statements that may still be executed."""
    rounds = 0
    """The number of iterations that may still begin."""

    def may_do(self, much: int) -> None:
        """Allow ``much`` statements and as many iterations from now on."""
        self.left = self.rounds = much

    def body(self, b: Body[Ann]) -> Callable[[], tuple[V, ...]]:
        """Resolve a body; its statements are counted at each run.  The run raises TooMuch."""
        run, weight = super().body(b), len(b.stms) + 1

        def run_counted() -> tuple[V, ...]:
            self.left -= weight
            if self.left < 0:
                raise TooMuch("it executes too many statements")
            return run()

        return run_counted

    def indices(self, names: Sequence[Name]) -> Callable[[Shape], Iterator[Shape]]:
        """Return all indices of some dimensions; each is counted.  The iterator raises TooMuch."""
        every = super().indices(names)

        def counted(sizes: Shape) -> Iterator[Shape]:
            for index in every(sizes):
                self.rounds -= 1
                if self.rounds < 0:
                    raise TooMuch("it has too many iterations")
                yield index

        return counted
