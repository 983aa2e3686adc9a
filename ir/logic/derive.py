"""Homes of derived arrays and of results of in-place operations.

The home of a derived array is determined: it is its source's block and the LMAD that the typing
rule computes from the source's (figs. 8 and 10).  The results of update, scatter and hist have the
homes of the consumed arrays.
"""

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Compound,
    DerivedArray,
    Exp,
    FlatSlice,
    FreshArray,
    Hist,
    Index,
    InPlace,
    Kernel,
    Permute,
    Reshape,
    Reverse,
    Scalar,
    Scatter,
    Slice,
    Update,
)
from funmem.ir.lmad import Lmad
from funmem.ir.names import Name


def source_of(e: Exp[Ann]) -> Name | None:
    """Return the array that a derived array is a view of; None for other expressions."""
    match e:
        case DerivedArray():
            return e.x
        case Scalar() | Index() | FreshArray() | InPlace() | Compound() | Assert() | Alloc():
            return None


def derived_lmad(e: Exp[Ann], source: Lmad) -> Lmad | None:
    """Return the index function of a derived array; None if a reshape is not an LMAD, and for other
    expressions.
    """
    match e:
        case Slice(_, dims):
            return source.slice_f(dims)
        case Permute(perm):
            return source.permute(perm)
        case Reshape(shape):
            return source.reshape(shape)
        case Reverse(dim):
            return source.reverse(dim)
        case FlatSlice(_, offset, flat):
            return source.flat_slice(offset, flat)
        case Scalar() | Index() | FreshArray() | InPlace() | Compound() | Assert() | Alloc():
            return None


def in_place_of(e: Exp[Ann]) -> tuple[Name, ...]:
    """Return the arrays that an expression consumes and whose homes its first results have."""
    match e:
        case Update(x) | Scatter(x):
            return (x,)
        case Kernel(_, Hist(dest)):
            return dest
        case Scalar() | Index() | DerivedArray() | FreshArray() | Compound() | Assert() | Alloc():
            return ()


class Homeless(Exception):
    """Raised for a reshape that no longer has an index function, or none that an ``if`` or ``loop``
    can return.
    """

    def __init__(self, x: Name) -> None:
        super().__init__(f"{x} has no index function")
        self.x = x
