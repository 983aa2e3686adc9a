"""Facts inside a branch or a loop that follow from the definition of its condition or bound.

    if i > 0 then … x[i - 1] …             loop … for i < min(n, m) do … x[i] …

    a <= b, a < b, …     b - a >= 0, b - a - 1 >= 0, …
    a == b               both inequalities
    a != b               sharpens an inequality that is known: 0 <= i and i != 0 give 1 <= i
    c && d, !(c || d)    both operands; a name stands for the expression that ``let`` binds it to
    c || d               d, if c is known to be false

An i64 expression may have wrapped around; a polynomial does not wrap.  So operands are names,
constants, and sums that provably have not wrapped around
(:func:`bounded.exact <funmem.ir.logic.bounded.exact>`).
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from attrs import field

from funmem.ir.fun import Atom, Bin, Const, Convert, ScalarExp, Type, Un, Var
from funmem.ir.logic.bounded import exact, shown
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, I64, BinOp, UnOp
from funmem.ir.sizes import Size, var

Values = Mapping[Name, ScalarExp]
"""The scalar expressions that ``let`` binds names to."""

Types = Mapping[Name, Type]

DEFINITIONS = 256
"""Largest number of definitions that are followed for one condition: each may add facts, and facts
cost time.
"""

CAPS = 6
"""Largest number of facts about an index that follow from the definition of its bound."""

DEEP = 64
"""Largest number of nested definitions of conditions that are followed."""

_CONJUNCTIONS = (BinOp.LAND, BinOp.AND)

COMPARISONS = {
    BinOp.LT: BinOp.GE,
    BinOp.LE: BinOp.GT,
    BinOp.GT: BinOp.LE,
    BinOp.GE: BinOp.LT,
    BinOp.EQ: BinOp.NE,
    BinOp.NE: BinOp.EQ,
}
"""Each comparison, and the one that holds where it does not."""


def given(cond: Atom, truth: bool, facts: Facts, values: Values, types: Types) -> Facts:
    """Return the facts where the value of ``cond`` is ``truth``.  If ``cond`` is a disjunction and
    the facts refute its first operand, the second one holds.
    """
    conditions = _Conditions(facts, values, types)
    for _ in range(DEFINITIONS):
        match values.get(cond.name) if truth and isinstance(cond, Var) else None:
            case Bin(BinOp.LOR | BinOp.OR, c, Var() as d) if conditions.holds(c, False):
                cond = d
            case _:
                break
    for op, a, b in comparisons(cond, truth, values, types):
        p, q = exact(a, facts, values), exact(b, facts, values)
        if p is not None and q is not None:
            facts = _comparison(op, p, q, facts)
    return facts


def truth(cond: ScalarExp, facts: Facts, values: Values, types: Types) -> bool | None:
    """Return the value of a condition if the facts prove it; None otherwise."""
    conditions = _Conditions(facts, values, types)
    if conditions.holds(cond, True):
        return True
    return False if conditions.holds(cond, False) else None


@define
class _Conditions:
    """Decides conditions by the facts, with a memo table by name."""

    facts: Facts
    values: Values
    types: Types
    memo: dict[tuple[Name, bool], bool] = field(factory=dict)

    def holds(self, e: ScalarExp, truth: bool, deep: int = DEEP) -> bool:
        """True if the facts prove that the value of ``e`` is ``truth``."""
        match e:
            case Var(x) if self.types.get(x) is BOOL and x in self.values and deep:
                if (x, truth) not in self.memo:
                    self.memo[x, truth] = self.holds(self.values[x], truth, deep - 1)
                return self.memo[x, truth]
            case Un(UnOp.LNOT, a):
                return self.holds(a, not truth, deep)
            case Bin(BinOp.LAND | BinOp.AND | BinOp.LOR | BinOp.OR as op, a, b):
                sides = (self.holds(c, truth, deep) for c in (a, b))
                return all(sides) if truth is (op in _CONJUNCTIONS) else any(sides)
            case Bin(op, a, b) if op in COMPARISONS and (
                _is_i64(a, self.types) or _is_i64(b, self.types)
            ):
                p, q = (exact(c, self.facts, self.values) for c in (a, b))
                holds = op if truth else COMPARISONS[op]
                return p is not None and q is not None and self._compares(holds, p, q)
            case Const() | Var() | Bin() | Un() | Convert():
                return False

    def _compares(self, op: BinOp, p: Size, q: Size) -> bool:
        match op:
            case BinOp.LT:
                return self._shown(q - p - 1)
            case BinOp.LE:
                return self._shown(q - p)
            case BinOp.GT:
                return self._shown(p - q - 1)
            case BinOp.GE:
                return self._shown(p - q)
            case _:
                return False

    def _shown(self, p: Size) -> bool:
        return shown(p, self.facts, self.values)


def iterating(i: Name, bound: Size, facts: Facts, values: Values) -> Facts:
    """Return the facts inside an iteration ``i < bound``.

    If the bound is a sum with a minimum, i is below the sum with either operand; and with one
    operand of a maximum if no index is below that with the other one, as i is not negative.
    """
    facts = facts.with_index(i, bound)
    for p in islice(_caps(bound, facts, values), CAPS):
        facts = facts.assuming(p - var(i) - 1)
    return facts


def _caps(bound: Size, facts: Facts, values: Values) -> Iterator[Size]:
    """Yield other sizes that an index below ``bound`` is below, by the definitions of its names."""
    todo = [bound]
    seen = {bound}
    while todo:
        p = todo.pop()
        found: list[Size] = []
        for m, k in p.terms:
            once = len(m) == 1 and k > 0 and sum(m[0] in other for other, _ in p.terms) == 1
            if once and (e := values.get(m[0])) is not None:
                found += _lower_caps(p, m[0], e, facts, values)
        new = [q for q in dict.fromkeys(found) if q not in seen]
        seen.update(new)
        yield from new
        todo += reversed(new)


def _lower_caps(p: Size, x: Name, e: ScalarExp, facts: Facts, values: Values) -> Iterator[Size]:
    """Yield caps that follow from ``p``, which grows with ``x``, where ``x`` is ``e``."""
    match e:
        case Bin(BinOp.MIN, a, b):
            for c in (a, b):
                yield from _lower_caps(p, x, c, facts, values)
        case Bin(BinOp.MAX, a, b):
            for c, other in ((a, b), (b, a)):
                least = exact(other, facts, values)
                if least is not None and nonneg(-p.subst({x: least}), facts):
                    yield from _lower_caps(p, x, c, facts, values)
        case Const() | Var() | Bin() | Un() | Convert():
            if isinstance(e, Var):
                yield p.subst({x: var(e.name)})
            if (q := exact(e, facts, values)) is not None:
                yield p.subst({x: q})


def follows(cond: Atom, facts: Facts, values: Values, types: Types) -> bool:
    """True if the facts prove that a condition holds."""
    return _Conditions(facts, values, types).holds(cond, True)


def comparisons(
    e: ScalarExp, truth: bool, values: Values, types: Types
) -> Iterator[tuple[BinOp, ScalarExp, ScalarExp]]:
    """Yield the comparisons of i64 that hold if ``e`` is ``truth``, from left to right."""
    todo = [(e, truth)]
    seen: set[tuple[Name, bool]] = set()
    while todo and len(seen) <= DEFINITIONS:
        match todo.pop():
            case Var(x), value if types.get(x) is BOOL and x in values:
                if (x, value) not in seen:
                    seen.add((x, value))
                    todo.append((values[x], value))
            case Un(UnOp.LNOT, a), value:
                todo.append((a, not value))
            case Bin(BinOp.LAND | BinOp.AND | BinOp.LOR | BinOp.OR as op, a, b), value if value is (
                op in _CONJUNCTIONS
            ):
                todo += ((b, value), (a, value))
            case Bin(op, a, b), value if op in COMPARISONS and (
                _is_i64(a, types) or _is_i64(b, types)
            ):
                yield (op if value else COMPARISONS[op]), a, b
            case _:
                pass


def _is_i64(e: ScalarExp, types: Types) -> bool:
    match e:
        case Const(_, t):
            return t is I64
        case Var(x):
            return types.get(x) is I64
        case Bin(BinOp.ADD | BinOp.SUB, a, _):
            return _is_i64(a, types)
        case Bin() | Un() | Convert():
            return False


def _comparison(op: BinOp, p: Size, q: Size, facts: Facts) -> Facts:
    """Return the facts where ``p op q`` holds."""
    match op:
        case BinOp.LT:
            return facts.assuming(q - p - 1)
        case BinOp.LE:
            return facts.assuming(q - p)
        case BinOp.GT:
            return facts.assuming(p - q - 1)
        case BinOp.GE:
            return facts.assuming(p - q)
        case BinOp.EQ:
            return facts.assuming(p - q).assuming(q - p)
        case BinOp.NE if nonneg(q - p, facts):
            return facts.assuming(q - p - 1)
        case BinOp.NE if nonneg(p - q, facts):
            return facts.assuming(p - q - 1)
        case _:
            return facts
