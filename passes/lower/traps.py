"""The traps of the value semantics as explicit checks: one function per row of the table.

Order, kinds and messages are those of the language page, section 3.
"""

from collections.abc import Iterable, Sequence
from itertools import product as choices

from funmem.ir.diagnostics import Span, TrapKind
from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.imp import (
    Block,
    Condition,
    Holds,
    Injective,
    InRange,
    NonNegative,
    RangeInside,
    SizesEqual,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, SliceDim
from funmem.ir.scalars import BinOp, can_trap
from funmem.ir.sizes import ZERO, Size, product
from funmem.passes.lower.context import Context


def operator_checks(ctx: Context, e: ScalarExp, at: Span) -> Block:
    """DIVISION and EXPONENT, in the order in which the operators are evaluated."""
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


def size_checks(ctx: Context, sizes: Iterable[Size], at: Span) -> Block:
    """NEGATIVE_SIZE of iota, replicate, scratch, reshape, kernel, and of the rows that a kernel
    without iterations or an empty literal has: every array that exists has non-negative lengths.
    """
    return tuple(
        s
        for d in sizes
        for s in ctx.check(NonNegative(d), TrapKind.NEGATIVE_SIZE, "Size {} is negative.", (d,), at)
    )


def index_checks(ctx: Context, index: Sequence[Size], shape: Sequence[Size], at: Span) -> Block:
    """INDEX of ``x[i, …]``."""
    message = f"Index [{_holes(index)}] out of bounds for array of shape {_shape(shape)}."
    conditions = [InRange(i, n) for i, n in zip(index, shape, strict=True)]
    return _all(ctx, conditions, TrapKind.INDEX, message, (*index, *shape), at)


def slice_checks(ctx: Context, dims: Sequence[SliceDim], shape: Sequence[Size], at: Span) -> Block:
    """SLICE of ``x[d, …]`` and of an update."""
    conditions: list[Condition] = []
    said: list[Size] = []
    text: list[str] = []
    for d, n in zip(dims, shape, strict=True):
        match d:
            case DimFix(i):
                conditions.append(InRange(i, n))
                said.append(i)
                text.append("{}")
            case DimRange(start, length, stride):
                conditions.append(RangeInside(start, length, stride, n))
                said += [start, length, stride]
                text.append("{}:{}:{}")
    message = f"Slice [{', '.join(text)}] out of bounds for array of shape {_shape(shape)}."
    return _all(ctx, conditions, TrapKind.SLICE, message, (*said, *shape), at)


def flat_checks(
    ctx: Context, offset: Size, dims: Sequence[Dim], shape: Sequence[Size], at: Span
) -> Block:
    """SLICE of ``flat x[o + {(n : s) …}]``: unless it is empty, all its corners lie inside x.

    A corner is what offset and strides make of an index that is first or last in every
    dimension; a stride of known sign leaves only two that matter.  "Inside unless there is no
    element" is a range of as many elements, all of them at the corner.
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
    text = " ".join("({} : {})" for _ in dims)
    message = f"Slice [{{}} + {{{text}}}] out of bounds for array of shape {_shape(shape)}."
    said = (offset, *(s for d in dims for s in (d.len, d.stride)))
    return _all(ctx, conditions, TrapKind.SLICE, message, (*said, n), at)


def _corners(offset: Size, dims: Sequence[Dim]) -> list[Size]:
    """The least and the greatest address, or all that may be one of them."""
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


def overlap_checks(ctx: Context, dims: Sequence[SliceDim], at: Span) -> Block:
    """OVERLAP of an update."""
    conditions = [Injective(d.len, d.stride) for d in dims if isinstance(d, DimRange)]
    message = "Update writes an element twice."
    return _all(ctx, conditions, TrapKind.OVERLAP, message, (), at)


def reshape_checks(ctx: Context, old: Sequence[Size], new: Sequence[Size], at: Span) -> Block:
    """SHAPE of reshape."""
    same = SizesEqual(product(old), product(new))
    message = f"Cannot reshape array of shape {_shape(old)} to array of shape {_shape(new)}."
    return ctx.check(same, TrapKind.SHAPE, message, (*old, *new), at)


def _all(
    ctx: Context,
    conditions: Iterable[Condition],
    kind: TrapKind,
    message: str,
    args: tuple[Size, ...],
    at: Span,
) -> Block:
    return tuple(s for c in conditions for s in ctx.check(c, kind, message, args, at))


def _holes(sizes: Sequence[Size]) -> str:
    return ", ".join("{}" for _ in sizes)


def _shape(shape: Sequence[Size]) -> str:
    return "".join("[{}]" for _ in shape)
