"""Symbolic sizes of blocks: polynomials over the quantities that a program depends on.

A scalar of the host is a :class:`~funmem.ir.sizes.Size` over *atoms*.  An atom is a named quantity,
or an operator other than ``+ - *`` applied to polynomials.  The kinds of quantities, with examples:

    size       n           a size of an argument
    argument   k           an integer argument
    data       count       read from the device, or computed without a formula
    branch     z           one value or another, depending on a condition
    final      x           the value of a variable after a loop
    largest    max_x       the largest value that a variable has in a loop, at least 0
    bytes      bytes_of_m  the largest block that a block variable holds
    index      i           a loop's index; it does not occur in results of the analysis

The other operators are floor division, modulo, minimum and maximum.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TypeAlias

from attrs import field

from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import Name
from funmem.ir.record import define, evolve, frozen
from funmem.ir.scalar_values import wrapper
from funmem.ir.scalars import I64
from funmem.ir.sizes import ONE, ZERO, Monomial, Size, const, var


class QuantityKind(Enum):
    """The origin of a quantity's value."""

    SIZE = "size"
    ARGUMENT = "argument"
    DATA = "data"
    BRANCH = "branch"
    FINAL = "final"
    LARGEST = "largest"
    BYTES = "bytes"
    INDEX = "index"


@frozen
class Quantity:
    """A named quantity; ``of``: its variable or block.

    ``at``, ``step``: the source position and the step of the plan that determine its value.
    """

    name: Name
    kind: QuantityKind
    of: Name
    at: Span = field(default=NOWHERE, eq=False)
    step: int = -1


class Op(Enum):
    """An operator whose result is not a polynomial."""

    DIV = "floor division"
    MOD = "modulo"
    MIN = "minimum"
    MAX = "maximum"


@frozen
class Derived:
    """An operator applied to polynomials."""

    op: Op
    args: tuple[Size, ...]


Atom: TypeAlias = Quantity | Derived

wrapped = wrapper(I64)
"""Wraps an integer to 64 bits, like the host's arithmetic."""

VARYING = frozenset({QuantityKind.LARGEST, QuantityKind.BYTES})
"""Kinds of quantities that stand for the largest of several values."""


@define
class Atoms:
    """The atoms of one entry point, with facts about them.

    ``facts``: polynomials that are not negative unless the program traps; ``taken``: names of the
    program; ``table``: the atoms by name; ``bounds``: of loop indices.
    """

    taken: frozenset[Name]
    facts: tuple[Size, ...] = ()
    table: dict[Name, Atom] = field(factory=dict)
    bounds: dict[Name, Size] = field(factory=dict)
    _names: dict[tuple[Name, int | None], Name] = field(factory=dict)
    _derived: dict[Derived, Name] = field(factory=dict)
    _signs: dict[Name, bool] = field(factory=dict, init=False, eq=False)
    """Caches whether derived atoms are provably not negative.

    While an atom is being decided, its entry is False, since facts about its operands may mention
    it.
    """

    # -- making atoms

    def quantity(self, kind: QuantityKind, of: Name, at: Span = NOWHERE, step: int = -1) -> Size:
        """Return the quantity of a kind for a variable or block, created at its first use.

        A variable has a quantity for each step that sets it, and one for its largest value.
        """
        key = (of, None if kind in VARYING else step)
        if key not in self._names:
            prefix = {QuantityKind.LARGEST: "max_", QuantityKind.BYTES: "bytes_of_"}.get(kind, "")
            name = Name(f"{prefix}{of}")
            while name in self.table or (kind in VARYING and name in self.taken):
                name = Name(f"{name}_")
            self._names[key] = name
            self.table[name] = Quantity(name, kind, of, at, step)
        return var(self._names[key])

    def index(self, of: Name, bound: Size) -> Size:
        """Return the index of a loop with a bound."""
        self.table[of] = _index(of)
        self.bounds[of] = bound
        return var(of)

    def derived(self, op: Op, *args: Size) -> Size:
        """Return an operator's result, simplified if the facts allow it."""
        simple = self._simplified(op, args)
        if simple is not None:
            return simple
        key = Derived(op, args)
        name = self._derived.setdefault(key, Name(f"#{len(self._derived)}"))
        self.table[name] = key
        return var(name)

    def stands_for(self, d: Size, op: Op, *args: Size) -> bool:
        """True if ``d`` is the atom of this operator application, not a simplification of it."""
        return d.as_name is not None and self.table.get(d.as_name) == Derived(op, args)

    def _simplified(self, op: Op, args: tuple[Size, ...]) -> Size | None:
        a, b = args
        ka, kb = a.as_const, b.as_const
        if op in (Op.MIN, Op.MAX):
            of_a, of_b = self._operands(op, a), self._operands(op, b)
            if of_a <= of_b or of_b <= of_a:  # max(max(x, y), y)
                return b if of_a <= of_b else a
            low, high = (a, b) if self.nonneg(b - a) else (b, a)
            return (low if op is Op.MIN else high) if self.nonneg(high - low) else None
        if not kb:
            return None
        if ka is not None:
            return const(ka // kb if op is Op.DIV else ka % kb)
        exact = a.divided_by(b)
        return exact if op is Op.DIV or exact is None else ZERO

    def _operands(self, op: Op, d: Size) -> frozenset[Size]:
        """Return the operands of ``d`` if it is an application of ``op``, else ``d`` itself."""
        atom = None if d.as_name is None else self.table.get(d.as_name)
        if not isinstance(atom, Derived) or atom.op is not op:
            return frozenset((d,))
        return frozenset().union(*(self._operands(op, a) for a in atom.args))

    # -- what is known

    def nonneg(self, d: Size) -> bool:
        """True if a polynomial is provably not negative."""
        return self._plain(d) or any(self._multiple(d, f) for f in self.facts)

    def _plain(self, d: Size) -> bool:
        """True if all coefficients are positive and all factors are not negative."""
        return all(k > 0 and all(map(self._nonneg_atom, m)) for m, k in d.terms)

    def _multiple(self, d: Size, fact: Size) -> bool:
        """True if ``d`` is a non-negative monomial times a fact, plus non-negative terms."""
        if not fact.terms or not d.terms:
            return False
        ratio = Size((d.terms[0],)).divided_by(Size((fact.terms[0],)))
        return ratio is not None and self._plain(ratio) and self._plain(d - ratio * fact)

    def _nonneg_atom(self, x: Name) -> bool:
        match self.table.get(x):
            case Quantity(_, kind):
                return kind in _NONNEGATIVE or var(x) in self.facts
            case None:
                return var(x) in self.facts
            case Derived() as d:
                if x not in self._signs:
                    self._signs[x] = False
                    self._signs[x] = self._nonneg_derived(d)
                return self._signs[x]

    def _nonneg_derived(self, d: Derived) -> bool:
        a, b = d.args
        match d.op:
            case Op.MAX:
                return self.nonneg(a) or self.nonneg(b)
            case Op.MIN:
                return self.nonneg(a) and self.nonneg(b)
            case Op.DIV:
                return self.nonneg(a) and (b.as_const or 0) > 0
            case Op.MOD:
                return (b.as_const or 0) > 0

    def at_least_zero(self, d: Size) -> Size:
        """Return ``max(0, d)``: a block of a negative size has no bytes."""
        return d if self.nonneg(d) else self.derived(Op.MAX, ZERO, d)

    # -- what varies in loops

    def varies(self, x: Name) -> bool:
        """True if an atom stands for the largest of several values."""
        match self.table.get(x):
            case Quantity(_, kind):
                return kind in VARYING
            case Derived(_, args):
                return any(self.varies(y) for a in args for y in a.free())
            case None:
                return False

    def has_index(self, d: Size) -> bool:
        """True if a loop's index occurs in ``d``."""
        return any(self._has_index(x) for x in d.free())

    def _has_index(self, x: Name) -> bool:
        match self.table.get(x):
            case Derived(_, args):
                return any(map(self.has_index, args))
            case Quantity(_, kind):
                return kind is QuantityKind.INDEX
            case None:
                return False

    def grows(self, d: Size) -> bool:
        """True if a polynomial is largest where all varying atoms are largest."""
        for m, k in d.terms:
            varying = sum(map(self.varies, m))
            if varying and (k < 0 or varying > 1 or not all(map(self._nonneg_atom, m))):
                return False
        return True

    def over_indices(self, d: Size) -> Size | None:
        """Return an upper bound of ``d`` over all loop indices, term by term; None if unknown."""
        while self.has_index(d):
            total = ZERO
            for m, k in d.terms:
                term = self._over_index(m, k)
                if term is None:
                    return None
                total = total + term
            d = total
        return d

    def _over_index(self, m: Monomial, k: int) -> Size | None:
        """A bound for one term: an index is 0, or one less than its bound."""
        i = next((x for x in m if x in self.bounds and self.table[x] == _index(x)), None)
        if i is None:
            inside = any(self._has_index(x) for x in m)
            return None if inside else Size(((m, k),))
        rest = list(m)
        rest.remove(i)
        if not all(map(self._nonneg_atom, rest)):
            return None
        return ZERO if k < 0 else Size(((tuple(rest), k),)) * (self.bounds[i] - ONE)

    # -- the atoms of a result

    def used(self, sizes: Iterable[Size]) -> tuple[Quantity, ...]:
        """Return the quantities that occur in ``sizes``, ordered by name."""
        found: dict[Name, Quantity] = {}
        todo = [x for d in sizes for x in d.free()]
        while todo:
            match self.table[todo.pop()]:
                case Quantity(x) as q:
                    found[x] = q
                case Derived(_, args):
                    todo += [x for a in args for x in a.free()]
        return tuple(found[x] for x in sorted(found))

    def evaluate(self, d: Size, values: Mapping[Name, int]) -> int:
        """Return the value of a polynomial for these values of the quantities.  Raises KeyError.

        A division by 0 gives 0, since the program does not reach it.  Operands of operators are
        wrapped to 64 bits: the minimum of a wrapped number and another may be a size that fits.
        """
        return d.eval(lambda x: self._evaluate_atom(x, values))

    def _evaluate_atom(self, x: Name, values: Mapping[Name, int]) -> int:
        atom = self.table[x]
        if isinstance(atom, Quantity):
            return values[x]
        numbers = [wrapped(self.evaluate(a, values)) for a in atom.args]
        match atom.op:
            case Op.DIV:
                return numbers[0] // numbers[1] if numbers[1] else 0
            case Op.MOD:
                return numbers[0] % numbers[1] if numbers[1] else 0
            case Op.MIN:
                return min(numbers)
            case Op.MAX:
                return max(numbers)

    def with_facts(self, facts: Iterable[Size]) -> "Atoms":
        """Return the same atoms with these facts; all atoms keep their names."""
        return evolve(self, facts=tuple(dict.fromkeys(facts)))

    def without_facts_on(self, xs: frozenset[Name]) -> "Atoms":
        """Return the same atoms without the facts that mention ``xs``."""
        return evolve(self, facts=tuple(f for f in self.facts if f.free().isdisjoint(xs)))


def _index(x: Name) -> Quantity:
    return Quantity(x, QuantityKind.INDEX, x)


_NONNEGATIVE = VARYING | {QuantityKind.SIZE, QuantityKind.INDEX}
