"""Literals as constants of the type that inference found for them."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark import types as ty
from funmem.ir import core as c
from funmem.ir.scalars import BOOL, F64, ScalarType, UnOp, convert, eval_un, normalise


def constant(e: ast.Exp, t: ty.Type) -> c.Const:
    """A number, a boolean, a character, or the negative of a number."""
    if not isinstance(t, ScalarType):
        raise TypeError(f"{e.at}: a literal of type {t}")
    match e:
        case ast.IntLit(value, _, at) | ast.CharLit(value, at):
            return c.Const(_number(value, t), t, at)
        case ast.FloatLit(real, _, at):
            return c.Const(convert(real, F64, t), t, at)
        case ast.BoolLit(truth, at):
            return c.Const(truth, BOOL, at)
        case ast.Neg(inner, at):
            return c.Const(eval_un(UnOp.NEG, t, constant(inner, t).value), t, at)
        case _:
            raise TypeError(f"{e.at}: no literal")


def _number(value: int, t: ScalarType) -> int | float:
    """An integer literal in its type; one that is too large wraps around, as conversions do."""
    if t.is_float:
        return ty.nearest(value, t)
    wrapped = value & ((1 << t.bits) - 1)
    return normalise(wrapped - (1 << t.bits) if t.is_signed and wrapped > t.max else wrapped, t)
