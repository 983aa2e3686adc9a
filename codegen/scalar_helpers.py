"""The helper functions ``fm_<what>_<type>`` of emitted C, and the prelude of a source.

:mod:`funmem.codegen.scalars_cl` explains the purpose of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from funmem.codegen.c_types import c_const, c_type, unsigned, wide
from funmem.ir.scalars import F16, F32, F64, INTS, SCALARS, ScalarType

IN_DOUBLE = "FM_DIVIDEIN_DOUBLE"
_HEAD = """\
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
"""
_NAME = re.compile(r"\bfm_\w+")


def used(source: str) -> set[str]:
    """Return the names of the helpers that a source mentions, as an argument for `prelude`.

    A name in a comment may look like a helper; then a helper too many is defined.
    """
    return _helpers().keys() & _NAME.findall(source)


def prelude(needed: Iterable[str]) -> str:
    """Return the beginning of an OpenCL source: pragmas, and definitions of the helpers `needed`.

    Raises KeyError for the name of a helper that does not exist.
    """
    return f"{_HEAD}\n{definitions(needed)}"


def definitions(needed: Iterable[str]) -> str:
    """Return the definitions of the helpers `needed` and of their callees.  Raises KeyError."""
    every = wanted(needed)
    return "\n".join(text for name, text in _helpers().items() if name in every)


def wanted(needed: Iterable[str]) -> set[str]:
    """Return the names of the helpers `needed` and of their callees.  Raises KeyError."""
    helpers, found, todo = _helpers(), set[str](), [*needed]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += used(helpers[name])
    return found


@cache
def _helpers() -> dict[str, str]:
    """Map the name of each helper to its definition, callees first."""
    return dict(
        helper
        for helpers in (
            map(_memory_type, SCALARS),
            *map(_int_helpers, INTS),
            *map(_int_powers, INTS),
            *map(_float_helpers, (F32, F64)),
            *map(_powers, (F32, F64)),
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
    c, u, w = c_type(t), unsigned(t), wide(t)

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
        yield binary(
            "wrap",
            "if (b > 0 && a >= 0 && a - b < b)",
            "    return a < b ? a : a - b;",
            "if (b > 0 && a < 0 && a >= -b)",
            "    return a + b;",
            f"return fm_mod_{t}(a, b);",
        )
        yield binary("quot", divisor, f"return {special} : a / d;")
        yield binary("rem", divisor, "return a % d;")
        yield unary("sgn", "return (a > 0) - (a < 0);")
        yield unary("abs", f"{w} s = a < 0;", f"return ({c})((({w})a ^ (0 - s)) + s);")
    yield binary(
        "pow",
        f"{w} x = a, r = 1;",
        "for (; b > 0; b >>= 1, x *= x)",
        "    r *= b & 1 ? x : 1;",
        "return r;",
    )
    yield _function("int", f"fm_ctz_{t}", f"{c} a", f"return popcount(({u})(~a & (a - ({w})1)));")


def _float_helpers(t: ScalarType) -> Iterator[_Helper]:
    c, u, f = c_type(t), unsigned(t), "f" if t is F32 else ""
    sign = "0x80000000u" if t is F32 else "0x8000000000000000UL"
    whole = f"{2 ** (23 if t is F32 else 52)}.0{f}"  # from here on all values are integers

    def unary(what: str, *body: str) -> _Helper:
        return _function(c, f"fm_{what}_{t}", f"{c} a", *body)

    def binary(what: str, *body: str) -> _Helper:
        return _function(c, f"fm_{what}_{t}", f"{c} a, {c} b", *body)

    # No `a == b ? … : m`: compilers make a branch of it, whose mispredictions took a third of ep.
    for what, less, zeros in (
        ("min", "<", f"as_{u}(m) | ((as_{u}(a) | as_{u}(b)) & (({u})0 - (a == b)))"),
        ("max", ">", f"as_{u}(m) & ((as_{u}(a) & as_{u}(b)) | (({u})(a == b) - 1))"),
    ):
        yield binary(
            what,
            f"{c} m = a {less} b ? a : b;",
            "m = b != b ? a : m;",
            f"return as_{c}({zeros});  // -0 is less than +0",
        )
        # Of a number a: if b is at most a, and a is negative or -0, then b is negative or a zero.
        signed = f"| (as_{u}(a) & {sign})" if what == "min" else f"& (as_{u}(a) | ~{sign})"
        yield binary(
            f"{what}_of_number",
            f"{c} m = as_{c}(as_{u}(b) {signed});",
            f"return b {less}= a ? m : a;",
        )
    yield binary(
        "mod",
        f"{c} r = fmod(a, b);",
        "if (r == 0)",
        f"    return as_{c}(as_{u}(b) & {sign});",
        "return (r < 0) != (b < 0) ? r + b : r;",
    )
    yield binary(
        "copysign", f"return as_{c}((as_{u}(a) & ~{sign}) | (b == b ? as_{u}(b) & {sign} : 0));"
    )
    yield _next(t, f"as_{u}", f"as_{c}", sign)
    nan = "0x7fc00000u" if t is F32 else "0x7ff8000000000000UL"
    yield _function(u, f"fm_to_bits_{t}", f"{c} a", f"return a == a ? as_{u}(a) : {nan};")
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
        yield binary("div", f"#ifdef {IN_DOUBLE}", quotient, "#else", "return a / b;", "#endif")
        yield unary("sqrt", f"#ifdef {IN_DOUBLE}", root, "#else", "return sqrt(a);", "#endif")
    for i in INTS:
        limit = f"{i.max + 1}.0{f}"
        low, below = (
            ("0", "0") if i.is_unsigned else (f"-{limit}", f"a != a ? 0 : {c_const(i.min, i)}")
        )
        result = f"a >= {limit} ? {c_const(i.max, i)} : a > {low} ? ({c_type(i)})a : {below}"
        yield _function(c_type(i), f"fm_to_{i}_{t}", f"{c} a", f"return {result};")


POWERS: Mapping[float, str] = {
    2.0: "2", 3.0: "3", 4.0: "4", 5.0: "5", -1.0: "m1", -2.0: "m2", 0.5: "h", 1.5: "3h", -0.5: "mh",
}  # fmt: skip
"""Exponents whose powers of floats are computed by products, quotients and roots, with the names of
the helpers.

Each rounding adds an error of at most one unit in the last place (ulp): x^k has k - 1 products and
is at most k - 1 ulp off, and half an ulp more if k is negative or a multiple of a half.  The
operator may be 4 ulp off (ir/scalars.py), but the result that it is compared with has an error of
its own.  So x^6 is not in the table.  Neither are x^-3 and 1 / x^2: they would overflow where x^-2
is still a finite number.
"""


INT_POWERS = range(2, 9)
"""Exponents whose powers of integers are computed by products."""


def _int_powers(t: ScalarType) -> Iterator[_Helper]:
    """Powers modulo 2^bits, by repeated squaring from the highest bit of the exponent."""
    c, w = c_type(t), wide(t)
    for k in INT_POWERS:
        steps = ("r *= r;" + (" r *= x;" if bit == "1" else "") for bit in f"{k:b}"[1:])
        yield _function(c, f"fm_pow_{k}_{t}", f"{c} a", f"{w} x = a, r = x;", *steps, "return r;")


def _powers(t: ScalarType) -> Iterator[_Helper]:
    """Powers as C99's pow defines them; for halves the results at -0 and -inf differ from roots."""
    c, f = c_type(t), "f" if t is F32 else ""
    one, zero = f"1.0{f}", f"0.0{f}"
    square, root = f"{c} s = a * a;", f"{c} r = fm_sqrt_{t}(a) + {zero};"
    least = "a == -INFINITY"
    bodies = {
        2.0: ("return a * a;",),
        3.0: ("return a * a * a;",),
        4.0: (square, "return s * s;"),
        5.0: (square, "return s * s * a;"),
        -1.0: (f"return fm_div_{t}({one}, a);",),
        -2.0: (f"{c} r = fm_div_{t}({one}, a);", "return r * r;"),
        0.5: (root, f"return {least} ? ({c})INFINITY : r;"),
        1.5: (root, f"return {least} ? ({c})INFINITY : a == 0 ? {zero} : a * r;"),
        -0.5: (root, f"return {least} ? {zero} : fm_div_{t}({one}, r);"),
    }
    for k, what in POWERS.items():
        yield _function(c, f"fm_pow_{what}_{t}", f"{c} a", *bodies[k])


def _next(t: ScalarType, to_bits: str, from_bits: str, sign: str) -> _Helper:
    """nextafter: neighbouring floats have neighbouring bit patterns; the neighbour of a zero is the
    least float with the sign of b.
    """
    c, u = c_type(t), unsigned(t)
    return _function(
        c,
        f"fm_nextafter_{t}",
        f"{c} a, {c} b",
        f"{u} m = {to_bits}(a);",
        f"m = a == 0 ? ({to_bits}(b) & {sign}) | 1 : (a < b) == (a > 0) ? m + 1 : m - 1;",
        f"return a == b ? b : a != a || b != b ? ({c})NAN : {from_bits}(m);",
    )


def _f16_helpers() -> Iterator[_Helper]:
    """Rounding to f16 of values held in float, and loads and stores of their 16 bits.

    ``m`` are the bits of the magnitude: 0x38800000 is 2^-14, the least normal f16; 0x47800000 is
    2^16; 0x7f800000 is infinity.  Below 2^-14 the f16 numbers have a distance of 2^-24, like the
    floats from 0.5 to 1.
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
    yield _next(F16, "fm_store_f16", "fm_load_f16", "0x8000u")
