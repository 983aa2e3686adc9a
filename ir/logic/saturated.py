"""A size in i64, which no wrapping around makes small.

A size is exact, and an allocation of one that no memory holds traps.  Where a size has to be
computed, by an operation that sizes do not have, i64 arithmetic would wrap around, and a block
would be too small for what is written to it.

    4*n*m + 8  ->  let far = 1 if one of the two terms reaches FAR / 2 in magnitude, and else 0
                   (4*n*m + 8) * (1 - far) + HUGE * far
"""

from collections.abc import Mapping

from funmem.ir.arith import size_exp
from funmem.ir.fun import Ann, Bin, Binder, Const, ScalarExp, Stm, Var
from funmem.ir.logic.bounded import between
from funmem.ir.logic.facts import Known
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import Monomial, Size, const

FAR = 1 << 61
"""More bytes than any memory has."""
HUGE = 1 << 62
"""What a size is taken for that may be larger than i64 arithmetic can tell."""
ROUNDED = 0.999
"""A root in floating-point numbers, made surely small enough."""


def saturated(size: Size, fresh: Fresh) -> tuple[tuple[Stm[Ann], ...], ScalarExp]:
    """Statements, and an expression after them that is ``size`` if its terms are below ``FAR``
    together, and else ``HUGE``.
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


def is_small(size: Size, known: Known) -> bool:
    """Whether its factors are small wherever ``known`` holds: terms of at most ``FAR`` together."""
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
    """|x|, and at most ``FAR``; -2^63 has no magnitude in i64."""
    above = Bin(BinOp.MAX, Var(x), Const(-I64.max, I64))
    magnitude = Bin(BinOp.MAX, Var(x), Bin(BinOp.SUB, Const(0, I64), above))
    return Bin(BinOp.MIN, magnitude, Const(FAR, I64))


def _term(monomial: Monomial, k: int, magnitudes: Mapping[Name, Var]) -> ScalarExp:
    """The magnitude of a term if it is at most ``HUGE``, and else at least ``FAR``: a factor ``p``
    that would carry it further is replaced by ``HUGE / m``, and ``HUGE / m * m > HUGE - m``.
    """
    term: ScalarExp = Const(min(abs(k), FAR), I64)
    for x in monomial:
        m = magnitudes[x]
        room = Bin(BinOp.DIV, Const(HUGE, I64), Bin(BinOp.MAX, m, Const(1, I64)))
        term = Bin(BinOp.MUL, Bin(BinOp.MIN, term, room), m)
    return term
