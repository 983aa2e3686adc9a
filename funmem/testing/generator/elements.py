"""Kernels over the elements of an array: the building blocks of patterns."""

from funmem.ir.fun import ArrayType, Bin, Body, Index, Kernel, KernelDim, Map, Slice, Var
from funmem.ir.lmad import DimFix
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size, var
from funmem.testing.generator.kernels import enter, rows_of
from funmem.testing.generator.program import MAX_ELEMENTS, Generator, Out
from funmem.testing.generator.scalars import safe_operators
from funmem.testing.generator.scope import Scope, Variable


def mixed(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Bind a scalar of ``x``'s type that depends on ``x``."""
    assert isinstance(x.type, ScalarType)
    op = g.rng.choice(safe_operators(x.type))
    a, b = Var(x.name), g.operand(scope, x.type)
    return g.scalar(scope, out, x.type, Bin(op, *((a, b) if g.rng.random() < 0.5 else (b, a))))


def element(g: Generator, scope: Scope, out: Out, x: Variable, index: tuple[Size, ...]) -> Variable:
    """Bind ``x[index]``, or the row with that index; sometimes indexed from the end."""
    at = tuple(
        d - 1 - i if g.rng.random() < 0.1 else i for d, i in zip(x.shape, index, strict=False)
    )
    rest = x.shape[len(index) :]
    if not rest:
        g.counts["Index"] += 1
        return g.scalar(scope, out, x.elem, Index(x.name, at))
    g.counts["Slice"] += 1
    dims = (*map(DimFix, at), *g.full(rest))
    return g.derived(scope, out, ArrayType(x.elem, rest), Slice(x.name, dims), x)


def kernel_over(
    g: Generator, scope: Scope, shape: tuple[Size, ...]
) -> tuple[tuple[KernelDim, ...], Out, Scope, tuple[Size, ...]]:
    """Begin a kernel: return its dimensions, its body, the body's scope, and its index."""
    dims = tuple(KernelDim(g.fresh("i"), d) for d in shape)
    body: Out = []
    inside = enter(g, scope, dims, body)
    return dims, body, inside, tuple(var(d.index) for d in dims)


def of_elements(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Bind a fresh array, each of whose elements is computed from one of ``x``."""
    dims, body, inside, index = kernel_over(g, scope, x.shape)
    value = mixed(g, inside, body, element(g, inside, body, x, index))
    return mapped(g, scope, out, dims, body, value)


def mapped(
    g: Generator, scope: Scope, out: Out, dims: tuple[KernelDim, ...], body: Out, value: Variable
) -> Variable:
    """Bind the result of a map."""
    g.counts["Kernel"] += 1
    t = rows_of(value.type, tuple(d.size for d in dims))
    assert isinstance(t, ArrayType)
    exp = Kernel(dims, Map(), Body(tuple(body), (Var(value.name),)))
    return g.array(scope, out, t, exp, base="z")


def some_array(g: Generator, scope: Scope, most: int = MAX_ELEMENTS) -> Variable | None:
    """Return an array in scope without uninitialised elements, or None."""
    good = scope.arrays(lambda k: k.defined and g.elements(scope, k.shape) <= most)
    return g.rng.choice(good) if good else None
