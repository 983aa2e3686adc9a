"""The differences of two LMADs' addresses, as one set of sums.

    a = o + {(n_1 : s_1) …}      b = p + {(m_1 : t_1) …}

An element is in both exactly if zero is among the differences

    o - p  +  sum_k i_k * s_k  -  sum_l j_l * t_l        0 <= i_k < n_k,  0 <= j_l < m_l

which is a constant plus *spans*: ``d * s`` for all ``lo <= d <= hi``.  Two dimensions with one
stride give one span (i - j takes every value from -(m - 1) to n - 1), so the matched dimensions
of two slices of an array meet here, and nothing is lost: the set is exactly the differences.  It
does not matter where the offset "belongs", which is why no offset has to be distributed before
intervals are compared.
"""

from collections.abc import Iterable, Sequence

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, ZERO, Size, const, var


@frozen
class Span:
    """``d * stride`` for ``lo <= d <= hi``; the facts say that ``stride >= 0`` and ``lo <= hi``."""

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
        """The least sum: strides are not negative."""
        return sum((s.lo * s.stride for s in self.spans), start=self.offset)

    @property
    def greatest(self) -> Size:
        return sum((s.hi * s.stride for s in self.spans), start=self.offset)

    def __str__(self) -> str:
        return " + ".join(map(str, (self.offset, *self.spans)))


@frozen
class UnknownSign:
    """A stride of which the facts tell neither that it is >= 0 nor that it is <= 0."""

    stride: Size


def nonempty(dims: Iterable[Dim], facts: Facts) -> Facts | None:
    """The facts where every dimension has an element; None: one has none."""
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
    """The same set of elements, every stride positive or of known sign ``>= 0``.

    A dimension of negative stride is reversed; those of stride zero or with one element go.
    ``x`` has elements.
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
    """The differences of the elements of two LMADs that have elements; strides keep their sign."""
    spans = [
        *(Span(ZERO, d.len - 1, d.stride) for d in a.dims),
        *(Span(1 - d.len, ZERO, d.stride) for d in b.dims),
    ]
    return Sums(a.offset - b.offset, merged(spans))


def merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The same sums with every stride once."""
    ends: dict[Size, tuple[Size, Size]] = {}
    for s in spans:
        lo, hi = ends.get(s.stride, (ZERO, ZERO))
        ends[s.stride] = (lo + s.lo, hi + s.hi)
    return tuple(Span(lo, hi, stride) for stride, (lo, hi) in ends.items())


def lifted(sums: Sums, facts: Facts) -> Sums:
    """The same sums over all values of those indices that occur in the offset only.

    ``0 <= i < n`` of the facts that the offset mentions as ``i * s``, and nothing else mentions,
    is a span ``[0 .. n-1] * s``.  Innermost first; an index stays where it is if the range of one
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
    """The multiples of ``i`` in an offset as a span, and the rest of it."""
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
