"""Statements that may trap: at most one per program, so that the trap is unambiguous.

They depend on data where possible, so that a compiler cannot decide whether they trap.  There are
none that read uninitialised arrays: the value semantics traps there, but a device returns any
value.
"""

from collections.abc import Callable

from funmem.ir.diagnostics import TrapKind
from funmem.ir.fun import (
    ArrayType,
    Assert,
    Atom,
    Bin,
    Body,
    Const,
    Exp,
    FlatSlice,
    Index,
    Iota,
    Kernel,
    KernelDim,
    Map,
    Replicate,
    Reshape,
    Scratch,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, Part, SliceDim, part_lens
from funmem.ir.scalars import SCALARS, BinOp
from funmem.ir.sizes import ONE, ZERO, Size, const, product, var
from funmem.testing.generator.operators import INTS
from funmem.testing.generator.program import BOOL, I64, Generator, Out
from funmem.testing.generator.scope import Scope, Variable

EVERY = 11
"""One program in this many has such a statement."""


def planned(seed: int) -> TrapKind | None:
    """Return the trap that the program of a seed may meet; None for most programs."""
    return KINDS[seed // EVERY % len(KINDS)] if seed % EVERY == 7 else None


def plant(g: Generator, scope: Scope, out: Out, kind: TrapKind) -> bool:
    """Add a statement that may trap in this way; False if nothing in scope allows it."""
    return _PLANT[kind](g, scope, out)


def _some_array(g: Generator, scope: Scope) -> Variable | None:
    arrays = scope.arrays(lambda k: k.defined)
    return g.rng.choice(arrays) if arrays else None


def _small(g: Generator, scope: Scope, out: Out) -> Size:
    """Bind a number in -2 … 2, often one that a compiler does not know, and return it as a size."""
    exp: Exp[None] = Const(g.rng.choice((-1, -1, 1)), I64)
    if g.rng.random() < 0.7:
        source = g.operand(scope, I64)
        exp = Bin(BinOp.SUB, Bin(BinOp.MOD, source, Const(5, I64)), Const(2, I64))
    return var(g.scalar(scope, out, I64, exp).name)


def _unused(g: Generator, out: Out, t: ArrayType, exp: Exp[None]) -> bool:
    """Bind an unused array; a compiler must not remove the trap."""
    from funmem.ir.fun import Binder

    out.append(Stm((Binder(g.fresh("t"), t, None),), exp))
    return True


def _index(g: Generator, scope: Scope, out: Out) -> bool:
    x = _some_array(g, scope)
    if x is None:
        return False
    index = [ZERO if scope.range_of(d).lo >= 1 else d - 1 for d in x.shape]
    k = g.rng.randrange(len(index))
    index[k] = g.rng.choice((x.shape[k], const(-1), _small(g, scope, out)))
    g.scalar(scope, out, x.elem, Index(x.name, tuple(index)))
    return True


def _slice(g: Generator, scope: Scope, out: Out) -> bool:
    x = _some_array(g, scope)
    if x is None:
        return False
    odd = _small(g, scope, out)
    n = x.shape[0]
    if len(x.shape) == 1 and g.rng.random() < 0.3:
        flat = (Dim(n + odd, ONE),)
        return _unused(g, out, ArrayType(x.elem, (flat[0].len,)), FlatSlice(x.name, ZERO, flat))
    first: SliceDim = g.rng.choice(
        (
            DimRange(odd, n, ONE),
            DimRange(ZERO, n + odd, ONE),
            DimRange(ZERO, n, ONE + odd),
            DimRange(ZERO, odd, ONE),
            DimFix(n + odd),
        )
    )
    dims = (first, *g.full(x.shape[1:]))
    shape = tuple(d.len for d in dims if isinstance(d, DimRange))
    if not shape:
        return False
    return _unused(g, out, ArrayType(x.elem, shape), Slice(x.name, dims))


def _shape(g: Generator, scope: Scope, out: Out) -> bool:
    x = _some_array(g, scope)
    if x is None:
        return False
    shape = g.rng.choice(((product(x.shape) + 1,), (*x.shape, ONE + 1), (g.size(scope),)))
    return _unused(g, out, ArrayType(x.elem, shape), Reshape(shape, x.name))


def _negative_size(g: Generator, scope: Scope, out: Out) -> bool:
    n = _small(g, scope, out)
    zero = Const(0, I64)
    i = g.fresh("i")
    exps: tuple[tuple[tuple[Size, ...], Exp[None]], ...] = (
        ((n,), Iota(n, zero, zero)),
        ((ONE + 1, n), Replicate((ONE + 1, n), zero)),
        ((n, ZERO), Scratch((n, ZERO), I64)),
        ((n,), Kernel((KernelDim(i, n),), Map(), Body((), (Var(i),)))),
    )
    shape, exp = g.rng.choice(exps)
    return _unused(g, out, ArrayType(I64, shape), exp)


def _division(g: Generator, scope: Scope, out: Out) -> bool:
    t = g.rng.choice((*INTS, I64))
    op = g.rng.choice((BinOp.DIV, BinOp.MOD, BinOp.QUOT, BinOp.REM))
    by: Atom = g.operand(scope, t)
    divisor = Bin(BinOp.AND, by, Const(g.rng.choice((0, 1, 3)), t))
    g.scalar(scope, out, t, Bin(op, g.operand(scope, t), divisor))
    return True


def _exponent(g: Generator, scope: Scope, out: Out) -> bool:
    t = g.rng.choice([t for t in INTS if t.is_signed])
    power = Bin(BinOp.SUB, Bin(BinOp.MOD, g.operand(scope, t), Const(4, t)), Const(2, t))
    g.scalar(scope, out, t, Bin(BinOp.POW, g.operand(scope, t), power))
    return True


def _assertion(g: Generator, scope: Scope, out: Out) -> bool:
    t = g.rng.choice(INTS)
    test = Bin(g.rng.choice((BinOp.LE, BinOp.NE)), g.operand(scope, t), g.operand(scope, t))
    cond = g.scalar(scope, out, BOOL, test)
    values = tuple(g.operand(scope, g.rng.choice(SCALARS)) for _ in range(g.rng.randint(0, 4)))
    message = " {{and}} ".join(["as it happens:"] + ["{}"] * len(values))
    out.append(Stm((), Assert(Var(cond.name), message, values)))
    return True


def _overlap(g: Generator, scope: Scope, out: Out) -> bool:
    """The written part has a data-dependent length: one element may be written, two may not. For a
    vector, it may be a data-dependent number of windows.
    """
    own = scope.arrays(lambda k: scope.consumable(k) and scope.range_of(k.shape[0]).lo >= 1)
    if not own:
        return False
    x = g.rng.choice(own)
    n = const(g.rng.randint(1, 2))
    where: Part = (DimRange(ZERO, n, ZERO), *g.full(x.shape[1:]))
    if len(x.shape) == 1 and g.rng.random() < 0.5:
        m = x.shape[0]
        where = Lmad(ZERO, (Dim(n, ONE), Dim(m - n + 1, ONE)))
    t = ArrayType(x.elem, part_lens(where))
    value = g.array(scope, out, t, Replicate(t.shape, g.operand(scope, x.elem)))
    scope.consume(x)
    assert isinstance(x.type, ArrayType)
    g.array(scope, out, x.type, Update(x.name, where, Var(value.name)), base="y", defined=x.defined)
    return True


_PLANT: dict[TrapKind, Callable[[Generator, Scope, Out], bool]] = {
    TrapKind.INDEX: _index,
    TrapKind.SLICE: _slice,
    TrapKind.SHAPE: _shape,
    TrapKind.NEGATIVE_SIZE: _negative_size,
    TrapKind.DIVISION: _division,
    TrapKind.EXPONENT: _exponent,
    TrapKind.ASSERTION: _assertion,
    TrapKind.OVERLAP: _overlap,
}
KINDS = tuple(_PLANT)
