"""Associative operators with their neutral elements, for generated collectives.

They are exactly associative on every input, so that parallel and sequential engines agree to the
bit: integers wrap around, and floats are only compared.
"""

import random

from funmem.ir.fun import (
    ArrayType,
    Atom,
    Bin,
    Binder,
    Body,
    Const,
    If,
    Index,
    Kernel,
    KernelDim,
    Lambda,
    Map,
    Replicate,
    Stm,
    Var,
)
from funmem.ir.names import Fresh
from funmem.ir.record import frozen
from funmem.ir.scalars import BinOp, ScalarType, normalise
from funmem.ir.sizes import Size, var

INTS = tuple(t for t in ScalarType if t.is_int)
FLOATS = tuple(t for t in ScalarType if t.is_float)


@frozen
class Operator:
    """``op`` on values of ``types`` with neutral element ``ne``; ``before`` binds the arrays of
    ``ne``.
    """

    types: tuple[ScalarType | ArrayType, ...]
    op: Lambda[None]
    ne: tuple[Atom, ...]
    commutative: bool
    before: tuple[Stm[None], ...] = ()


def _neutral(op: BinOp, t: ScalarType) -> Const:
    match op:
        case BinOp.MUL:
            return Const(1, t)
        case BinOp.MIN:
            return Const(float("inf") if t.is_float else t.max, t)
        case BinOp.MAX:
            return Const(float("-inf") if t.is_float else t.min, t)
        case BinOp.AND:
            return Const(normalise(-1, t), t)
        case BinOp.LAND:
            return Const(True, t)
        case BinOp.LOR:
            return Const(False, t)
        case _:
            return Const(0, t)


_ON_INTS = (
    BinOp.ADD,
    BinOp.MUL,
    BinOp.MIN,
    BinOp.MAX,
    BinOp.XOR,
    BinOp.AND,
    BinOp.OR,
)


def scalar_pair(rng: random.Random, *, floats: bool) -> tuple[BinOp, ScalarType]:
    """Return an associative and commutative scalar operator, and its type.

    Without ``floats`` if the neutral element meets arbitrary values: min(NaN, inf) is not NaN.
    """
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice((BinOp.LAND, BinOp.LOR)), ScalarType.BOOL
    if kind == 1 and floats:
        return rng.choice((BinOp.MIN, BinOp.MAX)), rng.choice(FLOATS)
    return rng.choice(_ON_INTS), rng.choice(INTS)


def componentwise(rng: random.Random, fresh: Fresh, count: int, *, floats: bool) -> Operator:
    """Return ``count`` independent scalar operators side by side."""
    pairs = [scalar_pair(rng, floats=floats) for _ in range(count)]
    left = tuple(Binder(fresh("a"), t, None) for _, t in pairs)
    right = tuple(Binder(fresh("b"), t, None) for _, t in pairs)
    out = tuple(Binder(fresh("c"), t, None) for _, t in pairs)
    stms = tuple(
        Stm((c,), Bin(op, Var(a.name), Var(b.name)))
        for c, a, b, (op, _) in zip(out, left, right, pairs, strict=True)
    )
    body = Body(stms, tuple(Var(c.name) for c in out))
    ne = tuple(_neutral(op, t) for op, t in pairs)
    return Operator(tuple(t for _, t in pairs), Lambda((*left, *right), body), ne, True)


def affine(rng: random.Random, fresh: Fresh) -> Operator:
    """Return the composition of ``x -> a*x + b``: associative, not commutative."""
    t = rng.choice(INTS)
    a1, b1, a2, b2, a3, m, b3 = (
        Binder(fresh(x), t, None) for x in ("a", "b", "a", "b", "a", "m", "b")
    )
    stms = (
        Stm((a3,), Bin(BinOp.MUL, Var(a1.name), Var(a2.name))),
        Stm((m,), Bin(BinOp.MUL, Var(a2.name), Var(b1.name))),
        Stm((b3,), Bin(BinOp.ADD, Var(m.name), Var(b2.name))),
    )
    body = Body(stms, (Var(a3.name), Var(b3.name)))
    return Operator((t, t), Lambda((a1, b1, a2, b2), body), (Const(1, t), Const(0, t)), False)


def leftmost(rng: random.Random, fresh: Fresh) -> Operator:
    """Return the first operand that is not neutral: not commutative; returns an
    operand unchanged.
    """
    t = rng.choice(INTS)
    a, b, none, c = (
        Binder(fresh(x), ty, None)
        for x, ty in (("a", t), ("b", t), ("none", ScalarType.BOOL), ("c", t))
    )
    pick: If[None] = If(Var(none.name), Body((), (Var(b.name),)), Body((), (Var(a.name),)))
    stms = (Stm((none,), Bin(BinOp.EQ, Var(a.name), Const(0, t))), Stm((c,), pick))
    body = Body(stms, (Var(c.name),))
    return Operator((t,), Lambda((a, b), body), (Const(0, t),), False)


def rows(rng: random.Random, fresh: Fresh, width: Size, *, floats: bool) -> Operator:
    """Return an elementwise scalar operator on arrays of ``width`` elements."""
    op, t = scalar_pair(rng, floats=floats)
    row = ArrayType(t, (width,))
    ne, a, b, c = (Binder(fresh(x), row, None) for x in ("zeros", "xs", "ys", "zs"))
    i, x, y, z = fresh("i"), fresh("x"), fresh("y"), fresh("z")
    inner = Body(
        (
            Stm((Binder(x, t, None),), Index(a.name, (var(i),))),
            Stm((Binder(y, t, None),), Index(b.name, (var(i),))),
            Stm((Binder(z, t, None),), Bin(op, Var(x), Var(y))),
        ),
        (Var(z),),
    )
    kernel = Kernel((KernelDim(i, width),), Map(), inner)
    body = Body((Stm((c,), kernel),), (Var(c.name),))
    before = (Stm((ne,), Replicate((width,), _neutral(op, t))),)
    return Operator((row,), Lambda((a, b), body), (Var(ne.name),), True, before)


def choose(rng: random.Random, fresh: Fresh, width: Size, *, commutative: bool) -> Operator:
    """Return one of the operators above; a ``commutative`` one may meet arbitrary
    initial values.
    """
    kind = rng.randrange(10)
    floats = not commutative
    if kind < 4:
        return componentwise(rng, fresh, 1, floats=floats)
    if kind < 6:
        return componentwise(rng, fresh, 2, floats=floats)
    if kind < 8 or commutative:
        return rows(rng, fresh, width, floats=floats)
    return affine(rng, fresh) if kind == 8 else leftmost(rng, fresh)
