"""What is known before each statement of a body, worked out when somebody asks."""

from collections.abc import Sequence
from functools import cached_property

from funmem.ir.fun import Ann, ArrayType, Body, Exp, Stm
from funmem.passes.facts import Known


class Knowledge:
    """What is known before each statement of a body, and at its end: most copies can be judged
    without, so it is not worked out before it is needed.
    """

    def __init__(self, body: Body[Ann], start: "Known | Inner") -> None:
        self._body = body
        self._start = start

    @cached_property
    def before(self) -> tuple[Known, ...]:
        """One more than there are statements."""
        start = self._start
        return known_before(self._body.stms, start if isinstance(start, Known) else start.known)


class Inner:
    """The start of one of the bodies of an expression."""

    def __init__(self, outer: Knowledge, position: int, exp: Exp[Ann], which: int) -> None:
        self._outer = outer
        self._position = position
        self._exp = exp
        self._which = which

    @cached_property
    def known(self) -> Known:
        """What is known there."""
        return self._outer.before[self._position].inside(self._exp)[self._which]


def known_before(stms: Sequence[Stm[Ann]], known: Known) -> tuple[Known, ...]:
    """What is known before each statement, and after all of them; also that no array that is bound
    by then has a negative size.
    """
    before = [known]
    for s in stms:
        shapes = (p.type.shape for p in s.pat if isinstance(p.type, ArrayType))
        before.append(before[-1].after(s).with_nonneg(d for shape in shapes for d in shape))
    return tuple(before)
