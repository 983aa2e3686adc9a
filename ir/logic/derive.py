"""Index functions of derived arrays.

A derived array's home is not a choice: it is its source's block and the LMAD that the rule
computes from the source's (figs. 8 and 10); update, scatter and hist results live where the
consumed array lives.
"""

from funmem.ir.fun import (
    Ann,
    Exp,
    FlatSlice,
    Hist,
    Kernel,
    Permute,
    Reshape,
    Reverse,
    Scatter,
    Slice,
    Update,
)
from funmem.ir.lmad import Lmad
from funmem.ir.names import Name


def source_of(e: Exp[Ann]) -> Name | None:
    """The array whose elements a derived array shows; None if the expression is no such array."""
    match e:
        case Slice(x) | Permute(_, x) | Reshape(_, x) | Reverse(_, x) | FlatSlice(x):
            return x
        case _:
            return None


def derived_lmad(e: Exp[Ann], source: Lmad) -> Lmad | None:
    """The index function of a derived array; None if a reshape has none."""
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
        case _:
            return None


def in_place_of(e: Exp[Ann]) -> tuple[Name, ...]:
    """The arrays that an expression consumes and whose homes its first results keep."""
    match e:
        case Update(x) | Scatter(x):
            return (x,)
        case Kernel(_, Hist(dest)):
            return dest
        case _:
            return ()


class Homeless(Exception):
    """A reshape has no index function any more, or none that an ``if`` or ``loop`` can return."""

    def __init__(self, x: Name) -> None:
        super().__init__(f"{x} has no index function")
        self.x = x
