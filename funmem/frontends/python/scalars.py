"""The elements of numpy's ufuncs as Core expressions.

A rule takes the operands as atoms of the loop's types, and these types.  Its result has
the loop's output type.  numpy's definitions are followed, except that integer division by zero
traps and that shifts are modulo the width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from funmem.ir import core as c
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, U64, BinOp, ScalarType, UnOp, normalise

Rule: TypeAlias = "Callable[[Sequence[c.Exp], Sequence[ScalarType]], c.Exp]"

TRUE, FALSE = c.Const(True, BOOL), c.Const(False, BOOL)


def number(x: float, t: ScalarType) -> c.Const:
    """Return a constant of a type."""
    return c.Const(normalise(float(x) if t.is_float else x, t), t)


def let(name: str, e: c.Exp, t: ScalarType, body: Callable[[c.Exp], c.Exp]) -> c.Exp:
    """Return ``let x = e in body(x)``; the name has a prime, as no name of Python's has."""
    return c.Let((c.Binder(Name(name), t),), e, body(c.Var(Name(name))))


def _both(op: BinOp) -> Rule:
    return lambda xs, _ts: c.Bin(op, xs[0], xs[1])


def _one(op: UnOp) -> Rule:
    return lambda xs, _ts: c.Un(op, xs[0])


def both(a: c.Exp, b: c.Exp) -> c.Exp:
    """``a and b``, both evaluated."""
    return c.Bin(BinOp.AND, a, b)


def either(a: c.Exp, b: c.Exp) -> c.Exp:
    """``a or b``, both evaluated."""
    return c.Bin(BinOp.OR, a, b)


def _compare(op: BinOp) -> Rule:
    """Compare; i64 and u64 are compared as the numbers that they are."""

    def rule(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
        a, b = xs
        if ts[0] is ts[1]:
            return c.Bin(op, a, b)
        left = ts[0] is I64
        signed, unsigned = (a, b) if left else (b, a)
        whole = c.Convert(U64, signed)
        same = c.Bin(op, whole, unsigned) if left else c.Bin(op, unsigned, whole)
        below = {BinOp.LT: left, BinOp.LE: left, BinOp.GT: not left, BinOp.GE: not left}
        decided = below.get(op, op is BinOp.NE)
        negative = c.Bin(BinOp.LT, signed, c.Const(0, I64))
        return c.If(negative, TRUE if decided else FALSE, same)

    return rule


def _arithmetic(op: BinOp, on_bool: BinOp) -> Rule:
    return lambda xs, ts: c.Bin(on_bool if ts[0] is BOOL else op, xs[0], xs[1])


def _floor_divide(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    """Return numpy's floor division; of floats: (a - a % b) / b, rounded to the nearest integer."""
    t, (a, b) = ts[0], xs
    if t.is_int:
        return c.Bin(BinOp.DIV, a, b)
    rest = c.Bin(BinOp.MOD, a, b)

    def rounded(q: c.Exp) -> c.Exp:
        def fixed(f: c.Exp) -> c.Exp:
            above = c.Bin(BinOp.GT, c.Bin(BinOp.SUB, q, f), number(0.5, t))
            return c.If(above, c.Bin(BinOp.ADD, f, number(1, t)), f)

        zero = c.Bin(BinOp.EQ, q, number(0, t))
        signed = c.Bin(BinOp.COPYSIGN, number(0, t), c.Bin(BinOp.DIV, a, b))
        return c.If(zero, signed, let("f'", c.Un(UnOp.FLOOR, q), t, fixed))

    exact = let("q'", c.Bin(BinOp.DIV, c.Bin(BinOp.SUB, a, rest), b), t, rounded)
    return c.If(c.Bin(BinOp.EQ, b, number(0, t)), c.Bin(BinOp.DIV, a, b), exact)


def _extremum(op: BinOp, strict: BinOp) -> Rule:
    """``minimum`` and ``maximum``: a NaN is kept."""

    def rule(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
        a, b = xs
        if ts[0] is BOOL:
            return c.Bin(BinOp.AND if op is BinOp.MIN else BinOp.OR, a, b)
        if ts[0].is_int:
            return c.Bin(op, a, b)
        first = either(c.Bin(strict, a, b), c.Un(UnOp.ISNAN, a))
        return c.If(first, a, b)

    return rule


def _f_extremum(op: BinOp) -> Rule:
    logical = BinOp.AND if op is BinOp.MIN else BinOp.OR
    return lambda xs, ts: c.Bin(logical if ts[0] is BOOL else op, xs[0], xs[1])


def _truth(x: c.Exp, t: ScalarType) -> c.Exp:
    return x if t is BOOL else c.Convert(BOOL, x)


def _logical(op: BinOp) -> Rule:
    return lambda xs, ts: c.Bin(op, _truth(xs[0], ts[0]), _truth(xs[1], ts[1]))


def _logical_not(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    return c.Un(UnOp.LNOT, _truth(xs[0], ts[0]))


def _invert(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    return c.Un(UnOp.LNOT if ts[0] is BOOL else UnOp.NOT, xs[0])


def _absolute(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    unsigned = ts[0].is_int and not ts[0].is_signed
    return xs[0] if ts[0] is BOOL or unsigned else c.Un(UnOp.ABS, xs[0])


def _sign(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    e = c.Un(UnOp.SGN, xs[0])
    if not ts[0].is_float:
        return e
    return c.If(c.Bin(BinOp.EQ, xs[0], number(0, ts[0])), number(0, ts[0]), e)


def _rounding(op: UnOp) -> Rule:
    """``floor`` …: integers stay."""
    return lambda xs, ts: c.Un(op, xs[0]) if ts[0].is_float else xs[0]


def _isnan(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    return c.Un(UnOp.ISNAN, xs[0]) if ts[0].is_float else FALSE


def _isinf(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    return c.Un(UnOp.ISINF, xs[0]) if ts[0].is_float else FALSE


def _isfinite(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    if not ts[0].is_float:
        return TRUE
    return c.Un(UnOp.LNOT, either(c.Un(UnOp.ISNAN, xs[0]), c.Un(UnOp.ISINF, xs[0])))


def _signbit(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    t = ts[0]
    return c.Bin(BinOp.LT, c.Bin(BinOp.COPYSIGN, number(1, t), xs[0]), number(0, t))


def _scaled(factor: float) -> Rule:
    return lambda xs, ts: c.Bin(BinOp.MUL, xs[0], number(factor, ts[0]))


def _exp2(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    return c.Bin(BinOp.POW, number(2, ts[0]), xs[0])


def _square(xs: Sequence[c.Exp], _ts: Sequence[ScalarType]) -> c.Exp:
    return c.Bin(BinOp.MUL, xs[0], xs[0])


def _reciprocal(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    op = BinOp.DIV if ts[0].is_float else BinOp.QUOT
    return c.Bin(op, number(1, ts[0]), xs[0])


def _heaviside(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
    t, (x, h) = ts[0], xs
    zero = number(0, t)
    above = c.If(c.Bin(BinOp.GT, x, zero), number(1, t), x)
    below = c.If(c.Bin(BinOp.LT, x, zero), zero, above)
    return c.If(c.Bin(BinOp.EQ, x, zero), h, below)


def _log_sum(exp: Callable[[c.Exp], c.Exp], log: Callable[[c.Exp], c.Exp]) -> Rule:
    """``logaddexp``: m + log(1 + exp(-|a - b|)), where m is the larger one."""

    def rule(xs: Sequence[c.Exp], ts: Sequence[ScalarType]) -> c.Exp:
        t, (a, b) = ts[0], xs
        gap = c.Un(UnOp.NEG, c.Un(UnOp.ABS, c.Bin(BinOp.SUB, a, b)))
        sum_ = c.Bin(BinOp.ADD, c.Bin(BinOp.MAX, a, b), log(exp(gap)))
        same = c.Bin(BinOp.ADD, a, log(number(1, t)))
        return c.If(c.Bin(BinOp.EQ, a, b), same, sum_)

    return rule


_RULES: dict[str, Rule] = {
    "add": _arithmetic(BinOp.ADD, BinOp.OR),
    "subtract": _both(BinOp.SUB),
    "multiply": _arithmetic(BinOp.MUL, BinOp.AND),
    "divide": _both(BinOp.DIV),
    "floor_divide": _floor_divide,
    "remainder": _both(BinOp.MOD),
    "fmod": _both(BinOp.REM),
    "power": _both(BinOp.POW),
    "float_power": _both(BinOp.POW),
    "negative": _one(UnOp.NEG),
    "positive": lambda xs, _ts: xs[0],
    "conjugate": lambda xs, _ts: xs[0],
    "absolute": _absolute,
    "fabs": _one(UnOp.ABS),
    "sign": _sign,
    "rint": _rounding(UnOp.ROUND),
    "floor": _rounding(UnOp.FLOOR),
    "ceil": _rounding(UnOp.CEIL),
    "trunc": _rounding(UnOp.TRUNC),
    "exp": _one(UnOp.EXP),
    "exp2": _exp2,
    "log": _one(UnOp.LOG),
    "log2": _one(UnOp.LOG2),
    "log10": _one(UnOp.LOG10),
    "expm1": _one(UnOp.EXPM1),
    "log1p": _one(UnOp.LOG1P),
    "sqrt": _one(UnOp.SQRT),
    "cbrt": _one(UnOp.CBRT),
    "square": _square,
    "reciprocal": _reciprocal,
    "sin": _one(UnOp.SIN),
    "cos": _one(UnOp.COS),
    "tan": _one(UnOp.TAN),
    "arcsin": _one(UnOp.ASIN),
    "arccos": _one(UnOp.ACOS),
    "arctan": _one(UnOp.ATAN),
    "sinh": _one(UnOp.SINH),
    "cosh": _one(UnOp.COSH),
    "tanh": _one(UnOp.TANH),
    "arcsinh": _one(UnOp.ASINH),
    "arccosh": _one(UnOp.ACOSH),
    "arctanh": _one(UnOp.ATANH),
    "arctan2": _both(BinOp.ATAN2),
    "hypot": _both(BinOp.HYPOT),
    "copysign": _both(BinOp.COPYSIGN),
    "nextafter": _both(BinOp.NEXTAFTER),
    "deg2rad": _scaled(math.pi / 180),
    "radians": _scaled(math.pi / 180),
    "rad2deg": _scaled(180 / math.pi),
    "degrees": _scaled(180 / math.pi),
    "heaviside": _heaviside,
    "logaddexp": _log_sum(lambda e: c.Un(UnOp.EXP, e), lambda e: c.Un(UnOp.LOG1P, e)),
    "bitwise_and": _both(BinOp.AND),
    "bitwise_or": _both(BinOp.OR),
    "bitwise_xor": _both(BinOp.XOR),
    "invert": _invert,
    "left_shift": _both(BinOp.SHL),
    "right_shift": _both(BinOp.SHR),
    "bitwise_count": lambda xs, ts: c.Un(UnOp.POPCOUNT, _absolute(xs, ts)),
    "equal": _compare(BinOp.EQ),
    "not_equal": _compare(BinOp.NE),
    "less": _compare(BinOp.LT),
    "less_equal": _compare(BinOp.LE),
    "greater": _compare(BinOp.GT),
    "greater_equal": _compare(BinOp.GE),
    "logical_and": _logical(BinOp.AND),
    "logical_or": _logical(BinOp.OR),
    "logical_xor": _logical(BinOp.XOR),
    "logical_not": _logical_not,
    "minimum": _extremum(BinOp.MIN, BinOp.LT),
    "maximum": _extremum(BinOp.MAX, BinOp.GT),
    "fmin": _f_extremum(BinOp.MIN),
    "fmax": _f_extremum(BinOp.MAX),
    "isnan": _isnan,
    "isinf": _isinf,
    "isfinite": _isfinite,
    "signbit": _signbit,
}
"""numpy's name of a ufunc -> its rule."""


def rule_of(f: np.ufunc) -> Rule | None:
    """Return the rule of a ufunc, or None if there is none."""
    return _RULES.get(f.__name__) if getattr(np, f.__name__, None) is f else None


_LEAST = {np.maximum, np.fmax}
EXTREMA = {np.minimum, np.maximum, np.fmin, np.fmax}


def neutral(f: np.ufunc, t: ScalarType) -> c.Const:
    """Return the neutral element of a ufunc on a type."""
    if f in EXTREMA:
        if t is BOOL:
            return c.Const(f not in _LEAST, BOOL)
        if t.is_float:
            return c.Const(-math.inf if f in _LEAST else math.inf, t)
        return c.Const(t.min if f in _LEAST else t.max, t)
    if f in (np.logical_or, np.logical_and):
        return c.Const(f is np.logical_and, BOOL)
    if t is BOOL:
        return c.Const(f is np.multiply, BOOL)
    return number(1 if f is np.multiply else 0, t)
