"""Scalars: the types, and the one table of what every operator means.

A *scalar type* is bool, a signed or unsigned integer of 8, 16, 32 or 64 bits, or an IEEE 754 float
of 16, 32 or 64 bits.  A *value* of a type is the Python ``bool``, the Python ``int`` within the
type's range, or the Python ``float`` that is already rounded to the type.  An *operator* takes
operands of one type `t`; its result has type `t` unless the table says otherwise.

Every engine shares these meanings: the interpreters and the constant folder call the functions of
this table, and the OpenCL C of `funmem.codegen.scalars_cl` is tested against them.

===============  ===========  ===================================================================
operator         on           meaning
===============  ===========  ===================================================================
``+ - *``        ints         modulo 2^bits (two's complement wrap-around)
``+ - *``        floats       IEEE, rounded to nearest even
``/  %``         ints         floor division and its remainder (sign of the divisor);
                              traps on 0; INT_MIN / -1 wraps to INT_MIN
``//  %%``       ints         truncating division and its remainder (sign of the dividend); ditto
``/``            floats       IEEE division (x/0 is an infinity or NaN)
``%``            floats       r = fmod(a, b); r + b (rounded) when r and b differ in sign and r is
                              not 0; a zero r takes b's sign.  NaN when b = 0 or a is infinite;
                              a finite, non-zero a modulo the other sign's infinity is that infinity
``**``           ints         wrap-around power, 0**0 = 1; traps on a negative exponent
``**``           floats       C99's pow
``min max``      ints         smaller, larger
``min max``      floats       IEEE 754-2019 minimumNumber, maximumNumber: one NaN is ignored, two
                              give NaN, and -0 < +0.  So both are commutative and associative
``& | ^``        ints, bool   bitwise
``<< >>``        ints         the amount is taken modulo the bit width; ``>>`` is arithmetic on
                              signed types and logical on unsigned ones
``== != < ...``  all -> bool  IEEE on floats (NaN is unordered, -0 = +0); false < true
``&& ||``        bool         strict: both operands are values
``atan2 hypot``  floats       as C99
``mulhi``        ints         the high half of the 2*bits wide product
``-``            numbers      wraps on ints (unsigned too); flips the sign bit on floats
``~``            ints         bitwise complement
``!``            bool         negation
``abs``          numbers      abs(INT_MIN) = INT_MIN; clears the sign bit on floats
``sgn``          numbers      -1, 0 or 1; on floats NaN and both zeros are kept
``sqrt exp ...`` floats       as C99's: total (sqrt(-1) = NaN, log(0) = -inf, exp(1e9) = inf)
``floor ceil``   floats       ditto; also ``trunc`` and ``round`` (half to even); all keep -0
``isnan isinf``  floats->bool
``popcount``     ints -> i32  bits set; ``clz``, ``ctz`` count leading and trailing zeros, and give
                              the bit width on 0
===============  ===========  ===================================================================

Rounding.  f32 operators are computed in double and rounded once, which equals f32 arithmetic for
``+ - * / % sqrt`` (double has more than 2*24+2 bits).  f16 is a storage type: engines compute an
operator in f32 and round its result to f16, which for the same operators equals rounding once, as
is done here.  `is_exact` says which operators give the same bits on every engine; the others
(``exp``, ``**``, ...) agree within a few units in the last place.  A NaN is one value: its sign and
payload mean nothing.

Conversions.  int -> int wraps; float -> int truncates towards zero and saturates, NaN gives 0;
int -> float and float -> float round once to nearest even (beyond the range: infinity); anything ->
bool is ``x != 0`` (NaN gives true); bool -> number is 0 or 1.

Literals.  ``5`` is i64 and ``1.5``, ``1e300`` are f64; other types have a suffix: ``5u8``,
``0.1f32``.  Also ``true``, ``false``, ``f32.nan``, ``f32.inf``, ``-f32.inf``.
"""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import NamedTuple, TypeAlias, cast

Value: TypeAlias = bool | int | float


# ─── types ───────────────────────────────────────────────────────────────────────────────────────


class ScalarType(Enum):
    """A scalar type.  `bits` is its width (bool: 1), `bytes` its size in memory (bool: 1)."""

    BOOL = "bool"
    I8 = "i8"
    I16 = "i16"
    I32 = "i32"
    I64 = "i64"
    U8 = "u8"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    F16 = "f16"
    F32 = "f32"
    F64 = "f64"

    is_signed: bool
    is_unsigned: bool
    is_int: bool
    is_float: bool
    bits: int
    bytes: int

    def __init__(self, name: str) -> None:
        self.is_signed = name[0] == "i"
        self.is_unsigned = name[0] == "u"
        self.is_int = self.is_signed or self.is_unsigned
        self.is_float = name[0] == "f"
        self.bits = 1 if name == "bool" else int(name[1:])
        self.bytes = max(1, self.bits // 8)

    @property
    def min(self) -> int:
        """The least value of an integer type."""
        return -(1 << (self._int_bits() - 1)) if self.is_signed else 0

    @property
    def max(self) -> int:
        """The greatest value of an integer type."""
        return (1 << (self._int_bits() - self.is_signed)) - 1

    def _int_bits(self) -> int:
        if not self.is_int:
            raise TypeError(f"{self.value} is not an integer type")
        return self.bits

    def __str__(self) -> str:
        return str(self.value)

    __hash__ = object.__hash__  # Enum's is a Python function: too slow as a key of inner loops


BOOL, F16, F32, F64 = ScalarType.BOOL, ScalarType.F16, ScalarType.F32, ScalarType.F64
I8, I16, I32, I64 = ScalarType.I8, ScalarType.I16, ScalarType.I32, ScalarType.I64
U8, U16, U32, U64 = ScalarType.U8, ScalarType.U16, ScalarType.U32, ScalarType.U64

SIGNED = (I8, I16, I32, I64)
UNSIGNED = (U8, U16, U32, U64)
INTS = SIGNED + UNSIGNED
FLOATS = (F16, F32, F64)
NUMBERS = INTS + FLOATS
SCALARS = (BOOL, *NUMBERS)


# ─── operators ───────────────────────────────────────────────────────────────────────────────────


class BinOp(Enum):
    """A binary operator; the value is its concrete syntax."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    MOD = "%"
    QUOT = "//"
    REM = "%%"
    POW = "**"
    MIN = "min"
    MAX = "max"
    AND = "&"
    OR = "|"
    XOR = "^"
    SHL = "<<"
    SHR = ">>"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    LAND = "&&"
    LOR = "||"
    ATAN2 = "atan2"
    HYPOT = "hypot"
    MULHI = "mulhi"

    def __str__(self) -> str:
        return self.value

    __hash__ = object.__hash__


class UnOp(Enum):
    """A unary operator; the value is its concrete syntax."""

    NEG = "-"
    NOT = "~"
    LNOT = "!"
    ABS = "abs"
    SGN = "sgn"
    SQRT = "sqrt"
    EXP = "exp"
    LOG = "log"
    LOG2 = "log2"
    LOG10 = "log10"
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    ASIN = "asin"
    ACOS = "acos"
    ATAN = "atan"
    SINH = "sinh"
    COSH = "cosh"
    TANH = "tanh"
    ERF = "erf"
    FLOOR = "floor"
    CEIL = "ceil"
    TRUNC = "trunc"
    ROUND = "round"
    ISNAN = "isnan"
    ISINF = "isinf"
    POPCOUNT = "popcount"
    CLZ = "clz"
    CTZ = "ctz"

    def __str__(self) -> str:
        return self.value

    __hash__ = object.__hash__


class TrapKind(Enum):
    """Why an operator has no result."""

    DIVISION_BY_ZERO = "division by zero"
    NEGATIVE_EXPONENT = "negative exponent"


class OperatorTrap(Exception):
    """An operator has no result on these operands."""

    def __init__(self, kind: TrapKind) -> None:
        super().__init__(kind.value)
        self.kind = kind


BinFn: TypeAlias = Callable[[Value, Value], Value]
UnFn: TypeAlias = Callable[[Value], Value]
_Int2: TypeAlias = Callable[[int, int], int]
_Float1: TypeAlias = Callable[[float], float]
_Float2: TypeAlias = Callable[[float, float], float]


# ─── rounding and wrapping ───────────────────────────────────────────────────────────────────────

_HALF, _SINGLE = struct.Struct("<e"), struct.Struct("<f")


def _wrap(t: ScalarType) -> Callable[[int], int]:
    """Any integer -> the value of `t` that is equal to it modulo 2^bits."""
    low, high, mask = t.min, t.max, (1 << t.bits) - 1

    def wrap(v: int) -> int:
        return v if low <= v <= high else ((v - low) & mask) + low

    return wrap


def _rounder(t: ScalarType) -> _Float1:
    """Any double -> the nearest value of `t`, ties to even."""
    if t is F64:
        return lambda v: v
    memory = _SINGLE if t is F32 else _HALF
    pack, unpack = memory.pack, memory.unpack

    def round_(v: float) -> float:
        try:
            return unpack(pack(v))[0]  # type: ignore[no-any-return]
        except OverflowError:
            return math.copysign(math.inf, v)

    return round_


def _int_to_float(t: ScalarType) -> Callable[[int], float]:
    """Any integer -> the nearest value of `t`, ties to even: rounds once."""
    round_ = _rounder(t)

    def from_int(v: int) -> float:
        if -(1 << 53) <= v <= 1 << 53:
            return round_(float(v))
        if t is not F64:  # drop low bits, but keep whether any was set: no tie is made or lost
            shift = v.bit_length() - 53
            v = (v >> shift | (v & ((1 << shift) - 1) != 0)) << shift
        try:
            return round_(float(v))
        except OverflowError:
            return math.inf if v > 0 else -math.inf

    return from_int


# ─── makers: type -> function on the values of that type ─────────────────────────────────────────


def _plain(fn: Callable[..., Value]) -> Callable[[ScalarType], Callable[..., Value]]:
    """`fn` never leaves the type."""
    return lambda _: fn


def _wrapped1(fn: Callable[[int], int]) -> Callable[[ScalarType], Callable[[int], int]]:
    """`fn` on mathematical integers, then wrapped."""

    def make(t: ScalarType) -> Callable[[int], int]:
        wrap = _wrap(t)
        return lambda a: wrap(fn(a))

    return make


def _wrapped2(fn: _Int2) -> Callable[[ScalarType], _Int2]:
    def make(t: ScalarType) -> _Int2:
        wrap = _wrap(t)
        return lambda a, b: wrap(fn(a, b))

    return make


def _rounded1(fn: _Float1) -> Callable[[ScalarType], _Float1]:
    """`fn` on doubles, then rounded."""

    def make(t: ScalarType) -> _Float1:
        if t is F64:
            return fn
        round_ = _rounder(t)
        return lambda a: round_(fn(a))

    return make


def _rounded2(fn: _Float2) -> Callable[[ScalarType], _Float2]:
    def make(t: ScalarType) -> _Float2:
        if t is F64:
            return fn
        round_ = _rounder(t)
        return lambda a, b: round_(fn(a, b))

    return make


def _int_add(t: ScalarType) -> _Int2:
    low, high, mask = t.min, t.max, (1 << t.bits) - 1

    def add(a: int, b: int) -> int:
        v = a + b
        return v if low <= v <= high else ((v - low) & mask) + low

    return add


def _int_sub(t: ScalarType) -> _Int2:
    low, high, mask = t.min, t.max, (1 << t.bits) - 1

    def sub(a: int, b: int) -> int:
        v = a - b
        return v if low <= v <= high else ((v - low) & mask) + low

    return sub


def _int_mul(t: ScalarType) -> _Int2:
    low, high, mask = t.min, t.max, (1 << t.bits) - 1

    def mul(a: int, b: int) -> int:
        v = a * b
        return v if low <= v <= high else ((v - low) & mask) + low

    return mul


def _floor_div(a: int, b: int) -> int:
    if b == 0:
        raise OperatorTrap(TrapKind.DIVISION_BY_ZERO)
    return a // b


def _floor_mod(a: int, b: int) -> int:
    if b == 0:
        raise OperatorTrap(TrapKind.DIVISION_BY_ZERO)
    return a % b


def _quot(a: int, b: int) -> int:
    if b == 0:
        raise OperatorTrap(TrapKind.DIVISION_BY_ZERO)
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def _rem(a: int, b: int) -> int:
    if b == 0:
        raise OperatorTrap(TrapKind.DIVISION_BY_ZERO)
    return -(-a % abs(b)) if a < 0 else a % abs(b)


def _int_pow(t: ScalarType) -> _Int2:
    wrap, modulus = _wrap(t), 1 << t.bits

    def power(a: int, b: int) -> int:
        if b < 0:
            raise OperatorTrap(TrapKind.NEGATIVE_EXPONENT)
        return wrap(pow(a, b, modulus))

    return power


def _shl(t: ScalarType) -> _Int2:
    wrap, amount = _wrap(t), t.bits - 1
    return lambda a, b: wrap(a << (b & amount))


def _shr(t: ScalarType) -> _Int2:
    amount = t.bits - 1
    return lambda a, b: a >> (b & amount)


def _mulhi(t: ScalarType) -> _Int2:
    bits = t.bits
    return lambda a, b: (a * b) >> bits


def _popcount(t: ScalarType) -> Callable[[int], int]:
    mask = (1 << t.bits) - 1
    return lambda a: (a & mask).bit_count()


def _clz(t: ScalarType) -> Callable[[int], int]:
    bits, mask = t.bits, (1 << t.bits) - 1
    return lambda a: bits - (a & mask).bit_length()


def _ctz(t: ScalarType) -> Callable[[int], int]:
    bits = t.bits
    return lambda a: (a & -a).bit_length() - 1 if a else bits


def _float_div(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _float_mod(a: float, b: float) -> float:
    return a % b if b != 0.0 else math.nan  # Python's % is the table's, but for the zero divisor


def _float_min(a: float, b: float) -> float:
    if a < b:
        return a
    if b < a:
        return b
    if a == b:  # equal bits, or zeros of both signs
        return a if math.copysign(1.0, a) < 0.0 else b
    return b if a != a else a


def _float_max(a: float, b: float) -> float:
    if a > b:
        return a
    if b > a:
        return b
    if a == b:
        return a if math.copysign(1.0, a) > 0.0 else b
    return b if a != a else a


def _odd(b: float) -> bool:
    return not math.isinf(b) and math.fabs(math.fmod(b, 2.0)) == 1.0


def _float_pow(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0.0 and _odd(b) else math.inf
    except ValueError:
        if a != 0.0:
            return math.nan
        return math.copysign(math.inf, a) if _odd(b) else math.inf


def _total(fn: _Float1, overflow: _Float1 = lambda _: math.inf) -> _Float1:
    """C's function from Python's, which raises on domain and range errors."""

    def call(a: float) -> float:
        try:
            return fn(a)
        except ValueError:
            return math.nan
        except OverflowError:
            return overflow(a)

    return call


def _log(fn: _Float1) -> _Float1:
    return lambda a: -math.inf if a == 0.0 else math.nan if a < 0.0 else fn(a)


def _integral(fn: Callable[[float], int]) -> _Float1:
    """Rounding to an integer that keeps -0, NaN and infinities."""

    def call(a: float) -> float:
        if -4503599627370496.0 < a < 4503599627370496.0:  # from 2^52 on all doubles are integers
            return math.copysign(float(fn(a)), a)
        return a

    return call


def _int_sgn(a: int) -> int:
    return (a > 0) - (a < 0)


def _float_sgn(a: float) -> float:
    return 1.0 if a > 0.0 else -1.0 if a < 0.0 else a


# ─── the table ───────────────────────────────────────────────────────────────────────────────────


class _Row(NamedTuple):
    """The meaning of one operator on some types."""

    on: tuple[ScalarType, ...]
    make: Callable[[ScalarType], Callable[..., Value]]
    result: ScalarType | None = None  # None: the operands' type
    exact: bool = True
    traps: bool = False


_BIN: Mapping[BinOp, tuple[_Row, ...]] = {
    BinOp.ADD: (_Row(INTS, _int_add), _Row(FLOATS, _rounded2(operator.add))),
    BinOp.SUB: (_Row(INTS, _int_sub), _Row(FLOATS, _rounded2(operator.sub))),
    BinOp.MUL: (_Row(INTS, _int_mul), _Row(FLOATS, _rounded2(operator.mul))),
    BinOp.DIV: (
        _Row(INTS, _wrapped2(_floor_div), traps=True),
        _Row(FLOATS, _rounded2(_float_div)),
    ),
    BinOp.MOD: (_Row(INTS, _plain(_floor_mod), traps=True), _Row(FLOATS, _rounded2(_float_mod))),
    BinOp.QUOT: (_Row(INTS, _wrapped2(_quot), traps=True),),
    BinOp.REM: (_Row(INTS, _plain(_rem), traps=True),),
    BinOp.POW: (
        _Row(SIGNED, _int_pow, traps=True),
        _Row(UNSIGNED, _int_pow),
        _Row(FLOATS, _rounded2(_float_pow), exact=False),
    ),
    BinOp.MIN: (
        _Row(INTS, _plain(lambda a, b: a if a < b else b)),
        _Row(FLOATS, _plain(_float_min)),
    ),
    BinOp.MAX: (
        _Row(INTS, _plain(lambda a, b: a if a > b else b)),
        _Row(FLOATS, _plain(_float_max)),
    ),
    BinOp.AND: (_Row((BOOL, *INTS), _plain(operator.and_)),),
    BinOp.OR: (_Row((BOOL, *INTS), _plain(operator.or_)),),
    BinOp.XOR: (_Row((BOOL, *INTS), _plain(operator.xor)),),
    BinOp.SHL: (_Row(INTS, _shl),),
    BinOp.SHR: (_Row(INTS, _shr),),
    BinOp.EQ: (_Row(SCALARS, _plain(operator.eq), BOOL),),
    BinOp.NE: (_Row(SCALARS, _plain(operator.ne), BOOL),),
    BinOp.LT: (_Row(SCALARS, _plain(operator.lt), BOOL),),
    BinOp.LE: (_Row(SCALARS, _plain(operator.le), BOOL),),
    BinOp.GT: (_Row(SCALARS, _plain(operator.gt), BOOL),),
    BinOp.GE: (_Row(SCALARS, _plain(operator.ge), BOOL),),
    BinOp.LAND: (_Row((BOOL,), _plain(operator.and_)),),
    BinOp.LOR: (_Row((BOOL,), _plain(operator.or_)),),
    BinOp.ATAN2: (_Row(FLOATS, _rounded2(math.atan2), exact=False),),
    BinOp.HYPOT: (_Row(FLOATS, _rounded2(math.hypot), exact=False),),
    BinOp.MULHI: (_Row(INTS, _mulhi),),
}


def _libm(fn: _Float1) -> tuple[_Row, ...]:
    return (_Row(FLOATS, _rounded1(fn), exact=False),)


_UN: Mapping[UnOp, tuple[_Row, ...]] = {
    UnOp.NEG: (_Row(INTS, _wrapped1(operator.neg)), _Row(FLOATS, _plain(operator.neg))),
    UnOp.NOT: (_Row(INTS, _wrapped1(operator.invert)),),
    UnOp.LNOT: (_Row((BOOL,), _plain(operator.not_)),),
    UnOp.ABS: (_Row(INTS, _wrapped1(abs)), _Row(FLOATS, _plain(math.fabs))),
    UnOp.SGN: (_Row(INTS, _plain(_int_sgn)), _Row(FLOATS, _plain(_float_sgn))),
    UnOp.SQRT: (_Row(FLOATS, _rounded1(_total(math.sqrt))),),
    UnOp.EXP: _libm(_total(math.exp)),
    UnOp.LOG: _libm(_log(math.log)),
    UnOp.LOG2: _libm(_log(math.log2)),
    UnOp.LOG10: _libm(_log(math.log10)),
    UnOp.SIN: _libm(_total(math.sin)),
    UnOp.COS: _libm(_total(math.cos)),
    UnOp.TAN: _libm(_total(math.tan)),
    UnOp.ASIN: _libm(_total(math.asin)),
    UnOp.ACOS: _libm(_total(math.acos)),
    UnOp.ATAN: _libm(math.atan),
    UnOp.SINH: _libm(_total(math.sinh, lambda a: math.copysign(math.inf, a))),
    UnOp.COSH: _libm(_total(math.cosh)),
    UnOp.TANH: _libm(math.tanh),
    UnOp.ERF: _libm(math.erf),
    UnOp.FLOOR: (_Row(FLOATS, _plain(_integral(math.floor))),),
    UnOp.CEIL: (_Row(FLOATS, _plain(_integral(math.ceil))),),
    UnOp.TRUNC: (_Row(FLOATS, _plain(_integral(math.trunc))),),
    UnOp.ROUND: (_Row(FLOATS, _plain(_integral(round))),),
    UnOp.ISNAN: (_Row(FLOATS, _plain(math.isnan), BOOL),),
    UnOp.ISINF: (_Row(FLOATS, _plain(math.isinf), BOOL),),
    UnOp.POPCOUNT: (_Row(INTS, _popcount, I32),),
    UnOp.CLZ: (_Row(INTS, _clz, I32),),
    UnOp.CTZ: (_Row(INTS, _ctz, I32),),
}

_BIN_ROW = {(op, t): row for op, rows in _BIN.items() for row in rows for t in row.on}
_UN_ROW = {(op, t): row for op, rows in _UN.items() for row in rows for t in row.on}


def _row(op: BinOp | UnOp, t: ScalarType) -> _Row | None:
    return _BIN_ROW.get((op, t)) if isinstance(op, BinOp) else _UN_ROW.get((op, t))


def bin_result(op: BinOp, t: ScalarType) -> ScalarType | None:
    """The type of `op` on two operands of type `t`; None where it is not defined on `t`."""
    row = _BIN_ROW.get((op, t))
    return None if row is None else row.result or t


def un_result(op: UnOp, t: ScalarType) -> ScalarType | None:
    """The type of `op` on an operand of type `t`; None where it is not defined on `t`."""
    row = _UN_ROW.get((op, t))
    return None if row is None else row.result or t


def can_trap(op: BinOp | UnOp, t: ScalarType) -> bool:
    """Whether some operands of type `t` raise `OperatorTrap`."""
    row = _row(op, t)
    return row is not None and row.traps


def is_exact(op: BinOp | UnOp, t: ScalarType) -> bool:
    """Whether the result has the same bits on every engine (all NaNs being one value)."""
    row = _row(op, t)
    return row is not None and row.exact


# Functions are made when they are first asked for: all 500 would cost every start 10 ms.


@cache
def bin_fn(op: BinOp, t: ScalarType) -> BinFn:
    """The function of `op` on `t`, for callers who resolve once.  TypeError where undefined."""
    row = _BIN_ROW.get((op, t))
    if row is None:
        raise TypeError(f"operator {op} is not defined on {t}")
    return cast(BinFn, row.make(t))


@cache
def un_fn(op: UnOp, t: ScalarType) -> UnFn:
    """The function of `op` on `t`, for callers who resolve once.  TypeError where undefined."""
    row = _UN_ROW.get((op, t))
    if row is None:
        raise TypeError(f"operator {op} is not defined on {t}")
    return cast(UnFn, row.make(t))


def eval_bin(op: BinOp, t: ScalarType, a: Value, b: Value) -> Value:
    """`a op b` on values of type `t`.  Raises OperatorTrap; TypeError where undefined."""
    return bin_fn(op, t)(a, b)


def eval_un(op: UnOp, t: ScalarType, a: Value) -> Value:
    """`op a` on a value of type `t`.  TypeError where undefined."""
    return un_fn(op, t)(a)


# ─── conversions ─────────────────────────────────────────────────────────────────────────────────


def _identity(v: Value) -> Value:
    return v


def _float_to_int(dst: ScalarType) -> Callable[[float], int]:
    low, high = dst.min, dst.max

    def saturate(v: float) -> int:
        if v != v:
            return 0
        if v <= low:
            return low
        return high if v >= high else int(v)

    return saturate


@cache
def convert_fn(src: ScalarType, dst: ScalarType) -> UnFn:
    """The conversion from `src` to `dst`, for callers who resolve once."""
    return cast(UnFn, _make_convert(src, dst))


def _make_convert(src: ScalarType, dst: ScalarType) -> Callable[..., Value]:
    match src, dst:
        case _ if src is dst:
            return _identity
        case _, ScalarType.BOOL:
            return bool
        case ScalarType.BOOL, _:
            return float if dst.is_float else int
        case _ if src.is_int and dst.is_int:
            return _wrap(dst)
        case _ if src.is_int:
            return _int_to_float(dst)
        case _ if dst.is_int:
            return _float_to_int(dst)
        case _:
            return _identity if dst.bits > src.bits else _rounder(dst)


def convert(v: Value, src: ScalarType, dst: ScalarType) -> Value:
    """The value `v` of type `src` as a value of type `dst`."""
    return convert_fn(src, dst)(v)


_NORMALISE_INT = {t: _wrap(t) for t in INTS} | {t: _int_to_float(t) for t in FLOATS}
_NORMALISE_FLOAT = {t: _rounder(t) for t in FLOATS}


def normalise(v: Value, t: ScalarType) -> Value:
    """An arbitrary Python number as a value of `t`: ints wrap, floats round, bool is ``v != 0``.

    Raises TypeError for a float where `t` is an integer type: `convert` says how to round it.
    """
    if t is BOOL:
        return bool(v)
    if not isinstance(v, float):
        return _NORMALISE_INT[t](int(v))
    if t.is_int:
        raise TypeError(f"{v!r} is not an integer, and {t} is an integer type")
    return _NORMALISE_FLOAT[t](v)


def is_value(v: object, t: ScalarType) -> bool:
    """Whether `v` is a value of type `t`: of the right Python class, in range, rounded."""
    if t is BOOL:
        return type(v) is bool
    if t.is_int:
        return type(v) is int and t.min <= v <= t.max
    return type(v) is float and (v != v or _NORMALISE_FLOAT[t](v) == v)


# ─── memory and text ─────────────────────────────────────────────────────────────────────────────

_MEMORY = {t: struct.Struct("<" + code) for t, code in zip(SCALARS, "?bhiqBHIQefd", strict=True)}


def pack(v: Value, t: ScalarType) -> bytes:
    """The little-endian memory image, `t.bytes` long.  Every NaN packs as the same bytes."""
    return _MEMORY[t].pack(v if v == v else math.nan)


def unpack(b: bytes, t: ScalarType) -> Value:
    """The value whose memory image is `b`; any non-zero byte is true."""
    return cast(Value, _MEMORY[t].unpack(b)[0])


def bits_key(v: Value, t: ScalarType) -> bytes:
    """A hashable key, equal exactly for equal bits: NaNs are all equal, -0.0 and 0.0 differ."""
    return pack(v, t)


def show(v: Value, t: ScalarType) -> str:
    """The literal of `v`: the fewest digits that `read` back exactly."""
    if t is BOOL:
        return "true" if v else "false"
    suffix = "" if t in (I64, F64) else t.value
    if t.is_int:
        return f"{v}{suffix}"
    if v != v:
        return f"{t}.nan"
    if math.isinf(v):
        return f"-{t}.inf" if v < 0 else f"{t}.inf"
    return _shortest(float(v), t).replace("e+", "e") + suffix


def _shortest(v: float, t: ScalarType) -> str:
    round_ = _NORMALISE_FLOAT[t]
    for digits in range(1, 17):
        text = float(f"{v:.{digits}g}")
        if round_(text) == v:
            return repr(text)
    return repr(v)


_LITERAL = re.compile(
    r"(?P<sign>-?)(?:(?P<int>\d+)(?P<it>[iu](?:8|16|32|64))?"
    r"|(?P<float>\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?P<ft>f(?:16|32|64))?"
    r"|(?P<st>f(?:16|32|64))\.(?P<special>nan|inf)"
    r"|(?P<bool>true|false))"
)


def read(text: str) -> tuple[Value, ScalarType]:
    """The value and type of a literal, the inverse of `show`.

    Also reads `5f32`.  A float literal is rounded once from its decimal digits.  Raises ValueError
    for text that is no literal and for an integer out of its type's range.
    """
    m = _LITERAL.fullmatch(text)
    if m is None or (m["bool"] and m["sign"]):
        raise ValueError(f"{text!r} is no scalar literal")
    if m["bool"]:
        return m["bool"] == "true", BOOL
    if m["int"]:
        t = ScalarType(m["it"] or "i64")
        value = int(m["sign"] + m["int"])
        if not t.min <= value <= t.max:
            raise ValueError(f"{text} is out of range: {t} is {t.min} to {t.max}")
        return value, t
    if m["special"]:
        return float(m["sign"] + m["special"]), ScalarType(m["st"])
    t = ScalarType(m["ft"] or "f64")
    return _read_float(m["sign"] + m["float"], t), t


def _read_float(digits: str, t: ScalarType) -> float:
    round_, nearest = _NORMALISE_FLOAT[t], float(digits)
    below, above = math.nextafter(nearest, -math.inf), math.nextafter(nearest, math.inf)
    if t is F64 or round_(below) == round_(above):
        return round_(nearest)
    from fractions import Fraction  # rare, and slow to import

    if math.isinf(nearest):
        return nearest
    error = Fraction(digits) - Fraction(nearest)
    return round_(nearest if error == 0 else above if error > 0 else below)
