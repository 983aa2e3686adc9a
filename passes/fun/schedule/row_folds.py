"""Reductions of rows of varying length: rule (S6) of ragged.py."""

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Ann,
    Bin,
    Binder,
    Body,
    Const,
    If,
    Index,
    Kernel,
    KernelDim,
    Lambda,
    Map,
    Reduce,
    Scan,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import var
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.fold import (
    Stretch,
    fold,
    operands,
    read_row,
)
from funmem.passes.fun.schedule.row_parts import (
    Rows,
    at_row,
    choose,
    collective,
    ends_in_views,
    ends_of,
    fold_row,
    search,
)


def row_per_thread(b: Builder, pat: tuple[Binder[Ann], ...], r: Rows) -> None:
    """Add ``kernel i < n do fold row i``."""
    i, thread = b.fresh(r.kernel.row.index), b.inner()
    lo, hi = ends_of(thread, r, var(i))
    results = thread.body(*map(Var, fold_row(thread, r, i, lo, hi)))
    b.stms.append(Stm(pat, Kernel((KernelDim(i, r.n),), Map(), results), b.at))


def in_pieces(
    b: Builder, pat: tuple[Binder[Ann], ...], r: Rows, op: Reduce[Ann], longest: Name
) -> None:
    """Apply (S6): one row per thread, or pieces of long rows first if there are any."""
    some = b.let("long", BOOL, Bin(BinOp.LT, Const(r.piece, I64), Var(longest)))
    short, cut = b.inner(), b.inner()
    own = [tuple(Binder[Ann](b.fresh(p.name), p.type, None) for p in pat) for _ in range(2)]
    row_per_thread(short, own[0], r)
    _cut(cut, own[1], r, op)
    branches = (
        inner.body(*(Var(p.name) for p in names))
        for inner, names in ((cut, own[1]), (short, own[0]))
    )
    b.stms.append(Stm(pat, If(Var(some), *branches), b.at))


def _cut(b: Builder, pat: tuple[Binder[Ann], ...], r: Rows, op: Reduce[Ann]) -> None:
    """Fold the pieces of rows longer than ``piece``, then the rows."""
    types = operands(op.op)
    ends = _piece_ends(b, r)
    pieces = b.let("pieces", I64, Index(ends, (r.n - 1,)))
    p, thread = b.fresh("piece"), b.inner()
    i = search(thread, ends, r.n, Var(p), shift=-1)
    before = _before(thread, ends, i)
    start, end = ends_of(thread, r, var(i))
    lo = thread.let("lo", I64, size_exp(var(start) + (var(p) - var(before)) * r.piece))
    hi = thread.let("hi", I64, Bin(BinOp.MIN, Var(end), size_exp(var(lo) + r.piece)))
    sums = fold_row(thread, r, i, lo, hi)
    parts = tuple(Binder[Ann](b.fresh("part"), of_rows(t, var(pieces)), None) for t in types)
    dims = (KernelDim(p, var(pieces)),)
    b.stms.append(Stm(parts, Kernel(dims, Map(), thread.body(*map(Var, sums))), b.at))

    i, thread = b.fresh(r.kernel.row.index), b.inner()
    lo, hi = ends_of(thread, r, var(i))
    length = thread.let("length", I64, Bin(BinOp.SUB, Var(hi), Var(lo)))
    short = thread.let("short", BOOL, Bin(BinOp.LE, Var(length), Const(r.piece, I64)))
    whole, joined = thread.inner(), thread.inner()
    sums = fold_row(whole, r, i, lo, hi)
    first = _before(joined, ends, i)
    last = joined.let("end", I64, Index(ends, (var(i),)))
    count = joined.let("count", I64, Bin(BinOp.SUB, Var(last), Var(first)))
    q, reader = joined.fresh("piece"), joined.inner()
    read = [read_row(reader, "p", x.name, t, var(q)) for x, t in zip(parts, types, strict=True)]
    again = at_row(joined, r, i).collective
    assert isinstance(again, Reduce)
    over = Kernel((KernelDim(q, var(pieces)),), again, reader.body(*map(Var, read)))
    s = Stretch(q, var(first), var(count), var(count))
    totals = fold(joined, over, s, again.ne, ())
    result = tuple(Binder[Ann](b.fresh("total"), t, None) for t in types)
    branches = (whole.body(*map(Var, sums)), joined.body(*map(Var, totals)))
    thread.stms.append(Stm(result, If(Var(short), *branches), b.at))
    body = thread.body(*(Var(x.name) for x in result))
    b.stms.append(Stm(pat, Kernel((KernelDim(i, r.n),), Map(), body), b.at))


def _piece_ends(b: Builder, r: Rows) -> Name:
    """Bind the number of pieces up to and including each row; short rows have none."""
    i, inner = b.fresh("row"), b.inner()
    lo, hi = ends_in_views(b, inner, r, i)
    length = inner.let("length", I64, Bin(BinOp.SUB, Var(hi), Var(lo)))
    long = inner.let("long", BOOL, Bin(BinOp.LT, Const(r.piece, I64), Var(length)))
    whole = inner.let("whole", I64, Bin(BinOp.DIV, size_exp(var(length) - 1), Const(r.piece, I64)))
    count = inner.let("count", I64, size_exp(var(whole) + 1))
    own = choose(inner, long, Var(count), Const(0, I64))
    params = tuple(Binder[Ann](b.fresh(x), I64, None) for x in ("a", "b"))
    add = b.inner()
    total = add.let("sum", I64, Bin(BinOp.ADD, *(Var(p.name) for p in params)))
    scan = Scan(Lambda(params, add.body(Var(total))), (Const(0, I64),))
    ends = b.fresh("ends")
    pat = (Binder[Ann](ends, of_rows(I64, r.n), None),)
    collective(b, Stm(pat, Kernel((KernelDim(i, r.n),), scan, inner.body(Var(own))), b.at), r)
    return ends


def _before(b: Builder, ends: Name, i: Name) -> Name:
    """Bind ``ends[i-1]``, or 0 for the first row."""
    some = b.let("some", BOOL, Bin(BinOp.LT, Const(0, I64), Var(i)))
    inner = b.inner()
    x = inner.let("end", I64, Index(ends, (var(i) - 1,)))
    pat = (Binder[Ann](b.fresh("before"), I64, None),)
    b.stms.append(Stm(pat, If(Var(some), inner.body(Var(x)), Body((), (Const(0, I64),))), b.at))
    return pat[0].name
