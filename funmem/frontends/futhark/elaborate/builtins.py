"""Operators and members of the built-in modules as Core: ``i32.+``, ``f32.sqrt``, ``u8.highest``.

Each is a function from the Core of its arguments to Core; a member that is not fully applied
becomes a lambda.  The members of ``intrinsics`` are in :mod:`intrinsics`.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

from funmem.frontends.futhark.elaborate.context import core_type, is_scalar, not_supported
from funmem.frontends.futhark.elaborate.floats import Steps, fma, ldexp, to_int
from funmem.frontends.inference import types as ty
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, F64, I32, I64, BinOp, ScalarType, UnOp

MakeMember: TypeAlias = Callable[[ScalarType, tuple[Exp, ...], Span], Exp]
"""Makes the Core of a member of the module of type t, applied to its arguments."""

# ---------------------------------------------------------------------- operators

ARITHMETIC = {
    "+": BinOp.ADD,
    "-": BinOp.SUB,
    "*": BinOp.MUL,
    "/": BinOp.DIV,
    "%": BinOp.MOD,
    "//": BinOp.QUOT,
    "%%": BinOp.REM,
    "**": BinOp.POW,
    "&": BinOp.AND,
    "|": BinOp.OR,
    "^": BinOp.XOR,
    "<<": BinOp.SHL,
    ">>": BinOp.SHR,
    "<": BinOp.LT,
    "<=": BinOp.LE,
    ">": BinOp.GT,
    ">=": BinOp.GE,
    "&&": BinOp.LAND,
    "||": BinOp.LOR,
    "min": BinOp.MIN,
    "max": BinOp.MAX,
    "pow": BinOp.POW,
    "atan2": BinOp.ATAN2,
    "hypot": BinOp.HYPOT,
    "copysign": BinOp.COPYSIGN,
    "nextafter": BinOp.NEXTAFTER,
    "mul_hi": BinOp.MULHI,
}


def operator(op: str, t: ty.Type, a: Exp, b: Exp, at: Span) -> Exp:
    """Return ``a op b`` at operand type ``t``."""
    match op:
        case "==" | "!=" if not is_scalar(t):
            same = c.Equal(a, b, at)
            return same if op == "==" else c.Un(UnOp.LNOT, same, at)
        case "==":
            return c.Bin(BinOp.EQ, a, b, at)
        case "!=":
            return c.Bin(BinOp.NE, a, b, at)
        case ">>>" if isinstance(t, ScalarType):
            return _logical_shift(t, (a, b), at)
        case "%" if isinstance(t, ScalarType) and t.is_float:  # has the sign of the dividend
            return c.Bin(BinOp.REM, a, b, at)
        case _:
            return c.Bin(ARITHMETIC[op], a, b, at)


def negate(t: ty.Type, e: Exp, at: Span) -> Exp:
    """Return ``-e``; a negated literal is a literal."""
    if isinstance(e, c.Const) and isinstance(t, ScalarType) and (t.is_float or t.is_signed):
        from funmem.ir.scalars import eval_un

        return c.Const(eval_un(UnOp.NEG, t, e.value), t, at)
    return c.Un(UnOp.NEG, e, at)


def complement(t: ty.Type, e: Exp, at: Span) -> Exp:
    """Return ``!e``: logical on booleans, bitwise on integers."""
    return c.Un(UnOp.LNOT if t is BOOL else UnOp.NOT, e, at)


# ---------------------------------------------------------------------- members by table

UNARY = {
    "abs": UnOp.ABS,
    "sgn": UnOp.SGN,
    "neg": UnOp.NEG,
    "sqrt": UnOp.SQRT,
    "exp": UnOp.EXP,
    "log": UnOp.LOG,
    "log2": UnOp.LOG2,
    "log10": UnOp.LOG10,
    "sin": UnOp.SIN,
    "cos": UnOp.COS,
    "tan": UnOp.TAN,
    "asin": UnOp.ASIN,
    "acos": UnOp.ACOS,
    "atan": UnOp.ATAN,
    "sinh": UnOp.SINH,
    "cosh": UnOp.COSH,
    "tanh": UnOp.TANH,
    "erf": UnOp.ERF,
    "floor": UnOp.FLOOR,
    "ceil": UnOp.CEIL,
    "trunc": UnOp.TRUNC,
    "round": UnOp.ROUND,
    "isnan": UnOp.ISNAN,
    "isinf": UnOp.ISINF,
    "popc": UnOp.POPCOUNT,
    "clz": UnOp.CLZ,
    "ctz": UnOp.CTZ,
    "cbrt": UnOp.CBRT,
    "expm1": UnOp.EXPM1,
    "log1p": UnOp.LOG1P,
    "asinh": UnOp.ASINH,
    "acosh": UnOp.ACOSH,
    "atanh": UnOp.ATANH,
    "erfc": UnOp.ERFC,
    "gamma": UnOp.GAMMA,
    "lgamma": UnOp.LGAMMA,
    "to_bits": UnOp.TO_BITS,
    "from_bits": UnOp.FROM_BITS,
}


def _const(t: ScalarType, value: float) -> c.Const:
    from funmem.ir.scalars import F64, convert

    return c.Const(convert(value, F64, t) if t.is_float else int(value), t)


def _one(f: Callable[[ScalarType], c.Const]) -> MakeMember:
    return lambda t, _args, _at: f(t)


def _limit(t: ScalarType, sign: int) -> c.Const:
    if t.is_float:
        return c.Const(sign * math.inf, t)
    return c.Const(t.max if sign > 0 else t.min, t)


_EPSILON = {16: 2.0**-10, 32: 2.0**-23, 64: 2.0**-52}


def _logical_shift(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    """Return the logical shift to the right: a shift of the unsigned number."""
    x, by = args
    if t.is_unsigned:
        return c.Bin(BinOp.SHR, x, by, at)
    u = ScalarType(f"u{t.bits}")
    shifted = c.Bin(BinOp.SHR, c.Convert(u, x, at), c.Convert(u, by, at), at)
    return c.Convert(t, shifted, at)


def _fold(op: BinOp, neutral: Callable[[ScalarType], c.Const]) -> MakeMember:
    def make(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
        x, y = c.Binder(Name("x"), t), c.Binder(Name("y"), t)
        body = c.Bin(op, c.Var(x.name), c.Var(y.name), at)
        return c.Reduce(c.Lambda((x, y), body, at), (neutral(t),), args, True, at)

    return make


def _get_bit(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    """Return ``get_bit i x``, bit i as an i32; for a float, a bit of its representation."""
    i, x = args
    if t.is_float:
        t, x = ScalarType(f"u{t.bits}"), c.Un(UnOp.TO_BITS, x, at)
    shifted = _logical_shift(t, (x, c.Convert(t, i, at)), at)
    return c.Convert(I32, c.Bin(BinOp.AND, shifted, c.Const(1, t), at), at)


def _set_bit(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    """Return ``set_bit i x b``: x with bit i cleared, or'ed with b shifted by i; floats by bits."""
    u = ScalarType(f"u{t.bits}") if t.is_float else t
    s = Steps(at)
    i, x, b = s.operands(args, (I32, t, I32))
    bits, place = s(UnOp.TO_BITS, x) if t.is_float else x, s(u, i)
    kept = s(BinOp.AND, bits, s(UnOp.NOT, s(BinOp.SHL, c.Const(1, u), place)))
    changed = s(BinOp.OR, kept, s(BinOp.SHL, s(u, b), place))
    return s.result(s(UnOp.FROM_BITS, changed) if t.is_float else changed)


def _mad(_t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    a, b, z = args
    return c.Bin(BinOp.ADD, c.Bin(BinOp.MUL, a, b, at), z, at)


def _mad_hi(_t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    a, b, z = args
    return c.Bin(BinOp.ADD, c.Bin(BinOp.MULHI, a, b, at), z, at)


def _lerp(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    """Return ``lerp v0 v1 t``, which is ``v0 + (v1 - v0) * t``."""
    s = Steps(at)
    v0, v1, part = s.operands(args, (t, t, t))
    return s.result(s(BinOp.ADD, v0, s(BinOp.MUL, s(BinOp.SUB, v1, v0), part)))


def _reciprocal(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    return c.Bin(BinOp.DIV, _const(t, 1.0), args[0], at)


def _inverse_root(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    return c.Bin(BinOp.DIV, _const(t, 1.0), c.Un(UnOp.SQRT, args[0], at), at)


def _of_pi(op: UnOp) -> MakeMember:
    def make(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
        return c.Un(op, c.Bin(BinOp.MUL, args[0], _const(t, math.pi), at), at)

    return make


def _over_pi(op: UnOp) -> MakeMember:
    def make(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
        return c.Bin(BinOp.DIV, c.Un(op, args[0], at), _const(t, math.pi), at)

    return make


def _atan2pi(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    y, x = args
    return c.Bin(BinOp.DIV, c.Bin(BinOp.ATAN2, y, x, at), _const(t, math.pi), at)


def _fraction(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    above, below = args
    return c.Bin(BinOp.DIV, c.Convert(t, above, at), c.Convert(t, below, at), at)


def _exp2(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    return c.Bin(BinOp.POW, _const(t, 2.0), args[0], at)


def _exp10(t: ScalarType, args: tuple[Exp, ...], at: Span) -> Exp:
    return c.Bin(BinOp.POW, _const(t, 10.0), args[0], at)


MEMBERS: dict[str, tuple[int, MakeMember]] = {
    "highest": (0, _one(lambda t: _limit(t, 1))),
    "lowest": (0, _one(lambda t: _limit(t, -1))),
    "inf": (0, _one(lambda t: _limit(t, 1))),
    "nan": (0, _one(lambda t: c.Const(math.nan, t))),
    "pi": (0, _one(lambda t: _const(t, math.pi))),
    "e": (0, _one(lambda t: _const(t, math.e))),
    "epsilon": (0, _one(lambda t: _const(t, _EPSILON[t.bits]))),
    "num_bits": (0, _one(lambda t: c.Const(t.bits, I32))),
    "sum": (1, _fold(BinOp.ADD, lambda t: _const(t, 0.0))),
    "product": (1, _fold(BinOp.MUL, lambda t: _const(t, 1.0))),
    "maximum": (1, _fold(BinOp.MAX, lambda t: _limit(t, -1))),
    "minimum": (1, _fold(BinOp.MIN, lambda t: _limit(t, 1))),
    "get_bit": (2, _get_bit),
    "set_bit": (3, _set_bit),
    "mad": (3, _mad),
    "fma": (3, fma),
    "ldexp": (2, ldexp),
    "mad_hi": (3, _mad_hi),
    "lerp": (3, _lerp),
    "recip": (1, _reciprocal),
    "rsqrt": (1, _inverse_root),
    "exp2": (1, _exp2),
    "exp10": (1, _exp10),
    "sinpi": (1, _of_pi(UnOp.SIN)),
    "cospi": (1, _of_pi(UnOp.COS)),
    "tanpi": (1, _of_pi(UnOp.TAN)),
    "asinpi": (1, _over_pi(UnOp.ASIN)),
    "acospi": (1, _over_pi(UnOp.ACOS)),
    "atanpi": (1, _over_pi(UnOp.ATAN)),
    "atan2pi": (2, _atan2pi),
    "from_fraction": (2, _fraction),
    ">>>": (2, _logical_shift),
    "not": (1, lambda t, args, at: complement(t, args[0], at)),
    "!": (1, lambda t, args, at: complement(t, args[0], at)),
}


def member(module: str, name: str, at: Span) -> tuple[int, MakeMember]:
    """Return the arity of a member of a scalar type's module, and the maker of its Core.

    Raises SourceError (``not-supported``) for a member without Core.
    """
    t = ScalarType(module)
    if name in MEMBERS:
        return MEMBERS[name]
    if name in UNARY:
        op = UNARY[name]
        return 1, lambda _t, args, place: c.Un(op, args[0], place)
    if name in ARITHMETIC or name in ("==", "!="):
        return 2, lambda u, args, place: operator(name, u, args[0], args[1], place)
    if name in _SCALAR_NAMES:
        return 1, lambda u, args, place: _convert(ScalarType(name), u, args[0], place)
    if name in CONVERSIONS:
        source, target = CONVERSIONS[name](t)
        return 1, lambda _t, args, place: _convert(source, target, args[0], place)
    raise not_supported(f"`{module}.{name}`", at)


_SCALAR_NAMES = frozenset(t.value for t in ScalarType)

CONVERSIONS: dict[str, Callable[[ScalarType], tuple[ScalarType, ScalarType]]] = {
    "to_i64": lambda t: (t, I64),
    "to_f64": lambda t: (t, F64),
}
"""Conversions under another name: their source and target types."""


def _convert(source: ScalarType, target: ScalarType, e: Exp, at: Span) -> Exp:
    """Return a conversion; a signed integer is zero-extended to a wider unsigned type."""
    if source is target:
        return e
    if target is BOOL:
        return c.Bin(BinOp.NE, e, c.Const(0.0 if source.is_float else 0, source), at)
    if source.is_float and target.is_int:
        return to_int(source, target, e, at)
    if source.is_signed and target.is_unsigned and target.bits > source.bits:
        e = c.Convert(ScalarType(f"u{source.bits}"), e, at)
    return c.Convert(target, e, at)


def parameters(t: ty.Type, n: int) -> list[c.Type]:
    """Return the types of a function's first n parameters."""
    out: list[c.Type] = []
    while len(out) < n:
        if not isinstance(t, ty.Arrow):
            raise TypeError(f"{t} does not take {n} arguments")
        out.append(core_type(t.param))
        t = t.result
    return out
