"""C types and C constants of scalars (see :mod:`funmem.codegen.scalars_cl`)."""

from __future__ import annotations

import math

from funmem.ir.scalars import BOOL, F16, F32, F64, ScalarType, Value, show

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
    """Return the C type of a variable that holds a value of type `t`."""
    return _C_TYPES[t]


def wide(t: ScalarType) -> str:
    """Return the unsigned type in which arithmetic on integers of type `t` is done."""
    return "ulong" if t.bits == 64 else "uint"


def unsigned(t: ScalarType) -> str:
    """Return the unsigned integer type that is as wide as the C type of `t`."""
    return {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[32 if t is F16 else t.bits]


def c_const(v: Value, t: ScalarType) -> str:
    """Return the C text of the constant `v` of type `t`."""
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
