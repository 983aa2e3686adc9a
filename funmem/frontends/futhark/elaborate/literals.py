"""Convert literals to constants of their inferred types."""

from funmem.frontends.futhark import ast
from funmem.frontends.inference import types as ty
from funmem.ir import core as c
from funmem.ir.scalars import BOOL, F64, ScalarType, UnOp, convert, eval_un, normalise


def constant(e: ast.Exp, t: ty.Type) -> c.Const:
    """Return the constant for a number, a boolean, a character, or a negated number."""
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
        case (
            ast.StringLit()
            | ast.Var()
            | ast.Hole()
            | ast.Aggregate()
            | ast.Access()
            | ast.Operation()
            | ast.Form()
            | ast.Section()
            | ast.Change()
            | ast.Annotated()
            | ast.OpenIn()
            | ast.Comprehension()
        ):
            raise TypeError(f"{e.at}: not a literal")


def _number(value: int, t: ScalarType) -> int | float:
    """Return an integer literal in its type; one that is too large wraps around."""
    if t.is_float:
        return ty.nearest(value, t)
    wrapped = value & ((1 << t.bits) - 1)
    return normalise(wrapped - (1 << t.bits) if t.is_signed and wrapped > t.max else wrapped, t)
