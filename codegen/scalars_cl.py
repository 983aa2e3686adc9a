"""Scalars in OpenCL C: how each operator of `funmem.ir.scalars` is written so that it means that.

Operands must be *primary* expressions (a name, a constant, a call, something in parentheses), and
every text returned here is one, so texts nest freely.  No operand is repeated: what needs one twice
is a helper function ``fm_<what>_<type>``, and `prelude` gives the definitions of those that a
source uses.

The C expression of a value has the type `c_type`, except that values of bool and of integers below
32 bits may have the C type int (C promotes them); their value is in the type's range all the same.

What C and its implementations do that the table does not, and the remedy:

- Signed overflow is undefined: computed on unsigned integers.  Also ``ushort * ushort`` overflows,
  since both promote to int.  Narrow results are cast, which keeps the low bits (OpenCL C 6.2.3.3).
- Division by zero and INT_MIN / -1 end the process (SIGFPE) on a CPU: no helper executes one.
  A program checks for the traps before it computes; without a check, division by zero gives 0 (and
  a remainder 0) and a negative exponent gives 1.
- ``a * b + c`` may be contracted to an fma: the prelude's pragma forbids it.
- f32 ``/`` and ``sqrt`` may be off by 2.5 and 3 ulp in OpenCL: see `build_options`.
- ``fabs``, ``floor``, ``fmin``, ... are calls that PoCL does not inline, and that keep a loop from
  being vectorised: written with comparisons and bit operations.  But integer ``abs`` stays: clang
  turns what it recognises as one into an intrinsic that Oclgrind does not know.
- ``fmin(-0.0, 0.0)`` is either zero in OpenCL: equal operands are combined bit by bit, which does
  nothing but let the sign of a zero through (``|`` for min, ``&`` for max).
- float -> int is undefined out of range: saturated by comparisons.
- Accesses of one block at two element types may be reordered (C's aliasing rule): blocks are
  accessed through types that may alias anything.
- f16: its values are held in float and stored as 16 bits in a ushort, so ``cl_khr_fp16`` is not
  needed.  Rounding is done on the bits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TypeAlias

from funmem.ir.scalars import (
    BOOL,
    F16,
    F32,
    F64,
    INTS,
    SCALARS,
    U32,
    U64,
    BinOp,
    ScalarType,
    UnOp,
    Value,
    bin_result,
    show,
    un_result,
)

_C_TYPES = {
    ScalarType.BOOL: "uchar",
    ScalarType.I8: "char",
    ScalarType.I16: "short",
    ScalarType.I32: "int",
    ScalarType.I64: "long",
    ScalarType.U8: "uchar",
    ScalarType.U16: "ushort",
    ScalarType.U32: "uint",
    ScalarType.U64: "ulong",
    ScalarType.F16: "float",
    ScalarType.F32: "float",
    ScalarType.F64: "double",
}


def c_type(t: ScalarType) -> str:
    """The C type of a variable that holds a value of type `t`."""
    return _C_TYPES[t]


def _wide(t: ScalarType) -> str:
    """The unsigned type in which arithmetic on integers of type `t` is done."""
    return "ulong" if t.bits == 64 else "uint"


def _unsigned(t: ScalarType) -> str:
    """The unsigned integer type of the width of the C type of `t`."""
    return {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[32 if t is F16 else t.bits]


def _helper(what: str, t: ScalarType) -> str:
    """The helper's name; f16 is computed as f32."""
    return f"fm_{what}_{F32 if t is F16 else t}"


# ─── operators ───────────────────────────────────────────────────────────────────────────────────

_Bin: TypeAlias = Callable[[ScalarType, str, str], str]
_Un: TypeAlias = Callable[[ScalarType, str], str]


def _infix(op: str) -> _Bin:
    return lambda _, a, b: f"({a} {op} {b})"


def _wrap_infix(op: str) -> _Bin:
    """Arithmetic modulo 2^bits."""

    def write(t: ScalarType, a: str, b: str) -> str:
        if t in (U32, U64):
            return f"({a} {op} {b})"
        return f"(({c_type(t)})(({_wide(t)}){a} {op} ({_wide(t)}){b}))"

    return write


def _call2(what: str) -> _Bin:
    return lambda t, a, b: f"{_helper(what, t)}({a}, {b})"


def _call1(what: str) -> _Un:
    return lambda t, a: f"{_helper(what, t)}({a})"


def _rounded(t: ScalarType, a: str) -> str:
    """A float result: on f16 it is still to be rounded."""
    return f"fm_f32_to_f16({a})" if t is F16 else a


def _rounded_bin(write: _Bin) -> _Bin:
    return lambda t, a, b: _rounded(t, write(t, a, b))


def _libm2(name: str) -> _Bin:
    return lambda t, a, b: _rounded(t, f"{name}({a}, {b})")


def _libm1(name: str) -> _Un:
    return lambda t, a: _rounded(t, f"{name}({a})")


def _shl(t: ScalarType, a: str, b: str) -> str:
    return f"(({c_type(t)})(({_wide(t)}){a} << ({b} & {t.bits - 1})))"


def _shr(t: ScalarType, a: str, b: str) -> str:
    return f"({a} >> ({b} & {t.bits - 1}))"


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
    BinOp.MOD: _call2("mod"),
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
}


def c_bin(op: BinOp, t: ScalarType, a: str, b: str) -> str:
    """`a op b` on values of type `t`.  TypeError where undefined."""
    if bin_result(op, t) is None:
        raise TypeError(f"operator {op} is not defined on {t}")
    table = _FLOAT_BIN if t.is_float else _INT_BIN if t.is_int else _BOOL_BIN
    return table[op](t, a, b)


def _int_neg(t: ScalarType, a: str) -> str:
    return f"(({c_type(t)})(0 - ({_wide(t)}){a}))"


def _popcount(t: ScalarType, a: str) -> str:
    return f"((int)popcount(({_unsigned(t)}){a}))"


def _clz(t: ScalarType, a: str) -> str:
    return f"((int)clz(({_unsigned(t)}){a}))"


def _magnitude(t: ScalarType, a: str) -> str:
    """The bits of a float without its sign."""
    mask = "0x7fffffffffffffffUL" if t is F64 else "0x7fffffffu"
    return f"(as_{_unsigned(t)}({a}) & {mask})"


def _compare_with_infinity(op: str) -> _Un:
    infinity = {F16: "0x7f800000u", F32: "0x7f800000u", F64: "0x7ff0000000000000UL"}
    return lambda t, a: f"({_magnitude(t, a)} {op} {infinity[t]})"


_INT_UN: dict[UnOp, _Un] = {
    UnOp.NEG: _int_neg,
    UnOp.NOT: lambda t, a: f"(({c_type(t)})~{a})",
    UnOp.ABS: lambda t, a: a if t.is_unsigned else f"(({c_type(t)})abs({a}))",
    UnOp.SGN: lambda t, a: (
        f"(({c_type(t)})({a} != 0))" if t.is_unsigned else f"{_helper('sgn', t)}({a})"
    ),
    UnOp.POPCOUNT: _popcount,
    UnOp.CLZ: _clz,
    UnOp.CTZ: _call1("ctz"),
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
} | {op: _libm1(op.value) for op in (
    UnOp.EXP, UnOp.LOG, UnOp.LOG2, UnOp.LOG10, UnOp.SIN, UnOp.COS, UnOp.TAN, UnOp.ASIN, UnOp.ACOS,
    UnOp.ATAN, UnOp.SINH, UnOp.COSH, UnOp.TANH, UnOp.ERF,
)}  # fmt: skip


def c_un(op: UnOp, t: ScalarType, a: str) -> str:
    """`op a` on a value of type `t`.  TypeError where undefined."""
    if un_result(op, t) is None:
        raise TypeError(f"operator {op} is not defined on {t}")
    if t is BOOL:
        return f"(!{a})"
    return (_FLOAT_UN if t.is_float else _INT_UN)[op](t, a)


def c_convert(src: ScalarType, dst: ScalarType, a: str) -> str:
    """The value `a` of type `src` as a value of type `dst`."""
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


def c_const(v: Value, t: ScalarType) -> str:
    """The constant `v`."""
    if t is BOOL:
        return "1" if v else "0"
    if t.is_int:
        suffix = ("u" if t.is_unsigned and t.bits >= 32 else "") + ("L" if t.bits == 64 else "")
        if v == t.min and t.is_signed and t.bits >= 32:
            return f"({-t.max}{suffix} - 1)"
        return f"({v}{suffix})" if v < 0 else f"{v}{suffix}"
    cast = "(double)" if t is F64 else ""
    if v != v:
        return f"({cast}NAN)"
    if math.isinf(v):
        return f"({cast}-INFINITY)" if v < 0 else f"({cast}INFINITY)"
    digits = show(v, F64 if t is F64 else F32).removesuffix("f32") + ("" if t is F64 else "f")
    return f"({digits})" if digits[0] == "-" else digits


# ─── memory ──────────────────────────────────────────────────────────────────────────────────────


def _element(t: ScalarType, ptr: str, index: str, space: str) -> str:
    return f"(({space} fm_memory_{t} *){ptr})[{index}]"


def c_load(t: ScalarType, ptr: str, index: str, space: str = "__global") -> str:
    """Element `index` of the block of `t` at `ptr`, a primary pointer to uchar."""
    element = _element(t, ptr, index, f"const {space}")
    if t is BOOL:
        return f"({element} != 0)"
    return f"fm_load_f16({element})" if t is F16 else element


def c_store(t: ScalarType, ptr: str, index: str, value: str, space: str = "__global") -> str:
    """The statement that stores `value` as element `index` of the block of `t` at `ptr`."""
    stored = f"fm_store_f16({value})" if t is F16 else value
    return f"{_element(t, ptr, index, space)} = {stored};"


def build_options(correctly_rounded: bool) -> tuple[str, ...]:
    """Options with which a program that contains `prelude` is to be built.

    `correctly_rounded`: whether the device's CL_DEVICE_SINGLE_FP_CONFIG has
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT.  If not, f32 quotients and roots are computed in double
    (which the device must have) and rounded: the same values.  Never add an option that relaxes
    arithmetic (-cl-fast-relaxed-math, -cl-mad-enable, -cl-denorms-are-zero, ...).
    """
    exact = "-cl-fp32-correctly-rounded-divide-sqrt" if correctly_rounded else f"-D{_IN_DOUBLE}"
    return ("-cl-std=CL1.2", exact)


# ─── helper functions ────────────────────────────────────────────────────────────────────────────

_IN_DOUBLE = "FM_DIVIDE_IN_DOUBLE"
_HEAD = """\
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
"""
_NAME = re.compile(r"\bfm_\w+")


def used(source: str) -> set[str]:
    """The names of the helpers that a source mentions, to be given to `prelude`."""
    return set(_NAME.findall(source))


def prelude(needed: Iterable[str]) -> str:
    """What a source that uses the helpers `needed` must begin with: pragmas and definitions.

    Raises KeyError for a name that is no helper.
    """
    helpers, wanted, todo = _helpers(), set[str](), [*needed]
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += used(helpers[name])
    return "\n".join([_HEAD, *(text for name, text in helpers.items() if name in wanted)])


@cache
def _helpers() -> dict[str, str]:
    """Name -> definition, callees first."""
    return dict(
        helper
        for helpers in (
            map(_memory_type, SCALARS),
            *map(_int_helpers, INTS),
            *map(_float_helpers, (F32, F64)),
            _f16_helpers(),
        )
        for helper in helpers
    )


_Helper: TypeAlias = tuple[str, str]


def _memory_type(t: ScalarType) -> _Helper:
    name, c = f"fm_memory_{t}", "ushort" if t is F16 else c_type(t)
    return name, f"typedef {c} __attribute__((may_alias)) {name};\n"


def _function(c: str, name: str, parameters: str, *body: str) -> _Helper:
    lines = "".join(f"    {line}\n" for line in body)
    return name, f"static inline {c} {name}({parameters})\n{{\n{lines}}}\n"


def _int_helpers(t: ScalarType) -> Iterator[_Helper]:
    c, u, w = c_type(t), _unsigned(t), _wide(t)

    def unary(what: str, *body: str) -> _Helper:
        return _function(c, f"fm_{what}_{t}", f"{c} a", *body)

    def binary(what: str, *body: str) -> _Helper:
        return _function(c, f"fm_{what}_{t}", f"{c} a, {c} b", *body)

    yield binary("min", "return a < b ? a : b;")
    yield binary("max", "return a > b ? a : b;")
    if t.is_unsigned:
        yield from (binary(what, "return b == 0 ? 0 : a / b;") for what in ("div", "quot"))
        yield from (binary(what, "return b == 0 ? 0 : a % b;") for what in ("mod", "rem"))
    else:
        divisor = f"{c} d = b == 0 || b == -1 ? 1 : b;"
        remainder = f"{c} r = a % d;"
        crosses = "r != 0 && (r < 0) != (d < 0)"  # the quotient is negative and not whole
        minus = f"({c})(0 - ({w})a)"
        special = f"b == 0 ? 0 : b == -1 ? {minus}"
        yield binary(
            "div", divisor, remainder, f"{c} q = a / d - ({crosses});", f"return {special} : q;"
        )
        yield binary("mod", divisor, remainder, f"return {crosses} ? r + d : r;")
        yield binary("quot", divisor, f"return {special} : a / d;")
        yield binary("rem", divisor, "return a % d;")
        yield unary("sgn", "return (a > 0) - (a < 0);")
    yield binary(
        "pow",
        f"{w} x = a, r = 1;",
        "for (; b > 0; b >>= 1, x *= x)",
        "    r *= b & 1 ? x : 1;",
        "return r;",
    )
    yield _function("int", f"fm_ctz_{t}", f"{c} a", f"return popcount(({u})(~a & (a - ({w})1)));")


def _float_helpers(t: ScalarType) -> Iterator[_Helper]:
    c, u, f = c_type(t), _unsigned(t), "f" if t is F32 else ""
    sign = "0x80000000u" if t is F32 else "0x8000000000000000UL"
    whole = f"{2 ** (23 if t is F32 else 52)}.0{f}"  # from here on all values are integers

    def unary(what: str, *body: str) -> _Helper:
        return _function(c, f"fm_{what}_{t}", f"{c} a", *body)

    def binary(what: str, *body: str) -> _Helper:
        return _function(c, f"fm_{what}_{t}", f"{c} a, {c} b", *body)

    for what, less, sign_of_zero in (("min", "<", "|"), ("max", ">", "&")):
        yield binary(
            what,
            f"{c} m = b {less} a || a != a ? b : a;",
            f"return a == b ? as_{c}(as_{u}(a) {sign_of_zero} as_{u}(b)) : m;",
        )
    yield binary(
        "mod",
        f"{c} r = fmod(a, b);",
        "if (r == 0)",
        f"    return as_{c}(as_{u}(b) & {sign});",
        "return (r < 0) != (b < 0) ? r + b : r;",
    )
    yield unary("sgn", f"return a > 0 ? 1.0{f} : a < 0 ? -1.0{f} : a;")
    yield unary(
        "round",
        f"{u} s = as_{u}(a) & {sign};",
        f"{c} m = as_{c}(as_{u}(a) ^ s);",
        f"return m < {whole} ? as_{c}(as_{u}(m + {whole} - {whole}) | s) : a;",
    )
    yield unary("floor", f"{c} r = fm_round_{t}(a);", f"return r > a ? r - 1.0{f} : r;")
    yield unary(
        "trunc",
        f"{u} s = as_{u}(a) & {sign};",
        f"return as_{c}(as_{u}(fm_floor_{t}(as_{c}(as_{u}(a) ^ s))) | s);",
    )
    if t is F64:
        yield binary("div", "return a / b;")
        yield unary("sqrt", "return sqrt(a);")
    else:
        # Rounding the double quotient or root once more gives the correctly rounded float.
        quotient, root = "return (float)((double)a / b);", "return (float)sqrt((double)a);"
        yield binary("div", f"#ifdef {_IN_DOUBLE}", quotient, "#else", "return a / b;", "#endif")
        yield unary("sqrt", f"#ifdef {_IN_DOUBLE}", root, "#else", "return sqrt(a);", "#endif")
    for i in INTS:
        limit = f"{i.max + 1}.0{f}"
        low, below = (
            ("0", "0") if i.is_unsigned else (f"-{limit}", f"a != a ? 0 : {c_const(i.min, i)}")
        )
        result = f"a >= {limit} ? {c_const(i.max, i)} : a > {low} ? ({c_type(i)})a : {below}"
        yield _function(c_type(i), f"fm_to_{i}_{t}", f"{c} a", f"return {result};")


def _f16_helpers() -> Iterator[_Helper]:
    """Values of f16 are floats; these round to them, and store and load their 16 bits.

    With m the bits of the magnitude: 0x38800000 is 2^-14, the least normal f16, 0x47800000 is 2^16,
    0x7f800000 is infinity.  Below 2^-14 the f16s lie 2^-24 apart, as the floats from 0.5 to 1 do.
    """
    yield _function(
        "float",
        "fm_f32_to_f16",
        "float a",
        "uint m = as_uint(a) & 0x7fffffffu, s = as_uint(a) & 0x80000000u;",
        "uint r = (m + 0xfffu + ((m >> 13) & 1u)) & 0xffffe000u;",
        "r = r >= 0x47800000u ? 0x7f800000u : r;",
        "r = m > 0x7f800000u ? m : r;",
        "r = m < 0x38800000u ? as_uint(as_float(m) + 0.5f - 0.5f) : r;",
        "return as_float(r | s);",
    )
    yield _function(
        "float",
        "fm_f64_to_f16",
        "double a",
        "// keep 24 bits; the last one says whether any later bit was set: no tie is made or lost",
        "ulong u = as_ulong(a), low = u & 0x1fffffffUL;",
        "return fm_f32_to_f16((float)as_double((u ^ low) | (low != 0 ? 0x20000000UL : 0)));",
    )
    yield _function(
        "ushort",
        "fm_store_f16",
        "float a",
        "uint m = as_uint(a) & 0x7fffffffu, s = (as_uint(a) >> 16) & 0x8000u;",
        "uint h = m < 0x38800000u ? (uint)(as_float(m) * 16777216.0f) : (m - 0x38000000u) >> 13;",
        "h = m < 0x7f800000u ? h | s : m == 0x7f800000u ? 0x7c00u | s : 0x7e00u;",
        "return (ushort)h;",
    )
    yield _function(
        "float",
        "fm_load_f16",
        "ushort a",
        "uint m = a & 0x7fffu, s = (a & 0x8000u) << 16;",
        "uint u = m < 0x400u ? as_uint(m * 5.9604644775390625e-08f) : (m << 13) + 0x38000000u;",
        "return as_float((m < 0x7c00u ? u : (m << 13) | 0x7f800000u) | s);",
    )
