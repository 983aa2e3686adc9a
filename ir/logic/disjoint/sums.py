"""The differences of the addresses of two LMADs, as one set of sums.

    a = o + {(n_1 : s_1) …}      b = p + {(m_1 : t_1) …}

An element is in both LMADs if and only if zero is among the differences

    o - p  +  sum_k i_k * s_k  -  sum_l j_l * t_l        0 <= i_k < n_k,  0 <= j_l < m_l

that is, an offset plus *spans*: ``d * s`` for all ``lo <= d <= hi``.  Two dimensions with the same
stride give one span (i - j takes every value from -(m - 1) to n - 1), so the matching dimensions of
two slices of an array are merged.  This is exact: the set contains the differences and nothing
else.  The offset need not be distributed over the dimensions before intervals are compared.
"""

from collections.abc import Iterable, Sequence

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, ZERO, Size, const, var


@frozen
class Span:
    """``d * stride`` for ``lo <= d <= hi``; ``stride >= 0`` and ``lo <= hi``
    follow from the facts.
    """

    lo: Size
    hi: Size
    stride: Size

    def __str__(self) -> str:
        return f"[{self.lo} .. {self.hi}]*({self.stride})"


@frozen
class Sums:
    """``offset + sum of the spans``: a set of integers for each value of the variables."""

    offset: Size
    spans: tuple[Span, ...]

    @property
    def least(self) -> Size:
        """The least sum, because strides are not negative."""
        return sum((s.lo * s.stride for s in self.spans), start=self.offset)

    @property
    def greatest(self) -> Size:
        return sum((s.hi * s.stride for s in self.spans), start=self.offset)

    def __str__(self) -> str:
        return " + ".join(map(str, (self.offset, *self.spans)))


@frozen
class UnknownSign:
    """A stride for which neither ``>= 0`` nor ``<= 0`` follows from the facts."""

    stride: Size


def nonempty(dims: Iterable[Dim], facts: Facts) -> Facts | None:
    """Return the facts under which no dimension is empty; None if one is always empty."""
    for n in dict.fromkeys(d.len for d in dims):
        match n.as_const:
            case None:
                if nonneg(-n, facts):
                    return None
                facts = facts.assuming(n - 1)
            case k if k <= 0:
                return None
    return facts


def normalised(x: Lmad, facts: Facts) -> Lmad | UnknownSign:
    """Return an LMAD with the same elements and strides ``>= 0``, or a stride of unknown sign.

    A dimension of negative stride is reversed; dimensions of stride zero or with one element are
    dropped.  ``x`` is not empty.
    """
    offset = x.offset
    dims: list[Dim] = []
    for d in x.dims:
        if d.len == ONE or d.stride == ZERO:
            continue
        if nonneg(d.stride, facts):
            dims.append(d)
        elif nonneg(-d.stride, facts):
            offset = offset + (d.len - 1) * d.stride
            dims.append(Dim(d.len, -d.stride))
        else:
            return UnknownSign(d.stride)
    return Lmad(offset, tuple(dims))


def difference(a: Lmad, b: Lmad) -> Sums:
    """Return the differences of the elements of two non-empty LMADs; strides keep their sign."""
    spans = [
        *(Span(ZERO, d.len - 1, d.stride) for d in a.dims),
        *(Span(1 - d.len, ZERO, d.stride) for d in b.dims),
    ]
    return Sums(a.offset - b.offset, merged(spans))


def merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return spans with the same sums in which every stride occurs once."""
    ends: dict[Size, tuple[Size, Size]] = {}
    for s in spans:
        lo, hi = ends.get(s.stride, (ZERO, ZERO))
        ends[s.stride] = (lo + s.lo, hi + s.hi)
    return tuple(Span(lo, hi, stride) for stride, (lo, hi) in ends.items())


def lifted(sums: Sums, facts: Facts) -> Sums:
    """Return the sums for all values of those indices that occur in the offset only.

    An index ``0 <= i < n`` that occurs as ``i * s`` in the offset, and nowhere else, becomes a span
    ``[0 .. n-1] * s``.  The order is innermost first.  An index stays if the range of another index
    that stays mentions it.
    """
    fixed = {x for s in sums.spans for p in (s.lo, s.hi, s.stride) for x in p.free()}
    for i, n in reversed(facts.indices):
        if i in fixed:
            fixed |= n.free()
        elif i in sums.offset.free():
            span, rest = _span_of(sums.offset, i, n, facts)
            if span is None:
                fixed |= n.free()
            else:
                fixed |= span.lo.free() | span.hi.free() | span.stride.free()
                sums = Sums(rest, merged((*sums.spans, span)))
    return sums


def _span_of(offset: Size, i: Name, n: Size, facts: Facts) -> tuple[Span | None, Size]:
    """Return the multiples of ``i`` in an offset as a span, and the rest of the offset."""
    stride = offset.subst({i: var(i) + 1}) - offset
    if i in stride.free():
        return None, offset
    low = facts.lower_end(i)
    rest = offset.subst({i: const(low)})
    if nonneg(stride, facts):
        return Span(ZERO, n - 1 - low, stride), rest
    if nonneg(-stride, facts):
        return Span(1 + low - n, ZERO, -stride), rest
    return None, offset
