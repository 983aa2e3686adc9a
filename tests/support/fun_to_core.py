"""FUN programs as Core programs of the same meaning, to judge the way back.

Kernels become nested maps, collectives their Core namesakes.  FUN's slices are looser about empty
ranges and allow stride 0, so a slice is a map that reads each element, unless it takes a prefix.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.fun import (
    Alloc,
    ArrayLit,
    ArrayType,
    Assert,
    Bin,
    Binder,
    Body,
    Concat,
    Const,
    Convert,
    Copy,
    Entry,
    FlatSlice,
    For,
    FunProgram,
    Hist,
    If,
    Index,
    Iota,
    Kernel,
    KernelDim,
    Lambda,
    Loop,
    Map,
    Permute,
    Reduce,
    Replicate,
    Reshape,
    Reverse,
    ScalarExp,
    Scan,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Un,
    Update,
    Var,
)
from funmem.ir.fun import Exp as FunExp
from funmem.ir.fun import Type as FunType
from funmem.ir.lmad import DimFix, DimRange, Lmad, SliceDim
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64, BinOp, ScalarType, normalise
from funmem.ir.sizes import ONE, ZERO, Size
from funmem.ir.traverse import entry_binders, inner_binders, names_of, walk


def core_of(p: FunProgram) -> CoreProgram:
    """The program in Core."""
    return CoreProgram(tuple(_Entry(Fresh(names_of(p))).entry(e) for e in p.entries))


def type_(t: FunType) -> Type:
    """A type; sizes are names in Core too."""
    if isinstance(t, ArrayType):
        out: Type = t.elem
        for d in reversed(t.shape):
            out = c.Array(out, d)
        return out
    assert isinstance(t, ScalarType)
    return t


def size(s: Size) -> Exp:
    """A polynomial as an expression."""
    total: Exp | None = None
    for monomial, k in s.terms:
        factors: list[Exp] = [c.Var(x) for x in monomial]
        if k != 1 or not factors:
            factors.append(c.Const(normalise(k, I64), I64))
        term = reduce(lambda a, b: c.Bin(BinOp.MUL, a, b), factors)
        total = term if total is None else c.Bin(BinOp.ADD, total, term)
    return c.Const(0, I64) if total is None else total


def scalar(e: ScalarExp) -> Exp:
    """A scalar expression."""
    match e:
        case Const(value, t):
            return c.Const(value, t)
        case Var(x):
            return c.Var(x)
        case Bin(BinOp.LAND | BinOp.LOR as o, a, z):  # FUN's are strict
            return c.Bin(BinOp.AND if o is BinOp.LAND else BinOp.OR, scalar(a), scalar(z))
        case Bin(o, a, z):
            return c.Bin(o, scalar(a), scalar(z))
        case Un(u, a):
            return c.Un(u, scalar(a))
        case Convert(to, a):
            return c.Convert(to, scalar(a))


def tupled(es: Sequence[Exp]) -> Exp:
    """One result, or a tuple of them."""
    return es[0] if len(es) == 1 else c.tuple_exp(*es)


def binders(bs: Sequence[Binder[None]]) -> tuple[c.Binder, ...]:
    return tuple(c.Binder(b.name, type_(b.type)) for b in bs)


def _all_binders(b: Body[None]) -> Iterator[Binder[None]]:
    for s in walk(b):
        yield from s.pat
        yield from inner_binders(s.exp)


class _Entry:
    """One entry point."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh
        self.types: dict[Name, FunType] = {}

    def rank(self, x: Name) -> int:
        """How many dimensions an array has."""
        t = self.types[x]
        assert isinstance(t, ArrayType)
        return t.rank

    def entry(self, e: Entry[None]) -> c.Entry:
        for b in (*entry_binders(e), *_all_binders(e.body)):
            self.types[b.name] = b.type
        params = tuple(
            c.EntryParam(
                c.Binder(q.binder.name, type_(q.binder.type)),
                c.Unique.CONSUMED if q.unique else c.Unique.SHARED,
            )
            for q in e.params
        )
        sizes = tuple(b.name for b in e.implicit)
        skipped = len(e.implicit_results)
        return c.Entry(e.name, sizes, params, c.UNIT, self.body(e.body, skipped), e.at)

    def body(self, b: Body[None], skip: int = 0) -> Exp:
        return self.wrapped(b, tupled([scalar(a) for a in b.result[skip:]]))

    def wrapped(self, b: Body[None], e: Exp) -> Exp:
        """A body's statements around an expression."""
        for s in reversed(b.stms):
            e = self.stm(s, e)
        return e

    def stm(self, s: Stm[None], rest: Exp) -> Exp:
        if isinstance(s.exp, Assert):
            values = tuple(map(scalar, s.exp.values))
            return c.Assert(scalar(s.exp.cond), s.exp.message, values, rest, s.at)
        return c.Let(binders(s.pat), self.exp(s.exp, s), rest, s.at)

    def name(self, base: str, t: Type = I64) -> tuple[c.Binder, c.Var]:
        b = c.Binder(self.fresh(base), t)
        return b, c.Var(b.name)

    def exp(self, e: FunExp[None], s: Stm[None]) -> Exp:
        match e:
            case Const() | Var() | Bin() | Un() | Convert():
                return scalar(e)
            case Index(x, index):
                return c.Index(c.Var(x), tuple(c.Fix(size(i)) for i in index), s.at)
            case Slice(x, dims):
                return self.slice(x, dims, s)
            case Permute(perm, x):
                return c.Rearrange(perm, c.Var(x), s.at)
            case Reshape(shape, x):
                line = c.Var(x) if self.rank(x) == 1 else c.Flatten(self.rank(x), c.Var(x), s.at)
                return c.Unflatten(tuple(map(size, shape)), line, s.at)
            case Reverse(k, x):
                return self.at_front(k, self.rank(x), lambda y: c.Reverse(y, s.at), c.Var(x))
            case FlatSlice(x, offset, dims):
                flat = tuple((size(d.len), size(d.stride)) for d in dims)
                return c.FlatSlice(c.Var(x), size(offset), flat, s.at)
            case Iota(n, start, stride):
                return c.Iota(size(n), scalar(start), scalar(stride), s.at)
            case Replicate(shape, value):
                out = scalar(value)
                for d in reversed(shape):
                    out = c.Replicate(size(d), out, s.at)
                return out
            case ArrayLit(elems, elem, row):
                t = type_(ArrayType(elem, row)) if row else elem
                return c.ArrayLit(tuple(map(scalar, elems)), t, s.at)
            case Copy(x):
                return c.Copy(c.Var(x), s.at)
            case Concat(k, xs):
                return self.concat(k, xs, s)
            case Scratch(shape, elem):
                inner = type_(ArrayType(elem, shape[1:])) if shape[1:] else elem
                return c.Scratch(size(shape[0]), inner, s.at)
            case Update(x, Lmad(offset, flat), value):
                strides = tuple(size(d.stride) for d in flat)
                if not strides:
                    return c.Update(c.Var(x), (c.Fix(size(offset)),), scalar(value), s.at)
                return c.FlatUpdate(c.Var(x), size(offset), strides, scalar(value), s.at)
            case Update(x, dims, value):
                return self.update(x, dims, scalar(value), s)
            case Scatter(x, where, vs):
                return c.Scatter(c.Var(x), c.Var(where), c.Var(vs), s.at)
            case If(cond, then, orelse):
                return c.If(scalar(cond), self.body(then), self.body(orelse), s.at)
            case Loop(params, form, body):
                bs = binders([q.binder for q in params])
                init = tuple(scalar(q.init) for q in params)
                new = (
                    c.For(form.index, size(form.bound))
                    if isinstance(form, For)
                    else c.While(c.Var(form.cond))
                )
                return c.Loop(bs, init, new, self.body(body), s.at)
            case Kernel():
                return self.kernel(e.dims, e, s)
            case Assert() | Alloc():
                raise TypeError(type(e).__name__)

    # ------------------------------------------------------------------ other dimensions

    def at_front(self, k: int, rank: int, f: Callable[[Exp], Exp], *xs: Exp) -> Exp:
        """``f`` of arrays whose dimension k is outermost."""
        if not k:
            return f(*xs)
        perm = (k, *(j for j in range(rank) if j != k))
        back = tuple(perm.index(j) for j in range(rank))
        return c.Rearrange(back, f(*(c.Rearrange(perm, x) for x in xs)))

    def concat(self, k: int, xs: Sequence[Name], s: Stm[None]) -> Exp:
        rank = self.rank(xs[0])
        return self.at_front(k, rank, lambda *ys: c.Concat(ys, s.at), *map(c.Var, xs))

    # ------------------------------------------------------------------ slices

    def slice(self, x: Name, dims: Sequence[SliceDim], s: Stm[None]) -> Exp:
        """Each element is read, unless the slice takes some from the start."""
        if all(isinstance(d, DimFix) or (d.start, d.stride) == (ZERO, ONE) for d in dims):
            ds = (
                c.Fix(size(d.at)) if isinstance(d, DimFix) else c.Range(None, size(d.len), None)
                for d in dims
            )
            return c.Index(c.Var(x), tuple(ds), s.at)

        def go(left: Sequence[SliceDim], index: tuple[c.Fix, ...]) -> Exp:
            if not left:
                return c.Index(c.Var(x), index, s.at)
            d, *rest = left
            if isinstance(d, DimFix):
                return go(rest, (*index, c.Fix(size(d.at))))
            b, i = self.name("i")
            here = c.Bin(BinOp.ADD, size(d.start), c.Bin(BinOp.MUL, i, size(d.stride)))
            fn = c.Lambda((b,), go(rest, (*index, c.Fix(here))), s.at)
            return c.Map(fn, (_iota(size(d.len)),), s.at)

        return go(dims, ())

    def update(self, x: Name, dims: Sequence[SliceDim], value: Exp, s: Stm[None]) -> Exp:
        """All at once if the strides are 1; else one element after the other."""
        ds: list[c.Dim] = []
        for d in dims:
            match d:
                case DimFix(i):
                    ds.append(c.Fix(size(i)))
                case DimRange(start, n, _):
                    ds.append(c.Range(size(start), size(start + n), None))
        if all(isinstance(d, DimFix) or d.stride == ONE for d in dims):
            return c.Update(c.Var(x), tuple(ds), value, s.at)
        t = type_(self.types[x])

        def go(left: Sequence[SliceDim], index: tuple[c.Fix, ...], v: Exp, y: Exp) -> Exp:
            if not left:
                return c.Update(y, index, v, s.at)
            d, *rest = left
            if isinstance(d, DimFix):
                return go(rest, (*index, c.Fix(size(d.at))), v, y)
            b, i = self.name("i")
            z, inner = self.name("z", t)
            here = c.Bin(BinOp.ADD, size(d.start), c.Bin(BinOp.MUL, i, size(d.stride)))
            body = go(rest, (*index, c.Fix(here)), c.Index(v, (c.Fix(i),), s.at), inner)
            return c.Loop((z,), (y,), c.For(b.name, size(d.len)), body, s.at)

        return go(dims, (), value, c.Var(x))

    # ------------------------------------------------------------------ kernels

    def kernel(self, dims: Sequence[KernelDim], k: Kernel[None], s: Stm[None]) -> Exp:
        dest = k.collective.dest if isinstance(k.collective, Hist) else ()
        return self.nest(list(dims), k, s, tuple(map(c.Var, dest)), 0)

    def nest(
        self,
        dims: list[KernelDim],
        k: Kernel[None],
        s: Stm[None],
        dest: tuple[Exp, ...],
        depth: int,
    ) -> Exp:
        """The dimensions from ``depth`` on; ``dest`` are a histogram's destinations there."""
        d, rest = dims[0], dims[1:]
        if not rest and not isinstance(k.collective, Map):
            return self.collective(d, k, s, dest, depth)
        rows = [self.name("row", self.row(x, depth + 1)) for x in self.dest_names(k)]
        params = (c.Binder(d.index, I64), *(b for b, _ in rows))
        if rest:
            body = self.nest(rest, k, s, tuple(x for _, x in rows), depth + 1)
        else:
            body = self.body(k.body)
        new = c.Map(c.Lambda(params, body), (_iota(size(d.size)), *dest), s.at)
        return new if len(s.pat) == 1 else c.Unzip(new)

    def dest_names(self, k: Kernel[None]) -> tuple[Name, ...]:
        return k.collective.dest if isinstance(k.collective, Hist) else ()

    def row(self, x: Name, depth: int) -> Type:
        t = type_(self.types[x])
        for _ in range(depth):
            assert isinstance(t, c.Array)
            t = t.elem
        return t

    def collective(
        self, d: KernelDim, k: Kernel[None], s: Stm[None], dest: tuple[Exp, ...], depth: int
    ) -> Exp:
        """The innermost dimension: the body's values as arrays, and what is done with them."""
        i = c.Binder(d.index, I64)
        values = len(k.body.result)
        whole: Exp = c.Map(c.Lambda((i,), self.body(k.body)), (_iota(size(d.size)),), s.at)
        if values > 1:
            whole = c.Unzip(whole)
        count = values - (1 if isinstance(k.collective, Hist) else 0)
        types = [self.result_row(s.pat[j], k, j, depth) for j in range(count)]
        if isinstance(k.collective, Hist):
            types.insert(0, I64)
        bound = [self.name("v", c.Array(t)) for t in types]
        vs = [v for _, v in bound]
        match k.collective:
            case Reduce(op, ne, comm):
                n = len(ne)
                first: Exp = c.Reduce(self.op(op), _atoms(ne), tuple(vs[:n]), comm, s.at)
            case Scan(op, ne):
                n = len(ne)
                first = c.Scan(self.op(op), _atoms(ne), tuple(vs[:n]), s.at)
                first = c.Unzip(first) if n > 1 else first
            case Hist(_, op, ne):
                n = len(ne)
                first = c.Hist(self.op(op), _atoms(ne), dest, vs[0], tuple(vs[1 : n + 1]), s.at)
                vs = vs[1:]
            case Map():
                raise TypeError("no collective")
        folded = [self.name("r", type_(p.type)) for p in s.pat[:n]]
        folded = [(c.Binder(b.name, self.unsized(b.type, depth)), x) for b, x in folded]
        result = tupled([*(x for _, x in folded), *vs[n:]])
        inner = c.Let(tuple(b for b, _ in folded), first, result, s.at)
        return c.Let(tuple(b for b, _ in bound), whole, inner, s.at)

    def unsized(self, t: Type, depth: int) -> Type:
        for _ in range(depth):
            assert isinstance(t, c.Array)
            t = t.elem
        return t

    def result_row(self, p: Binder[None], k: Kernel[None], j: int, depth: int) -> Type:
        """The type of what the body gives for a result."""
        t = type_(p.type)
        over = depth + 1
        folds = isinstance(k.collective, Reduce) and j < len(k.collective.ne)
        for _ in range(depth if folds else over):
            assert isinstance(t, c.Array)
            t = t.elem
        return t

    def op(self, op: Lambda[None]) -> c.Lambda:
        return c.Lambda(binders(op.params), self.body(op.body))


def _atoms(es: Sequence[Const | Var]) -> tuple[Exp, ...]:
    return tuple(map(scalar, es))


def _iota(n: Exp) -> Exp:
    return c.Iota(n, c.Const(0, I64), c.Const(1, I64))
