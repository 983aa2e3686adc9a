"""Facts before each statement of a body, computed on demand.

Most statements are handled without these facts, so nothing is computed before its first use.
"""

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TypeAlias

from funmem.ir.fun import Ann, ArrayType, Exp, Stm
from funmem.ir.logic.facts import PointFacts
from funmem.ir.traverse import sub_bodies

At: TypeAlias = Callable[[], PointFacts]
"""Computes the facts at a program point."""

Step: TypeAlias = Callable[[PointFacts, Stm[Ann]], PointFacts]
"""A transfer function: from the facts before a statement to the facts after it."""


class BodyFacts:
    """The facts before each statement of a body, and at its end; each is computed once.

    ``stms`` may be a list that changes, with None for a statement that was removed.  After each
    change :meth:`forget` must be called.
    """

    def __init__(
        self, stms: Sequence[Stm[Ann] | None], start: At, step: Step = PointFacts.after
    ) -> None:
        self._stms = stms
        self._start = start
        self._step = step
        self._known: list[PointFacts] = []
        self._inside: dict[int, tuple[Exp[Ann], PointFacts, tuple[PointFacts, ...]]] = {}
        """By position: an expression, the facts before it, and those in its bodies."""

    def at(self, position: int) -> PointFacts:
        """Return the facts after the first ``position`` statements."""
        known = self._known
        if not known:
            known.append(self._start())
        while len(known) <= position:
            s = self._stms[len(known) - 1]
            known.append(known[-1] if s is None else self._step(known[-1], s))
        return known[position]

    def inside(self, position: int, e: Exp[Ann], which: int) -> At:
        """Return a function that computes the facts at the start of a body of ``e``.

        ``e`` is the expression of the statement at ``position``; ``which`` is the body's position
        in :func:`~funmem.ir.traverse.sub_bodies`.
        """
        return lambda: self._in_bodies(position, e)[which]

    def _in_bodies(self, position: int, e: Exp[Ann]) -> tuple[PointFacts, ...]:
        known, found = self.at(position), self._inside.get(position)
        if found is None or found[0] is not e or found[1] is not known:
            found = self._inside[position] = (e, known, known.inside(e))
        return found[2]

    def inner(self, position: int, e: Exp[Ann], which: int) -> "BodyFacts":
        """Return the facts in that body."""
        stms = sub_bodies(e)[which].stms
        return BodyFacts(stms, self.inside(position, e, which), self._step)

    def forget(self, position: int) -> None:
        """Drop the facts after the statement at ``position``: it, or a later one, has changed."""
        del self._known[position + 1 :]

    def of_changed(self, stms: Sequence[Stm[Ann]]) -> "BodyFacts":
        """Return the facts for other statements at the same place.

        The facts for the statements with which both begin are not computed again.
        """
        after = BodyFacts(stms, self._start, self._step)
        same = takewhile(lambda both: both[0] is both[1], zip(self._stms, stms, strict=False))
        after._known = self._known[: 1 + sum(1 for _ in same)]
        return after


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
