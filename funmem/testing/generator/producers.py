"""Producers of expressions without bodies: each adds a statement of its kind, or returns False."""

from collections.abc import Mapping
from types import MappingProxyType

from funmem.ir.fun import (
    ArrayLit,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Concat,
    Const,
    Copy,
    FlatSlice,
    Index,
    Iota,
    Permute,
    Replicate,
    Reshape,
    Reverse,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, Part, SliceDim, part_lens
from funmem.ir.scalars import (
    BinOp,
)
from funmem.ir.sizes import ONE, ZERO, Size, const, product, var
from funmem.testing.generator.operators import INTS
from funmem.testing.generator.program import (
    BOOL,
    I64,
    MAX_ELEMENTS,
    SCALARS,
    Generator,
    Out,
    Producer,
)
from funmem.testing.generator.scalars import expression, position, small
from funmem.testing.generator.scope import Scope, Variable
from funmem.testing.generator.views import consumable_view


def _scalar(g: Generator, scope: Scope, out: Out) -> bool:
    t = g.rng.choice((*SCALARS, I64, I64, BOOL, BOOL))
    exp = expression(g, scope, t, g.rng.randint(0, 3))
    g.counts[type(exp).__name__] += 1
    g.scalar(scope, out, t, exp)
    return True


def _index(g: Generator, scope: Scope, out: Out) -> bool:
    arrays = scope.arrays(lambda k: k.defined)
    if not arrays:
        return False
    x = g.rng.choice(arrays)
    index = [position(g, scope, out, d) for d in x.shape]
    if any(i is None for i in index):
        return False
    g.scalar(scope, out, x.elem, Index(x.name, tuple(i for i in index if i is not None)))
    return True


# ---------------------------------------------------------------------- derived arrays


def _range(g: Generator, scope: Scope, d: Size, *, writing: bool) -> DimRange:
    """Return a range of a dimension; with ``writing``, without repeated elements."""
    r = scope.range_of(d)
    choice = g.rng.random()
    if choice < 0.15:
        return DimRange(d - 1, d, const(-1))
    if r.lo == r.hi and r.hi >= 1 and choice < 0.75:
        n = r.hi
        stride = g.rng.choice((1, 1, 2, -1, -2, 0))
        if stride == 0 and not writing:
            return DimRange(const(g.rng.randrange(n)), g.size(scope), ZERO)
        stride = stride or 1
        start = g.rng.randrange(n)
        room = (n - 1 - start) // stride if stride > 0 else start // -stride
        return DimRange(const(start), const(g.rng.randint(0, room + 1)), const(stride))
    return DimRange(ZERO, d, ONE)


def slice_of(
    g: Generator, scope: Scope, out: Out, x: Variable, *, writing: bool
) -> tuple[SliceDim, ...] | None:
    """Return a slice within the bounds of ``x``, or None."""
    dims: list[SliceDim] = []
    for d in x.shape:
        if g.rng.random() < 0.35:
            i = position(g, scope, out, d)
            if i is None:
                return None
            dims.append(DimFix(i))
        else:
            dims.append(_range(g, scope, d, writing=writing))
    return tuple(dims)


def _slice(g: Generator, scope: Scope, out: Out) -> bool:
    arrays = scope.arrays()
    if not arrays:
        return False
    x = g.rng.choice(arrays)
    dims = slice_of(g, scope, out, x, writing=False)
    shape = tuple(d.len for d in dims or () if isinstance(d, DimRange))
    if dims is None or not shape or g.elements(scope, shape) > MAX_ELEMENTS:
        return False
    g.derived(scope, out, ArrayType(x.elem, shape), Slice(x.name, dims), x)
    return True


def _permute(g: Generator, scope: Scope, out: Out) -> bool:
    arrays = scope.arrays(lambda k: len(k.shape) > 1)
    if not arrays:
        return False
    x = g.rng.choice(arrays)
    perm = list(range(len(x.shape)))
    g.rng.shuffle(perm)
    t = ArrayType(x.elem, tuple(x.shape[k] for k in perm))
    g.derived(scope, out, t, Permute(tuple(perm), x.name), x)
    return True


def _reshape(g: Generator, scope: Scope, out: Out) -> bool:
    arrays = scope.arrays()
    if not arrays:
        return False
    x = g.rng.choice(arrays)
    kind = g.rng.randrange(4)
    shape: tuple[Size, ...] = (product(x.shape),)
    if kind == 1:
        k = g.rng.randint(0, len(x.shape))
        shape = (*x.shape[:k], ONE, *x.shape[k:])[:4]
        if product(shape) != product(x.shape):
            return False
    elif kind == 2 and len(x.shape) > 1:
        shape = (x.shape[0] * x.shape[1], *x.shape[2:])
    elif kind == 3:
        shape = tuple(reversed(x.shape))
    g.derived(scope, out, ArrayType(x.elem, shape), Reshape(shape, x.name), x)
    return True


def _reverse(g: Generator, scope: Scope, out: Out) -> bool:
    arrays = scope.arrays()
    if not arrays:
        return False
    x = g.rng.choice(arrays)
    assert isinstance(x.type, ArrayType)
    g.derived(scope, out, x.type, Reverse(g.rng.randrange(len(x.shape)), x.name), x)
    return True


def _flat(g: Generator, scope: Scope, out: Out) -> bool:
    vectors = scope.arrays(lambda k: len(k.shape) == 1)
    if not vectors:
        return False
    x = g.rng.choice(vectors)
    (n,) = x.shape
    r = scope.range_of(n)
    dims: tuple[Dim, ...] = (Dim(n, ONE),)
    offset = ZERO
    if r.lo == r.hi and r.hi >= 2 and g.rng.random() < 0.6:
        a = g.rng.randint(1, r.hi)
        step = g.rng.choice((0, 1, 1, -1))
        b = g.rng.randint(1, max(1, r.hi - a + 1))
        dims = (Dim(const(b), const(1)), Dim(const(a), const(step)))
        offset = const(a - 1) if step < 0 else ZERO
    elif g.rng.random() < 0.4:
        dims = (Dim(const(g.rng.randint(0, 2)), ZERO), *dims)
    shape = tuple(d.len for d in dims)
    g.derived(scope, out, ArrayType(x.elem, shape), FlatSlice(x.name, offset, dims), x)
    return True


# ---------------------------------------------------------------------- fresh arrays


def _iota(g: Generator, scope: Scope, out: Out) -> bool:
    t = g.rng.choice((*INTS, I64, I64))
    n = g.size(scope)
    exp = Iota(n, g.operand(scope, t), g.operand(scope, t))
    g.array(scope, out, ArrayType(t, (n,)), exp)
    return True


def _replicate(g: Generator, scope: Scope, out: Out) -> bool:
    arrays = scope.arrays(lambda k: len(k.shape) < 3 and k.defined)
    if arrays and g.rng.random() < 0.4:
        x = g.rng.choice(arrays)
        n = g.size(scope, 3)
        shape = (n, *x.shape)
        if g.elements(scope, shape) > MAX_ELEMENTS:
            return False
        g.array(scope, out, ArrayType(x.elem, shape), Replicate((n,), Var(x.name)))
        return True
    t = g.rng.choice(SCALARS)
    shape = g.shape(scope, g.rng.choice((1, 1, 2, 3)))
    g.array(scope, out, ArrayType(t, shape), Replicate(shape, g.operand(scope, t)))
    return True


def _literal(g: Generator, scope: Scope, out: Out) -> bool:
    rows = scope.arrays(lambda k: len(k.shape) < 3 and k.defined)
    count = g.rng.randint(0, 4)
    if rows and g.rng.random() < 0.4:
        x = g.rng.choice(rows)
        shape = (const(count), *x.shape)
        if g.elements(scope, shape) > MAX_ELEMENTS:
            return False
        same = scope.arrays(lambda k: k.type == x.type and k.defined)
        elems: list[Atom] = [Var(g.rng.choice(same).name) for _ in range(count)]
        exp = ArrayLit(tuple(elems), x.elem, x.shape)
        g.array(scope, out, ArrayType(x.elem, shape), exp)
        return True
    t = g.rng.choice(SCALARS)
    atoms = tuple(g.operand(scope, t) for _ in range(count))
    g.array(scope, out, ArrayType(t, (const(count),)), ArrayLit(atoms, t, ()))
    return True


def _copy(g: Generator, scope: Scope, out: Out) -> bool:
    arrays = scope.arrays()
    if not arrays:
        return False
    x = g.rng.choice(arrays)
    assert isinstance(x.type, ArrayType)
    g.array(scope, out, x.type, Copy(x.name), defined=x.defined)
    return True


def _concat(g: Generator, scope: Scope, out: Out) -> bool:
    arrays = scope.arrays()
    if not arrays:
        return False
    x = g.rng.choice(arrays)
    dim = g.rng.randrange(len(x.shape))
    others = scope.arrays(
        lambda k: (
            k.elem is x.elem
            and len(k.shape) == len(x.shape)
            and all(
                a == b for d, (a, b) in enumerate(zip(k.shape, x.shape, strict=True)) if d != dim
            )
        )
    )
    parts = [x, *g.rng.choices(others, k=g.rng.randint(0, 2))]
    g.rng.shuffle(parts)
    joined = sum((k.shape[dim] for k in parts), start=ZERO)
    shape = (*x.shape[:dim], joined, *x.shape[dim + 1 :])
    if g.elements(scope, shape) > MAX_ELEMENTS:
        return False
    exp = Concat(dim, tuple(k.name for k in parts))
    defined = all(k.defined for k in parts)
    g.array(scope, out, ArrayType(x.elem, shape), exp, defined=defined)
    return True


def _scratch(g: Generator, scope: Scope, out: Out) -> bool:
    """Bind an uninitialised array, which is mostly overwritten completely at once."""
    arrays = scope.arrays(lambda k: k.defined)
    if not arrays:
        return False
    x = g.rng.choice(arrays)
    assert isinstance(x.type, ArrayType)
    empty = g.array(scope, out, x.type, Scratch(x.shape, x.elem), defined=False)
    if g.rng.random() < 0.8:
        g.counts["Update"] += 1
        _updated(g, scope, out, empty, g.full(x.shape), Var(x.name), defined=True)
    return True


def _updated(
    g: Generator,
    scope: Scope,
    out: Out,
    x: Variable,
    where: Part,
    value: Atom,
    *,
    defined: bool,
) -> Variable:
    assert isinstance(x.type, ArrayType)
    scope.consume(x)
    return g.array(scope, out, x.type, Update(x.name, where, value), base="y", defined=defined)


def target(g: Generator, scope: Scope, out: Out) -> Variable | None:
    """Return an array that may be consumed, or a copy of one that may not."""
    own = scope.arrays(scope.consumable)
    arrays = scope.arrays()
    if not arrays:
        return None
    if own and g.rng.random() < 0.8:
        x = g.rng.choice(own)
    else:
        source = g.rng.choice(arrays)
        assert isinstance(source.type, ArrayType)
        x = g.array(scope, out, source.type, Copy(source.name), defined=source.defined)
    return consumable_view(g, scope, out, x) if g.rng.random() < 0.3 else x


def _update(g: Generator, scope: Scope, out: Out) -> bool:
    x = target(g, scope, out)
    where: Part | None = None
    if x is not None and len(x.shape) == 1 and g.rng.random() < 0.3:
        where = _flat_part(g, scope, x.shape[0])
    elif x is not None:
        where = slice_of(g, scope, out, x, writing=True)
    if x is None or where is None:
        return False
    shape = part_lens(where)
    if not shape:
        value = g.operand(scope, x.elem)
    else:
        t = ArrayType(x.elem, shape)
        found = scope.arrays(lambda k: k.type == t and k.defined and not (k.roots & x.roots))
        source = (
            g.rng.choice(found)
            if found
            else g.array(scope, out, t, Replicate(shape, g.operand(scope, x.elem)))
        )
        value = Var(source.name)
    _updated(g, scope, out, x, where, value, defined=x.defined)
    return True


def _flat_part(g: Generator, scope: Scope, n: Size) -> Lmad:
    """Return an injective LMAD within a vector of n elements."""
    least = scope.range_of(n).lo
    match n.terms:
        case [((a, b), 1)] if a != b:  # a matrix or its transpose
            dims = [Dim(var(a), var(b)), Dim(var(b), ONE)]
        case _ if least >= 2 and g.rng.random() < 0.8:  # a matrix with gaps
            columns = g.rng.randint(1, least)
            step = g.rng.randint(1, (least - 1) // max(1, columns - 1))
            reach = (columns - 1) * step
            row = reach + g.rng.randint(1, 2)
            rows = 1 + g.rng.randint(0, (least - 1 - reach) // row)
            dims = [Dim(const(rows), const(row)), Dim(const(columns), const(step))]
        case _:
            dims = [Dim(n, ONE)]
    offset = ZERO
    for k, d in enumerate(dims):
        if g.rng.random() < 0.3:
            offset = offset + (d.len - 1) * d.stride
            dims[k] = Dim(d.len, -d.stride)
    if g.rng.random() < 0.4:
        dims.reverse()
    return Lmad(offset, tuple(dims))


def _scatter(g: Generator, scope: Scope, out: Out) -> bool:
    x = target(g, scope, out)
    if x is None:
        return False
    n = g.size(scope, 4)
    rows = (n, *x.shape[1:])
    if g.elements(scope, rows) > MAX_ELEMENTS:
        return False
    # start + i * stride with a nonzero stride: indices are distinct
    start = Const(g.rng.randint(-2, 3), I64)
    stride = Const(g.rng.choice((1, 1, 2, -1, 3)), I64)
    g.counts["Iota"] += 1
    indices = g.array(scope, out, ArrayType(I64, (n,)), Iota(n, start, stride))
    t = ArrayType(x.elem, rows)
    found = scope.arrays(lambda k: k.type == t and k.defined and not (k.roots & x.roots))
    values = (
        g.rng.choice(found)
        if found
        else g.array(scope, out, t, Replicate(rows, g.operand(scope, x.elem)))
    )
    scope.consume(x)
    assert isinstance(x.type, ArrayType)
    exp = Scatter(x.name, indices.name, values.name)
    g.array(scope, out, x.type, exp, base="y", defined=x.defined)
    return True


def _assert(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a condition that holds, which a compiler cannot always prove."""
    v = g.operand(scope, I64)
    low = Bin(BinOp.MIN, v, Const(3, I64))
    cond = g.scalar(scope, out, BOOL, Bin(BinOp.LE, low, Const(3, I64)))
    out.append(Stm((), Assert(Var(cond.name), "{} is at most {}", (v, Const(3, I64)))))
    return True


SIMPLE: Mapping[str, Producer] = MappingProxyType(
    {
        "Scalar": Producer(_scalar, 2.0),
        "Small": Producer(small, 0.7),
        "Index": Producer(_index, 2.5),
        "Slice": Producer(_slice, 1.5),
        "Permute": Producer(_permute),
        "Reshape": Producer(_reshape),
        "Reverse": Producer(_reverse),
        "FlatSlice": Producer(_flat),
        "Iota": Producer(_iota),
        "Replicate": Producer(_replicate),
        "ArrayLit": Producer(_literal),
        "Copy": Producer(_copy),
        "Concat": Producer(_concat),
        "Scratch": Producer(_scratch),
        "Update": Producer(_update, 1.5),
        "Scatter": Producer(_scatter),
        "Assert": Producer(_assert, 0.5),
    }
)
"""The producers of this module."""
