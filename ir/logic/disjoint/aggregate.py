"""The elements that all iterations of a loop or kernel access, as one LMAD.

    before    x_i = o(i) + {(n : s) …}                     one iteration
    after     o(start) + {(count : o(i+1) - o(i)) (n : s) …}   iterations start, start + 1, …

This requires that the step ``o(i+1) - o(i)`` is the same for all i, that strides do not depend on
i, and that lengths are linear in i; such a length is replaced by its maximum.
"""

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.sizes import ZERO, Size, SizeLike, var


def aggregate(x: Lmad, index: Name, count: Size, facts: Facts) -> Lmad | None:
    """Return an LMAD that includes ``x`` for ``0 <= index < count``; None if there is none."""
    return aggregate_range(x, index, ZERO, count, facts)


def aggregate_range(
    x: Lmad, index: Name, start: SizeLike, count: Size, facts: Facts
) -> Lmad | None:
    """Return an LMAD that includes ``x`` for ``start <= index < start + count``; None if there is
    none.
    """
    start = Size.of(start)
    step = x.offset.subst({index: var(index) + 1}) - x.offset
    if index in step.free():
        return None
    dims: list[Dim] = []
    for d in x.dims:
        if index in d.stride.free():
            return None
        length = _longest(d.len, index, start, count, facts)
        if length is None:
            return None
        dims.append(Dim(length, d.stride))
    return Lmad(x.offset.subst({index: start}), (Dim(count, step), *dims))


def _longest(n: Size, index: Name, start: Size, count: Size, facts: Facts) -> Size | None:
    """Return the maximum of a length, at the first or the last index; None if it is not linear."""
    slope = n.subst({index: var(index) + 1}) - n
    if index in slope.free():
        return None
    if nonneg(slope, facts):
        return n.subst({index: start + count - 1})
    return n.subst({index: start}) if nonneg(-slope, facts) else None
