"""The meanings of operators: functions on values, and *makers*, which take a type.

The table in :mod:`funmem.ir.scalars` assigns them to operators.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import TypeAlias, cast

from funmem.ir.scalar_types import F64, ScalarType, Value
from funmem.ir.scalar_values import pack, rounder, unpack, wrapper

_Int2: TypeAlias = Callable[[int, int], int]
_Float1: TypeAlias = Callable[[float], float]
_Float2: TypeAlias = Callable[[float, float], float]


class OperatorTrapKind(Enum):
    """The reasons for which an operator has no result."""

    DIVISION_BY_ZERO = "division by zero"
    NEGATIVE_EXPONENT = "negative exponent"


class OperatorTrap(Exception):
    """An operator has no result on these operands."""

    def __init__(self, kind: OperatorTrapKind) -> None:
        super().__init__(kind.value)
        self.kind = kind


# ─── makers: type -> function on the values of that type ─────────────────────────────────────────


def plain(fn: Callable[..., Value]) -> Callable[[ScalarType], Callable[..., Value]]:
    """Make a function that needs no wrapping: the results of `fn` are values of the type."""
    return lambda _: fn


def wrapped1(fn: Callable[[int], int]) -> Callable[[ScalarType], Callable[[int], int]]:
    """Make a function that computes `fn` on integers of any size, and wraps the result."""

    def make(t: ScalarType) -> Callable[[int], int]:
        wrap = wrapper(t)
        return lambda a: wrap(fn(a))

    return make


def wrapped2(fn: _Int2) -> Callable[[ScalarType], _Int2]:
    """Make such a function of two operands."""

    def make(t: ScalarType) -> _Int2:
        wrap = wrapper(t)
        return lambda a, b: wrap(fn(a, b))

    return make


def rounded1(fn: _Float1) -> Callable[[ScalarType], _Float1]:
    """Make a function that computes `fn` on doubles, and rounds the result."""

    def make(t: ScalarType) -> _Float1:
        if t is F64:
            return fn
        round_ = rounder(t)
        return lambda a: round_(fn(a))

    return make


def rounded2(fn: _Float2) -> Callable[[ScalarType], _Float2]:
    """Make such a function of two operands."""

    def make(t: ScalarType) -> _Float2:
        if t is F64:
            return fn
        round_ = rounder(t)
        return lambda a, b: round_(fn(a, b))

    return make


def int_add(t: ScalarType) -> _Int2:
    """Make the addition that wraps; inlined, since it is in the inner loop of interpreters."""
    low, high, mask = t.min, t.max, (1 << t.bits) - 1

    def add(a: int, b: int) -> int:
        v = a + b
        return v if low <= v <= high else ((v - low) & mask) + low

    return add


def int_sub(t: ScalarType) -> _Int2:
    """Make the subtraction that wraps."""
    low, high, mask = t.min, t.max, (1 << t.bits) - 1

    def sub(a: int, b: int) -> int:
        v = a - b
        return v if low <= v <= high else ((v - low) & mask) + low

    return sub


def int_mul(t: ScalarType) -> _Int2:
    """Make the multiplication that wraps."""
    low, high, mask = t.min, t.max, (1 << t.bits) - 1

    def mul(a: int, b: int) -> int:
        v = a * b
        return v if low <= v <= high else ((v - low) & mask) + low

    return mul


def floor_div(a: int, b: int) -> int:
    """Return the quotient rounded down."""
    if b == 0:
        raise OperatorTrap(OperatorTrapKind.DIVISION_BY_ZERO)
    return a // b


def floor_mod(a: int, b: int) -> int:
    """Return the remainder of :func:`floor_div`, with the sign of the divisor."""
    if b == 0:
        raise OperatorTrap(OperatorTrapKind.DIVISION_BY_ZERO)
    return a % b


def quot(a: int, b: int) -> int:
    """Return the quotient rounded towards zero."""
    if b == 0:
        raise OperatorTrap(OperatorTrapKind.DIVISION_BY_ZERO)
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def rem(a: int, b: int) -> int:
    """Return the remainder of :func:`quot`, with the sign of the dividend."""
    if b == 0:
        raise OperatorTrap(OperatorTrapKind.DIVISION_BY_ZERO)
    return -(-a % abs(b)) if a < 0 else a % abs(b)


def int_pow(t: ScalarType) -> _Int2:
    """Make the power that wraps, by repeated squaring modulo 2^bits."""
    wrap, modulus = wrapper(t), 1 << t.bits

    def power(a: int, b: int) -> int:
        if b < 0:
            raise OperatorTrap(OperatorTrapKind.NEGATIVE_EXPONENT)
        return wrap(pow(a, b, modulus))

    return power


def shl(t: ScalarType) -> _Int2:
    """Make the left shift, whose amount is taken modulo the width."""
    wrap, amount = wrapper(t), t.bits - 1
    return lambda a, b: wrap(a << (b & amount))


def shr(t: ScalarType) -> _Int2:
    """Make the right shift, which is arithmetic on signed types."""
    amount = t.bits - 1
    return lambda a, b: a >> (b & amount)


def mulhi(t: ScalarType) -> _Int2:
    """Make the upper half of the product of twice the width."""
    bits = t.bits
    return lambda a, b: (a * b) >> bits


def popcount(t: ScalarType) -> Callable[[int], int]:
    """Make the number of bits that are set."""
    mask = (1 << t.bits) - 1
    return lambda a: (a & mask).bit_count()


def clz(t: ScalarType) -> Callable[[int], int]:
    """Make the number of leading zeros."""
    bits, mask = t.bits, (1 << t.bits) - 1
    return lambda a: bits - (a & mask).bit_length()


def ctz(t: ScalarType) -> Callable[[int], int]:
    """Make the number of trailing zeros."""
    bits = t.bits
    return lambda a: (a & -a).bit_length() - 1 if a else bits


def float_div(a: float, b: float) -> float:
    """Return the IEEE quotient, including division by zero."""
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def float_mod(a: float, b: float) -> float:
    """Return the flooring remainder."""
    return a % b if b != 0.0 else math.nan  # Python's % raises for a zero divisor


def float_rem(a: float, b: float) -> float:
    """Return C99's fmod."""
    return math.nan if b == 0.0 or math.isinf(a) else math.fmod(a, b)


def copysign(a: float, b: float) -> float:
    """Return a with the sign of b; + for a NaN, whose sign is not defined."""
    return math.copysign(a, b) if b == b else math.fabs(a)


def nextafter(t: ScalarType) -> _Float2:
    """Make C99's nextafter for the type."""
    if t is F64:
        return math.nextafter
    least = cast(float, unpack((1).to_bytes(t.bytes, "little"), t))
    to_int, from_int = to_bits(t), from_bits(t)

    def next_(a: float, b: float) -> float:
        if a == b:
            return b
        if a != a or b != b:
            return math.nan
        if a == 0.0:
            return math.copysign(least, b)
        return from_int(to_int(a) + (1 if (a < b) == (a > 0.0) else -1))

    return next_


def to_bits(t: ScalarType) -> Callable[[float], int]:
    """Make the memory image of a float of type `t`; all NaNs have the same one."""
    return lambda a: int.from_bytes(pack(a, t), "little")


def from_bits(t: ScalarType) -> Callable[[int], float]:
    """Make the float of the width of `t` from its memory image."""
    size, f = t.bytes, ScalarType(f"f{t.bits}")
    return lambda a: cast(float, unpack(a.to_bytes(size, "little"), f))


def float_min(a: float, b: float) -> float:
    """Return IEEE 754-2019 minimumNumber."""
    if a < b:
        return a
    if b < a:
        return b
    if a == b:  # equal bits, or zeros of both signs
        return a if math.copysign(1.0, a) < 0.0 else b
    return b if a != a else a


def float_max(a: float, b: float) -> float:
    """Return IEEE 754-2019 maximumNumber."""
    if a > b:
        return a
    if b > a:
        return b
    if a == b:
        return a if math.copysign(1.0, a) > 0.0 else b
    return b if a != a else a


def odd(b: float) -> bool:
    """True if a float is an odd integer."""
    return not math.isinf(b) and math.fabs(math.fmod(b, 2.0)) == 1.0


def float_pow(a: float, b: float) -> float:
    """Return C99's pow."""
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0.0 and odd(b) else math.inf
    except ValueError:
        if a != 0.0:
            return math.nan
        return math.copysign(math.inf, a) if odd(b) else math.inf


def total(fn: _Float1, overflow: _Float1 = lambda _: math.inf) -> _Float1:
    """Return C's function for a function of Python, which raises on domain and range errors."""

    def call(a: float) -> float:
        try:
            return fn(a)
        except ValueError:
            return math.nan
        except OverflowError:
            return overflow(a)

    return call


def logarithm(fn: _Float1) -> _Float1:
    """Return a logarithm with C's results at zero and below."""
    return lambda a: -math.inf if a == 0.0 else math.nan if a < 0.0 else fn(a)


def log1p(a: float) -> float:
    """Return C99's log1p, with its results at -1 and below."""
    return -math.inf if a == -1.0 else math.nan if a < -1.0 else math.log1p(a)


def atanh(a: float) -> float:
    """Return C99's atanh, with its results at 1 and above."""
    if math.fabs(a) < 1.0:
        return math.atanh(a)
    return math.copysign(math.inf, a) if math.fabs(a) == 1.0 else math.nan


def gamma(a: float) -> float:
    """Return C99's tgamma."""
    if a == 0.0:
        return math.copysign(math.inf, a)
    try:
        return math.gamma(a)
    except ValueError:  # a negative integer, or -inf
        return math.nan
    except OverflowError:
        return math.copysign(math.inf, a)


def lgamma(a: float) -> float:
    """Return C99's lgamma."""
    try:
        return math.lgamma(a)
    except (ValueError, OverflowError):  # 0 or a negative integer; a large number
        return math.inf


def integral(fn: Callable[[float], int]) -> _Float1:
    """Return a rounding to an integer that keeps -0, NaN and infinities."""

    def call(a: float) -> float:
        if -4503599627370496.0 < a < 4503599627370496.0:  # from 2^52 on all doubles are integers
            return math.copysign(float(fn(a)), a)
        return a

    return call


def int_sgn(a: int) -> int:
    """Return -1, 0 or 1."""
    return (a > 0) - (a < 0)


def float_sgn(a: float) -> float:
    """Return -1, 1, or the zero or NaN itself."""
    return 1.0 if a > 0.0 else -1.0 if a < 0.0 else a
