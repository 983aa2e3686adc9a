"""What the rules for kernels over rows share: the check of the offsets, rows, binary search."""

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Ann,
    Assert,
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
    Loop,
    LoopParam,
    Map,
    RaggedKernel,
    Reduce,
    ScalarExp,
    Scan,
    Slice,
    Stm,
    Type,
    Var,
    While,
)
from funmem.ir.lmad import DimRange
from funmem.ir.messages import OFFSETS
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, var
from funmem.ir.substitute import freshen_body, freshen_lambda, subst_body, substitution
from funmem.ir.traverse import map_lambda
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.chunk import chunked
from funmem.passes.fun.schedule.fold import (
    Stretch,
    fold,
)
from funmem.passes.fun.schedule.order import sequential
from funmem.passes.fun.schedule.row_lanes import LANES, fold_in_lanes, in_lanes

SHARE = 128
"""The default of ``share``: more than the processors of most machines."""


@frozen
class Cut:
    """Rows of more than ``piece`` elements, and of at least 1 / ``share`` of all, are cut.

    If ``share`` is 0, the first condition decides.  A thread folds a row in ``lanes`` accumulators.
    """

    piece: int
    share: int = 0
    lanes: int = LANES


@frozen
class Rows:
    """A kernel over rows that is being divided among ``threads``."""

    kernel: RaggedKernel[Ann]
    threads: int
    cut: Cut
    inside: bool

    @property
    def piece(self) -> int:
        return self.cut.piece

    @property
    def n(self) -> Size:
        return self.kernel.row.size

    @property
    def m(self) -> Size:
        return self.kernel.total


# ---------------------------------------------------------------------- offsets


def checked(b: Builder, r: Rows) -> Name:
    """Add the check of the offsets, once for each; return the length of the longest row.

    If no offset is negative, then no difference of two wraps around: so the offsets rise if no
    difference is negative either.  The bitwise or of numbers is negative if one of them is.
    """
    key = (r.kernel.offsets, r.m)
    if (known := b.longest.get(key)) is not None:
        return known
    b.guard(r.n)
    b.guard(r.m)
    i, inner = b.fresh("row"), b.inner()
    lo, hi = ends_in_views(b, inner, r, i)
    length = inner.let("length", I64, Bin(BinOp.SUB, Var(hi), Var(lo)))
    sign = inner.let("sign", I64, Bin(BinOp.OR, Var(hi), Var(length)))
    pat = tuple(Binder[Ann](b.fresh(x), I64, None) for x in ("signs", "longest"))
    params = tuple(Binder[Ann](b.fresh(x), I64, None) for x in ("a", "b", "a", "b"))
    names = [Var(p.name) for p in params]
    both = b.inner()
    x = both.let("or", I64, Bin(BinOp.OR, names[0], names[2]))
    y = both.let("most", I64, Bin(BinOp.MAX, names[1], names[3]))
    op = Lambda(params, both.body(Var(x), Var(y)))
    reduce = Reduce(op, (Const(0, I64), Const(0, I64)), True)
    over = Kernel((KernelDim(i, r.n),), reduce, inner.body(Var(sign), Var(length)))
    collective(b, Stm(pat, over, b.at), r)
    first = b.let("first", I64, Index(r.kernel.offsets, (ZERO,)))
    last = b.let("last", I64, Index(r.kernel.offsets, (r.n,)))
    begins = b.let("begins", BOOL, Bin(BinOp.EQ, Var(first), Const(0, I64)))
    closes = b.let("closes", BOOL, Bin(BinOp.EQ, Var(last), size_exp(r.m)))
    fine = b.let("fine", BOOL, Bin(BinOp.LAND, Var(begins), Var(closes)))
    rises = b.let("rises", BOOL, Bin(BinOp.LE, Const(0, I64), Var(pat[0].name)))
    fine = b.let("fine", BOOL, Bin(BinOp.LAND, Var(fine), Var(rises)))
    total = atom_of(b, r.m)
    b.stms.append(Stm((), Assert(Var(fine), OFFSETS, (total,)), b.at))
    b.longest[key] = pat[1].name
    return pat[1].name


def ends_in_views(b: Builder, inner: Builder, r: Rows, i: Name) -> tuple[Name, Name]:
    """Bind the offsets of row ``i`` and of the next one, read from views without a check each."""
    t = of_rows(I64, r.n)
    starts, ends = b.let("starts", t, _offsets(r, ZERO)), b.let("ends", t, _offsets(r, ONE))
    b.types = inner.types = {**b.types, starts: t, ends: t}
    lo = inner.let("lo", I64, Index(starts, (var(i),)))
    return lo, inner.let("hi", I64, Index(ends, (var(i),)))


def _offsets(r: Rows, first: Size) -> Slice:
    """Return n offsets from the first or second on: views need one check for all reads."""
    return Slice(r.kernel.offsets, (DimRange(first, r.n, ONE),))


def collective(b: Builder, s: Stm[Ann], r: Rows) -> None:
    """Add a collective, divided as others are."""
    assert isinstance(s.exp, Kernel)
    if r.inside:
        sequential(b, s, s.exp)
    else:
        chunked(b, s, s.exp, r.threads)


def ends_of(b: Builder, r: Rows, i: Size) -> tuple[Name, Name]:
    """Bind the offsets of row ``i`` and of the next one."""
    lo = b.let("lo", I64, Index(r.kernel.offsets, (i,)))
    return lo, b.let("hi", I64, Index(r.kernel.offsets, (i + 1,)))


def atom_of(b: Builder, d: Size) -> Atom:
    """Return a size as an atom, bound to a name if it is none."""
    e = size_exp(d)
    return e if isinstance(e, Const | Var) else Var(b.let("size", I64, e))


def search(b: Builder, starts: Name, n: Size, at: Atom, shift: int = 0) -> Name:
    """Bind the last i < n with ``starts[i + shift] <= at``; that of 0 is taken for granted."""
    lo, hi, go = b.fresh("low"), b.fresh("high"), b.fresh("go")
    inner = b.inner()
    sum_ = inner.let("sum", I64, Bin(BinOp.ADD, Var(lo), Var(hi)))
    mid = inner.let("mid", I64, Bin(BinOp.DIV, Var(sum_), Const(2, I64)))
    x = inner.let("start", I64, Index(starts, (var(mid) + shift,)))
    left = inner.let("left", BOOL, Bin(BinOp.LE, Var(x), at))
    new_lo, new_hi = choose(inner, left, (Var(mid), Var(hi)), (Var(lo), Var(mid)))
    more = _apart(inner, Var(new_lo), Var(new_hi))
    first = _apart(b, Const(0, I64), atom_of(b, n))
    init = (Const(0, I64), atom_of(b, n), Var(first))
    types: tuple[Type, ...] = (I64, I64, BOOL)
    params = tuple(
        LoopParam(Binder[Ann](x, t, None), a)
        for x, t, a in zip((lo, hi, go), types, init, strict=True)
    )
    found = tuple(
        Binder[Ann](b.fresh(x), t, None) for x, t in zip(("row", "end", "stop"), types, strict=True)
    )
    body = inner.body(Var(new_lo), Var(new_hi), Var(more))
    b.stms.append(Stm(found, Loop(params, While(go), body), b.at))
    return found[0].name


def choose(b: Builder, cond: Name, xs: tuple[Atom, ...], ys: tuple[Atom, ...]) -> tuple[Name, ...]:
    """Bind the i64 ``xs``, or else ``ys``."""
    pat = tuple(Binder[Ann](b.fresh("bound"), I64, None) for _ in xs)
    b.stms.append(Stm(pat, If(Var(cond), Body((), xs), Body((), ys)), b.at))
    return tuple(p.name for p in pat)


def _apart(b: Builder, lo: Atom, hi: Atom) -> Name:
    """Bind the test that there is a number between the two."""
    gap: ScalarExp = Bin(BinOp.SUB, hi, lo)
    return b.let("go", BOOL, Bin(BinOp.LT, Const(1, I64), gap))


def at_row(b: Builder, r: Rows, i: Name) -> Kernel[Ann]:
    """Return the kernel over the elements of row ``i``, with names of its own."""
    e = r.kernel
    image = {e.row.index: Var(i)}
    k = b.fresh(e.index)
    body = freshen_body(subst_body(e.body, image | {e.index: Var(k)}), b.fresh)
    match e.collective:
        case Map() as c:
            return Kernel((KernelDim(k, e.total),), c, body)
        case Reduce(op) | Scan(op) as c:
            own = freshen_lambda(map_lambda(op, substitution(image)), b.fresh)
            return Kernel((KernelDim(k, e.total),), evolve(c, op=own), body)


def fold_row(b: Builder, r: Rows, i: Name, lo: Name, hi: Name) -> tuple[Name, ...]:
    """Fold the elements lo … hi - 1 of row ``i``; return the accumulators."""
    over = at_row(b, r, i)
    assert isinstance(over.collective, Reduce)
    length = b.let("length", I64, Bin(BinOp.SUB, Var(hi), Var(lo)))
    if r.cut.lanes > 1 and in_lanes(b, over):
        return fold_in_lanes(b, over, lo, length, r.cut.lanes)
    s = Stretch(over.dims[0].index, var(lo), var(length), var(length))
    return fold(b, over, s, over.collective.ne, ())


def elem_of(t: Type) -> ScalarType:
    """Return the scalar type of the elements of an array of ``t``."""
    return of_rows(t).elem
