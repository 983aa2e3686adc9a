"""Sizes: polynomials with integer coefficients over in-scope ``i64`` variables.

Paper 002 allows only names as sizes in types, yet its own row-major index function needs products
(errata 8), and its equality is equality of names (errata 12).  Here a size is kept in a normal
form, a sorted sum of a coefficient times a sorted product of names.  Two sizes are equal exactly if
they are equal as polynomials, which takes one comparison.

A size denotes an integer in Z: interpreters evaluate it without overflow.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias, Union

from attrs import field

from funmem.ir.names import Name
from funmem.ir.record import frozen

Monomial: TypeAlias = tuple[Name, ...]
"""A product of variables, sorted, with repetition; ``()`` is the constant monomial."""

SizeLike: TypeAlias = Union["Size", int]

MAX_DEGREE = 12
"""Cap on the degree of a polynomial in a program, or one that the type rules expand.

After expansion, an array of rank r in kernels of d dimensions has an index function of degree about
r + 2d.
"""

MAX_TERMS = 128
MAX_BITS = 1024
"""Caps on the terms and the coefficients of a size: ``(a+b)*(c+d)*…`` grows exponentially."""


def _order(term: tuple[Monomial, int]) -> tuple[int, Monomial]:
    """Return the sort key of a term: by degree, highest first, then by name."""
    return (-len(term[0]), term[0])


def without_factors(m: Monomial, divisor: Monomial) -> Monomial | None:
    """Return the quotient of two monomials; None if the divisor does not divide the other."""
    left = list(m)
    for x in divisor:
        if x not in left:
            return None
        left.remove(x)
    return tuple(left)


@frozen(eq=False)
class Size:
    """A polynomial in normal form: no zero coefficient, every monomial once, terms sorted."""

    terms: tuple[tuple[Monomial, int], ...]
    _hash: int = field(init=False)
    _free: frozenset[Name] | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.terms))

    # -- construction

    @staticmethod
    def of(x: SizeLike) -> "Size":
        """Return an integer as a size, and a size unchanged."""
        return x if isinstance(x, Size) else const(x)

    @staticmethod
    def from_terms(terms: Mapping[Monomial, int]) -> "Size":
        """Return the normal form of a sum of terms."""
        present = [term for term in terms.items() if term[1]]
        if len(present) == 2:  # the most frequent number that has an order
            (a, _), (b, _) = present
            if len(a) < len(b) or (len(a) == len(b) and b < a):
                present.reverse()
        elif len(present) > 2:
            present.sort(key=_order)
        return Size(tuple(present))

    # -- observation

    @property
    def as_const(self) -> int | None:
        """The integer that this size is, or None if it mentions a variable."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and not self.terms[0][0]:
            return self.terms[0][1]
        return None

    @property
    def as_name(self) -> Name | None:
        """The variable that this size is, or None."""
        if len(self.terms) == 1:
            (monomial, k) = self.terms[0]
            if k == 1 and len(monomial) == 1:
                return monomial[0]
        return None

    def free(self) -> frozenset[Name]:
        """Return the variables that occur."""
        if self._free is None:
            object.__setattr__(self, "_free", frozenset(x for m, _ in self.terms for x in m))
        assert self._free is not None
        return self._free

    @property
    def degree(self) -> int:
        """The number of factors of the longest monomial."""
        return len(self.terms[0][0]) if self.terms else 0  # the first term has the highest degree

    def eval(self, value: Callable[[Name], int]) -> int:
        """Return the integer that it denotes if each variable has the given value."""
        total = 0
        for monomial, k in self.terms:
            for x in monomial:
                k *= value(x)
            total += k
        return total

    # -- arithmetic

    def __add__(self, other: SizeLike) -> "Size":
        other = Size.of(other)
        if not other.terms:
            return self
        if not self.terms:
            return other
        total = dict(self.terms)
        for m, k in other.terms:
            total[m] = total.get(m, 0) + k
        return Size.from_terms(total)

    def __neg__(self) -> "Size":
        return Size(tuple((m, -k) for m, k in self.terms))

    def __sub__(self, other: SizeLike) -> "Size":
        other = Size.of(other)
        if not other.terms:
            return self
        total = dict(self.terms)
        for m, k in other.terms:
            total[m] = total.get(m, 0) - k
        return Size.from_terms(total)

    def __mul__(self, other: SizeLike) -> "Size":
        other = Size.of(other)
        if other == ONE:
            return self
        if self == ONE:
            return other
        total: dict[Monomial, int] = {}
        for m1, k1 in self.terms:
            for m2, k2 in other.terms:
                m = tuple(sorted(m1 + m2)) if m1 and m2 else m1 or m2
                total[m] = total.get(m, 0) + k1 * k2
        return Size.from_terms(total)

    def __radd__(self, other: int) -> "Size":
        return self + other

    def __rsub__(self, other: int) -> "Size":
        return const(other) - self

    def __rmul__(self, other: int) -> "Size":
        return self * other

    def divided_by(self, other: SizeLike) -> "Size | None":
        """Return q with ``self == q * other``, for a monomial ``other``, or None."""
        other = Size.of(other)
        if len(other.terms) != 1:
            return ONE if self == other and other.terms else (ZERO if not self.terms else None)
        (divisor, d) = other.terms[0]
        quotient: dict[Monomial, int] = {}
        for m, k in self.terms:
            rest = without_factors(m, divisor)
            if rest is None or k % d:
                return None
            quotient[rest] = k // d
        return Size.from_terms(quotient)

    def subst(self, image: Mapping[Name, "Size"]) -> "Size":
        """Return it with every variable in ``image`` replaced by its image, simultaneously."""
        found = self._subst(image, None)
        assert found is not None
        return found

    def subst_within(self, image: Mapping[Name, "Size"], terms: int) -> "Size | None":
        """Return :meth:`subst`, or None if an intermediate or the result has too many ``terms``.

        A product of sums may have as many terms as the product of their numbers of terms.
        """
        return self._subst(image, terms)

    def _subst(self, image: Mapping[Name, "Size"], most: int | None) -> "Size | None":
        for x in self.free():
            if x in image:
                break
        else:
            return self
        total: dict[Monomial, int] = {}
        for m, k in self.terms:
            stay = tuple(x for x in m if x not in image)
            if len(stay) == len(m):
                total[m] = total.get(m, 0) + k
                continue
            term = Size(((stay, k),))
            for x in m:
                if x in image:
                    term = term * image[x]
                    if most is not None and len(term.terms) > most:
                        return None
            for m2, k2 in term.terms:
                total[m2] = total.get(m2, 0) + k2
        found = Size.from_terms(total)
        return None if most is not None and len(found.terms) > most else found

    @property
    def readable(self) -> bool:
        """True if the parser accepts it: it is within MAX_TERMS, MAX_DEGREE and MAX_BITS."""
        return (
            len(self.terms) <= MAX_TERMS
            and self.degree <= MAX_DEGREE
            and all(k.bit_length() <= MAX_BITS for _, k in self.terms)
        )

    # -- identity and text

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Size) and self._hash == other._hash and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type["Size"], tuple[tuple[tuple[Monomial, int], ...]]]:
        return (Size, (self.terms,))  # the hash of a text differs from process to process

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        parts: list[str] = []
        for m, k in self.terms:
            factors = [*([str(abs(k))] if abs(k) != 1 or not m else []), *m]
            sign = ("-" if k < 0 else "") if not parts else (" - " if k < 0 else " + ")
            parts.append(sign + "*".join(factors))
        return "".join(parts)

    def __repr__(self) -> str:
        return f"Size({self})"


@lru_cache(maxsize=1 << 12, typed=True)
def const(k: int) -> Size:
    """Return the size that is the integer ``k``."""
    return Size((((), k),)) if k else ZERO


@lru_cache(maxsize=1 << 12)
def var(x: Name) -> Size:
    """Return the size that is the variable ``x``."""
    return Size((((x,), 1),))


def product(sizes: Iterable[SizeLike]) -> Size:
    """Return the product of sizes; 1 if there are none."""
    total = ONE
    for s in sizes:
        total = total * s
    return total


def total(sizes: Iterable[Size]) -> Size:
    """Return the sum of sizes; 0 if there are none.  It is sorted only once."""
    terms: dict[Monomial, int] = {}
    for s in sizes:
        for m, k in s.terms:
            terms[m] = terms.get(m, 0) + k
    return Size.from_terms(terms)


ZERO = Size(())
ONE = Size((((), 1),))
