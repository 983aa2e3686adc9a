"""An interpreter that counts what it does, and gives up if it is too much, alike on all machines.

It is mixed into one of those that share control.py: :mod:`funmem.interp.metered` for values,
:mod:`funmem.interp.heap` for memory.
"""

from abc import ABC
from collections.abc import Callable, Iterator, Sequence

from funmem.interp.control import Control, V
from funmem.interp.traps import Shape
from funmem.ir.fun import Ann, Body
from funmem.ir.names import Name


class TooMuch(Exception):
    """The program does more than it may."""


class Counted(Control[V], ABC):
    """Statements are counted, and iterations: those without a body (of a kernel whose inner
    dimension is empty) take their time, too.
    """

    left = 0
    """Statements that may still be executed."""
    rounds = 0
    """Iterations that may still begin."""

    def may_do(self, much: int) -> None:
        """From now on so many statements, and no more iterations."""
        self.left = self.rounds = much

    def body(self, b: Body[Ann]) -> Callable[[], tuple[V, ...]]:
        """A body whose statements are counted each time."""
        run, weight = super().body(b), len(b.stms) + 1

        def run_counted() -> tuple[V, ...]:
            self.left -= weight
            if self.left < 0:
                raise TooMuch("it executes too many statements")
            return run()

        return run_counted

    def indices(self, names: Sequence[Name]) -> Callable[[Shape], Iterator[Shape]]:
        """Indices that are counted."""
        every = super().indices(names)

        def counted(sizes: Shape) -> Iterator[Shape]:
            for index in every(sizes):
                self.rounds -= 1
                if self.rounds < 0:
                    raise TooMuch("it has too many iterations")
                yield index

        return counted
