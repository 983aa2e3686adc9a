"""Arrays of a wanted type with another layout: reversed, transposed, within a larger array, or with
equal elements.

They are used where an array leaves a branch, enters a loop or is consumed, so that its index
function differs from that of a fresh array.
"""

from collections.abc import Callable

from funmem.ir.fun import (
    ArrayLit,
    ArrayType,
    Concat,
    Copy,
    FlatSlice,
    Permute,
    Reshape,
    Reverse,
    Slice,
    Var,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, SliceDim
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import ONE, ZERO, const, product
from funmem.testing.generator.program import MAX_ELEMENTS, Generator, Out
from funmem.testing.generator.scope import Scope, Variable


def view(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Return an array of ``x``'s type that shares elements with ``x`` or with a copy of it."""
    return g.rng.choice(_OF_SAME)(g, scope, out, x)


def consumable_view(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Return an array like :func:`view` that may be consumed if ``x`` may."""
    return g.rng.choice((*_OF_SAME, _repeated))(g, scope, out, x)


def some(g: Generator, scope: Scope, out: Out, t: ArrayType) -> Variable:
    """Return a value of type ``t`` without uninitialised elements; half of the time a view."""
    found = scope.arrays(lambda k: k.shape[1:] == t.shape and k.elem is t.elem and k.defined)
    rows = [k for k in found if scope.range_of(k.shape[0]).lo >= 1]
    if rows and g.rng.random() < 0.3:
        x = g.rng.choice(rows)
        at = g.rng.randrange(scope.range_of(x.shape[0]).lo)
        g.counts["Slice"] += 1
        return g.derived(scope, out, t, Slice(x.name, (DimFix(const(at)), *g.full(t.shape))), x)
    x = g.make(scope, out, t)
    return view(g, scope, out, x) if g.rng.random() < 0.5 else x


def value(g: Generator, scope: Scope, out: Out, t: ScalarType | ArrayType) -> Variable:
    """Return a value of type ``t``; arrays may have any layout."""
    return some(g, scope, out, t) if isinstance(t, ArrayType) else g.make(scope, out, t)


# ---------------------------------------------------------------------- kinds of views


def _type(x: Variable) -> ArrayType:
    assert isinstance(x.type, ArrayType)
    return x.type


def _reversed(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    g.counts["Reverse"] += 1
    dim = g.rng.randrange(len(x.shape))
    return g.derived(scope, out, _type(x), Reverse(dim, x.name), x)


def _backwards(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Reverse some dimensions by slices with negative stride."""
    g.counts["Slice"] += 1
    dims = tuple(
        DimRange(d - 1, d, const(-1)) if g.rng.random() < 0.5 else DimRange(ZERO, d, ONE)
        for d in x.shape
    )
    return g.derived(scope, out, _type(x), Slice(x.name, dims), x)


def _turned(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Transpose the layout: the transpose of a copy of the transpose."""
    if len(x.shape) == 1:
        return _reversed(g, scope, out, x)
    perm = list(range(len(x.shape)))
    while perm == sorted(perm):
        g.rng.shuffle(perm)
    there = ArrayType(x.elem, tuple(x.shape[k] for k in perm))
    g.counts["Permute"] += 2
    g.counts["Copy"] += 1
    y = g.derived(scope, out, there, Permute(tuple(perm), x.name), x)
    z = g.array(scope, out, there, Copy(y.name), defined=x.defined)
    back = tuple(perm.index(k) for k in range(len(perm)))
    return g.derived(scope, out, _type(x), Permute(back, z.name), z)


def _second_half(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Return part of a larger array: with a nonzero offset, and rows that are not adjacent."""
    dim = g.rng.randrange(len(x.shape))
    doubled = (*x.shape[:dim], x.shape[dim] * 2, *x.shape[dim + 1 :])
    if g.elements(scope, doubled) > 2 * MAX_ELEMENTS:
        return _backwards(g, scope, out, x)
    g.counts["Concat"] += 1
    g.counts["Slice"] += 1
    t = ArrayType(x.elem, doubled)
    both = g.array(scope, out, t, Concat(dim, (x.name, x.name)), defined=x.defined)
    dims: list[SliceDim] = list(g.full(x.shape))
    dims[dim] = DimRange(x.shape[dim], x.shape[dim], ONE)
    return g.derived(scope, out, _type(x), Slice(both.name, tuple(dims)), both)


def _row(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Return one row of a literal."""
    rows = (ONE + 1, *x.shape)
    if len(x.shape) == 4 or g.elements(scope, rows) > 2 * MAX_ELEMENTS:
        return _reversed(g, scope, out, x)
    g.counts["ArrayLit"] += 1
    g.counts["Slice"] += 1
    exp = ArrayLit((Var(x.name), Var(x.name)), x.elem, x.shape)
    both = g.array(scope, out, ArrayType(x.elem, rows), exp, defined=x.defined)
    dims = (DimFix(const(g.rng.randint(0, 1))), *g.full(x.shape))
    return g.derived(scope, out, _type(x), Slice(both.name, dims), both)


def _flattened(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Flatten and unflatten the array; reverse it if it is a vector."""
    if len(x.shape) == 1:
        (n,) = x.shape
        g.counts["FlatSlice"] += 1
        exp = FlatSlice(x.name, n - 1, (Dim(n, const(-1)),))
        return g.derived(scope, out, _type(x), exp, x)
    g.counts["Reshape"] += 2
    whole = ArrayType(x.elem, (product(x.shape),))
    flat = g.derived(scope, out, whole, Reshape(whole.shape, x.name), x)
    return g.derived(scope, out, _type(x), Reshape(x.shape, flat.name), flat)


def _repeated(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Repeat one element along a dimension, with stride zero: elements overlap in memory."""
    dim = g.rng.randrange(len(x.shape))
    if scope.range_of(x.shape[dim]).lo < 1:
        return _reversed(g, scope, out, x)
    g.counts["Slice"] += 1
    dims: list[SliceDim] = list(g.full(x.shape))
    dims[dim] = DimRange(ZERO, x.shape[dim], ZERO)
    return g.derived(scope, out, _type(x), Slice(x.name, tuple(dims)), x)


_View = Callable[[Generator, Scope, Out, Variable], Variable]
_OF_SAME: tuple[_View, ...] = (_reversed, _backwards, _turned, _second_half, _row, _flattened)
