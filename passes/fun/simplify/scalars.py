"""Scalar expressions: constant folding, identities, and comparisons decided by index ranges.

Constants are folded with the table of operators, so the result is the defined value.  An operator
that traps on its constants stays.  Identities apply to integers and booleans only: floats keep
every operation that could round, produce a NaN, or change the sign of a zero.
"""

from collections.abc import Mapping

from funmem.ir.arith import exp_size, scalar_type
from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Type, Un, Var
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.scalars import (
    BOOL,
    I64,
    BinOp,
    OperatorTrap,
    ScalarType,
    UnOp,
    convert,
    eval_bin,
    eval_un,
)
from funmem.ir.sizes import Size

Types = Mapping[Name, Type]


def fold(e: ScalarExp, types: Types) -> ScalarExp:
    """Return the expression with constants folded and identities applied, bottom-up."""
    match e:
        case Const() | Var():
            return e
        case Bin(op, a, b):
            return _bin(op, fold(a, types), fold(b, types), types)
        case Un(op, a):
            return _un(op, fold(a, types))
        case Convert(to, a):
            return _convert(to, fold(a, types), types)


def _bin(op: BinOp, a: ScalarExp, b: ScalarExp, types: Types) -> ScalarExp:
    match a, b:
        case Const(x, t), Const(y):
            try:
                value = eval_bin(op, t, x, y)
            except OperatorTrap:
                return Bin(op, a, b)
            return Const(value, scalar_type(Bin(op, a, b), types))
        case _:
            t = scalar_type(a, types)
            if t.is_float:
                return Bin(op, a, b)
            found = _identity(op, a, b, t)
            return Bin(op, a, b) if found is None else found


def _identity(op: BinOp, a: ScalarExp, b: ScalarExp, t: ScalarType) -> ScalarExp | None:
    """Return an equal, smaller expression of integers or booleans; None if no identity applies."""
    return _neutral(op, a, b) or _absorbing(op, a, b) or _equal(op, a, b, t)


def _neutral(op: BinOp, a: ScalarExp, b: ScalarExp) -> ScalarExp | None:
    """``x + 0 = x``, ``1 * x = x``, …"""
    match op, a, b:
        case ((BinOp.ADD | BinOp.OR | BinOp.XOR | BinOp.LOR), Const(0), x):
            return x
        case ((BinOp.ADD | BinOp.SUB | BinOp.OR | BinOp.XOR | BinOp.LOR), x, Const(0)):
            return x
        case ((BinOp.SHL | BinOp.SHR), x, Const(0)):
            return x
        case ((BinOp.MUL | BinOp.LAND), Const(1), x):
            return x
        case ((BinOp.MUL | BinOp.DIV | BinOp.QUOT | BinOp.LAND), x, Const(1)):
            return x
        case _:
            return None


def _absorbing(op: BinOp, a: ScalarExp, b: ScalarExp) -> ScalarExp | None:
    """``x * 0 = 0``, ``true || x = true``, …; x is an atom, because it must not trap."""
    match op, a, b:
        case ((BinOp.MUL | BinOp.AND | BinOp.LAND), Const(0) as zero, (Var() | Const())):
            return zero
        case ((BinOp.MUL | BinOp.AND | BinOp.LAND), (Var() | Const()), Const(0) as zero):
            return zero
        case BinOp.LOR, Const(1) as one, (Var() | Const()):
            return one
        case BinOp.LOR, (Var() | Const()), Const(1) as one:
            return one
        case _:
            return None


def _equal(op: BinOp, a: ScalarExp, b: ScalarExp, t: ScalarType) -> ScalarExp | None:
    """``x - x = 0``, ``x <= x``, … for two uses of the same atom."""
    if a != b or not isinstance(a, Var):
        return None
    match op:
        case BinOp.SUB | BinOp.XOR:
            return Const(False if t is BOOL else 0, t)
        case BinOp.MIN | BinOp.MAX | BinOp.AND | BinOp.OR | BinOp.LAND | BinOp.LOR:
            return a
        case BinOp.EQ | BinOp.LE | BinOp.GE:
            return Const(True, BOOL)
        case BinOp.NE | BinOp.LT | BinOp.GT:
            return Const(False, BOOL)
        case _:
            return None


def _un(op: UnOp, a: ScalarExp) -> ScalarExp:
    match op, a:
        case _, Const(x, t):
            value = eval_un(op, t, x)
            return Const(value, scalar_type(Un(op, a), {}))
        case (UnOp.LNOT, Un(UnOp.LNOT, b)) | (UnOp.NOT, Un(UnOp.NOT, b)):
            return b
        case _:
            return Un(op, a)


def _convert(to: ScalarType, a: ScalarExp, types: Types) -> ScalarExp:
    if isinstance(a, Const):
        return Const(convert(a.value, a.type, to), to)
    return a if scalar_type(a, types) is to else Convert(to, a)


def exact(e: ScalarExp, narrow: ScalarExp, facts: Facts) -> ScalarExp:
    """Return ``a`` for ``e``, the conversion to i64 of ``narrow = i32(a)``, if a provably fits.

    Languages whose ints are narrower than i64 convert each index, and an index whose conversion
    lost no bits is the number that an assertion of a length bounds.  ``narrow`` may have any other
    form; then, and without a proof, the result is ``e``.  (The i64 equals its polynomial modulo
    2^64, so if that is small, both are equal.)
    """
    match narrow:
        case Convert(t, a) if t.is_int and (p := exp_size(a)) is not None:
            inside = nonneg(p - t.min, facts) and nonneg(-p + t.max, facts)
            return a if inside else e
        case _:
            return e


# ---------------------------------------------------------------------- comparisons


def decide(e: ScalarExp, facts: Facts, types: Types) -> ScalarExp:
    """Return a comparison of i64 polynomials as a constant if the facts decide it."""
    match e:
        case Bin(op, a, b) if op in _DECIDED and scalar_type(a, types) is I64:
            p, q = exp_size(a), exp_size(b)
            if p is None or q is None or not (fits(p, facts) and fits(q, facts)):
                return e
            value = _compare(op, q - p, facts)
            return e if value is None else Const(value, BOOL)
        case _:
            return e


_DECIDED = (BinOp.LT, BinOp.LE, BinOp.GT, BinOp.GE, BinOp.EQ, BinOp.NE)


def _compare(op: BinOp, d: Size, facts: Facts) -> bool | None:
    """Return the value of ``a op b`` where ``d = b - a``; None if it is not known."""
    match op:
        case BinOp.LT:
            return _sign(d - 1, facts)
        case BinOp.LE:
            return _sign(d, facts)
        case BinOp.GT:
            return _sign(-d - 1, facts)
        case BinOp.GE:
            return _sign(-d, facts)
        case BinOp.EQ | BinOp.NE:
            if d == Size(()):
                return op is BinOp.EQ
            if nonneg(d - 1, facts) or nonneg(-d - 1, facts):
                return op is BinOp.NE
            return None
        case _:
            return None


def _sign(d: Size, facts: Facts) -> bool | None:
    """True if ``d >= 0``, False if ``d < 0``, None if neither is known."""
    if nonneg(d, facts):
        return True
    return False if nonneg(-d - 1, facts) else None


def fits(p: Size, facts: Facts) -> bool:
    """True if a polynomial always fits in i64, so that computing it in i64 is exact.

    This is interval arithmetic with the range of i64 and the bounds in ``facts``.
    """
    ranges = _ranges(facts)
    low = high = 0
    for monomial, k in p.terms:
        bounds = (k, k)
        for x in monomial:
            bounds = _times(bounds, ranges.get(x, _ALL))
        low, high = low + bounds[0], high + bounds[1]
    return I64.min <= low and high <= I64.max


_Range = tuple[int, int]
_ALL: _Range = (I64.min, I64.max)


def _times(a: _Range, b: _Range) -> _Range:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _ranges(facts: Facts) -> dict[Name, _Range]:
    ranges = {x: (k, I64.max) for x, k in facts.least}
    for i, n in facts.indices:
        bound = n.as_const
        if bound is None:
            bound = I64.max if n.as_name is not None else I64.max + 1
        ranges[i] = (0, min(bound - 1, I64.max))
    return ranges
