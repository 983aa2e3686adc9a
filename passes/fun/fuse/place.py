"""Facts before each statement of a body that changes, computed on demand."""

from collections.abc import Callable, Sequence

from funmem.ir.fun import Ann, Exp, Stm
from funmem.ir.logic.facts import PointFacts

At = Callable[[], PointFacts]
"""Computes the facts at a program point."""


class Places:
    """The facts before the statements of one body, each computed once.

    The statements may change, and are None where one was removed; :meth:`forget` must then be
    called.
    """

    def __init__(self, start: At, stms: Sequence[Stm[Ann] | None]) -> None:
        self._start = start
        self._stms = stms
        self._known: list[PointFacts] = []

    def before(self, q: int) -> PointFacts:
        """Return the facts before statement ``q``."""
        known = self._known
        if not known:
            known.append(self._start())
        while len(known) <= q:
            s = self._stms[len(known) - 1]
            known.append(known[-1] if s is None else known[-1].after(s))
        return known[q]

    def inside(self, q: int, e: Exp[Ann], k: int) -> At:
        """Return a function that computes the facts at the start of the ``k``-th of ``sub_bodies``
        of ``e``, the expression of statement ``q``.
        """
        return lambda: self.before(q).inside(e)[k]

    def forget(self, q: int) -> None:
        """Drop the facts after statement ``q``: it, or a later one, has changed."""
        del self._known[q + 1 :]
