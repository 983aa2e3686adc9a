"""Conditions under which an array needs no copy: each function returns None, or the reason for a
copy.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from funmem.ir.arith import says_itself
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Binder,
    Exp,
    Home,
)
from funmem.ir.lmad import row_major
from funmem.ir.logic.derive import derived_lmad
from funmem.ir.names import Name


def evenly_spaced(e: Exp[Ann], x: Name, home: Home) -> str | None:
    """(1) The elements of a reshape's source are evenly spaced, so an LMAD expresses the result."""
    if derived_lmad(e, home.ix) is None:
        return f"{x} lies at {home.ix}, which no index function expresses in the new shape"
    return None


def is_readable(e: Exp[Ann], x: Name, home: Home) -> str | None:
    """(4) The text of a derived array's index function is short enough for the parser.  Strides of
    slices of slices are products; a product of sums has as many terms as the factors' numbers of
    terms multiplied.
    """
    ix = derived_lmad(e, home.ix)
    if ix is not None and not ix.readable:
        return f"{x} lies where the index function of an array derived from it would be too large"
    return None


def can_be_returned(x: Name, home: Home) -> str | None:
    """(5) An array's offset and strides are returned along with it as i64 values.  They must be
    exact in i64: a stride of a slice of one element may be larger than any i64.
    """
    if all(says_itself(s) for s in (home.ix.offset, *home.ix.strides)):
        return None
    return f"{x} lies at {home.ix}, whose numbers exceed i64"


def stays_in_place(
    home: Home, blocks: frozenset[Name], params: Sequence[Binder[Ann]]
) -> str | None:
    """(2) An operator's result, which may lie in one of ``blocks``, is still there after the
    results before it have been copied to ``params[:-1]``, and its copy to the last of ``params`` is
    a memcpy (source and destination are identical or disjoint).
    """
    *_, own = params
    if home == own.home:
        return None
    for p in params:
        if p.home is not None and p.home.block in blocks:
            return f"it may lie where {p.name} does, which the copies overwrite"
    return None


def is_whole(t: ArrayType, home: Home) -> str | None:
    """(6) Foreign code takes arrays that lie row-major at the beginning of a block."""
    if home.ix == row_major(t.shape):
        return None
    return f"it lies at {home.ix}"


def shows_each_element_once(x: Name, overlapping: AbstractSet[Name]) -> str | None:
    """(3) An array that is updated in place contains no element at two indices."""
    return f"{x} may show an element at two indices" if x in overlapping else None
