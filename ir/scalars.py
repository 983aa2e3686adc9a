"""Scalars: the types, and one table of the meanings of all operators.

A *scalar type* is bool, a signed or unsigned integer of 8, 16, 32 or 64 bits, or an IEEE 754 float
of 16, 32 or 64 bits.  A *value* of a type is the Python ``bool``, the Python ``int`` within the
type's range, or the Python ``float`` that is already rounded to the type.  An *operator* takes
operands of one type `t`; its result has type `t` unless the table says otherwise.

All engines share these meanings: the interpreters and the constant folder call the functions of
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
``%%``           floats       C99's fmod: exact, and of the sign of the dividend; NaN when b = 0 or
                              a is infinite
``%``            floats       r = a %% b; r + b (rounded) when r and b differ in sign and r is
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
``nextafter``    floats       as C99: the next value of the type from a towards b; b where they are
                              equal
``copysign``     floats       a with the sign of b; of a NaN the sign is +
``mulhi``        ints         the high half of the 2*bits wide product
``-``            numbers      wraps on ints (unsigned too); flips the sign bit on floats
``~``            ints         bitwise complement
``!``            bool         negation
``abs``          numbers      abs(INT_MIN) = INT_MIN; clears the sign bit on floats
``sgn``          numbers      -1, 0 or 1; on floats NaN and both zeros are kept
``sqrt exp ...`` floats       as C99's: total (sqrt(-1) = NaN, log(0) = -inf, exp(1e9) = inf)
``floor ceil``   floats       ditto; also ``trunc`` and ``round`` (half to even); all keep -0
``gamma``        floats       C99's tgamma: a zero gives an infinity of its sign, a negative
                              integer NaN; ``lgamma``: log(abs(gamma(a))), infinite at those
``isnan isinf``  floats->bool
``to_bits``      f -> u       the memory image of an f16, f32, f64 as a u16, u32, u64; NaN gives
                              the positive quiet one, without a payload
``from_bits``    u -> f       the value whose memory image it is; a NaN's payload is lost
``popcount``     ints -> i32  bits set; ``clz``, ``ctz`` count leading and trailing zeros, and give
                              the bit width on 0
===============  ===========  ===================================================================

Rounding.  f32 operators are computed in double and rounded once, which equals f32 arithmetic for
``+ - * / % sqrt`` (double has more than 2*24+2 bits).  f16 is a storage type: engines compute an
operator in f32 and round the result to f16, which for the same operators equals rounding once, as
is done here.  `is_exact` tells which operators give the same bits on every engine; the others
(``exp``, ``**``, ...) agree within 4 units in the last place, except ``gamma`` (8) and ``lgamma``
(8 of the larger of the result and 1).  NaN is one value: its sign and payload have no meaning.

Conversions.  int -> int wraps; float -> int truncates towards zero and saturates, NaN gives 0;
int -> float and float -> float round once to nearest even (beyond the range: infinity); anything ->
bool is ``x != 0`` (NaN gives true); bool -> number is 0 or 1.

Literals.  ``5`` is i64 and ``1.5``, ``1e300`` are f64; other types have a suffix: ``5u8``,
``0.1f32``.  Also ``true``, ``false``, ``f32.nan``, ``f32.inf``, ``-f32.inf``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import NamedTuple, TypeAlias, cast

from funmem.ir import scalar_functions as fns
from funmem.ir.scalar_functions import OperatorTrap, OperatorTrapKind
from funmem.ir.scalar_types import (
    BOOL,
    F16,
    F32,
    F64,
    FLOATS,
    I8,
    I16,
    I32,
    I64,
    INTS,
    NUMBERS,
    SCALARS,
    SIGNED,
    U8,
    U16,
    U32,
    U64,
    UNSIGNED,
    ScalarType,
    Value,
)
from funmem.ir.scalar_values import (
    bits_key,
    convert,
    convert_fn,
    is_value,
    normalise,
    pack,
    read,
    show,
    unpack,
)

__all__ = [
    "BOOL",
    "F16",
    "F32",
    "F64",
    "FLOATS",
    "I8",
    "I16",
    "I32",
    "I64",
    "INTS",
    "NUMBERS",
    "SCALARS",
    "SIGNED",
    "U8",
    "U16",
    "U32",
    "U64",
    "UNSIGNED",
    "BinFn",
    "BinOp",
    "OperatorTrap",
    "OperatorTrapKind",
    "ScalarType",
    "UnFn",
    "UnOp",
    "Value",
    "bin_fn",
    "bin_result",
    "bits_key",
    "can_trap",
    "convert",
    "convert_fn",
    "eval_bin",
    "eval_un",
    "is_exact",
    "is_value",
    "normalise",
    "pack",
    "read",
    "show",
    "un_fn",
    "un_result",
    "unpack",
]

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
    COPYSIGN = "copysign"
    NEXTAFTER = "nextafter"

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
    CBRT = "cbrt"
    EXPM1 = "expm1"
    LOG1P = "log1p"
    ASINH = "asinh"
    ACOSH = "acosh"
    ATANH = "atanh"
    ERFC = "erfc"
    GAMMA = "gamma"
    LGAMMA = "lgamma"
    TO_BITS = "to_bits"
    FROM_BITS = "from_bits"

    def __str__(self) -> str:
        return self.value

    __hash__ = object.__hash__


BinFn: TypeAlias = Callable[[Value, Value], Value]
UnFn: TypeAlias = Callable[[Value], Value]


# ─── the table ───────────────────────────────────────────────────────────────────────────────────


class _Row(NamedTuple):
    """The meaning of one operator on some types."""

    on: tuple[ScalarType, ...]
    make: Callable[[ScalarType], Callable[..., Value]]
    result: ScalarType | None = None  # None: the operands' type
    exact: bool = True
    traps: bool = False


_BIN: Mapping[BinOp, tuple[_Row, ...]] = {
    BinOp.ADD: (_Row(INTS, fns.int_add), _Row(FLOATS, fns.rounded2(operator.add))),
    BinOp.SUB: (_Row(INTS, fns.int_sub), _Row(FLOATS, fns.rounded2(operator.sub))),
    BinOp.MUL: (_Row(INTS, fns.int_mul), _Row(FLOATS, fns.rounded2(operator.mul))),
    BinOp.DIV: (
        _Row(INTS, fns.wrapped2(fns.floor_div), traps=True),
        _Row(FLOATS, fns.rounded2(fns.float_div)),
    ),
    BinOp.MOD: (
        _Row(INTS, fns.plain(fns.floor_mod), traps=True),
        _Row(FLOATS, fns.rounded2(fns.float_mod)),
    ),
    BinOp.QUOT: (_Row(INTS, fns.wrapped2(fns.quot), traps=True),),
    BinOp.REM: (_Row(INTS, fns.plain(fns.rem), traps=True), _Row(FLOATS, fns.plain(fns.float_rem))),
    BinOp.POW: (
        _Row(SIGNED, fns.int_pow, traps=True),
        _Row(UNSIGNED, fns.int_pow),
        _Row(FLOATS, fns.rounded2(fns.float_pow), exact=False),
    ),
    BinOp.MIN: (
        _Row(INTS, fns.plain(lambda a, b: a if a < b else b)),
        _Row(FLOATS, fns.plain(fns.float_min)),
    ),
    BinOp.MAX: (
        _Row(INTS, fns.plain(lambda a, b: a if a > b else b)),
        _Row(FLOATS, fns.plain(fns.float_max)),
    ),
    BinOp.AND: (_Row((BOOL, *INTS), fns.plain(operator.and_)),),
    BinOp.OR: (_Row((BOOL, *INTS), fns.plain(operator.or_)),),
    BinOp.XOR: (_Row((BOOL, *INTS), fns.plain(operator.xor)),),
    BinOp.SHL: (_Row(INTS, fns.shl),),
    BinOp.SHR: (_Row(INTS, fns.shr),),
    BinOp.EQ: (_Row(SCALARS, fns.plain(operator.eq), BOOL),),
    BinOp.NE: (_Row(SCALARS, fns.plain(operator.ne), BOOL),),
    BinOp.LT: (_Row(SCALARS, fns.plain(operator.lt), BOOL),),
    BinOp.LE: (_Row(SCALARS, fns.plain(operator.le), BOOL),),
    BinOp.GT: (_Row(SCALARS, fns.plain(operator.gt), BOOL),),
    BinOp.GE: (_Row(SCALARS, fns.plain(operator.ge), BOOL),),
    BinOp.LAND: (_Row((BOOL,), fns.plain(operator.and_)),),
    BinOp.LOR: (_Row((BOOL,), fns.plain(operator.or_)),),
    BinOp.ATAN2: (_Row(FLOATS, fns.rounded2(math.atan2), exact=False),),
    BinOp.HYPOT: (_Row(FLOATS, fns.rounded2(math.hypot), exact=False),),
    BinOp.MULHI: (_Row(INTS, fns.mulhi),),
    BinOp.COPYSIGN: (_Row(FLOATS, fns.plain(fns.copysign)),),
    BinOp.NEXTAFTER: (_Row(FLOATS, fns.nextafter),),
}


def _libm(fn: Callable[[float], float]) -> tuple[_Row, ...]:
    return (_Row(FLOATS, fns.rounded1(fn), exact=False),)


_BITS_OF = {F16: U16, F32: U32, F64: U64}

_UN: Mapping[UnOp, tuple[_Row, ...]] = {
    UnOp.NEG: (_Row(INTS, fns.wrapped1(operator.neg)), _Row(FLOATS, fns.plain(operator.neg))),
    UnOp.NOT: (_Row(INTS, fns.wrapped1(operator.invert)),),
    UnOp.LNOT: (_Row((BOOL,), fns.plain(operator.not_)),),
    UnOp.ABS: (_Row(INTS, fns.wrapped1(abs)), _Row(FLOATS, fns.plain(math.fabs))),
    UnOp.SGN: (_Row(INTS, fns.plain(fns.int_sgn)), _Row(FLOATS, fns.plain(fns.float_sgn))),
    UnOp.SQRT: (_Row(FLOATS, fns.rounded1(fns.total(math.sqrt))),),
    UnOp.EXP: _libm(fns.total(math.exp)),
    UnOp.LOG: _libm(fns.logarithm(math.log)),
    UnOp.LOG2: _libm(fns.logarithm(math.log2)),
    UnOp.LOG10: _libm(fns.logarithm(math.log10)),
    UnOp.SIN: _libm(fns.total(math.sin)),
    UnOp.COS: _libm(fns.total(math.cos)),
    UnOp.TAN: _libm(fns.total(math.tan)),
    UnOp.ASIN: _libm(fns.total(math.asin)),
    UnOp.ACOS: _libm(fns.total(math.acos)),
    UnOp.ATAN: _libm(math.atan),
    UnOp.SINH: _libm(fns.total(math.sinh, lambda a: math.copysign(math.inf, a))),
    UnOp.COSH: _libm(fns.total(math.cosh)),
    UnOp.TANH: _libm(math.tanh),
    UnOp.ERF: _libm(math.erf),
    UnOp.FLOOR: (_Row(FLOATS, fns.plain(fns.integral(math.floor))),),
    UnOp.CEIL: (_Row(FLOATS, fns.plain(fns.integral(math.ceil))),),
    UnOp.TRUNC: (_Row(FLOATS, fns.plain(fns.integral(math.trunc))),),
    UnOp.ROUND: (_Row(FLOATS, fns.plain(fns.integral(round))),),
    UnOp.ISNAN: (_Row(FLOATS, fns.plain(math.isnan), BOOL),),
    UnOp.ISINF: (_Row(FLOATS, fns.plain(math.isinf), BOOL),),
    UnOp.POPCOUNT: (_Row(INTS, fns.popcount, I32),),
    UnOp.CLZ: (_Row(INTS, fns.clz, I32),),
    UnOp.CTZ: (_Row(INTS, fns.ctz, I32),),
    UnOp.CBRT: _libm(math.cbrt),
    UnOp.EXPM1: _libm(fns.total(math.expm1)),
    UnOp.LOG1P: _libm(fns.log1p),
    UnOp.ASINH: _libm(math.asinh),
    UnOp.ACOSH: _libm(fns.total(math.acosh)),
    UnOp.ATANH: _libm(fns.atanh),
    UnOp.ERFC: _libm(math.erfc),
    UnOp.GAMMA: _libm(fns.gamma),
    UnOp.LGAMMA: _libm(fns.lgamma),
    UnOp.TO_BITS: tuple(_Row((f,), fns.to_bits, u) for f, u in _BITS_OF.items()),
    UnOp.FROM_BITS: tuple(_Row((u,), fns.from_bits, f) for f, u in _BITS_OF.items()),
}

_BIN_ROW = {(op, t): row for op, rows in _BIN.items() for row in rows for t in row.on}
_UN_ROW = {(op, t): row for op, rows in _UN.items() for row in rows for t in row.on}


def _row(op: BinOp | UnOp, t: ScalarType) -> _Row | None:
    return _BIN_ROW.get((op, t)) if isinstance(op, BinOp) else _UN_ROW.get((op, t))


def bin_result(op: BinOp, t: ScalarType) -> ScalarType | None:
    """Return the type of `op` on two operands of type `t`; None if it is not defined on `t`."""
    row = _BIN_ROW.get((op, t))
    return None if row is None else row.result or t


def un_result(op: UnOp, t: ScalarType) -> ScalarType | None:
    """Return the type of `op` on an operand of type `t`; None if it is not defined on `t`."""
    row = _UN_ROW.get((op, t))
    return None if row is None else row.result or t


def can_trap(op: BinOp | UnOp, t: ScalarType) -> bool:
    """True if some operands of type `t` raise `OperatorTrap`."""
    row = _row(op, t)
    return row is not None and row.traps


def is_exact(op: BinOp | UnOp, t: ScalarType) -> bool:
    """True if the result has the same bits on every engine (all NaNs are one value)."""
    row = _row(op, t)
    return row is not None and row.exact


# Functions are created on first use: all 500 would add 10 ms to every start.


@cache
def bin_fn(op: BinOp, t: ScalarType) -> BinFn:
    """Return the function of `op` on `t`, to be called repeatedly.  TypeError if undefined."""
    row = _BIN_ROW.get((op, t))
    if row is None:
        raise TypeError(f"operator {op} is not defined on {t}")
    return cast(BinFn, row.make(t))


@cache
def un_fn(op: UnOp, t: ScalarType) -> UnFn:
    """Return the function of `op` on `t`, to be called repeatedly.  TypeError if undefined."""
    row = _UN_ROW.get((op, t))
    if row is None:
        raise TypeError(f"operator {op} is not defined on {t}")
    return cast(UnFn, row.make(t))


def eval_bin(op: BinOp, t: ScalarType, a: Value, b: Value) -> Value:
    """Return `a op b` on values of type `t`.  Raise OperatorTrap; TypeError if undefined."""
    return bin_fn(op, t)(a, b)


def eval_un(op: UnOp, t: ScalarType, a: Value) -> Value:
    """Return `op a` on a value of type `t`.  Raise TypeError if undefined."""
    return un_fn(op, t)(a)
