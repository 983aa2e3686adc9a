"""Ranges: ``a..b..<c`` and its kin as ``iota``, and when there is no such range."""

from funmem.frontends.futhark.ast import RangeEnd
from funmem.frontends.futhark.elaborate.context import Context, Wrap, let, require
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType


def range_length(
    ctx: Context,
    t: ScalarType,
    start: Exp,
    second: Exp | None,
    end: Exp,
    kind: RangeEnd,
    out: list[Wrap],
    at: Span,
) -> tuple[Exp, Exp]:
    """How many elements a range has (i64), and its step; ``out`` checks that it is one.

    ``start``, ``second`` and ``end`` are atoms.  A range is invalid if its step is zero or leads
    away from its end, or if it has more elements than an i64 counts, which shows in the length; if
    start and end are equal it is empty, or has one element.
    """

    def bin_(op: BinOp, a: Exp, b: Exp) -> Exp:
        return c.Bin(op, a, b, at)

    def named(base: str, u: ScalarType, e: Exp) -> Exp:
        return ctx.atom(e, u, out, base)

    zero, one = c.Const(0, t, at), c.Const(1, t, at)
    if second is None:
        step: Exp = c.Const(-1, t, at) if kind is RangeEnd.ABOVE and t.is_signed else one
    else:
        step = named("step", t, bin_(BinOp.SUB, second, start))
    length: Exp | None = None
    upwards = bin_(BinOp.LE, start, end)
    downwards = bin_(BinOp.GE, start, end)
    match kind:
        case RangeEnd.BELOW:
            valid = upwards
            if second is not None:
                valid = bin_(BinOp.LAND, bin_(BinOp.GT, step, zero), valid)
        case RangeEnd.ABOVE:
            valid = downwards
            if second is not None:
                valid = bin_(BinOp.LAND, bin_(BinOp.LT, step, zero), valid)
        case RangeEnd.INCLUSIVE if second is None and _may_have_all(t, start):
            length = named("n", I64, _plus_one(_minus(end, start, at), at))  # 2^64 would be 0
            valid = bin_(BinOp.LAND, upwards, bin_(BinOp.GT, length, c.Const(0, I64, at)))
        case RangeEnd.INCLUSIVE if second is None:
            valid = upwards
        case RangeEnd.INCLUSIVE:
            rising = bin_(BinOp.LAND, bin_(BinOp.GT, step, zero), upwards)
            falling = bin_(BinOp.LAND, bin_(BinOp.LT, step, zero), downwards)
            valid = bin_(BinOp.LOR, rising, falling)
    values = (start, end) if second is None else (start, second, end)
    text = "{}" if second is None else "{}..{}"
    out.append(require(valid, f"Range {text}{kind.value}{{}} is invalid.", values, at))

    def wide(e: Exp) -> Exp:
        if t is I64:
            return e
        if isinstance(e, c.Const):
            return c.Const(int(e.value), I64, at)
        return c.Convert(I64, e, at)

    if length is not None:
        return length, step
    if second is None and kind is not RangeEnd.ABOVE:
        span = _minus(wide(end), wide(start), at)
        return (_plus_one(span, at) if kind is RangeEnd.INCLUSIVE else span), step
    if second is None:
        return _minus(wide(start), wide(end), at), step
    distance = named("distance", I64, bin_(BinOp.SUB, wide(end), wide(start)))
    wide_step = named("step", I64, wide(step))
    if kind is RangeEnd.INCLUSIVE:
        return _plus_one(bin_(BinOp.DIV, distance, wide_step), at), step
    # as many steps as fit, rounded up: minus the floor of minus the quotient
    back = bin_(BinOp.DIV, c.Bin(BinOp.SUB, c.Const(0, I64), distance, at), wide_step)
    return bin_(BinOp.SUB, c.Const(0, I64), back), step


def _may_have_all(t: ScalarType, start: Exp) -> bool:
    """Whether a range may be from the least i64 to the greatest one."""
    return t is I64 and not (isinstance(start, c.Const) and start.value >= 0)


def _minus(a: Exp, b: Exp, at: Span) -> Exp:
    if isinstance(b, c.Const) and b.value == 0:
        return a
    return c.Bin(BinOp.SUB, a, b, at)


def _plus_one(e: Exp, at: Span) -> Exp:
    return c.Bin(BinOp.ADD, e, c.Const(1, I64), at)


def range_array(
    ctx: Context,
    t: ScalarType,
    start: Exp,
    second: Exp | None,
    end: Exp,
    kind: RangeEnd,
    out: list[Wrap],
    at: Span,
) -> Exp:
    """The array that a range denotes, after the checks and lengths in ``out``."""
    n, step = range_length(ctx, t, start, second, end, kind, out, at)
    return c.Iota(n, start, step, at)


__all__ = ["BOOL", "let", "range_array", "range_length"]
