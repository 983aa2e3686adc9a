"""The peak as a closed formula: the maximum over program points of the bytes held there."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import field

from funmem.codegen.memory_plan.symbols import Atoms, Derived, Op, Quantity, QuantityKind, wrapped
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, ZERO, Size, var

if TYPE_CHECKING:
    import sympy


@frozen
class Point:
    """The bytes held at a program point; ``conditions``: when they are exact."""

    bytes: Size
    conditions: tuple[str, ...] = ()


@frozen
class Formula:
    """The maximum over ``points``; it is exact if no point has conditions, else an upper bound.

    It holds only if the numbers in ``assumed`` fit 64 bits, since a program's arithmetic wraps.
    """

    points: tuple[Point, ...]
    atoms: Atoms = field(eq=False, repr=False)
    assumed: tuple[Size, ...] = field(default=(), eq=False, repr=False)

    @staticmethod
    def of(points: Iterable[Point], atoms: Atoms, assumed: Iterable[Size] = ()) -> "Formula":
        """Return the maximum, without points that another point provably dominates."""
        return Formula(pruned(points, atoms), atoms, tuple(assumed))

    @property
    def exact(self) -> bool:
        """True if the formula is the exact peak of every run, and not only an upper bound."""
        return not self.conditions

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return the conditions under which the formula is exact."""
        return tuple(dict.fromkeys(c for p in self.points for c in p.conditions))

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Return the quantities that occur in the formula."""
        return self.atoms.used(p.bytes for p in self.points)

    def holds(self, values: Mapping[Name, int]) -> bool:
        """True if no assumed number wraps around for these values of the quantities."""
        known = (
            d for d in self.assumed if {q.name for q in self.atoms.used((d,))} <= values.keys()
        )
        return all(wrapped(n) == n for d in known for n in (self.atoms.evaluate(d, values),))

    def value(self, values: Mapping[Name, int]) -> int:
        """Return the number of bytes for these values of the quantities.  Raises KeyError."""
        return max((self.atoms.evaluate(p.bytes, values) for p in self.points), default=0)

    def sympy(self) -> "sympy.Expr":
        """Return a sympy expression, in which quantities are integer symbols of the same names."""
        return maximum([p.bytes for p in self.points], self.atoms)

    def for_positive_sizes(self) -> "Formula":
        """Return the formula for the case that all sizes of arguments are at least 1.

        It is often shorter.
        """
        atoms = self.atoms.table.values()
        sizes = [q.name for q in atoms if isinstance(q, Quantity) and q.kind is QuantityKind.SIZE]
        up = {x: var(x) + ONE for x in sizes}
        down = {x: var(x) - ONE for x in sizes}
        known = self.atoms.without_facts_on(frozenset(sizes))
        lifted = [Point(_lifted(p.bytes, up, known), p.conditions) for p in self.points]
        kept = pruned(lifted, known)
        return Formula(
            tuple(Point(p.bytes.subst(down), p.conditions) for p in kept), self.atoms, self.assumed
        )

    def __str__(self) -> str:
        return str(self.sympy())


def show(d: Size, atoms: Atoms) -> str:
    """Return a polynomial over atoms as text."""
    return str(_polynomial(d, atoms))


def show_size(d: Size) -> str:
    """Return a size of the program as text, formatted like ``show``."""
    import sympy

    symbols = {x: sympy.Symbol(x) for x in d.free()}
    terms = (sympy.Mul(sympy.Integer(k), *(symbols[x] for x in m)) for m, k in d.terms)
    return str(sympy.Add(*terms))


# ---------------------------------------------------------------------- pruning


def pruned(points: Iterable[Point], atoms: Atoms) -> tuple[Point, ...]:
    """Return the points that no other point provably dominates.

    Of points with equal bytes the one with the fewest conditions is kept.
    """
    distinct: dict[Size, Point] = {}
    for p in points:
        known = distinct.get(p.bytes)
        if known is None or len(p.conditions) < len(known.conditions):
            distinct[p.bytes] = p
    kept: list[Point] = []
    for p in distinct.values():
        if any(atoms.nonneg(q.bytes - p.bytes) for q in kept):
            continue
        kept = [q for q in kept if not atoms.nonneg(p.bytes - q.bytes)]
        kept.append(p)
    return tuple(kept)


def _lifted(d: Size, up: Mapping[Name, Size], atoms: Atoms) -> Size:
    """Substitute size + 1 for each size; replace ``max(0, e)`` by ``e`` if it is then >= 0."""
    image = dict(up)
    for x in d.free():
        match atoms.table[x]:
            case Derived(Op.MAX, (zero, e)) if zero == ZERO:
                lifted = _lifted(e, up, atoms)
                if atoms.nonneg(lifted):
                    image[x] = lifted
            case _:
                pass
    return d.subst(image)


# ---------------------------------------------------------------------- sympy


def maximum(sizes: Sequence[Size], atoms: Atoms) -> "sympy.Expr":
    """Return the maximum of polynomials as a sympy expression."""
    import sympy

    terms = [_polynomial(d, atoms) for d in sizes]
    if not terms:
        return sympy.Integer(0)
    few = len(terms) <= _FEW
    return terms[0] if len(terms) == 1 else sympy.Max(*terms, evaluate=few)


_FEW = 8
"""Terms up to which sympy compares all pairs; a comparison takes a millisecond or more."""


def _polynomial(d: Size, atoms: Atoms) -> "sympy.Expr":
    import sympy

    factors = {x: _atom(x, atoms) for x in d.free()}
    total: sympy.Expr = sympy.Integer(0)
    for monomial, k in d.terms:
        total += sympy.Mul(sympy.Integer(k), *(factors[x] for x in monomial))
    return total


def _atom(x: Name, atoms: Atoms) -> "sympy.Expr":
    import sympy

    atom = atoms.table[x]
    if isinstance(atom, Quantity):
        sign = {"nonnegative": True} if atoms.nonneg(var(x)) else {}
        return sympy.Symbol(x, integer=True, **sign)
    args = [_polynomial(a, atoms) for a in atom.args]
    match atom.op:
        case Op.DIV:
            return sympy.floor(args[0] / args[1])
        case Op.MOD:
            return sympy.Mod(*args)
        case Op.MIN:
            return sympy.Min(*args)
        case Op.MAX:
            return sympy.Max(*args)
