"""Producers of the shapes that ``lower`` and the passes after it look for.

Product    rows by columns, one sum after another (pack); perhaps several products, a reversed
           operand, or another pair of operators
Filtered   the elements that meet a condition, in order: a scan, and a scatter to the places that
           it counts (early_scatter)
"""

from collections.abc import Mapping
from types import MappingProxyType

from funmem.ir.fun import (
    ArrayType,
    Bin,
    Binder,
    Body,
    Const,
    Convert,
    Exp,
    For,
    If,
    Index,
    Kernel,
    KernelDim,
    Lambda,
    Loop,
    LoopParam,
    Map,
    Reverse,
    Scan,
    Scatter,
    Scratch,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.scalars import BinOp, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.testing.generator.program import BOOL, I64, MAX_ELEMENTS, Generator, Out, Producer
from funmem.testing.generator.scalars import safe_operators
from funmem.testing.generator.scope import Range, Scope, Variable


def _let(g: Generator, out: Out, t: ScalarType, exp: Exp[None]) -> Name:
    """Bind a scalar that only this pattern uses."""
    x = g.fresh("s")
    out.append(Stm((Binder[None](x, t, None),), exp))
    return x


# ---------------------------------------------------------------------- product


def product(g: Generator, scope: Scope, out: Out) -> bool:
    """Add ``z[…, i, j]``: the sum over k of ``x[i, k]`` and ``y[…, k, j]``, with any operators."""
    if scope.depth and g.rng.random() < 0.8:
        return False
    x, y, several = _operands(g, scope, out)
    n, m, p = *x.shape, y.shape[-1]
    assert isinstance(y.type, ArrayType)
    if g.rng.random() < 0.2:
        y = g.derived(scope, out, y.type, Reverse(len(several), y.name), y)
    outer = tuple(KernelDim(g.fresh("h"), d) for d in several)
    row, column = KernelDim(g.fresh("i"), n), KernelDim(g.fresh("j"), p)
    sides = (row, column) if g.rng.random() < 0.85 else (column, row)
    dims = (*outer, *sides)
    k, body = g.fresh("k"), list[Stm[None]]()
    a = _let(g, body, x.elem, Index(x.name, (var(row.index), var(k))))
    at = (*(var(d.index) for d in outer), var(k), var(column.index))
    b = _let(g, body, x.elem, Index(y.name, at))
    joined = _let(g, body, x.elem, Bin(g.rng.choice(_operators(x.elem)), Var(a), Var(b)))
    total = g.fresh("acc")
    more = Bin(g.rng.choice(_operators(x.elem)), Var(total), Var(joined))
    result = Var(_let(g, body, x.elem, more))
    first = LoopParam(Binder[None](total, x.elem, None), g.constant(x.elem))
    loop: Exp[None] = Loop((first,), For(k, m), Body(tuple(body), (result,)))
    found = g.fresh("s")
    inner = Body((Stm((Binder[None](found, x.elem, None),), loop),), (Var(found),))
    g.counts.update(("Kernel", "Loop"))
    t = ArrayType(x.elem, tuple(d.size for d in dims))
    g.array(scope, out, t, Kernel(dims, Map(), inner), base="z")
    return True


def _operands(g: Generator, scope: Scope, out: Out) -> tuple[Variable, Variable, tuple[Size, ...]]:
    """Return two matrices that fit, or a matrix and several ones; and how many, if several.

    Mostly they are in scope: where a matrix is computed, ``fuse`` computes its elements in the
    product.
    """
    known = scope.arrays(lambda k: k.defined and len(k.shape) in (2, 3) and k.elem is not BOOL)
    pairs = [
        (x, y)
        for x in known
        for y in known
        if x.elem is y.elem
        and len(x.shape) == 2
        and x.shape[1] == y.shape[-2]
        and g.elements(scope, (*y.shape[:-2], x.shape[0], y.shape[-1])) <= MAX_ELEMENTS
    ]
    if pairs and g.rng.random() < 0.8:
        large = [(x, y) for x, y in pairs if _has(scope, x, 4) and _has(scope, y, 2)]
        x, y = g.rng.choice(large if large and g.rng.random() < 0.8 else pairs)
        return x, y, y.shape[:-2]
    elem = g.rng.choice((I64, ScalarType.I32, ScalarType.F32))
    n, m, p = const(g.rng.randint(2, 4)), g.size(scope, 4), const(g.rng.randint(2, 5))
    several = (const(2),) if g.rng.random() < 0.3 else ()
    x = g.make(scope, out, ArrayType(elem, (n, m)))
    return x, g.make(scope, out, ArrayType(elem, (*several, m, p))), several


def _has(scope: Scope, x: Variable, rows: int) -> bool:
    """True if a matrix has at least that many rows, and no other side is empty."""
    first, *rest = (scope.range_of(d).lo for d in x.shape)
    return first >= rows and min(rest) >= 1


def _operators(t: ScalarType) -> list[BinOp]:
    """Return operators on a type that do not trap; sums and products are the likeliest."""
    return [BinOp.ADD, BinOp.MUL, BinOp.ADD, BinOp.MUL, *safe_operators(t)]


# ---------------------------------------------------------------------- filtered


def filtered(g: Generator, scope: Scope, out: Out) -> bool:
    """Add the array of the elements of ``x`` that meet a condition, and its length."""
    vectors = scope.arrays(
        lambda k: (
            k.defined
            and len(k.shape) == 1
            and 2 * g.elements(scope, k.shape) <= MAX_ELEMENTS
            and scope.range_of(k.shape[0]).lo >= 0
        )
    )
    if not vectors or (scope.depth and g.rng.random() < 0.8):
        return False
    x = g.rng.choice(vectors)
    n, most = x.shape[0], max(0, scope.range_of(x.shape[0]).hi)
    ranks, keeps = _counted(g, scope, out, x)
    some = _let(g, out, BOOL, Bin(BinOp.LT, Const(0, I64), g.size_of_atom(scope, out, n)))
    last: Out = []
    end = Var(_let(g, last, I64, Index(ranks, (n - 1,))))
    length: Exp[None] = If(Var(some), Body(tuple(last), (end,)), Body((), (Const(0, I64),)))
    total = g.scalar(scope, out, I64, length, Range(0, most))
    t = ArrayType(x.elem, (var(total.name),))
    empty = g.fresh("x")
    out.append(Stm((Binder[None](empty, t, None),), Scratch(t.shape, x.elem)))
    j, body = KernelDim(g.fresh("j"), n), list[Stm[None]]()
    keep = _let(g, body, BOOL, Index(keeps, (var(j.index),)))
    rank = Var(_let(g, body, I64, Index(ranks, (var(j.index),))))
    there: Out = []
    place = Var(_let(g, there, I64, Bin(BinOp.SUB, rank, Const(1, I64))))
    nowhere = Const(-1 if g.rng.random() < 0.8 else most, I64)
    chosen: Exp[None] = If(Var(keep), Body(tuple(there), (place,)), Body((), (nowhere,)))
    result = Var(_let(g, body, I64, chosen))
    places: Exp[None] = Kernel((j,), Map(), Body(tuple(body), (result,)))
    indices = g.array(scope, out, ArrayType(I64, (n,)), places, base="z")
    if g.rng.random() < 0.8:  # mostly nothing else reads the places
        scope.known.pop(indices.name)
    g.array(scope, out, t, Scatter(empty, indices.name, x.name))
    g.counts.update(("Scan", "Kernel", "Scratch", "Scatter"))
    return True


def _counted(g: Generator, scope: Scope, out: Out, x: Variable) -> tuple[Name, Name]:
    """Bind how many elements of ``x`` up to each one meet a condition, and which do."""
    i, body = KernelDim(g.fresh("i"), x.shape[0]), list[Stm[None]]()
    a = Var(_let(g, body, x.elem, Index(x.name, (var(i.index),))))
    op = g.rng.choice((BinOp.LT, BinOp.LE, BinOp.EQ)) if x.elem is not BOOL else BinOp.EQ
    keep = Var(_let(g, body, BOOL, Bin(op, a, g.operand(scope, x.elem))))
    flags: Exp[None] = Kernel((i,), Map(), Body(tuple(body), (keep,)))
    keeps = g.array(scope, out, ArrayType(BOOL, x.shape), flags, base="z")
    j, body = KernelDim(g.fresh("j"), x.shape[0]), list[Stm[None]]()
    flag = Var(_let(g, body, BOOL, Index(keeps.name, (var(j.index),))))
    one = Var(_let(g, body, I64, Convert(I64, flag)))
    b, c, sums = g.fresh("a"), g.fresh("b"), list[Stm[None]]()
    sum_ = Var(_let(g, sums, I64, Bin(BinOp.ADD, Var(b), Var(c))))
    params = (Binder[None](b, I64, None), Binder[None](c, I64, None))
    collective = Scan(Lambda(params, Body(tuple(sums), (sum_,))), (Const(0, I64),))
    counts: Exp[None] = Kernel((j,), collective, Body(tuple(body), (one,)))
    ranks = g.array(scope, out, ArrayType(I64, x.shape), counts, base="z")
    for known in (keeps, ranks):
        if g.rng.random() < 0.8:
            scope.known.pop(known.name)
    return ranks.name, keeps.name


SHAPES: Mapping[str, Producer] = MappingProxyType(
    {
        "Product": Producer(product, 6.0, nested=True),
        "Filtered": Producer(filtered, 4.0, nested=True),
    }
)
"""The producers of these shapes."""
