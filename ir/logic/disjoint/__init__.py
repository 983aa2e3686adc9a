"""Whether two index functions share an element, and the union of one over an index.

    disjoint(a, b, facts)           never an element in both, whatever the variables are
    why_not_disjoint(a, b, facts)   None, or what stands against it
    injective(x, facts)             no element at two indices
    aggregate(x, i, n, facts)       all of ``x`` for 0 <= i < n as one LMAD
    aggregate_range(…, start, …)    … for start <= i < start + n: later iterations, other threads

``True`` is always right, ``False`` means "not proved".  The variables range over what the facts
(:class:`Facts <funmem.ir.logic.prove.Facts>`) allow.  For a use of *another* thread or
iteration that no LMAD describes, rename its index, state its range (``facts.with_index(j, i)``),
and ask about the two as they are: that loses nothing.
"""

from funmem.ir.logic.disjoint.aggregate import aggregate, aggregate_range
from funmem.ir.logic.disjoint.query import disjoint, injective, why_not_disjoint

__all__ = ["aggregate", "aggregate_range", "disjoint", "injective", "why_not_disjoint"]
