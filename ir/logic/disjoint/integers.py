"""The case in which nothing is symbolic: whether zero is among sums of integers.

Decides, up to a bound on the work: the largest stride takes the few multiples that the rest can
make up for, and a sum is abandoned where the greatest common divisor of the strides that are left
does not divide what is missing.
"""

from collections.abc import Iterable, Sequence
from math import gcd

from funmem.ir.lmad import Lmad
from funmem.ir.record import define, frozen

STEPS = 2000
"""Partial sums that are looked at before the search gives up."""


@frozen
class IntSpan:
    """``d * stride`` for ``lo <= d <= hi``, ``stride > 0``."""

    lo: int
    hi: int
    stride: int


@frozen
class Pattern:
    """The elements ``offset + sum of the spans``, each from 0 on; None: there is no element."""

    offset: int
    spans: tuple[IntSpan, ...] | None


def pattern(offset: int, dims: Iterable[tuple[int, int]]) -> Pattern:
    """The elements of an LMAD from its lengths and strides, these normalised to positive ones."""
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
    """The elements of an LMAD in which no variable occurs; None: one does."""
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
    """Whether no element is in both; None: too many cases to tell."""
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
    """The least element that is in both; None if there is none, or more than ``limit`` elements."""
    if apart(a, b) is not False:
        return None
    both = elements(a, limit) & elements(b, limit)
    return min(both, default=None)


def elements(x: Pattern, limit: int) -> set[int]:
    """All elements, one by one; none if they are too many."""
    found = {x.offset} if x.spans is not None else set()
    for s in x.spans or ():
        if len(found) * (s.hi + 1) > limit:
            return set()
        found = {e + d * s.stride for e in found for d in range(s.hi + 1)}
    return found


@define
class _Search:
    spans: Sequence[IntSpan]
    """Largest stride first."""
    least: Sequence[int]
    greatest: Sequence[int]
    divisor: Sequence[int]
    """Of the spans from k on: least and greatest sum, greatest common divisor of the strides."""
    steps: int = STEPS

    def hits(self, k: int, missing: int) -> bool | None:
        """Whether the spans from k on can sum up to ``missing``; None: gave up."""
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
    """Whether ``offset`` plus some sum of the spans is zero; None: too many cases to tell."""
    ordered = sorted(spans, key=lambda s: -s.stride)
    least, greatest, divisor = [0], [0], [0]
    for s in reversed(ordered):
        least.append(least[-1] + s.lo * s.stride)
        greatest.append(greatest[-1] + s.hi * s.stride)
        divisor.append(gcd(divisor[-1], s.stride))
    return _Search(ordered, least[::-1], greatest[::-1], divisor[::-1]).hits(0, -offset)
