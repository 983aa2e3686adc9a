"""The size of a block that serves for several: their maximum, proved or computed.

Often it is provable which of two polynomials is larger (``4*n`` and ``8*n``, a row and its matrix).
Otherwise the program computes the maximum in a way that is correct in spite of overflow.  With a
common factor g that is not negative,

    4*n*k and 4*m*k        let (s : i64) = max(n, m)              alloc 4*s*k
    8*n*m and 8*k          let (s : i64) = max(max(k, 0) - n*m, 0)
                                                                  alloc 8*n*m + 8*s
    4*n and 4*n + 4*k      let (s : i64) = max(k, 0)              alloc 4*n + 4*s

i64 arithmetic wraps; sizes are exact.  In the second line

    n*m is not negative    so the block has at least ``8*n*m`` bytes, which no device has if the
                           product wraps around
    k may be negative      in a run that does not allocate its block, down to the least i64; it
                           counts as 0, since the difference of two nonnegative numbers is exact

Instead of k there may be a sum, if this sum is a number of bytes that no device has whenever one of
its terms wraps around (:mod:`funmem.ir.logic.saturated`).  The maximum of two products is not
computed.
"""

from collections.abc import Iterable, Sequence
from math import gcd

from funmem.ir.arith import size_exp
from funmem.ir.fun import Ann, Bin, Binder, Const, ScalarExp, Stm
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.saturated import FAR, is_small, saturated
from funmem.ir.names import Fresh, Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import Monomial, Size, const, var


@frozen
class Computed:
    """A size, and the statements that compute names in it."""

    size: Size
    before: tuple[Stm[Ann], ...] = ()
    signs: tuple[Size, ...] = ()
    """Sizes over these names that are not negative."""


@frozen
class Unclear:
    """A size whose value i64 arithmetic may not compute correctly, and the reason."""

    size: Size
    why: str


def largest(sizes: Iterable[Size], known: PointFacts) -> tuple[Size, ...]:
    """Return the fewest sizes that include the largest one, wherever ``known`` holds."""
    kept: list[Size] = []
    for d in sizes:
        if d not in kept and not any(known.nonneg(k - d) for k in kept):
            kept = [k for k in kept if not known.nonneg(d - k)]
            kept.append(d)
    return tuple(kept)


def maximum(sizes: Sequence[Size], known: PointFacts, fresh: Fresh) -> Computed | str:
    """Return a size that is at least each of ``sizes`` and no larger than the largest (unless that
    is negative); or the reason why it is not computed.
    """
    order = sorted(sizes, key=lambda d: (-d.degree, not known.nonneg(d), str(d)))
    total = Computed(order[0])
    for d in order[1:]:
        larger = _larger(total.size, d, known, fresh)
        if isinstance(larger, str):
            return larger
        known = known.with_nonneg(larger.signs)
        total = Computed(larger.size, total.before + larger.before)
    return total


def _larger(a: Size, b: Size, known: PointFacts, fresh: Fresh) -> Computed | str:
    g = common_factor(a, b, known)
    p, q = a.divided_by(g), b.divided_by(g)
    assert p is not None
    assert q is not None
    if q.degree > 1:
        return f"{a} and {b} are products, and either may be the larger one"
    name = fresh("largest")
    if _is_atom(p) and _is_atom(q):
        larger: Stm[Ann] = Stm((Binder(name, I64, None),), Bin(BinOp.MAX, size_exp(p), size_exp(q)))
        signs = (var(name),) if known.nonneg(p) or known.nonneg(q) else ()
        return Computed(g * var(name), (larger,), signs)
    more = _more(q, p, known, fresh)
    if isinstance(more, Unclear):
        return f"{g * more.size} may be {more.why}"
    before, value = more
    rest: Stm[Ann] = Stm((Binder(name, I64, None),), Bin(BinOp.MAX, value, Const(0, I64)))
    return Computed(a + g * var(name), (*before, rest), (var(name),))


def _more(
    q: Size, p: Size, known: PointFacts, fresh: Fresh
) -> tuple[tuple[Stm[Ann], ...], ScalarExp] | Unclear:
    """Return ``q - p`` where it is positive, and otherwise any value that is not positive; or the
    reason why it is not computed.
    """
    if _is_atom(q - p):
        return (), size_exp(q - p)
    if not known.nonneg(p):
        return Unclear(p, "negative")
    before: tuple[Stm[Ann], ...] = ()
    value: ScalarExp = size_exp(q)
    if not _is_atom(q) and not is_small(q, known):
        if not _grows(q, known):
            return Unclear(q, "small where its terms are not")
        before, value = saturated(q, fresh)
    if not known.nonneg(q):
        value = Bin(BinOp.MAX, value, Const(0, I64))
    return before, Bin(BinOp.SUB, value, size_exp(p))


def _grows(d: Size, known: PointFacts) -> bool:
    """True if a sum is large whenever one of its terms is: only a small number is subtracted."""
    little = FAR // len(d.terms) // 2

    def term(m: Monomial, k: int) -> bool:
        return (k > 0 and all(known.nonneg(var(x)) for x in m)) or (not m and -k < little)

    return all(term(m, k) for m, k in d.terms)


def common_factor(a: Size, b: Size, known: PointFacts) -> Size:
    """Return the largest monomial that divides both and is not negative."""
    terms = (*a.terms, *b.terms)
    number = gcd(*(k for _, k in terms)) or 1
    shared = _shared([m for m, _ in terms])
    for x in shared:
        if not known.nonneg(var(x)):
            shared = tuple(y for y in shared if y != x)
    factor = const(number)
    for x in shared:
        factor = factor * var(x)
    return factor


def _shared(monomials: Sequence[Monomial]) -> Monomial:
    common: list[Name] = list(monomials[0]) if monomials else []
    for m in monomials[1:]:
        rest = list(m)
        kept: list[Name] = []
        for x in common:
            if x in rest:
                rest.remove(x)
                kept.append(x)
        common = kept
    return tuple(common)


def _is_atom(d: Size) -> bool:
    return d.as_const is not None or d.as_name is not None
