"""Elaborate numbers, operators, intrinsics and conversions."""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Code
from funmem.frontends.harlan.errors import Code as ErrorCode
from funmem.frontends.harlan.errors import fail
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import F64, BinOp, ScalarType, UnOp, convert, normalise


def number(k: Code, e: ast.Number) -> Exp:
    """Return a number of the type that its context demands."""
    t = k.type(e)
    assert isinstance(t, ScalarType)
    if t.is_float:
        return c.Const(_float(e, t), t, e.at)
    return c.Const(normalise(int(e.text), t), t, e.at)


def _float(e: ast.Number, t: ScalarType) -> float | int | bool:
    try:
        return convert(float(e.text), F64, t)
    except OverflowError:
        fail(e.at, ErrorCode.TYPE, f"the number {e.text} is too large")


def binary(k: Code, e: ast.Bin, a: Exp, b: Exp) -> Exp:
    """``(op a b)``."""
    t = k.type(e.a)
    if not isinstance(t, ScalarType):
        return c.Equal(a, b, e.at)
    op = BinOp.DIV if e.op is BinOp.QUOT and t.is_float else e.op
    return c.Bin(op, a, b, e.at)


_UNARY = {"%sqrt": UnOp.SQRT, "%floor": UnOp.FLOOR, "%not": UnOp.LNOT}


def intrinsic(name: str, args: Sequence[Exp], t: c.Type, at: Span) -> Exp:
    """Return an operation that the library names."""
    if name == "%str->vec":
        return args[0]
    if name == "%atan2":
        return c.Bin(BinOp.ATAN2, args[0], args[1], at)
    if name in _UNARY:
        return c.Un(_UNARY[name], args[0], at)
    assert isinstance(t, ScalarType)
    return c.Convert(t, args[0], at)


def cast(k: Code, e: ast.Cast, value: Exp) -> Exp:
    """``(unsafe-explicit-cast (t -> t) e)``."""
    t = k.type(e)
    assert isinstance(t, ScalarType)
    return value if k.type(e.exp) == t else c.Convert(t, value, e.at)
