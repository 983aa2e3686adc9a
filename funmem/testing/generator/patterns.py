"""Producers of the patterns that passes look for, which random statements hardly ever contain.

Chain     kernels over the same indices, each of which reads the previous result (fuse)
Nest      a kernel whose body is mostly such a chain (nest, schedule, expand)
Placed    a fresh array whose last use copies it into another one (short-circuit, coalesce)
Handed    a loop that rotates arrays among its parameters
          (``parameter_rotation.py``: double-buffer)
"""

from collections.abc import Mapping
from types import MappingProxyType

from funmem.ir.fun import (
    ArrayLit,
    ArrayType,
    Binder,
    Body,
    Concat,
    Convert,
    Copy,
    Index,
    Kernel,
    KernelDim,
    Reduce,
    Replicate,
    Scan,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange, SliceDim
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, const
from funmem.testing.generator.elements import (
    element,
    kernel_over,
    mapped,
    mixed,
    of_elements,
    some_array,
)
from funmem.testing.generator.kernels import operator, rows_of
from funmem.testing.generator.parameter_rotation import handed
from funmem.testing.generator.program import MAX_ELEMENTS, Generator, Out, Producer
from funmem.testing.generator.scope import Scope, Variable
from funmem.testing.generator.views import view

# ---------------------------------------------------------------------- parts


def _forget(g: Generator, scope: Scope, xs: list[Variable]) -> None:
    """Remove variables from the scope, so that mostly nothing uses them any more."""
    for x in xs:
        if g.rng.random() < 0.8:
            scope.known.pop(x.name, None)


# ---------------------------------------------------------------------- chain and nest


def chain(g: Generator, scope: Scope, out: Out) -> bool:
    """Add two or three kernels; the last one is mostly a map."""
    return _chained(g, scope, out) is not None


def _chained(g: Generator, scope: Scope, out: Out) -> Variable | None:
    """Add the last kernel; return its result."""
    x = some_array(g, scope)
    if x is None:
        return None
    depth = g.rng.randint(1, min(2, len(x.shape)))
    shape, made = x.shape[:depth], [x]
    last = g.rng.randint(1, 2)
    for k in range(last + 1):
        dims, body, inside, index = kernel_over(g, scope, shape)
        for y in made[1:]:
            inside.known.pop(y.name, None)
        got = element(g, inside, body, g.rng.choice(made[-2:]), index)
        g.statements(inside, body, g.rng.choice((0, 0, 1, 2)))
        if not inside.live(got):
            return None
        if not isinstance(got.type, ScalarType):
            if g.rng.random() < 0.5:
                got = of_elements(g, inside, body, got)
        else:
            got = mixed(g, inside, body, got)
        if k == last and g.rng.random() < 0.4 and isinstance(got.type, ScalarType):
            made.append(_folded(g, scope, out, dims, (body, inside), got))
        else:
            made.append(mapped(g, scope, out, dims, body, got))
    _forget(g, scope, made[1:-1])
    return made[-1]


def _folded(
    g: Generator,
    scope: Scope,
    out: Out,
    dims: tuple[KernelDim, ...],
    inside: tuple[Out, Scope],
    got: Variable,
) -> Variable:
    """Add a reduction or scan whose first operand is computed from ``got``."""
    op = operator(g, scope, out, commutative=False)
    body, there = inside
    values: list[Variable] = []
    for t in op.types:
        if isinstance(t, ScalarType) and not values:
            values.append(g.scalar(there, body, t, Convert(t, Var(got.name))))
        else:
            for k in scope.known.values():
                if k.name not in there.known:
                    there.add(k)
            values.append(g.make(there, body, t))
    sizes = tuple(d.size for d in dims)
    scans = g.rng.random() < 0.5
    g.counts["Scan" if scans else "Reduce"] += 1
    collective = Scan(op.op, op.ne) if scans else Reduce(op.op, op.ne, False)
    pat: list[Binder[None]] = []
    for t in op.types:
        result = rows_of(t, sizes if scans else sizes[:-1])
        name = g.fresh("z")
        pat.append(Binder(name, result, None))
        own = isinstance(result, ArrayType)
        roots = frozenset({name}) if own else frozenset[Name]()
        known = scope.add(Variable(name, result, roots=roots), own=own)
    exp = Kernel(dims, collective, Body(tuple(body), tuple(Var(v.name) for v in values)))
    out.append(Stm(tuple(pat), exp))
    return known


def nest(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a kernel over the rows of an array whose body is a chain."""
    x = some_array(g, scope)
    if x is None or len(x.shape) < 2:
        return False
    dims, body, inside, index = kernel_over(g, scope, x.shape[:1])
    row = element(g, inside, body, x, index)
    everything = dict(inside.known)
    inside.known = {k: v for k, v in everything.items() if not v.shape or k == row.name}
    value = _chained(g, inside, body)
    inside.known = everything | inside.known
    if value is None:
        return False
    if isinstance(value.type, ArrayType) and g.rng.random() < 0.3:
        value = view(g, inside, body, value)
    if not all(d.free() <= scope.known.keys() for d in value.shape) or len(value.shape) > 3:
        return False
    mapped(g, scope, out, dims, body, value)
    return True


# ---------------------------------------------------------------------- placed


def placed(g: Generator, scope: Scope, out: Out) -> bool:
    """Add ``let z = …`` and then ``d with […] = z``, ``concat … z …`` or ``[…, z, …]``."""
    x = some_array(g, scope, MAX_ELEMENTS // 2)
    if x is None or len(x.shape) > 3 or scope.range_of(x.shape[0]).lo < 0:
        return False
    kind = g.rng.randrange(3)
    rows = (const(2), *x.shape)
    dest = _destination(g, scope, out, x, rows) if kind == 0 else None
    fresh = [_fresh(g, scope, out, x) for _ in range(1 if dest else g.rng.randint(1, 2))]
    g.statements(scope, out, g.rng.choice((0, 0, 1)))
    if not all(map(scope.live, (*fresh, *([dest] if dest else ())))):
        return False
    parts = [view(g, scope, out, z) if g.rng.random() < 0.25 else z for z in fresh]
    if dest is not None:
        where = (DimFix(const(g.rng.randrange(2))), *_reordered(g, x.shape))
        scope.consume(dest)
        exp = Update(dest.name, where, Var(parts[0].name))
        g.counts["Update"] += 1
        g.array(scope, out, ArrayType(x.elem, rows), exp, base="y")
    elif kind == 1:
        parts = [*parts, *([x] if scope.live(x) and g.rng.random() < 0.5 else [])]
        g.rng.shuffle(parts)
        dim = g.rng.randrange(len(x.shape))
        joined = x.shape[dim] * len(parts)
        t = ArrayType(x.elem, (*x.shape[:dim], joined, *x.shape[dim + 1 :]))
        g.counts["Concat"] += 1
        g.array(scope, out, t, Concat(dim, tuple(p.name for p in parts)))
    else:
        t = ArrayType(x.elem, (const(len(parts)), *x.shape))
        g.counts["ArrayLit"] += 1
        elems = tuple(Var(p.name) for p in parts)
        g.array(scope, out, t, ArrayLit(elems, x.elem, x.shape))
    _forget(g, scope, [*fresh, *parts])
    return True


def _destination(
    g: Generator, scope: Scope, out: Out, x: Variable, rows: tuple[Size, ...]
) -> Variable:
    """Return an array with two rows like ``x``; sometimes one of its elements is read at once."""
    g.counts["Replicate"] += 1
    value = Var(x.name) if g.rng.random() < 0.5 else g.operand(scope, x.elem)
    dims = rows[:1] if isinstance(value, Var) and value.name == x.name else rows
    dest = g.array(scope, out, ArrayType(x.elem, rows), Replicate(dims, value))
    if g.rng.random() < 0.3 and all(scope.range_of(d).lo > 0 for d in rows):
        index = tuple(const(g.rng.randrange(scope.range_of(d).lo)) for d in rows)
        g.scalar(scope, out, x.elem, Index(dest.name, index))
    return dest


def _reordered(g: Generator, shape: tuple[Size, ...]) -> tuple[SliceDim, ...]:
    """Return a slice of the whole array, with some dimensions reversed."""
    return tuple(
        DimRange(d - 1, d, const(-1)) if g.rng.random() < 0.2 else DimRange(ZERO, d, ONE)
        for d in shape
    )


def _fresh(g: Generator, scope: Scope, out: Out, x: Variable) -> Variable:
    """Return a fresh array of ``x``'s type."""
    assert isinstance(x.type, ArrayType)
    match g.rng.randrange(5):
        case 0:
            g.counts["Copy"] += 1
            return g.array(scope, out, x.type, Copy(x.name))
        case 1:
            g.counts["Replicate"] += 1
            return g.array(scope, out, x.type, Replicate(x.shape, g.operand(scope, x.elem)))
        case 2 if x.elem.is_int:
            return g.numbered(scope, out, x.type)
        case _:
            return of_elements(g, scope, out, x)


PATTERNS: Mapping[str, Producer] = MappingProxyType(
    {
        "Chain": Producer(chain, 2.0, nested=True),
        "Nest": Producer(nest, 1.0, nested=True),
        "Placed": Producer(placed, 2.0),
        "Handed": Producer(handed, 1.5, nested=True),
    }
)
"""The producers of patterns."""
