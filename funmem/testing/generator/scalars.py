"""Scalar expressions that do not trap, and indices within bounds."""

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Bin,
    Const,
    Convert,
    ScalarExp,
    Un,
)
from funmem.ir.scalars import (
    BinOp,
    ScalarType,
    UnOp,
    bin_result,
    can_trap,
    is_exact,
    un_result,
)
from funmem.ir.sizes import Size, const, var
from funmem.testing.generator.program import (
    I64,
    SCALARS,
    Generator,
    Out,
)
from funmem.testing.generator.scope import Range, Scope


def _operators() -> tuple[
    dict[ScalarType, list[tuple[BinOp, ScalarType]]],
    dict[ScalarType, list[tuple[UnOp, ScalarType]]],
]:
    """Return, for each result type, the exact operators: those on which engines
    agree to the bit.
    """
    binary: dict[ScalarType, list[tuple[BinOp, ScalarType]]] = {t: [] for t in SCALARS}
    unary: dict[ScalarType, list[tuple[UnOp, ScalarType]]] = {t: [] for t in SCALARS}
    for t in SCALARS:
        for op in BinOp:
            result = bin_result(op, t)
            if result is not None and is_exact(op, t):
                binary[result].append((op, t))
        for un in UnOp:
            result = un_result(un, t)
            if result is not None and is_exact(un, t):
                unary[result].append((un, t))
    return binary, unary


_BINARY, _UNARY = _operators()


def safe_operators(t: ScalarType) -> list[BinOp]:
    """Return the exact binary operators on a type that have a result of that type
    and never trap.
    """
    own = [op for op, operand in _BINARY[t] if operand is t]
    return [op for op in own if op is not BinOp.POW and not can_trap(op, t)]


def expression(g: Generator, scope: Scope, t: ScalarType, depth: int) -> ScalarExp:
    """Return a scalar expression that does not trap."""
    kind = g.rng.random()
    if depth == 0 or kind < 0.25:
        return g.operand(scope, t)
    if kind < 0.65 and _BINARY[t]:
        op, operand = g.rng.choice(_BINARY[t])
        a = expression(g, scope, operand, depth - 1)
        if op is BinOp.POW:
            return Bin(op, a, Const(g.rng.randint(0, 3), operand))
        b = expression(g, scope, operand, depth - 1)
        if can_trap(op, operand):
            b = Bin(BinOp.OR, b, Const(1, operand))
        return Bin(op, a, b)
    if kind < 0.85 and _UNARY[t]:
        un, operand = g.rng.choice(_UNARY[t])
        return Un(un, expression(g, scope, operand, depth - 1))
    return Convert(t, expression(g, scope, g.rng.choice(SCALARS), depth - 1))


def small(g: Generator, scope: Scope, out: Out) -> bool:
    """Bind an i64 in 0 … 4 that depends on data; in a kernel, a thread-variant size."""
    source = expression(g, scope, I64, 1)
    top = g.rng.randint(0, 4)
    low = Bin(BinOp.MAX, source, Const(0, I64))
    g.scalar(scope, out, I64, Bin(BinOp.MIN, low, Const(top, I64)), Range(0, top))
    return True


def position(g: Generator, scope: Scope, out: Out, d: Size) -> Size | None:
    """Return an index below ``d`` for the given inputs, or None."""
    least = scope.range_of(d).lo
    good = [
        k for k in scope.scalars(I64) if k.bound == d or (k.range.lo >= 0 and k.range.hi < least)
    ]
    choice = g.rng.random()
    if good and choice < 0.75:
        i = var(g.rng.choice(good).name)
        return d - 1 - i if choice < 0.1 else i
    if least < 1:
        return var(g.rng.choice(good).name) if good else None
    if choice < 0.9:
        return const(g.rng.randrange(least))
    source = expression(g, scope, I64, 1)
    clamped = Bin(BinOp.MAX, Bin(BinOp.MIN, source, size_exp(d - 1)), Const(0, I64))
    top = scope.range_of(d).hi - 1
    return var(g.scalar(scope, out, I64, clamped, Range(0, top)).name)
