"""The peak as a closed formula: a maximum over program points of the bytes held there."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import field

from funmem.codegen.memory_plan.symbols import Atoms, Derived, Kind, Op, Quantity, wrapped
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, ZERO, Size, var

if TYPE_CHECKING:
    import sympy


@frozen
class Point:
    """Bytes that are held at a point; ``conditions``: what must be so for that many to be."""

    bytes: Size
    conditions: tuple[str, ...] = ()


@frozen
class Formula:
    """``max`` over ``points``; exact if none of these has conditions, else an upper bound.

    Both only where the numbers in ``assumed`` fit 64 bits, since those of a program wrap around.
    """

    points: tuple[Point, ...]
    atoms: Atoms = field(eq=False, repr=False)
    assumed: tuple[Size, ...] = field(default=(), eq=False, repr=False)

    @staticmethod
    def of(points: Iterable[Point], atoms: Atoms, assumed: Iterable[Size] = ()) -> "Formula":
        """The maximum, without points that another one provably reaches."""
        return Formula(pruned(points, atoms), atoms, tuple(assumed))

    @property
    def exact(self) -> bool:
        """Whether the formula is the peak of every run, and not only a bound."""
        return not self.conditions

    @property
    def conditions(self) -> tuple[str, ...]:
        """When the formula is exact."""
        return tuple(dict.fromkeys(c for p in self.points for c in p.conditions))

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """What the formula mentions."""
        return self.atoms.used(p.bytes for p in self.points)

    def holds(self, values: Mapping[Name, int]) -> bool:
        """Whether nothing has wrapped around where quantities have these values."""
        known = (
            d for d in self.assumed if {q.name for q in self.atoms.used((d,))} <= values.keys()
        )
        return all(wrapped(n) == n for d in known for n in (self.atoms.evaluate(d, values),))

    def value(self, values: Mapping[Name, int]) -> int:
        """The number of bytes where quantities have these values.  Raises KeyError."""
        return max((self.atoms.evaluate(p.bytes, values) for p in self.points), default=0)

    def sympy(self) -> "sympy.Expr":
        """As a sympy expression; quantities are integer symbols of their names."""
        return maximum([p.bytes for p in self.points], self.atoms)

    def for_positive_sizes(self) -> "Formula":
        """The formula where every size of an argument is at least 1: often a shorter one."""
        atoms = self.atoms.table.values()
        sizes = [q.name for q in atoms if isinstance(q, Quantity) and q.kind is Kind.SIZE]
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
    """One polynomial over atoms as text."""
    return str(_polynomial(d, atoms))


def show_size(d: Size) -> str:
    """A size of the program as text, in the same way."""
    import sympy

    symbols = {x: sympy.Symbol(x) for x in d.free()}
    terms = (sympy.Mul(sympy.Integer(k), *(symbols[x] for x in m)) for m, k in d.terms)
    return str(sympy.Add(*terms))


# ---------------------------------------------------------------------- pruning


def pruned(points: Iterable[Point], atoms: Atoms) -> tuple[Point, ...]:
    """The points that no other one provably reaches; of equal ones, the one with the fewest
    conditions.
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
    """``d`` in terms of sizes less one; ``max(0, e)`` is ``e`` where that is not negative then."""
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
    """The largest of some polynomials as a sympy expression."""
    import sympy

    terms = [_polynomial(d, atoms) for d in sizes]
    if not terms:
        return sympy.Integer(0)
    few = len(terms) <= _FEW
    return terms[0] if len(terms) == 1 else sympy.Max(*terms, evaluate=few)


_FEW = 8
"""Of more terms sympy does not compare each with each: it takes a millisecond or more for two."""


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
