"""What is known before each statement of a body, worked out when somebody asks.

Most questions about a statement can be answered without: so it costs nothing before it is needed.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import takewhile
from typing import TypeAlias

from funmem.ir.fun import Ann, ArrayType, Body, Exp, Stm
from funmem.ir.logic.facts import Known

Step: TypeAlias = Callable[[Known, Stm[Ann]], Known]
"""What is known after a statement, if something is known before it."""


class Knowledge:
    """What is known before each statement of a body, and at its end."""

    def __init__(self, body: Body[Ann], start: "Known | Inner", step: Step) -> None:
        self._body = body
        self._start = start
        self.step = step
        self._before: list[Known] = []

    def at(self, position: int) -> Known:
        """What is known after so many of the statements."""
        if not self._before:
            start = self._start
            self._before.append(start if isinstance(start, Known) else start.known)
        for s in self._body.stms[len(self._before) - 1 : position]:
            self._before.append(self.step(self._before[-1], s))
        return self._before[position]

    @cached_property
    def before(self) -> tuple[Known, ...]:
        """One more than there are statements."""
        self.at(len(self._body.stms))
        return tuple(self._before)

    def of_changed(self, body: Body[Ann]) -> "Knowledge":
        """The same of another body at the same place; of the statements that both begin with,
        nothing is worked out again.
        """
        after = Knowledge(body, self._start, self.step)
        same = takewhile(
            lambda both: both[0] is both[1], zip(self._body.stms, body.stms, strict=False)
        )
        after._before = self._before[: 1 + sum(1 for _ in same)]
        return after


class Inner:
    """The start of one of the bodies of an expression."""

    def __init__(self, outer: Knowledge, position: int, exp: Exp[Ann], which: int) -> None:
        self.outer = outer
        self._position = position
        self._exp = exp
        self._which = which

    @cached_property
    def known(self) -> Known:
        """What is known there."""
        return self.outer.at(self._position).inside(self._exp)[self._which]

    def of(self, body: Body[Ann]) -> Knowledge:
        """What is known in a body that starts there."""
        return Knowledge(body, self, self.outer.step)


def known_before(stms: Sequence[Stm[Ann]], known: Known, step: Step) -> tuple[Known, ...]:
    """What is known before each statement, and after all of them."""
    before = [known]
    for s in stms:
        before.append(step(before[-1], s))
    return tuple(before)


def with_sizes(known: Known, s: Stm[Ann]) -> Known:
    """A step that knows, too, that no array that is bound has a negative size."""
    shapes = (p.type.shape for p in s.pat if isinstance(p.type, ArrayType))
    return known.after(s).with_nonneg(d for shape in shapes for d in shape)
