"""Inequalities at the ends of index ranges, with the slope's sign: more than passes need.

The prover of the compiler (ir/logic/prove.py) gives up where an index is squared.  A polynomial
that is concave in an index is least at one of the ends of its range, and so is one that rises or
falls from each index to the next.  Where the slope has a sign one end is enough, and that is more
than a saving: the other end may belong to an empty range.
"""

from collections.abc import Iterator

from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.sizes import Monomial, Size, const, var


def nonneg_by_ends(p: Size, facts: Facts) -> bool:
    """Whether ``p >= 0`` follows."""
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
    """Whether no values of variables are as the facts say: an index has none, or an inequality says
    the opposite of what the others say.
    """
    for p in facts.assumed:
        facts = facts.with_nonneg(p)  # bounds of indices, which are in scope only now
    return any(nonneg(facts.lower_end(i) - n, facts) for i, n in facts.indices) or any(
        nonneg(-p - 1, facts) for p in facts.assumed
    )


def _less_constants(p: Size, facts: Facts) -> Iterator[Size]:
    """``p - factor * a`` where the negative constant of an assumed ``a >= 0`` cancels a negative
    term of ``p``, and no variable of the factor is negative.
    """
    for a in facts.assumed:
        constant = next((k for m, k in a.terms if not m), 0)
        if constant < 0:
            for m, k in p.terms:
                if k < 0 and all(nonneg(var(x), facts) for x in m):
                    yield p - a * Size(((m, -(-k // constant)),))


def _powers(p: Size, i: Name) -> list[Size]:
    """The coefficients of 1, i, i^2, …"""
    parts: dict[int, dict[Monomial, int]] = {}
    for m, k in p.terms:
        rest = tuple(x for x in m if x != i)
        parts.setdefault(len(m) - len(rest), {})[rest] = k
    return [Size.from_terms(parts.get(at, {})) for at in range(max(parts) + 1)]
