"""Prints the operators of `funmem.ir.scalars` in OpenCL C, with exactly their semantics.

Operands must be *primary* expressions (a name, a constant, a call, or an expression in
parentheses).  All texts returned here are primary, so they nest freely.  No operand is repeated: an
operator that needs one twice is a helper function ``fm_<what>_<type>``, and `prelude` returns the
definitions of the helpers that a source uses.

The C expression of a value has the type `c_type`.  Values of bool and of integers below 32 bits may
have the C type int instead (C promotes them), with a value in the range of their own type.

Where C or its implementations differ from the table of operators, and the remedy:

- Signed overflow is undefined: computed on unsigned integers.  Also ``ushort * ushort`` overflows,
  since both promote to int.  Narrow results are cast, which keeps the low bits (OpenCL C 6.2.3.3).
- Division by zero and INT_MIN / -1 end the process (SIGFPE) on a CPU: no helper executes one.
  A program checks for the traps before it computes; without a check, division by zero gives 0 (and
  a remainder 0) and a negative exponent gives 1.
- A division takes 10 to 90 cycles.  Indices that wrap around at an edge, ``(i + 1) % n``, are less
  than one divisor out of range: a remainder by a variable compares first (``fm_wrap_…``).
- ``a * b + c`` may be contracted to an fma: the prelude's pragma forbids it.
- f32 ``/`` and ``sqrt`` may be off by 2.5 and 3 ulp in OpenCL: see `build_options`.
- ``fabs``, ``floor``, ``fmin``, ... are calls where PoCL does not inline them (see
  :mod:`funmem.codegen.processor`), and keep a loop from being vectorised: written with comparisons
  and bit operations.
- ``abs`` of the least integer is undefined in C, so a compiler assumes that no result is negative;
  PoCL's ``abs`` does the same.  It is written on unsigned integers, and as a sum: clang replaces a
  pattern that it recognises as absolute value by an intrinsic that Oclgrind does not know.
- ``fmin(-0.0, 0.0)`` is either zero in OpenCL: equal operands are combined bit by bit, which only
  decides the sign of a zero (``|`` for min, ``&`` for max).
- ``pow`` is far slower than a product, and not vectorised: a constant exponent that is a small
  integer or a multiple of a half is written as products, quotients and roots (`c_power`).
- float -> int is undefined out of range: saturated by comparisons.
- Accesses of one block at two element types may be reordered (C's aliasing rule): blocks are
  accessed through types that may alias anything.
- A NaN may have any sign and payload: ``to_bits`` and ``copysign`` test for NaN.
- f16: its values are held in float and stored as 16 bits in a ushort, so ``cl_khr_fp16`` is not
  needed.  Rounding is done on the bits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeAlias

from funmem.codegen.c_types import c_const, c_type, unsigned, wide
from funmem.codegen.scalar_helpers import IN_DOUBLE, INT_POWERS, POWERS, prelude, used
from funmem.ir.scalars import (
    BOOL,
    F16,
    F32,
    F64,
    U32,
    U64,
    BinOp,
    ScalarType,
    UnOp,
    Value,
    bin_result,
    normalise,
    un_result,
)

__all__ = [
    "build_options",
    "c_bin",
    "c_const",
    "c_convert",
    "c_load",
    "c_power",
    "c_store",
    "c_type",
    "c_un",
    "c_word",
    "from_word",
    "prelude",
    "used",
]


def _helper(what: str, t: ScalarType) -> str:
    """Return the name of a helper; f16 is computed as f32."""
    return f"fm_{what}_{F32 if t is F16 else t}"


# ─── operators ───────────────────────────────────────────────────────────────────────────────────

_Bin: TypeAlias = Callable[[ScalarType, str, str], str]
_Un: TypeAlias = Callable[[ScalarType, str], str]


def _infix(op: str) -> _Bin:
    return lambda _, a, b: f"({a} {op} {b})"


def _wrap_infix(op: str) -> _Bin:
    """Return a printer of arithmetic modulo 2^bits."""

    def write(t: ScalarType, a: str, b: str) -> str:
        if t in (U32, U64):
            return f"({a} {op} {b})"
        return f"(({c_type(t)})(({wide(t)}){a} {op} ({wide(t)}){b}))"

    return write


def _call2(what: str) -> _Bin:
    return lambda t, a, b: f"{_helper(what, t)}({a}, {b})"


def _call1(what: str) -> _Un:
    return lambda t, a: f"{_helper(what, t)}({a})"


def _rounded(t: ScalarType, a: str) -> str:
    """Return a float result, rounded to f16 if `t` is f16."""
    return f"fm_f32_to_f16({a})" if t is F16 else a


def _rounded_bin(write: _Bin) -> _Bin:
    return lambda t, a, b: _rounded(t, write(t, a, b))


def _libm2(name: str) -> _Bin:
    return lambda t, a, b: _rounded(t, f"{name}({a}, {b})")


def _libm1(name: str) -> _Un:
    return lambda t, a: _rounded(t, f"{name}({a})")


def _shl(t: ScalarType, a: str, b: str) -> str:
    return f"(({c_type(t)})(({wide(t)}){a} << ({b} & {t.bits - 1})))"


def _shr(t: ScalarType, a: str, b: str) -> str:
    return f"({a} >> ({b} & {t.bits - 1}))"


def _mod(t: ScalarType, a: str, b: str) -> str:
    """Return a remainder: that by a constant needs no division, which compilers know."""
    literal = b.strip("(-")[:1].isdigit()
    return f"{_helper('mod' if t.is_unsigned or literal else 'wrap', t)}({a}, {b})"


def _mulhi(t: ScalarType, a: str, b: str) -> str:
    if t.bits == 64:
        return f"mul_hi({a}, {b})"
    double = ("u" if t.is_unsigned else "") + ("long" if t.bits == 32 else "int")
    return f"(({c_type(t)})((({double}){a} * ({double}){b}) >> {t.bits}))"


_COMPARISONS = {op: _infix(op.value) for op in (BinOp.EQ, BinOp.NE, BinOp.LT, BinOp.LE)}
_COMPARISONS |= {op: _infix(op.value) for op in (BinOp.GT, BinOp.GE)}
_BITWISE = {op: _infix(op.value) for op in (BinOp.AND, BinOp.OR, BinOp.XOR)}

_BOOL_BIN: dict[BinOp, _Bin] = {
    **_COMPARISONS,
    **_BITWISE,
    BinOp.LAND: _infix("&&"),
    BinOp.LOR: _infix("||"),
}
_INT_BIN: dict[BinOp, _Bin] = {
    **_COMPARISONS,
    **_BITWISE,
    BinOp.ADD: _wrap_infix("+"),
    BinOp.SUB: _wrap_infix("-"),
    BinOp.MUL: _wrap_infix("*"),
    BinOp.DIV: _call2("div"),
    BinOp.MOD: _mod,
    BinOp.QUOT: _call2("quot"),
    BinOp.REM: _call2("rem"),
    BinOp.POW: _call2("pow"),
    BinOp.MIN: _call2("min"),
    BinOp.MAX: _call2("max"),
    BinOp.SHL: _shl,
    BinOp.SHR: _shr,
    BinOp.MULHI: _mulhi,
}
_FLOAT_BIN: dict[BinOp, _Bin] = {
    **_COMPARISONS,
    BinOp.ADD: _rounded_bin(_infix("+")),
    BinOp.SUB: _rounded_bin(_infix("-")),
    BinOp.MUL: _rounded_bin(_infix("*")),
    BinOp.DIV: _rounded_bin(_call2("div")),
    BinOp.MOD: _rounded_bin(_call2("mod")),
    BinOp.POW: _libm2("pow"),
    BinOp.MIN: _call2("min"),
    BinOp.MAX: _call2("max"),
    BinOp.ATAN2: _libm2("atan2"),
    BinOp.HYPOT: _libm2("hypot"),
    BinOp.REM: lambda _, a, b: f"fmod({a}, {b})",
    BinOp.COPYSIGN: _call2("copysign"),
    BinOp.NEXTAFTER: lambda t, a, b: f"fm_nextafter_{t}({a}, {b})",
}


def c_bin(op: BinOp, t: ScalarType, a: str, b: str) -> str:
    """Return `a op b` on values of type `t`.  Raises TypeError where it is undefined."""
    if bin_result(op, t) is None:
        raise TypeError(f"operator {op} is not defined on {t}")
    table = _FLOAT_BIN if t.is_float else _INT_BIN if t.is_int else _BOOL_BIN
    return table[op](t, a, b)


def c_extremum(op: BinOp, t: ScalarType, a: str, b: str) -> str:
    """Return the minimum or maximum of two f32 or f64, of which the first one is not NaN."""
    return f"{_helper(f'{op.value}_of_number', t)}({a}, {b})"


def c_power(t: ScalarType, a: str, k: Value) -> str:
    """Return `a ** k` for a constant `k`: products and roots where they are exact enough."""
    if k in (0, 1):
        return c_const(normalise(1, t), t) if k == 0 else a
    what = POWERS.get(float(k)) if t.is_float else str(k) if k in INT_POWERS else None
    if what is None:
        return c_bin(BinOp.POW, t, a, c_const(k, t))
    return _rounded(t, f"{_helper(f'pow_{what}', t)}({a})")


def _int_neg(t: ScalarType, a: str) -> str:
    return f"(({c_type(t)})(0 - ({wide(t)}){a}))"


def _popcount(t: ScalarType, a: str) -> str:
    return f"((int)popcount(({unsigned(t)}){a}))"


def _clz(t: ScalarType, a: str) -> str:
    return f"((int)clz(({unsigned(t)}){a}))"


def _magnitude(t: ScalarType, a: str) -> str:
    """Return the bits of a float without its sign."""
    mask = "0x7fffffffffffffffUL" if t is F64 else "0x7fffffffu"
    return f"(as_{unsigned(t)}({a}) & {mask})"


def _compare_with_infinity(op: str) -> _Un:
    infinity = {F16: "0x7f800000u", F32: "0x7f800000u", F64: "0x7ff0000000000000UL"}
    return lambda t, a: f"({_magnitude(t, a)} {op} {infinity[t]})"


def _from_bits(t: ScalarType, a: str) -> str:
    return f"fm_load_f16({a})" if t.bits == 16 else f"as_{_C_FLOAT[t.bits]}({a})"


_C_FLOAT = {32: "float", 64: "double"}
_INT_UN: dict[UnOp, _Un] = {
    UnOp.NEG: _int_neg,
    UnOp.NOT: lambda t, a: f"(({c_type(t)})~{a})",
    UnOp.ABS: lambda t, a: a if t.is_unsigned else f"{_helper('abs', t)}({a})",
    UnOp.SGN: lambda t, a: (
        f"(({c_type(t)})({a} != 0))" if t.is_unsigned else f"{_helper('sgn', t)}({a})"
    ),
    UnOp.POPCOUNT: _popcount,
    UnOp.CLZ: _clz,
    UnOp.CTZ: _call1("ctz"),
    UnOp.FROM_BITS: _from_bits,
}
_FLOAT_UN: dict[UnOp, _Un] = {
    UnOp.NEG: lambda _, a: f"(-{a})",
    UnOp.ABS: lambda t, a: f"as_{c_type(t)}({_magnitude(t, a)})",
    UnOp.SGN: _call1("sgn"),
    UnOp.SQRT: lambda t, a: _rounded(t, _call1("sqrt")(t, a)),
    UnOp.FLOOR: _call1("floor"),
    UnOp.CEIL: lambda t, a: f"(-{_call1('floor')(t, f'(-{a})')})",
    UnOp.TRUNC: _call1("trunc"),
    UnOp.ROUND: _call1("round"),
    UnOp.ISNAN: _compare_with_infinity(">"),
    UnOp.ISINF: _compare_with_infinity("=="),
    UnOp.GAMMA: _libm1("tgamma"),
    UnOp.TO_BITS: lambda t, a: f"fm_store_f16({a})" if t is F16 else f"fm_to_bits_{t}({a})",
} | {op: _libm1(op.value) for op in (
    UnOp.EXP, UnOp.LOG, UnOp.LOG2, UnOp.LOG10, UnOp.SIN, UnOp.COS, UnOp.TAN, UnOp.ASIN, UnOp.ACOS,
    UnOp.ATAN, UnOp.SINH, UnOp.COSH, UnOp.TANH, UnOp.ERF, UnOp.ERFC, UnOp.CBRT, UnOp.EXPM1,
    UnOp.LOG1P, UnOp.ASINH, UnOp.ACOSH, UnOp.ATANH, UnOp.LGAMMA,
)}  # fmt: skip


def c_un(op: UnOp, t: ScalarType, a: str) -> str:
    """Return `op a` on a value of type `t`.  Raises TypeError where it is undefined."""
    if un_result(op, t) is None:
        raise TypeError(f"operator {op} is not defined on {t}")
    if t is BOOL:
        return f"(!{a})"
    return (_FLOAT_UN if t.is_float else _INT_UN)[op](t, a)


def c_convert(src: ScalarType, dst: ScalarType, a: str) -> str:
    """Return the value `a` of type `src`, converted to type `dst`."""
    if src is dst or (src is F16 and dst is F32):
        return a
    if dst is BOOL:
        return f"({a} != 0)"
    if src.is_float and dst.is_int:
        return f"{_helper(f'to_{dst}', src)}({a})"
    if dst is F16 and src.is_float:
        return f"fm_{src}_to_f16({a})"
    if dst is F16 and src.bits > 8:  # an integer above 2^24 overflows f16, however it is rounded
        return _rounded(dst, f"(float){a}")
    return f"(({c_type(dst)}){a})"


# ─── memory ──────────────────────────────────────────────────────────────────────────────────────


def _element(t: ScalarType, ptr: str, index: str, space: str) -> str:
    return f"(({space} fm_memory_{t} *){ptr})[{index}]"


def c_load(t: ScalarType, ptr: str, index: str, space: str = "__global") -> str:
    """Return a load of element `index` of type `t` from `ptr`, a primary pointer to uchar."""
    element = _element(t, ptr, index, f"const {space}")
    if t is BOOL:
        return f"({element} != 0)"
    return f"fm_load_f16({element})" if t is F16 else element


def c_store(t: ScalarType, ptr: str, index: str, value: str, space: str = "__global") -> str:
    """Return a statement that stores `value` as element `index` of type `t` at `ptr`."""
    stored = f"fm_store_f16({value})" if t is F16 else value
    return f"{_element(t, ptr, index, space)} = {stored};"


def c_word(t: ScalarType, value: str) -> str:
    """Return the variable `value` as a long; a float is passed as its bits, f16 as f32."""
    if not t.is_float:
        return value
    return f"as_long({value})" if t is F64 else f"as_int({value})"


def from_word(t: ScalarType, word: int) -> Value:
    """Return the value of type `t` whose `c_word` is `word`."""
    match t:
        case ScalarType.BOOL:
            return word != 0
        case ScalarType.F64:
            return float(struct.unpack("<d", struct.pack("<q", word))[0])
        case ScalarType.F16 | ScalarType.F32:
            return float(struct.unpack("<f", struct.pack("<i", word))[0])
        case _:
            return normalise(word, t)


def build_options(correctly_rounded: bool) -> tuple[str, ...]:
    """Return the build options for a program that contains `prelude`.

    `correctly_rounded`: the device's CL_DEVICE_SINGLE_FP_CONFIG has
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT.  If not, f32 quotients and roots are computed in double
    (which the device must have) and rounded, which gives the same values.  Never add an option that
    relaxes arithmetic (-cl-fast-relaxed-math, -cl-mad-enable, -cl-denorms-are-zero, ...).
    """
    exact = "-cl-fp32-correctly-rounded-divide-sqrt" if correctly_rounded else f"-D{IN_DOUBLE}"
    return ("-cl-std=CL1.2", exact)
