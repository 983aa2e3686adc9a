"""Prove inequalities at the ends of index ranges, using the sign of the slope.

The prover that passes use (ir/logic/prove.py) fails if an index is squared.  A polynomial that is
concave in an index has its minimum at an end of the range, and so has one that is monotone.  If the
sign of the slope is known, one end suffices; this also proves more, since the other end may belong
to an empty range.
"""

from collections.abc import Iterator

from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.sizes import Monomial, Size, const, var


def nonneg_by_ends(p: Size, facts: Facts) -> bool:
    """True if ``p >= 0`` is proved to follow from the facts."""
    if nonneg(p, facts) or any(nonneg(rest, facts) for rest in _less_constants(p, facts)):
        return True
    names = p.free()
    for i, n in reversed(facts.indices):
        if i not in names:
            continue
        low, high = p.subst({i: const(facts.lower_end(i))}), p.subst({i: n - 1})
        powers = _powers(p, i)
        match len(powers):
            case 2:
                if nonneg(powers[1], facts):
                    return nonneg_by_ends(low, facts)
                if nonneg(-powers[1], facts):
                    return nonneg_by_ends(high, facts)
                return nonneg_by_ends(low, facts) and nonneg_by_ends(high, facts)
            case 3 if nonneg(-powers[2], facts):
                return nonneg_by_ends(low, facts) and nonneg_by_ends(high, facts)
            case _:
                step = p.subst({i: var(i) + 1}) - p
                if nonneg_by_ends(step, facts):
                    return nonneg_by_ends(low, facts)
                return nonneg_by_ends(-step, facts) and nonneg_by_ends(high, facts)
    return False


def impossible(facts: Facts) -> bool:
    """True if the facts are proved contradictory: an index range is empty, or the negation of an
    assumed inequality follows from the other facts.
    """
    for p in facts.assumed:
        facts = facts.with_nonneg(p)  # its index may have come into scope after it was assumed
    return any(nonneg(facts.lower_end(i) - n, facts) for i, n in facts.indices) or any(
        nonneg(-p - 1, facts) for p in facts.assumed
    )


def _less_constants(p: Size, facts: Facts) -> Iterator[Size]:
    """Yield ``p - factor * a`` for assumed ``a >= 0`` with a negative constant.

    The factor, no variable of which is negative, makes that constant cancel a negative term of p.
    """
    for a in facts.assumed:
        constant = next((k for m, k in a.terms if not m), 0)
        if constant < 0:
            for m, k in p.terms:
                if k < 0 and all(nonneg(var(x), facts) for x in m):
                    yield p - a * Size(((m, -(-k // constant)),))


def _powers(p: Size, i: Name) -> list[Size]:
    """Return the coefficients of 1, i, i^2, …"""
    parts: dict[int, dict[Monomial, int]] = {}
    for m, k in p.terms:
        rest = tuple(x for x in m if x != i)
        parts.setdefault(len(m) - len(rest), {})[rest] = k
    return [Size.from_terms(parts.get(at, {})) for at in range(max(parts) + 1)]
