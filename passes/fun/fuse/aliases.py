"""Alias analysis of an entry point, computed on first use."""

from collections.abc import Mapping
from functools import cached_property

from funmem.ir.check.uniqueness import Uses, body
from funmem.ir.fun import Ann, Entry, Loop
from funmem.ir.names import Name
from funmem.ir.traverse import walk


class Aliases:
    """The aliases of the arrays of one entry point; they stay valid if statements move."""

    def __init__(self, e: Entry[Ann]) -> None:
        self._entry = e

    @cached_property
    def _uses(self) -> Uses:
        uses = Uses()
        uses.fresh(*(p.binder for p in self._entry.params))
        body(uses, self._entry.body)
        return uses

    @property
    def roots(self) -> Mapping[Name, frozenset[Name]]:
        """For each array: the fresh arrays with which it may share elements, itself included."""
        return self._uses.roots

    @cached_property
    def owned(self) -> frozenset[Name]:
        """The fresh arrays that a statement, or an iteration of a loop, may update in place."""
        uses = self._uses
        handed_on = (
            uses.of(a)
            for s in walk(self._entry.body)
            if isinstance(s.exp, Loop)
            for p, a in zip(s.exp.params, s.exp.body.result, strict=True)
            if p.unique
        )
        return frozenset(uses.consumed).union(*handed_on)

    def of(self, x: Name) -> frozenset[Name]:
        """Return the roots of an array, and itself, because a pass may have made it since."""
        return self.roots.get(x, frozenset()) | {x}
