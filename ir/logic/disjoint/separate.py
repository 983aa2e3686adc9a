"""Proofs that zero is not among sums, for all values of the variables: by intervals, divisors, and
delinearisation.

There are three ways to show that zero is not in ``o + sum_k [lo_k .. hi_k] * s_k`` (:mod:`sums
<funmem.ir.logic.disjoint.sums>`), tried in this order:

    interval      the least sum is positive, or the greatest is negative
    divisor       an integer divides all of the spans, but not the offset
    one stride    Write each sum as ``q * s + r``: q collects the spans whose stride s divides, r
                  the others.  If r stays within a few multiples of s, then for a sum of zero q must
                  be one of a few integers v.  Each v is refuted on its own: q is never v, or r is
                  never -v * s.

The third way is mixed-radix arithmetic.  If r stays between -s and s there is one case, v = 0: both
parts must be zero, so rows and columns are compared separately.  This is the usual condition that
each stride exceeds the span of all smaller dimensions.  If it fails, because dimensions overlap or
the offset carries over, there are more cases, and each adds ``lo <= v <= hi`` to the facts.
"""

from collections.abc import Iterator, Sequence
from math import gcd

from funmem.ir.logic.disjoint.division import divide, exact
from funmem.ir.logic.disjoint.instances import Valuation
from funmem.ir.logic.disjoint.integers import IntSpan, zero_among
from funmem.ir.logic.disjoint.sums import Span, Sums
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.record import define, frozen
from funmem.ir.sizes import ONE, ZERO, Size, const, var

WORK = 30
"""Largest number of sums that one query examines."""

CARRY = 2
"""Largest number of strides, in either direction, by which r may exceed one stride."""


def never_zero(sums: Sums, facts: Facts, samples: Sequence[Valuation] = ()) -> bool:
    """True if zero is provably not among the sums.

    ``samples`` are some values that satisfy the facts.  Inequalities that they refute are not
    tried.
    """
    return _ZeroProof().never_zero(sums, Case(facts, samples))


def never_zero_symbolic(sums: Sums, facts: Facts) -> bool:
    """Like :func:`never_zero`, but sums of constants are treated as if they were symbolic."""
    return _ZeroProof(integers=False).never_zero(sums, Case(facts, ()))


@frozen
class Case:
    """The facts in one case of a proof, and some values of the variables that satisfy them."""

    facts: Facts
    samples: Sequence[Valuation]

    def nonneg(self, p: Size) -> bool:
        """True if ``p >= 0`` follows."""
        if (k := p.as_const) is not None:
            return k >= 0
        if any(p.eval(values.__getitem__) < 0 for values in self.samples):
            return False
        return nonneg(p, self.facts)

    def assuming(self, p: Size) -> "Case":
        kept = [values for values in self.samples if p.eval(values.__getitem__) >= 0]
        return Case(self.facts.assuming(p), kept)


@define
class _ZeroProof:
    work: int = WORK
    integers: bool = True
    """True if sums of constants are decided by :func:`zero_among`."""

    def never_zero(self, sums: Sums, case: Case) -> bool:
        sums = settled(sums)
        if self.integers and (spans := constants(sums)) is not None:
            offset, ints = spans
            return zero_among(offset, ints) is False
        self.work -= 1
        return self.work >= 0 and (
            _all_positive_or_negative(sums, case)
            or not_divisible(sums)
            or any(self.by_stride(sums, s, case) for s in strides(sums, case.facts))
        )

    def by_stride(self, sums: Sums, stride: Size, case: Case) -> bool:
        """True if zero is refuted by splitting the sums into rows and columns of this stride."""
        rows, columns = split(sums, stride)
        for carried in carries(columns, stride):
            column = Sums(columns.offset - carried * stride, columns.spans)
            row = Sums(carried, rows)
            cases = multiples(column, stride, case)
            if cases is not None:
                return all(self.refuted(row, column, stride, v, case) for v in cases)
        return False

    def refuted(self, row: Sums, column: Sums, stride: Size, v: int, case: Case) -> bool:
        """True if the rows never sum up to ``v``, or the columns then never to ``-v * stride``."""
        low, high = row.least, row.greatest
        if case.nonneg(low - v - 1) or case.nonneg(v - 1 - high):
            return True
        columns = Sums(column.offset + v * stride, column.spans)
        if self.never_zero(columns, case.assuming(v - low).assuming(high - v)):
            return True
        return bool(row.spans) and self.never_zero(Sums(row.offset - v, row.spans), case)


def all_positive_or_negative(sums: Sums, facts: Facts) -> bool:
    """True if the least of the sums is positive, or the greatest is negative."""
    return _all_positive_or_negative(sums, Case(facts, ()))


def _all_positive_or_negative(sums: Sums, case: Case) -> bool:
    return case.nonneg(sums.least - 1) or case.nonneg(-sums.greatest - 1)


def not_divisible(sums: Sums) -> bool:
    """True if an integer divides all strides and all terms of the offset but the constant one."""
    varying = [k for s in sums.spans for _, k in s.stride.terms]
    varying += [k for m, k in sums.offset.terms if m]
    constant = sum(k for m, k in sums.offset.terms if not m)
    divisor = gcd(*varying)
    return constant % divisor != 0 if divisor else constant != 0


def split(sums: Sums, stride: Size) -> tuple[tuple[Span, ...], Sums]:
    """Return rows and columns: the spans that the stride divides, divided by it, and the other
    spans with the offset.  If :func:`multiples` bounds the columns, the stride is positive, and so
    no quotient is negative.
    """
    rows: list[Span] = []
    columns: list[Span] = []
    for s in sums.spans:
        q = exact(s.stride, stride)
        if q is None:
            columns.append(s)
        else:
            rows.append(Span(s.lo, s.hi, q))
    return tuple(rows), Sums(sums.offset, tuple(columns))


def multiples(column: Sums, stride: Size, case: Case) -> range | None:
    """Return the integers v for which ``-v * stride`` may be among the column's sums.

    ``-(p + 1) * stride < column < (q + 1) * stride`` implies ``-q <= v <= p``.  Return None if this
    is not provable for any p and q up to ``CARRY``.
    """
    low, high = column.least, column.greatest
    below = _first(k for k in range(CARRY + 1) if case.nonneg(low + (k + 1) * stride - 1))
    if below is None:
        return None
    above = _first(k for k in range(CARRY + 1) if case.nonneg((k + 1) * stride - 1 - high))
    return None if above is None else range(-above, below + 1)


def _first(found: Iterator[int]) -> int | None:
    return next(found, None)


def settled(sums: Sums) -> Sums:
    """Return the same sums, with the spans of one element added to the offset."""
    offset = sums.offset
    spans: list[Span] = []
    for s in sums.spans:
        if s.lo == s.hi:
            offset = offset + s.lo * s.stride
        else:
            spans.append(s)
    return Sums(offset, tuple(spans))


def constants(sums: Sums) -> tuple[int, list[IntSpan]] | None:
    """Return the offset and the spans as integers; None if they have variables."""
    offset = sums.offset.as_const
    if offset is None:
        return None
    spans: list[IntSpan] = []
    for s in sums.spans:
        lo, hi, stride = s.lo.as_const, s.hi.as_const, s.stride.as_const
        if lo is None or hi is None or stride is None:
            return None
        spans.append(IntSpan(lo, hi, stride))
    return offset, spans


def strides(sums: Sums, facts: Facts) -> list[Size]:
    """Return the strides to try: those of the spans, the largest (by degree, then by leading
    coefficient) first; then those of indices and sizes in the offset.  0 and 1 are left out.
    """
    found = dict.fromkeys(s.stride for s in sums.spans)
    ordered = sorted(found, key=lambda s: (-len(s.terms[0][0]), -s.terms[0][1]))
    inside = sums.offset.free()
    for i, _ in facts.indices:
        if i in inside:
            slope = sums.offset.subst({i: var(i) + 1}) - sums.offset
            ordered.append(slope if slope.terms[0][1] > 0 else -slope)
    ordered.append(const(gcd(*(k for m, k in sums.offset.terms if m))))
    return [s for s in dict.fromkeys(ordered) if s not in (ZERO, ONE)]


def carries(columns: Sums, stride: Size) -> Iterator[Size]:
    """Yield numbers of strides to subtract from the columns, so that they stay near zero."""
    seen: set[Size] = set()
    for p in (columns.offset, columns.least, columns.greatest, ZERO):
        quotient, _ = divide(p, stride)
        if quotient not in seen:
            seen.add(quotient)
            yield quotient
