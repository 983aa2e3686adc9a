"""What is known before each statement of a body, computed only when somebody asks."""

from collections.abc import Callable, Sequence

from funmem.ir.fun import Ann, Exp, Stm
from funmem.ir.logic.facts import PointFacts

At = Callable[[], PointFacts]
"""What is known at a place, when asked for."""


class Places:
    """The places before the statements of one body; statement q's is computed once.

    The statements may change under way, None where one has gone: :meth:`forget` says from where.
    """

    def __init__(self, start: At, stms: Sequence[Stm[Ann] | None]) -> None:
        self._start = start
        self._stms = stms
        self._known: list[PointFacts] = []

    def before(self, q: int) -> PointFacts:
        """What is known before statement ``q``."""
        known = self._known
        if not known:
            known.append(self._start())
        while len(known) <= q:
            s = self._stms[len(known) - 1]
            known.append(known[-1] if s is None else known[-1].after(s))
        return known[q]

    def inside(self, q: int, e: Exp[Ann], k: int) -> At:
        """What is known at the start of the ``k``-th of the bodies of ``e``, statement ``q``'s
        expression, in the order of ``sub_bodies``.
        """
        return lambda: self.before(q).inside(e)[k]

    def forget(self, q: int) -> None:
        """Statement ``q`` and later ones have changed."""
        del self._known[q + 1 :]
