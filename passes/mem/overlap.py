"""Views that may contain an element twice: they must be copied before they are updated in place.

A slice of stride 0, or an LMAD over a vector whose dimensions overlap, shows one element at several
indices.  Such a view may be read.  An update in place would be wrong: by value, only the element at
the updated index changes; in memory, the elements at all indices that share its address would
change.
"""

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Compound,
    Exp,
    FlatSlice,
    FreshArray,
    Index,
    InPlace,
    Permute,
    Reshape,
    Reverse,
    Scalar,
    Slice,
)
from funmem.ir.lmad import Dim, DimRange, Lmad, Part
from funmem.ir.record import frozen


def view_may_overlap(e: Exp[Ann]) -> bool:
    """True if an expression may derive a view that contains an element of its source twice."""
    match e:
        case Slice(_, where):
            return part_may_overlap(where)
        case FlatSlice(_, _, flat):
            return not _nested(flat)
        case Permute() | Reshape() | Reverse():
            return False
        case Scalar() | Index() | FreshArray() | InPlace() | Compound() | Assert() | Alloc():
            return False


def part_may_overlap(where: Part) -> bool:
    """True if a slice within the bounds of its array may select an element twice."""
    if isinstance(where, Lmad):
        return not _nested(where.dims)
    return any(_repeats(d) for d in where if isinstance(d, DimRange))


def _repeats(d: DimRange) -> bool:
    stride, length = d.stride.as_const, d.len.as_const
    return stride in (None, 0) and (length is None or length > 1)


@frozen
class _Step:
    len: int
    stride: int


def _nested(dims: tuple[Dim, ...]) -> bool:
    """True if each stride, in order of magnitude, exceeds the reach of all smaller ones, so that
    different indices have different addresses.
    """
    if len(dims) == 1 and dims[0].stride.as_const not in (None, 0):
        return True
    steps: list[_Step] = []
    for d in dims:
        length, stride = d.len.as_const, d.stride.as_const
        if length is None or stride is None:
            return False
        if length > 1:
            steps.append(_Step(length, abs(stride)))
    reach = 0
    for s in sorted(steps, key=lambda s: s.stride):
        if s.stride <= reach:
            return False
        reach += s.stride * (s.len - 1)
    return True
