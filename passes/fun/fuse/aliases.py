"""Which arrays share elements, and which are updated somewhere: found out when first asked for."""

from collections.abc import Mapping
from functools import cached_property

from funmem.ir.check.uniqueness import Uses, body
from funmem.ir.fun import Ann, Entry, Loop
from funmem.ir.names import Name
from funmem.ir.traverse import walk


class Aliases:
    """The aliases of one entry point; moving statements changes nothing of them."""

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
        """The fresh arrays that an array may share its elements with, itself among them."""
        return self._uses.roots

    @cached_property
    def owned(self) -> frozenset[Name]:
        """The fresh arrays that are updated in place somewhere, or that a loop may update."""
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
        """The roots of an array, and itself: a pass may have made it since."""
        return self.roots.get(x, frozenset()) | {x}
