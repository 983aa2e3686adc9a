"""Division of sizes as polynomials: ``p = quotient * divisor + rest``."""

from funmem.ir.names import Name
from funmem.ir.sizes import ZERO, Monomial, Size


def divide(p: Size, divisor: Size) -> tuple[Size, Size]:
    """Return quotient and rest of long division by the divisor's leading term.

    Terms are in the order in which sizes are printed.  Every term that the leading term divides
    goes to the quotient, its coefficient rounded down; ``p == quotient * divisor + rest`` holds
    exactly. The divisor is not zero.
    """
    lead, k = divisor.terms[0]
    quotient, rest = ZERO, ZERO
    while p.terms:
        monomial, c = p.terms[0]
        left = _without(monomial, lead)
        if left is None or c // k == 0:
            head = Size(((monomial, c),))
            rest, p = rest + head, p - head
            continue
        q = Size(((left, c // k),))
        quotient, p = quotient + q, p - q * divisor
    return quotient, rest


def exact(p: Size, divisor: Size) -> Size | None:
    """Return the quotient if the divisor divides ``p`` as a polynomial; None otherwise."""
    quotient, rest = divide(p, divisor)
    return None if rest.terms else quotient


def _without(m: Monomial, divisor: Monomial) -> Monomial | None:
    """Return the monomial divided by another one; None if that does not divide it."""
    rest: list[Name] = list(m)
    for x in divisor:
        if x not in rest:
            return None
        rest.remove(x)
    return tuple(rest)
