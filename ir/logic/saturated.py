"""Saturating arithmetic for sizes in i64.

Sizes are exact integers, and an allocation larger than memory traps.  But a size that must be
computed by a scalar expression uses i64 arithmetic.  If that wrapped around, a block would be too
small for the elements that are written to it.  So a large size becomes ``HUGE`` instead.

    4*n*m + 8  ->  let far = 1 if one of the two terms reaches FAR / 2 in magnitude, and else 0
                   (4*n*m + 8) * (1 - far) + HUGE * far
"""

from collections.abc import Mapping

from funmem.ir.arith import size_exp
from funmem.ir.fun import Ann, Bin, Binder, Const, ScalarExp, Stm, Var
from funmem.ir.logic.bounded import between
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import Monomial, Size, const

FAR = 1 << 61
"""More bytes than any memory has."""
HUGE = 1 << 62
"""The value of a size that may exceed ``FAR``."""
ROUNDED = 0.999
"""A factor that makes a floating-point root a lower bound of the exact one."""


def saturated(size: Size, fresh: Fresh) -> tuple[tuple[Stm[Ann], ...], ScalarExp]:
    """Return statements, and an expression to follow them.  Its value is ``size`` if the sum of the
    magnitudes of the terms is below ``FAR``, and ``HUGE`` otherwise.
    """
    if size.as_name is not None or size.as_const is not None:
        return (), size_exp(size)
    stms: list[Stm[Ann]] = []

    def let(base: str, exp: ScalarExp) -> Var:
        stms.append(Stm((Binder(fresh(base), I64, None),), exp))
        return Var(stms[-1].pat[0].name)

    magnitudes = {x: let("magnitude", _magnitude(x)) for x in sorted(size.free())}
    most: ScalarExp = Const(0, I64)
    for monomial, k in size.terms:
        most = let("most", Bin(BinOp.MAX, most, _term(monomial, k, magnitudes)))
    limit = Const(FAR // len(size.terms), I64)
    far = let("far", Bin(BinOp.MIN, Bin(BinOp.DIV, most, limit), Const(1, I64)))
    near = let("exact", Bin(BinOp.MUL, size_exp(size), Bin(BinOp.SUB, Const(1, I64), far)))
    return tuple(stms), Bin(BinOp.ADD, near, Bin(BinOp.MUL, far, Const(HUGE, I64)))


def is_small(size: Size, known: PointFacts) -> bool:
    """True if the facts bound all factors so that the terms' magnitudes sum up
    to at most ``FAR``.
    """
    for monomial, k in size.terms:
        room = FAR // len(size.terms) // abs(k)
        if not room:
            return False
        most = const(int(room ** (1 / max(len(monomial), 1)) * ROUNDED))
        for x in monomial:
            if not between(Var(x), -most, most, known.facts, known.scalars):
                return False
    return True


def _magnitude(x: Name) -> ScalarExp:
    """Return min(|x|, FAR); -2^63, whose magnitude is not an i64, gives ``FAR`` as well."""
    above = Bin(BinOp.MAX, Var(x), Const(-I64.max, I64))
    magnitude = Bin(BinOp.MAX, Var(x), Bin(BinOp.SUB, Const(0, I64), above))
    return Bin(BinOp.MIN, magnitude, Const(FAR, I64))


def _term(monomial: Monomial, k: int, magnitudes: Mapping[Name, Var]) -> ScalarExp:
    """Return the magnitude of a term if it is at most ``HUGE``, and else a value of at least
    ``FAR``.

    A partial product p that would exceed ``HUGE`` when multiplied by m is replaced by ``HUGE / m``;
    ``HUGE / m * m > HUGE - m``.
    """
    term: ScalarExp = Const(min(abs(k), FAR), I64)
    for x in monomial:
        m = magnitudes[x]
        room = Bin(BinOp.DIV, Const(HUGE, I64), Bin(BinOp.MAX, m, Const(1, I64)))
        term = Bin(BinOp.MUL, Bin(BinOp.MIN, term, room), m)
    return term
