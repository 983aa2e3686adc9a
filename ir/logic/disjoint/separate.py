"""Whether zero can be among sums, for all values of the variables: by intervals, divisors, and
delinearisation.

To show that zero is not in ``o + sum_k [lo_k .. hi_k] * s_k`` (:mod:`sums
<funmem.ir.logic.disjoint.sums>`) there are three ways, tried in this order:

    interval      the least sum is positive, or the greatest is negative
    divisor       an integer divides all of the spans, but not the offset
    one stride    Write each sum as ``q * s + r``: q collects the spans whose stride s divides, r
                  the others.  If r keeps within a few multiples of s, then q has to be one of a few
                  integers v for the sum to be zero, and each is refuted on its own: q is never v,
                  or r is never -v * s.

The last is mixed-radix arithmetic.  If r stays between -s and s there is one case, v = 0: both
parts vanish, "rows" and "columns" are compared separately.  That is the condition that each stride
exceeds the reach of all smaller dimensions; where it fails, because dimensions run into each other
or the offset carries over, there are more cases, and each knows which rows it is about
(``lo <= v <= hi`` as a fact).
"""

from collections.abc import Iterator, Sequence
from math import gcd

from funmem.ir.logic.disjoint.division import divide, exact
from funmem.ir.logic.disjoint.instances import Values
from funmem.ir.logic.disjoint.integers import IntSpan, zero_among
from funmem.ir.logic.disjoint.sums import Span, Sums
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.record import define, frozen
from funmem.ir.sizes import ONE, ZERO, Size, const, var

WORK = 30
"""Sums that one query looks at before it gives up."""

CARRY = 2
"""By how many strides, in either direction, the rest may leave a stride."""


def never_zero(sums: Sums, facts: Facts, samples: Sequence[Values] = ()) -> bool:
    """Whether zero is provably not among the sums.

    ``samples`` are some values that satisfy the facts; what is false there is not tried to prove.
    """
    return _Search().never_zero(sums, Case(facts, samples))


def never_zero_symbolic(sums: Sums, facts: Facts) -> bool:
    """The same, but sums of integers are treated as if they were symbolic."""
    return _Search(integers=False).never_zero(sums, Case(facts, ()))


@frozen
class Case:
    """What is known in one case of a proof, and some values of the variables in that case."""

    facts: Facts
    samples: Sequence[Values]

    def nonneg(self, p: Size) -> bool:
        """Whether ``p >= 0`` follows."""
        if (k := p.as_const) is not None:
            return k >= 0
        if any(p.eval(values.__getitem__) < 0 for values in self.samples):
            return False
        return nonneg(p, self.facts)

    def assuming(self, p: Size) -> "Case":
        kept = [values for values in self.samples if p.eval(values.__getitem__) >= 0]
        return Case(self.facts.assuming(p), kept)


@define
class _Search:
    work: int = WORK
    integers: bool = True
    """Sums of integers are decided, not proved."""

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
        """Zero needs rows and columns that are never there together, for one row length."""
        rows, columns = split(sums, stride)
        for carried in carries(columns, stride):
            column = Sums(columns.offset - carried * stride, columns.spans)
            row = Sums(carried, rows)
            cases = multiples(column, stride, case)
            if cases is not None:
                return all(self.refuted(row, column, stride, v, case) for v in cases)
        return False

    def refuted(self, row: Sums, column: Sums, stride: Size, v: int, case: Case) -> bool:
        """The rows do not sum up to ``v``, or then the columns do not sum up to ``-v * stride``."""
        low, high = row.least, row.greatest
        if case.nonneg(low - v - 1) or case.nonneg(v - 1 - high):
            return True
        columns = Sums(column.offset + v * stride, column.spans)
        if self.never_zero(columns, case.assuming(v - low).assuming(high - v)):
            return True
        return bool(row.spans) and self.never_zero(Sums(row.offset - v, row.spans), case)


def all_positive_or_negative(sums: Sums, facts: Facts) -> bool:
    """The least of the sums is positive, or the greatest is negative."""
    return _all_positive_or_negative(sums, Case(facts, ()))


def _all_positive_or_negative(sums: Sums, case: Case) -> bool:
    return case.nonneg(sums.least - 1) or case.nonneg(-sums.greatest - 1)


def not_divisible(sums: Sums) -> bool:
    """An integer divides every stride, and all of the offset but its constant term."""
    varying = [k for s in sums.spans for _, k in s.stride.terms]
    varying += [k for m, k in sums.offset.terms if m]
    constant = sum(k for m, k in sums.offset.terms if not m)
    divisor = gcd(*varying)
    return constant % divisor != 0 if divisor else constant != 0


def split(sums: Sums, stride: Size) -> tuple[tuple[Span, ...], Sums]:
    """Rows and columns: the spans that the stride divides, divided by it, and the others with the
    offset.  Where :func:`multiples` bounds the columns the stride is positive, so that no quotient
    is negative.
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
    """The only integers v for which ``-v * stride`` may be among the column's sums.

    ``-(p + 1) * stride < column < (q + 1) * stride`` leaves ``-q <= v <= p``.  None: it is not
    provable for any p and q up to ``CARRY``.
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
    """The same sums, the spans of one element added to the offset."""
    offset = sums.offset
    spans: list[Span] = []
    for s in sums.spans:
        if s.lo == s.hi:
            offset = offset + s.lo * s.stride
        else:
            spans.append(s)
    return Sums(offset, tuple(spans))


def constants(sums: Sums) -> tuple[int, list[IntSpan]] | None:
    """The sums, if no variable occurs."""
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
    """The strides to try: of the spans, the largest (by degree, then leading coefficient) first;
    then those that indices and sizes have in the offset.  1 is none.
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
    """How many strides to take out of the offset, so that few are left in the columns."""
    seen: set[Size] = set()
    for p in (columns.offset, columns.least, columns.greatest, ZERO):
        quotient, _ = divide(p, stride)
        if quotient not in seen:
            seen.add(quotient)
            yield quotient
