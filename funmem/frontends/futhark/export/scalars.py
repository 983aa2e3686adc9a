"""Scalar operations as ``.fut`` text.

Core's operators have meanings of their own (``ir/scalars.py``).  Where an operator of the language
means something else, the text is an expression with Core's meaning, or a call of a definition that
the program then begins with: the remainder of floats with the sign of the divisor, and floats as
integers, which saturate.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from funmem.frontends.futhark.elaborate.builtins import UNARY
from funmem.ir.scalars import (
    BOOL,
    F64,
    I32,
    BinOp,
    ScalarType,
    UnOp,
    Value,
    convert,
    normalise,
    show,
)

Define = Callable[[str, str], str]
"""From the name and the text of a definition that a program needs to its name there."""

_MEMBER = {op: name for name, op in UNARY.items()}
_CALLED: Mapping[BinOp, str] = MappingProxyType(
    {
        BinOp.MIN: "min",
        BinOp.MAX: "max",
        BinOp.ATAN2: "atan2",
        BinOp.HYPOT: "hypot",
        BinOp.MULHI: "mul_hi",
        BinOp.COPYSIGN: "copysign",
        BinOp.NEXTAFTER: "nextafter",
    }
)
_ON_BOOLS = {BinOp.AND: "&&", BinOp.OR: "||", BinOp.XOR: "!="}
_ORDERS = (BinOp.LT, BinOp.LE, BinOp.GT, BinOp.GE)


def constant(v: Value, t: ScalarType) -> str:
    """Return a constant, in parentheses if it is negative."""
    if t is BOOL:
        return "true" if v else "false"
    if t.is_int:
        if t.is_signed and v == t.min:
            return f"{t}.lowest"
        return f"(-{-v}{t})" if v < 0 else f"{v}{t}"
    text = show(v, t)
    if t is F64 and math.isfinite(v):
        text += "f64"
    return f"({text})" if text.startswith("-") else text


def binary(op: BinOp, t: ScalarType, a: str, b: str, shift: int | None, define: Define) -> str:
    """Return ``a op b`` for operands of type ``t``, which are atoms.

    ``shift``: the second operand of a shift, if it is a constant.
    """
    if op in _CALLED:
        return f"{t}.{_CALLED[op]} {a} {b}"
    if t is BOOL and op in _ON_BOOLS:
        return f"{a} {_ON_BOOLS[op]} {b}"
    if t is BOOL and op in _ORDERS:
        return f"i32.bool {a} {op} i32.bool {b}"
    if t.is_float and op is BinOp.REM:
        return f"{a} % {b}"
    if t.is_float and op is BinOp.MOD:
        return f"{define(f'mod_{t}', _FLOAT_MOD.replace('T', str(t)))} {a} {b}"
    if op in (BinOp.SHL, BinOp.SHR) and (shift is None or not 0 <= shift < t.bits):
        return f"{a} {op} ({b} & {t.bits - 1}{t})"
    return f"{a} {op} {b}"


_FLOAT_MOD = """\
(a: T) (b: T) : T =
  let r = a % b
  in if r == 0 then T.copysign 0 b
     else if (r < 0) != (b < 0) then r + b
     else r"""


def unary(op: UnOp, t: ScalarType, a: str) -> tuple[str, bool]:
    """Return ``op a`` for an atom of type ``t``, and whether it is an atom."""
    match op:
        case UnOp.NEG:
            return f"{t}.neg {a}", False
        case UnOp.NOT | UnOp.LNOT:
            return f"!{a}", False
        case UnOp.FROM_BITS:
            return f"f{t.bits}.from_bits {a}", False
        case _:
            return f"{t}.{_MEMBER[op]} {a}", False


def conversion(source: ScalarType, target: ScalarType, a: str, define: Define) -> str:
    """Return an atom of type ``source`` as ``target``."""
    if source is target:
        return a
    if target is BOOL:
        return f"{a} != {constant(normalise(0, source), source)}"
    if source.is_float and target.is_int:
        return f"{define(f'{target}_of_{source}', _saturated(source, target))} {a}"
    if source.is_signed and target.is_unsigned and target.bits > source.bits:
        wide = ScalarType(f"i{target.bits}")  # the language extends with zeros
        return f"{target}.{wide} ({wide}.{source} {a})"
    return f"{target}.{source} {a}"


def _saturated(source: ScalarType, target: ScalarType) -> str:
    """Return the rest of a definition that converts a float to an integer as Core does."""
    above = constant(convert(float(target.max + 1), F64, source), source)
    below = constant(convert(float(target.min), F64, source), source)
    if target.is_unsigned:
        least = f"x < {constant(normalise(1, source), source)} then 0"
    else:
        least = f"x <= {below} then {target}.lowest"
    return (
        f"(x: {source}) : {target} =\n"
        f"  if {source}.isnan x then 0 else if {least}\n"
        f"  else if x >= {above} then {target}.highest\n"
        f"  else {target}.{source} x"
    )


def result_type(op: UnOp, t: ScalarType) -> ScalarType:
    """Return the type of ``op a`` where it is not that of ``a``."""
    if op in (UnOp.ISNAN, UnOp.ISINF):
        return BOOL
    if op in (UnOp.POPCOUNT, UnOp.CLZ, UnOp.CTZ):
        return I32
    if op is UnOp.TO_BITS:
        return ScalarType(f"u{t.bits}")
    return ScalarType(f"f{t.bits}") if op is UnOp.FROM_BITS else t
