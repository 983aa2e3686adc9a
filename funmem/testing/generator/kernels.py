"""Producers of kernels with their collectives: maps, reductions, scans, histograms."""

from funmem.ir.fun import (
    ArrayType,
    Bin,
    Binder,
    Body,
    Const,
    Hist,
    Kernel,
    KernelDim,
    Map,
    Reduce,
    Scan,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.scalars import BinOp, ScalarType
from funmem.ir.sizes import Size
from funmem.testing.generator.operators import Operator, choose
from funmem.testing.generator.program import (
    I64,
    MAX_ELEMENTS,
    SCALARS,
    Generator,
    Out,
)
from funmem.testing.generator.scalars import small
from funmem.testing.generator.scope import Range, Scope, Variable
from funmem.testing.generator.views import consumable_view, value


def _dims(g: Generator, scope: Scope, limit: int = MAX_ELEMENTS) -> tuple[KernelDim, ...]:
    """Return one to three dimensions with at most ``limit`` iterations."""
    dims: list[KernelDim] = []
    for _ in range(g.rng.choice((1, 1, 1, 1, 2, 2, 3))):
        s = g.size(scope, max(1, min(5, limit)))
        limit //= max(1, scope.range_of(s).hi)
        dims.append(KernelDim(g.fresh("i"), s))
    return tuple(dims)


def enter(g: Generator, scope: Scope, dims: tuple[KernelDim, ...], body: Out) -> Scope:
    """Return the scope of a kernel's body; sometimes bind a thread-variant number first."""
    inside = scope.inner()
    inside.kernels += 1
    for d in dims:
        r = scope.range_of(d.size)
        inside.add(Variable(d.index, I64, Range(0, r.hi - 1), bound=d.size))
    if g.rng.random() < 0.25:
        small(g, inside, body)
    return inside


def rows_of(t: ScalarType | ArrayType, dims: tuple[Size, ...]) -> ScalarType | ArrayType:
    """Return the type ``[dims]…t``."""
    if not dims:
        return t
    inner = t.shape if isinstance(t, ArrayType) else ()
    return ArrayType(t.elem if isinstance(t, ArrayType) else t, (*dims, *inner))


def bind(
    g: Generator,
    scope: Scope,
    types: list[ScalarType | ArrayType],
    defined: list[bool],
) -> tuple[Binder[None], ...]:
    """Return binders for a kernel's results, which are fresh."""
    pat: list[Binder[None]] = []
    for t, d in zip(types, defined, strict=True):
        name = g.fresh("z")
        pat.append(Binder(name, t, None))
        own = isinstance(t, ArrayType)
        roots = frozenset({name}) if own else frozenset[Name]()
        scope.add(Variable(name, t, roots=roots, defined=d), own=own)
    return tuple(pat)


def mapped_results(
    g: Generator,
    scope: Scope,
    inside: Scope,
    body: Out,
    dims: tuple[KernelDim, ...],
    count: int,
) -> list[Variable]:
    """Return results for a kernel body that are small, and whose sizes are known outside."""
    total = g.elements(scope, tuple(d.size for d in dims))
    outer = set(scope.known)
    new = [k for k in inside.known.values() if k.name not in outer and inside.live(k)]
    good = [
        k
        for k in new
        if all(s.free() <= outer for s in k.shape)
        and total * g.elements(scope, k.shape) <= 2 * MAX_ELEMENTS
        and len(k.shape) + len(dims) <= 4
    ]
    chosen = [g.rng.choice(good) for _ in range(count) if good]
    if not chosen and count:
        chosen = [g.make(inside, body, g.rng.choice(SCALARS))]
    return chosen


def kernel(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a map."""
    dims = _dims(g, scope)
    body: Out = []
    inside = enter(g, scope, dims, body)
    g.statements(inside, body, g.rng.randint(1, 5))
    results = mapped_results(g, scope, inside, body, dims, g.rng.choice((1, 1, 1, 2)))
    sizes = tuple(d.size for d in dims)
    pat = bind(g, scope, [rows_of(k.type, sizes) for k in results], [k.defined for k in results])
    values = tuple(Var(k.name) for k in results)
    out.append(Stm(pat, Kernel(dims, Map(), Body(tuple(body), values))))
    return True


def operator(g: Generator, scope: Scope, out: Out, *, commutative: bool) -> Operator:
    """Return an operator; the arrays of its neutral elements are bound first."""
    op = choose(g.rng, g.fresh, g.size(scope, 3), commutative=commutative)
    out += op.before
    for s in op.before:
        (b,) = s.pat
        assert isinstance(b.type, ArrayType)
        scope.add(Variable(b.name, b.type, roots=frozenset({b.name})), own=True)
    return op


def _collective_body(
    g: Generator, scope: Scope, dims: tuple[KernelDim, ...], op: Operator
) -> tuple[Out, list[Variable], list[Variable]]:
    """Return a body, the operator's operands in it, and additional mapped results."""
    body: Out = []
    inside = enter(g, scope, dims, body)
    g.statements(inside, body, g.rng.randint(1, 4))
    values = [value(g, inside, body, t) for t in op.types]
    mapped = mapped_results(g, scope, inside, body, dims, g.rng.choice((0, 0, 1)))
    return body, values, mapped


def reduce(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a reduction over the innermost dimension."""
    op = operator(g, scope, out, commutative=False)
    dims = _dims(g, scope, MAX_ELEMENTS // 2)
    body, values, mapped = _collective_body(g, scope, dims, op)
    sizes = tuple(d.size for d in dims)
    types = [rows_of(t, sizes[:-1]) for t in op.types] + [rows_of(k.type, sizes) for k in mapped]
    pat = bind(g, scope, types, [True] * len(values) + [k.defined for k in mapped])
    collective = Reduce(op.op, op.ne, op.commutative and g.rng.random() < 0.5)
    results = tuple(Var(k.name) for k in (*values, *mapped))
    out.append(Stm(pat, Kernel(dims, collective, Body(tuple(body), results))))
    return True


def scan(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a scan along the innermost dimension."""
    op = operator(g, scope, out, commutative=False)
    dims = _dims(g, scope, MAX_ELEMENTS // 2)
    body, values, mapped = _collective_body(g, scope, dims, op)
    sizes = tuple(d.size for d in dims)
    types = [rows_of(t, sizes) for t in op.types] + [rows_of(k.type, sizes) for k in mapped]
    pat = bind(g, scope, types, [True] * len(values) + [k.defined for k in mapped])
    results = tuple(Var(k.name) for k in (*values, *mapped))
    out.append(Stm(pat, Kernel(dims, Scan(op.op, op.ne), Body(tuple(body), results))))
    return True


def hist(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a histogram; buckets may be out of range."""
    op = operator(g, scope, out, commutative=True)
    dims = _dims(g, scope, MAX_ELEMENTS // 2)
    width = g.size(scope, 4)
    sizes = tuple(d.size for d in dims)
    dest: list[Variable] = []
    for t in op.types:
        rows = rows_of(t, (*sizes[:-1], width))
        assert isinstance(rows, ArrayType)
        taken = frozenset[Name]().union(*(k.roots for k in dest))
        x = g.make_own(scope, out, rows, taken)
        dest.append(consumable_view(g, scope, out, x) if g.rng.random() < 0.2 else x)
    for k in dest:
        scope.consume(k)  # so that the body cannot use it
    body, values, mapped = _collective_body(g, scope, dims, op)
    bucket = g.scalar(scope.inner(), body, I64, _bucket(g, dims))
    types = [k.type for k in dest] + [rows_of(k.type, sizes) for k in mapped]
    pat = bind(g, scope, types, [True] * len(dest) + [k.defined for k in mapped])
    results = tuple(Var(k.name) for k in (bucket, *values, *mapped))
    collective = Hist(tuple(k.name for k in dest), op.op, op.ne)
    out.append(Stm(pat, Kernel(dims, collective, Body(tuple(body), results))))
    return True


def _bucket(g: Generator, dims: tuple[KernelDim, ...]) -> Bin:
    """Return a bucket between -1 and 3 that several iterations share."""
    index = Var(dims[-1].index)
    factor = Bin(BinOp.MUL, index, Const(g.rng.choice((1, 2, 3, 5)), I64))
    some = Bin(BinOp.MOD, factor, Const(g.rng.randint(1, 5), I64))
    return Bin(BinOp.SUB, some, Const(g.rng.choice((0, 0, 1)), I64))
