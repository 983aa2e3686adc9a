"""Queries about LMADs: are two of them disjoint, is one of them injective."""

from funmem.ir.lmad import Lmad
from funmem.ir.logic.disjoint.instances import Domain, shared, witness
from funmem.ir.logic.disjoint.integers import apart, constant
from funmem.ir.logic.disjoint.separate import all_positive_or_negative, never_zero, not_divisible
from funmem.ir.logic.disjoint.sums import (
    Span,
    Sums,
    UnknownSign,
    difference,
    lifted,
    nonempty,
    normalised,
)
from funmem.ir.logic.prove import Facts
from funmem.ir.sizes import ONE, ZERO


def disjoint(a: Lmad, b: Lmad, facts: Facts) -> bool:
    """True if no element is in both, for all values of the variables that the facts allow."""
    if a.offset == b.offset:  # they share their first elements, if they have any
        return nonempty((*a.dims, *b.dims), facts) is None
    x, y = constant(a), constant(b)
    if x is not None and y is not None:
        return apart(x, y) is True
    match _sums(a, b, facts):
        case None:
            return True
        case UnknownSign():
            return not_divisible(difference(a, b))
        case sums, inside:
            if all_positive_or_negative(sums, inside):
                return True
            samples = Domain.of(a.free() | b.free(), inside).samples()
            return shared(a, b, samples) is None and never_zero(sums, inside, samples)


def why_not_disjoint(a: Lmad, b: Lmad, facts: Facts) -> str | None:
    """Return the reason why the two may share an element; None if they are disjoint.

    The reason is an instance at which they share an element, if a short search finds one.
    """
    if disjoint(a, b, facts):
        return None
    if (instance := witness(a, b, facts)) is not None:
        return str(instance)
    sums = _sums(a, b, facts)
    assert sums is not None, "what has no elements is disjoint"
    if isinstance(sums, UnknownSign):
        return f"the sign of stride {sums.stride} is unknown"
    return f"not proved that {sums[0]} is never zero"


def _sums(a: Lmad, b: Lmad, facts: Facts) -> tuple[Sums, Facts] | UnknownSign | None:
    """Return the differences of the elements, and the facts under which both LMADs have elements;
    None if one of them is always empty.
    """
    inside = nonempty((*a.dims, *b.dims), facts)
    if inside is None:
        return None
    x, y = normalised(a, inside), normalised(b, inside)
    if isinstance(x, UnknownSign):
        return x
    if isinstance(y, UnknownSign):
        return y
    return lifted(difference(x, y), inside), inside


def injective(x: Lmad, facts: Facts) -> bool:
    """True if no two indices have the same element, for all values of the variables.

    The addresses of two indices that differ first in dimension k, by ``1 <= d < n_k``, differ by
    ``d * s_k`` plus multiples of the strides after it.
    """
    inside = nonempty(x.dims, facts)
    if inside is None:
        return True
    dims = [d for d in x.dims if d.len != ONE]
    y = normalised(Lmad(ZERO, tuple(dims)), inside)
    if isinstance(y, UnknownSign) or y.rank < len(dims):
        return False  # a stride is zero
    for k, first in enumerate(y.dims):
        after = [Span(1 - d.len, d.len - 1, d.stride) for d in y.dims[k + 1 :]]
        sums = Sums(ZERO, (Span(ONE, first.len - 1, first.stride), *after))
        some = inside.assuming(first.len - 2)
        samples = Domain.of(y.free(), some).samples()
        if not never_zero(sums, some, samples):
            return False
    return True
