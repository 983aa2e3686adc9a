"""The elements that a loop or a kernel touches in all of its iterations, as one LMAD.

    before    x_i = o(i) + {(n : s) …}                     one iteration
    after     o(start) + {(count : o(i+1) - o(i)) (n : s) …}   iterations start, start + 1, …

possible where the step ``o(i+1) - o(i)`` is the same for all i, and neither lengths nor strides
depend on i.
"""

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.sizes import ZERO, Size, SizeLike, var


def aggregate(x: Lmad, index: Name, count: Size, facts: Facts) -> Lmad | None:
    """All of ``x`` for ``0 <= index < count``; perhaps more elements than that, never fewer."""
    return aggregate_range(x, index, ZERO, count, facts)


def aggregate_range(
    x: Lmad, index: Name, start: SizeLike, count: Size, facts: Facts
) -> Lmad | None:
    """All of ``x`` for ``start <= index < start + count``; None: no LMAD describes it."""
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
    """The greatest value of a length: at the first or the last index, if it is linear in it."""
    slope = n.subst({index: var(index) + 1}) - n
    if index in slope.free():
        return None
    if nonneg(slope, facts):
        return n.subst({index: start + count - 1})
    return n.subst({index: start}) if nonneg(-slope, facts) else None
