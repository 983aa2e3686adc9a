"""Which checks need not be made: a small prover over index ranges and signs of sizes.

    facts    i < n, … of the enclosing kernels and loops      0 <= i <= n - 1, hence n >= 1
             lengths of the arrays in scope                    d >= 0

To show ``p >= 0`` the indices are eliminated from the innermost outwards: where p is linear in i
it is least at i = 0 or at i = n - 1.  What remains mentions sizes only; with every size x written
as ``x = least(x) + x'``, x' >= 0, it suffices that no coefficient is negative.  The prover is
sound (it reasons in Z, as sizes do) and incomplete: an unproved check stays in the program.
"""

from collections.abc import Sequence
from typing import assert_never

from attrs import evolve, frozen

from funmem.ir.fun import Bin, Const
from funmem.ir.imp import (
    Condition,
    Holds,
    Injective,
    InRange,
    NonNegative,
    RangeInside,
    SizesEqual,
)
from funmem.ir.names import Name
from funmem.ir.scalars import can_trap, eval_bin
from funmem.ir.sizes import ZERO, Size, const, var


@frozen
class Facts:
    """What is known about i64 variables at one place of a program."""

    indices: tuple[tuple[Name, Size], ...] = ()
    """``0 <= i < n``, outermost first; a bound mentions indices before it only."""

    least: tuple[tuple[Name, int], ...] = ()
    """``x >= k``."""

    def with_index(self, i: Name, n: Size) -> "Facts":
        """These facts, inside an iteration of ``i < n``."""
        inside = self.with_nonneg(n - 1)
        return evolve(inside, indices=(*inside.indices, (i, n)))

    def with_nonneg(self, d: Size) -> "Facts":
        """These facts and ``d >= 0``; used if d is ``k*x + c`` with k > 0, else forgotten."""
        match d.terms:
            case (((x,), k), *rest) if k > 0 and all(m == () for m, _ in rest):
                bound = -(sum(c for _, c in rest) // k)
            case _:
                return self
        least = dict(self.least)
        least[x] = max(bound, least.get(x, bound))
        return evolve(self, least=tuple(least.items()))


NOTHING = Facts()
"""Nothing is known."""


def nonneg(p: Size, facts: Facts) -> bool:
    """Whether ``p >= 0`` follows."""
    return _nonneg(p, facts.indices, dict(facts.least))


def _nonneg(p: Size, indices: Sequence[tuple[Name, Size]], least: dict[Name, int]) -> bool:
    if not indices:
        return _no_negative_term(p, least)
    *outer, (i, n) = indices
    degree = max((m.count(i) for m, _ in p.terms), default=0)
    if degree == 0:
        return _nonneg(p, outer, least)
    ends = (ZERO, n - 1)
    return degree == 1 and all(_nonneg(p.subst({i: e}), outer, least) for e in ends)


def _no_negative_term(p: Size, least: dict[Name, int]) -> bool:
    if not p.free() <= least.keys():
        return False
    shifted = p.subst({x: var(x) + const(k) for x, k in least.items()})
    return all(k >= 0 for _, k in shifted.terms)


def in_range(i: Size, n: Size, facts: Facts) -> bool:
    """Whether ``0 <= i < n`` follows."""
    return nonneg(i, facts) and nonneg(n - 1 - i, facts)


def proved(condition: Condition, facts: Facts) -> bool:
    """Whether a check's condition follows, so that the check may be left out."""
    match condition:
        case InRange(i, n):
            return in_range(i, n, facts)
        case RangeInside(_, length) if length == ZERO:
            return True
        case RangeInside(start, length, stride, n):
            some = facts.with_nonneg(length - 1)  # else it is empty, and may start anywhere
            last = start + (length - 1) * stride
            return nonneg(length, facts) and all(in_range(i, n, some) for i in (start, last))
        case Injective(length, stride):
            return stride.as_const not in (None, 0) or nonneg(1 - length, facts)
        case NonNegative(d):
            return nonneg(d, facts)
        case SizesEqual(a, b):
            return a == b
        case Holds(Const(value)):
            return bool(value)
        case Holds(Bin(op, Const(a, t), Const(b))) if not can_trap(op, t):
            return bool(eval_bin(op, t, a, b))
        case Holds():
            return False
        case _:
            assert_never(condition)
