"""LMADs of constants: decide whether zero is among sums of integers.

A branch-and-bound search with a limit on the number of partial sums.  The largest stride gets only
those multiples for which the smaller ones can make the sum zero.  A partial sum is abandoned if the
greatest common divisor of the remaining strides does not divide the missing amount.
"""

from collections.abc import Iterable, Sequence
from math import gcd

from funmem.ir.lmad import Lmad
from funmem.ir.record import define, frozen

STEPS = 2000
"""Largest number of partial sums before the search gives up."""


@frozen
class IntSpan:
    """``d * stride`` for ``lo <= d <= hi``, ``stride > 0``."""

    lo: int
    hi: int
    stride: int


@frozen
class Pattern:
    """The elements ``offset + sum of the spans``; each span starts at 0.  None: no elements."""

    offset: int
    spans: tuple[IntSpan, ...] | None


def pattern(offset: int, dims: Iterable[tuple[int, int]]) -> Pattern:
    """Return the elements of an LMAD with these lengths and strides, with positive strides."""
    spans: list[IntSpan] = []
    empty = False
    for n, s in dims:
        if n <= 0:
            empty = True
        elif s > 0:
            spans.append(IntSpan(0, n - 1, s))
        elif s < 0:
            offset += (n - 1) * s
            spans.append(IntSpan(0, n - 1, -s))
    return Pattern(offset, None if empty else tuple(spans))


def constant(x: Lmad) -> Pattern | None:
    """Return the elements of an LMAD without variables; None if it has some."""
    offset = x.offset.as_const
    if offset is None:
        return None
    dims: list[tuple[int, int]] = []
    for d in x.dims:
        n, s = d.len.as_const, d.stride.as_const
        if n is None or s is None:
            return None
        dims.append((n, s))
    return pattern(offset, dims)


def apart(a: Pattern, b: Pattern) -> bool | None:
    """True if no element is in both; None if the search gave up."""
    if a.spans is None or b.spans is None:
        return True
    ends: dict[int, tuple[int, int]] = {}
    for s in a.spans:
        lo, hi = ends.get(s.stride, (0, 0))
        ends[s.stride] = (lo, hi + s.hi)
    for s in b.spans:
        lo, hi = ends.get(s.stride, (0, 0))
        ends[s.stride] = (lo - s.hi, hi)
    found = zero_among(a.offset - b.offset, [IntSpan(*e, s) for s, e in ends.items()])
    return None if found is None else not found


def common(a: Pattern, b: Pattern, limit: int = 4096) -> int | None:
    """Return the least common element; None if there is none, or more than ``limit`` elements."""
    if apart(a, b) is not False:
        return None
    both = elements(a, limit) & elements(b, limit)
    return min(both, default=None)


def elements(x: Pattern, limit: int) -> set[int]:
    """Return all elements; the empty set if there are more than ``limit``."""
    found = {x.offset} if x.spans is not None else set()
    for s in x.spans or ():
        if len(found) * (s.hi + 1) > limit:
            return set()
        found = {e + d * s.stride for e in found for d in range(s.hi + 1)}
    return found


@define
class _SumSearch:
    spans: Sequence[IntSpan]
    """The spans, largest stride first."""
    least: Sequence[int]
    greatest: Sequence[int]
    divisor: Sequence[int]
    """At k, for the spans from k on: least sum, greatest sum, and greatest common divisor."""
    steps: int = STEPS

    def hits(self, k: int, missing: int) -> bool | None:
        """True if the spans from k on can sum up to ``missing``; None if the search gave up."""
        if k == len(self.spans):
            return missing == 0
        if missing % self.divisor[k]:
            return False
        s = self.spans[k]
        first = max(s.lo, -((self.greatest[k + 1] - missing) // s.stride))
        last = min(s.hi, (missing - self.least[k + 1]) // s.stride)
        for d in range(first, last + 1):
            self.steps -= 1
            if self.steps < 0:
                return None
            found = self.hits(k + 1, missing - d * s.stride)
            if found is not False:
                return found
        return False


def zero_among(offset: int, spans: Sequence[IntSpan]) -> bool | None:
    """True if ``offset`` plus some sum of the spans is zero; None if the search gave up."""
    ordered = sorted(spans, key=lambda s: -s.stride)
    least, greatest, divisor = [0], [0], [0]
    for s in reversed(ordered):
        least.append(least[-1] + s.lo * s.stride)
        greatest.append(greatest[-1] + s.hi * s.stride)
        divisor.append(gcd(divisor[-1], s.stride))
    return _SumSearch(ordered, least[::-1], greatest[::-1], divisor[::-1]).hits(0, -offset)
