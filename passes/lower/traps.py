"""The traps of the value semantics as explicit checks: one function per row of the table.

The order, kinds and messages of traps are those of the language page, section 3;
:mod:`funmem.ir.messages` makes most messages.
"""

from collections.abc import Iterable, Sequence
from itertools import product as choices

from funmem.ir.diagnostics import Span, TrapKind
from funmem.ir.fun import Assert, Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.imp import (
    Block,
    Condition,
    Holds,
    Injective,
    InRange,
    NonNegative,
    RangeInside,
    Shown,
    SizesEqual,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, Part, SliceDim
from funmem.ir.messages import (
    SizedMessage,
    flat_message,
    index_message,
    literal,
    parts,
    reshape_message,
    show_value,
    slice_message,
)
from funmem.ir.scalars import I64, BinOp, can_trap
from funmem.ir.sizes import ZERO, Size, product, var
from funmem.passes.lower.context import Context


def operator_checks(ctx: Context, e: ScalarExp, at: Span) -> Block:
    """Check DIVISION and EXPONENT, in the order in which the operators are evaluated."""
    match e:
        case Const() | Var():
            return ()
        case Un(_, a) | Convert(_, a):
            return operator_checks(ctx, a, at)
        case Bin(op, a, b):
            operands = operator_checks(ctx, a, at) + operator_checks(ctx, b, at)
            t = ctx.scalar_type(b)
            if not can_trap(op, t):
                return operands
            zero = Const(0, t)
            if op is BinOp.POW:
                good, kind = Holds(Bin(BinOp.GE, b, zero)), TrapKind.EXPONENT
            else:
                good, kind = Holds(Bin(BinOp.NE, b, zero)), TrapKind.DIVISION
            return operands + ctx.check(good, kind, kind.value, (), at)


def assertion(ctx: Context, e: Assert, at: Span) -> Block:
    """Check ASSERTION.  Constants become part of the message."""
    texts = parts(e.message)
    args: list[Size | Shown] = []
    message = literal(texts[0])
    for a, text in zip(e.values, texts[1:], strict=True):
        match a:
            case Const(value, t):
                message += literal(show_value(value, t) + text)
            case Var(x):
                t = ctx.scalar_type(a)
                args.append(var(x) if t is I64 else Shown(x, t))
                message += "{}" + literal(text)
    return ctx.check(Holds(e.cond), TrapKind.ASSERTION, message, tuple(args), at)


def size_checks(ctx: Context, sizes: Iterable[Size], at: Span) -> Block:
    """Check NEGATIVE_SIZE of iota, replicate, scratch, kernel, and of the rows of an empty kernel
    or an empty literal: all lengths of arrays are non-negative.
    """
    kind, message = TrapKind.NEGATIVE_SIZE, "Size {} is negative."
    checks = (ctx.check(NonNegative(d), kind, message, (d,), at) for d in sizes)
    return tuple(s for check in checks for s in check)


def index_checks(ctx: Context, index: Sequence[Size], shape: Sequence[Size], at: Span) -> Block:
    """Check INDEX of ``x[i, …]``."""
    conditions = [InRange(i, n) for i, n in zip(index, shape, strict=True)]
    return _all(ctx, conditions, TrapKind.INDEX, index_message(index, shape), at)


def slice_checks(ctx: Context, dims: Sequence[SliceDim], shape: Sequence[Size], at: Span) -> Block:
    """Check SLICE of ``x[d, …]``."""
    conditions: list[Condition] = []
    for d, n in zip(dims, shape, strict=True):
        match d:
            case DimFix(i):
                conditions.append(InRange(i, n))
            case DimRange(start, length, stride):
                conditions.append(RangeInside(start, length, stride, n))
    return _all(ctx, conditions, TrapKind.SLICE, slice_message(dims, shape), at)


def flat_checks(
    ctx: Context, offset: Size, dims: Sequence[Dim], shape: Sequence[Size], at: Span
) -> Block:
    """Check SLICE of ``flat x[o + {(n : s) …}]``: all its corners are in bounds, or it is empty.

    A corner is the address of an index that is first or last in every dimension.  If the sign of a
    stride is known, only the corners at one of its ends can be the least or the greatest.  "In
    bounds or empty" is a range of as many elements as the slice has, with stride 0, at the corner.
    """
    (n,) = shape
    conditions: list[Condition]
    match dims:
        case [d]:
            conditions = [RangeInside(offset, d.len, d.stride, n)]
        case _:
            count = product(d.len for d in dims)
            conditions = [NonNegative(d.len) for d in dims]
            conditions += [RangeInside(c, count, ZERO, n) for c in _corners(offset, dims)]
    return _all(ctx, conditions, TrapKind.SLICE, flat_message(offset, dims, n), at)


def _corners(offset: Size, dims: Sequence[Dim]) -> list[Size]:
    """Return the least and the greatest address, or all candidates if signs are unknown."""
    least, greatest = offset, offset
    unknown: list[Size] = []
    for d in dims:
        span = (d.len - 1) * d.stride
        match d.stride.as_const:
            case None:
                unknown.append(span)
            case k if k >= 0:
                greatest = greatest + span
            case _:
                least = least + span
    chosen = [sum(c, start=ZERO) for c in choices(*((ZERO, span) for span in unknown))]
    return list(dict.fromkeys(end + c for end in (least, greatest) for c in chosen))


def update_checks(ctx: Context, where: Part, shape: Sequence[Size], at: Span) -> Block:
    """Check SLICE, then OVERLAP of an update."""
    if isinstance(where, Lmad):
        inside = flat_checks(ctx, where.offset, where.dims, shape, at)
        conditions = [Injective(where.dims)]
    else:
        inside = slice_checks(ctx, where, shape, at)
        ranges = [d for d in where if isinstance(d, DimRange)]
        conditions = [Injective((Dim(d.len, d.stride),)) for d in ranges]
    said = SizedMessage("Update writes an element twice.", ())
    return inside + _all(ctx, conditions, TrapKind.OVERLAP, said, at)


def reshape_checks(ctx: Context, old: Sequence[Size], new: Sequence[Size], at: Span) -> Block:
    """Check NEGATIVE_SIZE, then SHAPE of reshape."""
    said = reshape_message(old, new)
    same = SizesEqual(product(old), product(new))
    return (
        *_all(ctx, [NonNegative(d) for d in new], TrapKind.NEGATIVE_SIZE, said, at),
        *ctx.check(same, TrapKind.SHAPE, *said, at),
    )


def _all(
    ctx: Context, conditions: Iterable[Condition], kind: TrapKind, said: SizedMessage, at: Span
) -> Block:
    return tuple(s for c in conditions for s in ctx.check(c, kind, *said, at))
