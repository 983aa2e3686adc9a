"""Disjointness of LMADs, for all values of their variables, and the union of one over an index.

    disjoint(a, b, facts)           True if no element is in both
    why_not_disjoint(a, b, facts)   None, or the reason why they may share an element
    injective(x, facts)             True if no two indices have the same element
    aggregate(x, i, n, facts)       the union of ``x`` for 0 <= i < n as one LMAD
    aggregate_range(…, start, …)    … for start <= i < start + n: later iterations, other threads

``True`` is a proof; ``False`` means "not proved".  The variables take all values that the facts
(:class:`Facts <funmem.ir.logic.prove.Facts>`) allow.  If no LMAD describes the uses of *another*
thread or iteration, rename its index, add the range of the new index (``facts.with_index(j, i)``),
and compare the two LMADs as they are; this is exact.
"""

from funmem.ir.logic.disjoint.aggregate import aggregate, aggregate_range
from funmem.ir.logic.disjoint.query import disjoint, injective, why_not_disjoint

__all__ = ["aggregate", "aggregate_range", "disjoint", "injective", "why_not_disjoint"]
