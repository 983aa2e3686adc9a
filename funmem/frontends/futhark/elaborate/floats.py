"""Members of the float modules that take several operators: ``fma``, ``ldexp``, to integers.

All are exact or rounded once.  The only branch is in ``fma``, for operands that are zero, infinite
or NaN.
"""

import math

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import (
    F16,
    F32,
    F64,
    I32,
    I64,
    U32,
    U64,
    BinOp,
    ScalarType,
    UnOp,
    bin_result,
    un_result,
)


class Steps:
    """A calculation in steps of one operator, with a name for each result."""

    def __init__(self, at: Span) -> None:
        self.at = at
        self._types: dict[Name, ScalarType] = {}
        self._lets: list[tuple[tuple[c.Binder, ...], Exp]] = []

    def operands(self, args: tuple[Exp, ...], types: tuple[ScalarType, ...]) -> tuple[c.Var, ...]:
        """Return names for operands; all are evaluated before any is bound, so none is captured."""
        binders = tuple(self._binder(t) for t in types)
        self._lets.append((binders, args[0] if len(args) == 1 else c.tuple_exp(*args, at=self.at)))
        return tuple(c.Var(b.name, self.at) for b in binders)

    def __call__(self, op: BinOp | UnOp | ScalarType, *args: c.Var | c.Const) -> c.Var:
        """Apply an operator or a conversion and return the name of the result."""
        t = self._type(args[0])
        result: ScalarType | None
        e: Exp
        match op:
            case BinOp():
                result, e = bin_result(op, t), c.Bin(op, args[0], args[1], self.at)
            case UnOp():
                result, e = un_result(op, t), c.Un(op, args[0], self.at)
            case ScalarType():
                result, e = op, c.Convert(op, args[0], self.at)
        if result is None:
            raise TypeError(f"{op} is not defined on {t}")
        binder = self._binder(result)
        self._lets.append(((binder,), e))
        return c.Var(binder.name, self.at)

    def result(self, e: Exp) -> Exp:
        """Return ``e`` after the steps."""
        for binders, step in reversed(self._lets):
            e = c.Let(binders, step, e, self.at)
        return e

    def branch(self) -> "Steps":
        """Return the steps of a branch, which see the names bound so far."""
        inner = Steps(self.at)
        inner._types = self._types
        return inner

    def _binder(self, t: ScalarType) -> c.Binder:
        name = Name(f"s{len(self._types)}")
        self._types[name] = t
        return c.Binder(name, t)

    def _type(self, e: c.Var | c.Const) -> ScalarType:
        return e.type if isinstance(e, c.Const) else self._types[e.name]


def _f64(v: float) -> c.Const:
    return c.Const(v, F64)


def _i64(k: int) -> c.Const:
    return c.Const(k, I64)


def _u64(k: int) -> c.Const:
    return c.Const(k, U64)


# ---------------------------------------------------------------------- conversions


def to_int(source: ScalarType, target: ScalarType, e: Exp, at: Span) -> Exp:
    """Return a float as an integer, rounded towards zero; NaN and infinities give 0.

    A negative number wraps around in an unsigned type, and a narrow type takes the low bits of an
    i32.  Numbers beyond that saturate; the language leaves them undefined.
    """
    s = Steps(at)
    (x,) = s.operands((e,), (source,))
    if target.bits < 32:
        whole = s(target, s(I32, x))
    elif target is U32:
        whole = s(target, s(I64, x))
    elif target is U64:  # the first is 0 for negative numbers, the second for the others
        negative = s(BinOp.MIN, x, c.Const(0.0, source))
        whole = s(BinOp.OR, s(target, x), s(target, s(I64, negative)))
    else:
        whole = s(target, x)
    # A mask and not a product: products of indices are checked for overflow.
    finite = s(UnOp.LNOT, s(UnOp.ISINF, x))
    mask = s(BinOp.SUB, c.Const(0, target), s(target, finite))
    return s.result(s(BinOp.AND, whole, mask))


# ---------------------------------------------------------------------- powers of two


def _power(s: Steps, k: c.Var | c.Const) -> c.Var:
    """Return 2^k as f64, for -1022 <= k <= 1023."""
    biased = s(U64, s(BinOp.ADD, k, _i64(1023)))
    return s(UnOp.FROM_BITS, s(BinOp.SHL, biased, _u64(52)))


def _clamp(s: Steps, k: c.Var, low: int, high: int) -> c.Var:
    return s(BinOp.MAX, s(BinOp.MIN, k, _i64(high)), _i64(low))


def ldexp(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    """Return ``x * 2^k`` for k : i32, rounded once."""
    s = Steps(at)
    x, k32 = s.operands(args, (t, I32))
    k = s(I64, k32)
    if t is not F64:  # in f64 the product is exact
        scaled = s(BinOp.MUL, s(F64, x), _power(s, _clamp(s, k, -300, 300)))
        return s.result(s(t, scaled))
    for _ in range(2):
        # A step down ends 53 binades above the last one: bits that it rounds would be lost anyway.
        up, down = s(BinOp.GT, k, _i64(1023)), s(BinOp.LT, k, _i64(-1022))
        step = s(
            BinOp.SUB, s(BinOp.MUL, s(I64, up), _i64(1023)), s(BinOp.MUL, s(I64, down), _i64(969))
        )
        x, k = s(BinOp.MUL, x, _power(s, step)), s(BinOp.SUB, k, step)
    return s.result(s(BinOp.MUL, x, _power(s, _clamp(s, k, -1022, 1023))))


# ---------------------------------------------------------------------- fused multiply-add


def fma(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    """Return ``a * b + c``, rounded once."""
    s = Steps(at)
    a, b, z = s.operands(args, (t, t, t))
    if t is F64:
        return _fma_f64(s, a, b, z)
    product = s(BinOp.MUL, s(F64, a), s(F64, b))  # exact
    if t is F16:
        # The sum needs more bits than f64 has only if the smaller term is far below half a unit
        # of the larger one, an f16: never at a tie.
        return s.result(s(F16, s(BinOp.ADD, product, s(F64, z))))
    return s.result(s(F32, _round_to_odd(s, *_two_sum(s, product, s(F64, z)))))


def _two_sum(s: Steps, a: c.Var, b: c.Var) -> tuple[c.Var, c.Var]:
    """Return the rounded sum and its error, which add up to a + b exactly (Knuth, Møller)."""
    total = s(BinOp.ADD, a, b)
    b_part = s(BinOp.SUB, total, a)
    a_error = s(BinOp.SUB, a, s(BinOp.SUB, total, b_part))
    return total, s(BinOp.ADD, a_error, s(BinOp.SUB, b, b_part))


def _two_product(s: Steps, a: c.Var, b: c.Var) -> tuple[c.Var, c.Var]:
    """Return the rounded product and its error, for moderate operands (Dekker, Veltkamp)."""
    product = s(BinOp.MUL, a, b)
    (a1, a2), (b1, b2) = _halves(s, a), _halves(s, b)
    error = s(BinOp.SUB, s(BinOp.MUL, a1, b1), product)
    for x, y in ((a1, b2), (a2, b1), (a2, b2)):
        error = s(BinOp.ADD, error, s(BinOp.MUL, x, y))
    return product, error


def _halves(s: Steps, a: c.Var) -> tuple[c.Var, c.Var]:
    """Split a into two numbers of 26 bits whose sum is a."""
    spread = s(BinOp.MUL, a, _f64(2.0**27 + 1))
    high = s(BinOp.SUB, spread, s(BinOp.SUB, spread, a))
    return high, s(BinOp.SUB, a, high)


def _round_to_odd(s: Steps, total: c.Var, error: c.Var) -> c.Var:
    """Return the odd one of the two f64 around an inexact sum; rounding it again is correct."""
    bits = s(UnOp.TO_BITS, total)
    below, above = s(BinOp.LT, error, _f64(0.0)), s(BinOp.GT, error, _f64(0.0))
    inexact = s(U64, s(BinOp.OR, below, above))  # neither for a NaN
    even = s(BinOp.AND, s(UnOp.NOT, bits), inexact)
    outwards = s(U64, s(BinOp.EQ, above, s(BinOp.GT, total, _f64(0.0))))
    step = s(BinOp.SUB, s(BinOp.ADD, outwards, outwards), _u64(1))
    return s(UnOp.FROM_BITS, s(BinOp.ADD, bits, s(BinOp.MUL, even, step)))


def _fma_f64(s: Steps, a: c.Var, b: c.Var, z: c.Var) -> Exp:
    """Return ``a * b + z``: IEEE for zeros, infinities and NaNs, else on split mantissas."""
    finite = [s(BinOp.LT, s(UnOp.ABS, x), _f64(math.inf)) for x in (a, b, z)]
    nonzero = [s(BinOp.NE, x, _f64(0.0)) for x in (a, b, z)]

    def all_of(*conditions: c.Var) -> c.Var:
        result, *rest = conditions
        for condition in rest:
            result = s(BinOp.AND, result, condition)
        return result

    usual = all_of(*finite, *nonzero)
    only_z = all_of(finite[0], finite[1], s(UnOp.LNOT, finite[2]))
    only_product = all_of(nonzero[0], nonzero[1], s(UnOp.LNOT, nonzero[2]))
    product = s(BinOp.MUL, a, b)
    total = s(BinOp.ADD, product, z)
    special = c.If(only_z, z, c.If(only_product, product, total, s.at), s.at)
    inner = s.branch()
    return s.result(c.If(usual, inner.result(_fma_scaled(inner, a, b, z)), special, s.at))


def _mantissa(s: Steps, x: c.Var) -> tuple[c.Var, c.Var]:
    """Return m, e for a finite nonzero x, with x = m * 2^e and 1 <= |m| < 2."""
    tiny = s(BinOp.MUL, s(I64, s(BinOp.LT, s(UnOp.ABS, x), _f64(2.0**-1022))), _i64(54))
    bits = s(UnOp.TO_BITS, s(BinOp.MUL, x, _power(s, tiny)))
    field = s(I64, s(BinOp.AND, s(BinOp.SHR, bits, _u64(52)), _u64(0x7FF)))
    kept = s(BinOp.AND, bits, _u64(0x800F_FFFF_FFFF_FFFF))
    m = s(UnOp.FROM_BITS, s(BinOp.OR, kept, _u64(1023 << 52)))
    return m, s(BinOp.SUB, s(BinOp.SUB, field, tiny), _i64(1023))


def _fma_scaled(s: Steps, a: c.Var, b: c.Var, z: c.Var) -> Exp:
    """Return the result of Boldo and Melquiond's algorithm on mantissas, rounded once.

    The rounding is at the result's exponent.  The exponents of the product and of z are brought to
    at most 120 apart: beyond that, the smaller one only decides on which side of the larger one the
    sum lies.
    """
    (ma, ea), (mb, eb), (mz, ez) = (_mantissa(s, x) for x in (a, b, z))
    e = s(BinOp.ADD, ea, eb)
    scale = s(BinOp.MAX, e, s(BinOp.SUB, ez, _i64(120)))
    mz = s(BinOp.MUL, mz, _power(s, _clamp(s, s(BinOp.SUB, ez, e), -120, 120)))
    high, low = _two_product(s, ma, mb)
    t_high, t_low = _two_sum(s, mz, low)
    v_high, v_low = _two_sum(s, high, t_high)
    rest = _round_to_odd(s, *_two_sum(s, t_low, v_low))
    # A result below 2^-1022 has fewer bits.  Adding a number whose last bit is the last bit of
    # the result rounds the sum at this bit.
    v = s(BinOp.ADD, v_high, rest)
    least = _power(s, s(BinOp.MAX, s(BinOp.SUB, _i64(-1022), scale), _i64(-1000)))
    subnormal = s(F64, s(BinOp.LT, s(UnOp.ABS, v), least))
    anchor = s(BinOp.MUL, s(BinOp.COPYSIGN, least, v), subnormal)
    s_high, s_low = _two_sum(s, anchor, v_high)
    final = s(BinOp.ADD, s_high, _round_to_odd(s, *_two_sum(s, s_low, rest)))
    rounded = s(BinOp.COPYSIGN, s(BinOp.SUB, final, anchor), v)  # a zero also has v's sign
    half = s(BinOp.SHR, scale, _i64(1))
    scaled = s(BinOp.MUL, rounded, _power(s, half))
    return s(BinOp.MUL, scaled, _power(s, s(BinOp.SUB, scale, half)))
