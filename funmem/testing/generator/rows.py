"""Producers of kernels over rows of varying length, and of chains of such kernels (fuse).

The offsets of the rows are a literal, are computed from lengths, or are a parameter, which other
inputs make wrong.  Rows may be empty, and there may be none.
"""

from collections.abc import Mapping
from types import MappingProxyType

from funmem.ir.fun import (
    ArrayLit,
    ArrayType,
    Bin,
    Binder,
    Body,
    Concat,
    Const,
    Convert,
    Index,
    Kernel,
    KernelDim,
    Lambda,
    Map,
    RaggedKernel,
    Reduce,
    Scan,
    Stm,
    Var,
)
from funmem.ir.record import frozen
from funmem.ir.scalars import BinOp, ScalarType
from funmem.ir.sizes import ONE, Size, const, var
from funmem.testing.generator.elements import element, mapped, mixed
from funmem.testing.generator.kernels import bind, enter, mapped_results, operator, rows_of
from funmem.testing.generator.operators import Operator
from funmem.testing.generator.program import I64, SCALARS, Generator, Out, Producer
from funmem.testing.generator.scalars import small
from funmem.testing.generator.scope import Range, Scope, Variable
from funmem.testing.generator.views import value

MOST = 12
"""Largest number of elements of rows with literal offsets."""


@frozen
class Rows:
    """``n`` rows of ``m`` elements together; ``offsets`` is their array."""

    offsets: Variable
    n: Size
    m: Size


def _some_rows(g: Generator, scope: Scope, out: Out) -> Rows:
    """Return rows in scope, or new ones."""
    known = scope.arrays(lambda k: k.elements is not None)
    if known and g.rng.random() < 0.7:
        x = g.rng.choice(known)
        assert x.elements is not None
        return Rows(x, x.shape[0] - 1, x.elements)
    return _computed(g, scope, out) if g.rng.random() < 0.4 else _literal(g, scope, out)


def _literal(g: Generator, scope: Scope, out: Out) -> Rows:
    """Bind literal offsets; the number of elements may be a size of the program."""
    exact = [
        d
        for x in scope.arrays()
        for d in x.shape[:1]
        if 0 <= (r := scope.range_of(d)).lo == r.hi <= MOST
    ]
    m = g.rng.choice(exact) if exact and g.rng.random() < 0.7 else const(g.rng.randint(0, 6))
    total = scope.range_of(m).hi
    n = g.rng.randint(1 if total else 0, 4)
    cuts = sorted(g.rng.randint(0, total) for _ in range(n - 1))
    ends = [0, *cuts, total][: n + 1]
    g.counts["ArrayLit"] += 1
    exp = ArrayLit(tuple(Const(k, I64) for k in ends), I64, ())
    return _bound(g, scope, out, exp, const(n), m)


def _computed(g: Generator, scope: Scope, out: Out) -> Rows:
    """Bind offsets that are the sums of computed lengths."""
    n, a, b, c = g.size(scope), g.fresh("a"), g.fresh("b"), g.fresh("c")
    dims, body = (KernelDim(g.fresh("i"), n),), list[Stm[None]]()
    inside = enter(g, scope, dims, body)
    before = set(inside.known)
    small(g, inside, body)
    (length,) = (k for k in inside.known.values() if k.name not in before)
    add = Body((Stm((Binder[None](c, I64, None),), Bin(BinOp.ADD, Var(a), Var(b))),), (Var(c),))
    op = Lambda((Binder[None](a, I64, None), Binder[None](b, I64, None)), add)
    sums = Kernel(dims, Scan(op, (Const(0, I64),)), Body(tuple(body), (Var(length.name),)))
    ends = g.array(scope, out, ArrayType(I64, (n,)), sums)
    zero = g.array(scope, out, ArrayType(I64, (ONE,)), ArrayLit((Const(0, I64),), I64, ()))
    g.counts.update(("Scan", "ArrayLit", "Concat"))
    joined = Concat(0, (zero.name, ends.name))
    offsets = g.array(scope, out, ArrayType(I64, (n + 1,)), joined)
    most = max(0, scope.range_of(n).hi) * length.range.hi
    m = g.scalar(scope, out, I64, Index(offsets.name, (n,)), Range(0, most))
    return _noted(scope, offsets, n, var(m.name))


def _bound(g: Generator, scope: Scope, out: Out, exp: ArrayLit, n: Size, m: Size) -> Rows:
    x = g.array(scope, out, ArrayType(I64, (n + 1,)), exp)
    return _noted(scope, x, n, m)


def _noted(scope: Scope, x: Variable, n: Size, m: Size) -> Rows:
    """Note in the scope that an array holds the offsets of rows."""
    known = Variable(x.name, x.type, x.range, x.bound, x.roots, x.defined, elements=m)
    scope.known[x.name] = known
    return Rows(known, n, m)


def _begun(
    g: Generator, scope: Scope, r: Rows, *, over: bool = True
) -> tuple[KernelDim, KernelDim, Out, Scope]:
    """Begin a kernel over rows, or over their elements: return the row, the element, its body and
    the body's scope.
    """
    row, k = KernelDim(g.fresh("i"), r.n), KernelDim(g.fresh("k"), r.m)
    body: Out = []
    return row, k, body, enter(g, scope, (row, k) if over else (k,), body)


def _ended(
    g: Generator,
    scope: Scope,
    out: Out,
    r: Rows,
    parts: tuple[KernelDim, KernelDim, Out],
    fold: tuple[Operator, bool] | None,
    values: list[Variable],
    others: list[Variable],
) -> list[Variable]:
    """Add a kernel over rows; ``fold``: the operator, and true for a scan.  Return its results."""
    row, k, body = parts
    types: list[ScalarType | ArrayType] = []
    collective: Map | Reduce[None] | Scan[None] = Map()
    if fold is not None:
        op, scans = fold
        types = [rows_of(t, (r.m if scans else r.n,)) for t in op.types]
        comm = op.commutative and g.rng.random() < 0.5
        collective = Scan(op.op, op.ne) if scans else Reduce(op.op, op.ne, comm)
    types += [rows_of(x.type, (r.m,)) for x in others]
    pat = bind(g, scope, types, [True] * len(values) + [x.defined for x in others])
    results = tuple(Var(x.name) for x in (*values, *others))
    exp = RaggedKernel(row, k.index, r.offsets.name, r.m, collective, Body(tuple(body), results))
    out.append(Stm(pat, exp))
    return [scope.known[b.name] for b in pat]


def rows(g: Generator, scope: Scope, out: Out) -> bool:
    """Add a kernel over rows: a map, a reduction or a scan."""
    r = _some_rows(g, scope, out)
    kind = g.rng.choice(("map", "reduce", "reduce", "scan"))
    fold = None if kind == "map" else (operator(g, scope, out, commutative=False), kind == "scan")
    row, k, body, inside = _begun(g, scope, r)
    g.statements(inside, body, g.rng.randint(1, 4))
    values = [value(g, inside, body, t) for t in fold[0].types] if fold else []
    count = g.rng.choice((0, 0, 1)) if fold else g.rng.choice((1, 1, 2))
    others = mapped_results(g, scope, inside, body, (k,), count)
    _ended(g, scope, out, r, (row, k, body), fold, values, others)
    return True


def rows_chain(g: Generator, scope: Scope, out: Out) -> bool:
    """Add kernels over the same rows or their elements, each of which reads the one before."""
    r = _some_rows(g, scope, out)
    made = [g.make(scope, out, ArrayType(g.rng.choice(SCALARS), (r.m,)))]
    last = g.rng.randint(1, 2)
    for j in range(last + 1):
        over = g.rng.random() < 0.7
        row, k, body, inside = _begun(g, scope, r, over=over)
        for y in made[1:]:
            inside.known.pop(y.name, None)
        got = element(g, inside, body, g.rng.choice(made[-2:]), (var(k.index),))
        if over and g.rng.random() < 0.6:
            number = g.scalar(inside, body, got.elem, Convert(got.elem, Var(row.index)))
            inside.known[got.name] = got
            got = g.rng.choice((got, number))
        g.statements(inside, body, g.rng.choice((0, 0, 1)))
        if not inside.live(got):
            return False
        got = mixed(g, inside, body, got)
        if not over:
            made.append(mapped(g, scope, out, (k,), body, got))
            continue
        g.counts["RaggedKernel"] += 1
        fold, values = _last_fold(g, scope, out, inside, body, got) if j == last else (None, [])
        others = [] if fold else [got]
        made.append(_ended(g, scope, out, r, (row, k, body), fold, values, others)[0])
    for y in made[1:-1]:
        if g.rng.random() < 0.8:
            scope.known.pop(y.name, None)
    return True


def _last_fold(
    g: Generator, scope: Scope, out: Out, inside: Scope, body: Out, got: Variable
) -> tuple[tuple[Operator, bool] | None, list[Variable]]:
    """Return a fold and its operands, the first computed from ``got``; or None for a map."""
    if g.rng.random() < 0.2:
        return None, []
    op = operator(g, scope, out, commutative=False)
    values: list[Variable] = []
    for t in op.types:
        if isinstance(t, ScalarType) and not values:
            values.append(g.scalar(inside, body, t, Convert(t, Var(got.name))))
        else:
            for k in scope.known.values():
                if k.name not in inside.known:
                    inside.add(k)
            values.append(g.make(inside, body, t))
    return (op, g.rng.random() < 0.3), values


ROWS: Mapping[str, Producer] = MappingProxyType(
    {
        "RaggedKernel": Producer(rows, 4.0, nested=True),
        "RowsChain": Producer(rows_chain, 6.0, nested=True),
    }
)
"""The producers of kernels over rows."""
