"""Elaborate the built-ins: each with its exact meaning and traps (papers/frontends/nova.md)."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from funmem.frontends.nova.elaborate import arrays, reductions
from funmem.frontends.nova.elaborate.context import Call, Elaboration, Wrap, applied, wrapped
from funmem.frontends.nova.typing import SpecialUse
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import has_arrow
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BinOp, ScalarType, UnOp

Make: TypeAlias = Callable[[Call], Exp]
"""The value of a built-in."""


def built_in(
    ctx: Elaboration,
    name: str,
    t: c.Type,
    args: Sequence[Exp],
    use: SpecialUse | None,
    at: Span,
) -> Exp:
    """Return a built-in of type ``t``, applied to some arguments, which may be fewer than it takes.

    What is missing becomes parameters of a lambda; the arguments are values before that.
    """
    arity = use.arity if use is not None else _ARITY.get(name, 2)
    params: list[c.Type] = []
    result = t
    for _ in range(arity):
        assert isinstance(result, c.Arrow)
        params.append(result.param)
        result = result.result
    if len(args) == arity and name in _SCALAR:
        return _SCALAR[name](Call(ctx, name, args, params, result, at))
    if len(args) > arity:
        first = built_in(ctx, name, t, args[:arity], use, at)
        return applied(first, tuple(args[arity:]), at)
    out: list[Wrap] = []
    atoms = [_atom(ctx, e, u, out) for e, u in zip(args, params, strict=False)]
    missing = [c.Binder(ctx.fresh("x"), u) for u in params[len(args) :]]
    atoms += [c.Var(b.name, at) for b in missing]
    call = Call(ctx, name, atoms, params, result, at)
    if name == "map":
        body = arrays.mapped(ctx, atoms, params, use.rank if use is not None else 1, at)
    else:
        body = (_SCALAR.get(name) or _ARRAY[name])(call)
    return wrapped(out, c.Lambda(tuple(missing), body, at) if missing else body)


def _atom(ctx: Elaboration, e: Exp, t: c.Type, out: list[Wrap]) -> Exp:
    """Return an argument as a value.  A lambda is one; where it is used twice it is code twice."""
    if isinstance(e, c.Lambda) and has_arrow(t):
        return e
    return ctx.atom(e, t, out)


# ---------------------------------------------------------------------- scalars

_OPERATORS: Mapping[str, BinOp] = {
    "+": BinOp.ADD,
    "-": BinOp.SUB,
    "*": BinOp.MUL,
    "%": BinOp.REM,
    "min": BinOp.MIN,
    "max": BinOp.MAX,
    "&": BinOp.AND,
    "|": BinOp.OR,
    "^": BinOp.XOR,
    "<<": BinOp.SHL,
    ">>": BinOp.SHR,
    "<": BinOp.LT,
    "<=": BinOp.LE,
    ">": BinOp.GT,
    ">=": BinOp.GE,
    "and": BinOp.LAND,
    "or": BinOp.LOR,
    "pow": BinOp.POW,
}
_UNARY: Mapping[str, UnOp] = {
    "neg": UnOp.NEG,
    "abs": UnOp.ABS,
    "~": UnOp.NOT,
    "not": UnOp.LNOT,
    "sqrt": UnOp.SQRT,
    "exp": UnOp.EXP,
    "log": UnOp.LOG,
    "sin": UnOp.SIN,
    "cos": UnOp.COS,
    "floor": UnOp.FLOOR,
}


def _binary(call: Call) -> Exp:
    return c.Bin(_OPERATORS[call.name], call.args[0], call.args[1], call.at)


def _unary(call: Call) -> Exp:
    return c.Un(_UNARY[call.name], call.args[0], call.at)


def _divided(call: Call) -> Exp:
    """``/``: C's division; it truncates integers."""
    t = call.result
    is_float = isinstance(t, ScalarType) and t.is_float
    return c.Bin(BinOp.DIV if is_float else BinOp.QUOT, call.args[0], call.args[1], call.at)


def _equal(call: Call) -> Exp:
    """``=`` and ``~=``, of values of any type."""
    a, b = call.args
    if isinstance(call.params[0], ScalarType):
        return c.Bin(BinOp.EQ if call.name == "=" else BinOp.NE, a, b, call.at)
    same = c.Equal(a, b, call.at)
    return same if call.name == "=" else c.Un(UnOp.LNOT, same, call.at)


def _converted(call: Call) -> Exp:
    """``to_double`` and ``from_double``, which truncates towards zero and saturates."""
    to = call.result
    assert isinstance(to, ScalarType)
    return call.args[0] if call.params[0] is to else c.Convert(to, call.args[0], call.at)


_SCALAR: Mapping[str, Make] = {
    **dict.fromkeys(_OPERATORS, _binary),
    **dict.fromkeys(_UNARY, _unary),
    "/": _divided,
    **dict.fromkeys(("=", "~="), _equal),
    **dict.fromkeys(("to_double", "from_double"), _converted),
}

# ---------------------------------------------------------------------- arrays

_ARRAY: Mapping[str, Make] = {
    "reduce": reductions.reduce,
    "fold": reductions.fold,
    "scan": reductions.scan,
    "iscan": reductions.iscan,
    "permute": arrays.permute,
    "gather": arrays.gather,
    "slice": arrays.slice_,
    "range": arrays.range_,
    "filter": arrays.filter_,
    "length": arrays.length,
    "flatten": arrays.flatten,
    "segments": arrays.segments,
    "unflatten": arrays.unflatten,
    "shape": arrays.shape,
    "rows": arrays.rows,
}

_ARITY: Mapping[str, int] = {
    **dict.fromkeys(_UNARY, 1),
    **dict.fromkeys(("to_double", "from_double", "length", "flatten", "segments"), 1),
    **dict.fromkeys(("reduce", "fold", "scan", "iscan"), 3),
    "slice": 4,
}
"""How many arguments a built-in takes, if not 2 and not for inference to say."""
