"""Facts before each statement of a body, computed on demand.

Most statements are handled without these facts, so nothing is computed before its first use.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import takewhile
from typing import TypeAlias

from funmem.ir.fun import Ann, ArrayType, Body, Exp, Stm
from funmem.ir.logic.facts import PointFacts

Step: TypeAlias = Callable[[PointFacts, Stm[Ann]], PointFacts]
"""A transfer function: from the facts before a statement to the facts after it."""


class BodyFacts:
    """The facts before each statement of a body, and at its end."""

    def __init__(self, body: Body[Ann], start: "PointFacts | BodyStart", step: Step) -> None:
        self._body = body
        self._start = start
        self.step = step
        self._before: list[PointFacts] = []

    def at(self, position: int) -> PointFacts:
        """Return the facts after the first ``position`` statements."""
        if not self._before:
            start = self._start
            self._before.append(start if isinstance(start, PointFacts) else start.known)
        for s in self._body.stms[len(self._before) - 1 : position]:
            self._before.append(self.step(self._before[-1], s))
        return self._before[position]

    @cached_property
    def before(self) -> tuple[PointFacts, ...]:
        """The facts before each statement, and after the last one."""
        self.at(len(self._body.stms))
        return tuple(self._before)

    def of_changed(self, body: Body[Ann]) -> "BodyFacts":
        """Return the facts of another body at the same place.  Those of the statements with which
        both bodies begin are not computed again.
        """
        after = BodyFacts(body, self._start, self.step)
        same = takewhile(
            lambda both: both[0] is both[1], zip(self._body.stms, body.stms, strict=False)
        )
        after._before = self._before[: 1 + sum(1 for _ in same)]
        return after


class BodyStart:
    """The start of one of the bodies of an expression."""

    def __init__(self, outer: BodyFacts, position: int, exp: Exp[Ann], which: int) -> None:
        self.outer = outer
        self._position = position
        self._exp = exp
        self._which = which

    @cached_property
    def known(self) -> PointFacts:
        """The facts at the start of the body."""
        return self.outer.at(self._position).inside(self._exp)[self._which]

    def of(self, body: Body[Ann]) -> BodyFacts:
        """Return the facts in a body that starts here."""
        return BodyFacts(body, self, self.outer.step)


def facts_before(stms: Sequence[Stm[Ann]], known: PointFacts, step: Step) -> tuple[PointFacts, ...]:
    """Return the facts before each statement, and after all of them."""
    before = [known]
    for s in stms:
        before.append(step(before[-1], s))
    return tuple(before)


def with_sizes(known: PointFacts, s: Stm[Ann]) -> PointFacts:
    """A transfer function that adds: no array that the statement binds has a negative size."""
    shapes = (p.type.shape for p in s.pat if isinstance(p.type, ArrayType))
    return known.after(s).with_nonneg(d for shape in shapes for d in shape)
