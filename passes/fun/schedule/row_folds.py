"""Reductions of rows of varying length: rule (S6) of ragged.py."""

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Ann,
    Atom,
    Bin,
    Binder,
    Const,
    If,
    Kernel,
    KernelDim,
    Map,
    Reduce,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import Size, var
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
    least: Atom = Const(r.piece, I64)
    if r.cut.share:
        part = b.let("part", I64, Bin(BinOp.DIV, size_exp(r.m), Const(r.cut.share, I64)))
        least = Var(b.let("least", I64, Bin(BinOp.MAX, Var(part), least)))
    some = b.let("long", BOOL, Bin(BinOp.LT, least, Var(longest)))
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
    """Cut the elements into pieces; fold those in rows longer than ``piece``, then the rows.

    A piece of which the first element is in a long row folds what is of this row in it.  The thread
    of a long row folds the elements in front of its first whole piece, and then the pieces.
    """
    types = operands(op.op)
    pieces = _pieces(b, r, r.m)
    p, thread = b.fresh("piece"), b.inner()
    start = thread.let("start", I64, size_exp(var(p) * r.piece))
    i = search(thread, r.kernel.offsets, r.n, Var(start))
    first, end = ends_of(thread, r, var(i))
    long = _is_long(thread, r, first, end)
    own = thread.let("own", I64, Bin(BinOp.MIN, Var(end), size_exp(var(start) + r.piece)))
    (stop,) = choose(thread, long, (Var(own),), (Var(start),))
    sums = fold_row(thread, r, i, start, stop)
    parts = tuple(Binder[Ann](b.fresh("part"), of_rows(t, var(pieces)), None) for t in types)
    dims = (KernelDim(p, var(pieces)),)
    b.stms.append(Stm(parts, Kernel(dims, Map(), thread.body(*map(Var, sums))), b.at))

    i, thread = b.fresh(r.kernel.row.index), b.inner()
    lo, hi = ends_of(thread, r, var(i))
    long = _is_long(thread, r, lo, hi)
    joined, whole = thread.inner(), thread.inner()
    sums = fold_row(whole, r, i, lo, hi)
    next_ = _pieces(joined, r, var(lo))
    front = joined.let("front", I64, size_exp(var(next_) * r.piece))
    before = fold_row(joined, r, i, lo, front)
    last = _pieces(joined, r, var(hi))
    count = joined.let("count", I64, Bin(BinOp.SUB, Var(last), Var(next_)))
    q, reader = joined.fresh("piece"), joined.inner()
    read = [read_row(reader, "p", x.name, t, var(q)) for x, t in zip(parts, types, strict=True)]
    again = at_row(joined, r, i).collective
    assert isinstance(again, Reduce)
    over = Kernel((KernelDim(q, var(pieces)),), again, reader.body(*map(Var, read)))
    s = Stretch(q, var(next_), var(count), var(count))
    totals = fold(joined, over, s, tuple(map(Var, before)), ())
    result = tuple(Binder[Ann](b.fresh("total"), t, None) for t in types)
    branches = (joined.body(*map(Var, totals)), whole.body(*map(Var, sums)))
    thread.stms.append(Stm(result, If(Var(long), *branches), b.at))
    body = thread.body(*(Var(x.name) for x in result))
    b.stms.append(Stm(pat, Kernel((KernelDim(i, r.n),), Map(), body), b.at))


def _is_long(b: Builder, r: Rows, lo: Name, hi: Name) -> Name:
    """Bind the test that a row is longer than a piece."""
    length = b.let("length", I64, Bin(BinOp.SUB, Var(hi), Var(lo)))
    return b.let("long", BOOL, Bin(BinOp.LT, Const(r.piece, I64), Var(length)))


def _pieces(b: Builder, r: Rows, elements: Size) -> Name:
    """Bind the number of pieces that begin before an element."""
    whole = b.let("whole", I64, Bin(BinOp.DIV, size_exp(elements - 1), Const(r.piece, I64)))
    return b.let("next", I64, size_exp(var(whole) + 1))
