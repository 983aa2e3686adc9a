"""Maps and scans of rows of varying length: rule (S7) of ragged.py."""

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Ann,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Concat,
    Const,
    Copy,
    For,
    If,
    Index,
    Kernel,
    KernelDim,
    Loop,
    LoopParam,
    Map,
    Reduce,
    Reshape,
    Scan,
    Scratch,
    Stm,
    Type,
    Var,
    While,
)
from funmem.ir.messages import OFFSETS
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.substitute import freshen_body, subst_body
from funmem.ir.traverse import free_in_body
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.fold import (
    Stretch,
    apply,
    inline_body,
    operands,
    read_row,
    row_type,
    write_row,
)
from funmem.passes.fun.schedule.row_parts import (
    Rows,
    at_row,
    atom_of,
    elem_of,
    fold_row,
    search,
)
from funmem.passes.fun.schedule.views import with_views


def map_rows(b: Builder, pat: tuple[Binder[Ann], ...], r: Rows) -> None:
    """Apply (S7) to a map."""
    e = r.kernel
    if e.row.index not in free_in_body(e.body):
        body = freshen_body(e.body, b.fresh)
        k = b.fresh(e.index)
        body = subst_body(body, {e.index: Var(k)})
        b.stms.append(Stm(pat, Kernel((KernelDim(k, r.m),), Map(), body), b.at))
        return
    _chunks(b, pat, r, None, tuple(row_type(p.type, 1) for p in pat))


def scan_rows(b: Builder, pat: tuple[Binder[Ann], ...], r: Rows, scan: Scan[Ann]) -> None:
    """Apply (S7) to a scan."""
    _chunks(b, pat, r, scan, operands(scan.op))


def _chunks(
    b: Builder,
    pat: tuple[Binder[Ann], ...],
    r: Rows,
    scan: Scan[Ann] | None,
    types: tuple[Type, ...],
) -> None:
    """Compute equal chunks of the elements, and then the few elements that remain."""
    b.chunked |= {p.name for p in pat}
    ne = scan.ne if scan is not None else ()
    if r.inside:
        names = _stretch(b, r, scan, types, ZERO, r.m, ne)
        _bind(b, pat, names)
        return
    m = b.counted(r.m)
    length = b.let("chunk", I64, Bin(BinOp.DIV, size_exp(m), Const(r.threads, I64)))
    carried = ne
    starts: tuple[Name, ...] = ()
    if scan is not None:
        starts, carried = _carries(b, r, scan, types, var(length))
    t, thread = b.fresh("t"), b.inner()
    lo = var(thread.let("lo", I64, size_exp(var(t) * var(length))))
    own = tuple(
        Var(read_row(thread, "start", x, u, var(t))) for x, u in zip(starts, types, strict=False)
    )
    rows = _stretch(thread, r, scan, types, lo, var(length), own)
    tables = tuple(
        Binder[Ann](b.fresh(p.name), of_rows(of_rows(u, var(length)), const(r.threads)), None)
        for p, u in zip(pat, types, strict=True)
    )
    dims = (KernelDim(t, const(r.threads)),)
    b.stms.append(Stm(tables, Kernel(dims, Map(), thread.body(*map(Var, rows))), b.at))
    covered = var(length) * r.threads
    first = var(b.let("lo", I64, size_exp(covered)))
    ends = _stretch(b, r, scan, types, first, r.m - covered, carried)
    _joined(b, pat, types, tables, ends, covered)


def _joined(
    b: Builder,
    pat: tuple[Binder[Ann], ...],
    types: tuple[Type, ...],
    tables: tuple[Binder[Ann], ...],
    ends: tuple[Name, ...],
    covered: Size,
) -> None:
    """Bind the chunks and the rest, end to end."""
    for p, u, table, end in zip(pat, types, tables, ends, strict=True):
        flat = of_rows(u, covered)
        chunks = b.let(p.name, flat, Reshape(flat.shape, table.name))
        b.stms.append(Stm((p,), Concat(0, (chunks, end)), b.at))


def _bind(b: Builder, pat: tuple[Binder[Ann], ...], names: tuple[Name, ...]) -> None:
    for p, x in zip(pat, names, strict=True):
        b.stms.append(Stm((p,), Copy(x), b.at))


def _row_of(b: Builder, r: Rows, at: Size) -> Name:
    """Bind the row of an element; without that element, the last row that begins before it."""
    return search(b, r.kernel.offsets, r.n, atom_of(b, at))


def _stretch(
    b: Builder,
    r: Rows,
    scan: Scan[Ann] | None,
    types: tuple[Type, ...],
    first: Size,
    width: Size,
    start: tuple[Atom, ...],
) -> tuple[Name, ...]:
    """Compute the elements from ``first`` on, ``width`` of them, row by row; return the arrays.

    ``start``: what a scan has at the end of the elements before ``first``.  The loop over the rows
    counts the elements, from 0 to ``width``: it never counts down, even if offsets fell.
    """
    end = atom_of(b, width)
    row = _row_of(b, r, first)
    go = b.let("go", BOOL, Bin(BinOp.LT, Const(0, I64), end))
    arrays = tuple(
        b.let("row", of_rows(t, width), Scratch(of_rows(t, width).shape, elem_of(t))) for t in types
    )
    ne: tuple[Atom, ...] = ()
    if scan is not None:
        begins = _begins(b, r, row, atom_of(b, first))
        ne = _select(b, begins, scan.ne, start, types)
    i, at, again = b.fresh("i"), b.fresh("at"), b.fresh("go")
    accs = tuple(b.fresh("acc") for _ in ne)
    bufs = tuple(b.fresh("chunk") for _ in types)
    params = (
        LoopParam(Binder[Ann](i, I64, None), Var(row)),
        LoopParam(Binder[Ann](at, I64, None), Const(0, I64)),
        LoopParam(Binder[Ann](again, BOOL, None), Var(go)),
        *(LoopParam(Binder[Ann](x, t, None), a) for x, t, a in zip(accs, types, ne, strict=False)),
        *(
            LoopParam(Binder[Ann](x, of_rows(t, width), None), Var(y), True)
            for x, t, y in zip(bufs, types, arrays, strict=True)
        ),
    )
    inner = b.inner()
    _is_row(inner, r, i)
    next_row = inner.let("next", I64, size_exp(var(i) + 1))
    full = inner.let("hi", I64, Index(r.kernel.offsets, (var(i) + 1,)))
    past = inner.let("past", I64, Bin(BinOp.SUB, Var(full), size_exp(first)))
    stop = inner.let("stop", I64, Bin(BinOp.MIN, Var(past), end))
    hi = inner.let("stop", I64, Bin(BinOp.MAX, Var(stop), Var(at)))
    count = inner.let("count", I64, Bin(BinOp.SUB, Var(hi), Var(at)))
    filled = _fill(inner, r, (i, at, count), first, width, types, accs, bufs)
    more = inner.let("go", BOOL, Bin(BinOp.LT, Var(hi), end))
    fresh_start = scan.ne if scan is not None else ()
    results = (Var(next_row), Var(hi), Var(more), *fresh_start, *map(Var, filled))
    pat = tuple(Binder[Ann](b.fresh(p.binder.name), p.binder.type, None) for p in params)
    b.stms.append(Stm(pat, Loop(params, While(again), inner.body(*results)), b.at))
    return tuple(p.name for p in pat[len(pat) - len(types) :])


def _is_row(b: Builder, r: Rows, i: Name) -> None:
    """Add a check of a row's number, so that no access at it in the row needs one.

    It holds, since the last offset is the number of elements.
    """
    known = b.let("row", BOOL, Bin(BinOp.LT, Var(i), size_exp(r.n)))
    b.stms.append(Stm((), Assert(Var(known), OFFSETS, (atom_of(b, r.m),)), b.at))


def _fill(
    b: Builder,
    r: Rows,
    part: tuple[Name, Name, Name],
    first: Size,
    width: Size,
    types: tuple[Type, ...],
    accs: tuple[Name, ...],
    bufs: tuple[Name, ...],
) -> tuple[Name, ...]:
    """Write ``count`` elements of row ``i``, from ``first + at`` on; return the arrays."""
    i, at, count = part
    over = at_row(b, r, i)
    k, j = over.dims[0].index, b.fresh("j")
    s = Stretch(k, first + var(at), var(count), width)
    body = with_views(b, over.body, k, s.lo, s.count, r.m, j)
    inner = b.inner()
    own = tuple(b.fresh("acc") for _ in accs)
    arrays = tuple(b.fresh("chunk") for _ in bufs)
    values = inline_body(inner, body, s, j)
    after: tuple[Atom, ...] = ()
    if isinstance(over.collective, Scan):
        values = after = apply(inner, over.collective.op, (*map(Var, own), *values))
    where = var(at) + var(j)
    new = tuple(
        write_row(inner, x, width, t, where, a)
        for x, t, a in zip(arrays, types, values, strict=True)
    )
    params = (
        *(
            LoopParam(Binder[Ann](x, t, None), Var(y))
            for x, y, t in zip(own, accs, types, strict=False)
        ),
        *(
            LoopParam(Binder[Ann](x, of_rows(t, width), None), Var(y), True)
            for x, y, t in zip(arrays, bufs, types, strict=True)
        ),
    )
    pat = tuple(Binder[Ann](b.fresh(p.binder.name), p.binder.type, None) for p in params)
    loop = Loop(params, For(j, var(count)), inner.body(*after, *map(Var, new)))
    b.stms.append(Stm(pat, loop, b.at))
    return tuple(p.name for p in pat[len(accs) :])


def _begins(b: Builder, r: Rows, row: Name, at: Atom) -> Name:
    """Bind the test that a row begins at an element."""
    start = b.let("start", I64, Index(r.kernel.offsets, (var(row),)))
    return b.let("begins", BOOL, Bin(BinOp.EQ, Var(start), at))


def _select(
    b: Builder, cond: Name, xs: tuple[Atom, ...], ys: tuple[Atom, ...], types: tuple[Type, ...]
) -> tuple[Atom, ...]:
    pat = tuple(Binder[Ann](b.fresh("start"), t, None) for t in types)
    b.stms.append(Stm(pat, If(Var(cond), Body((), xs), Body((), ys)), b.at))
    return tuple(Var(p.name) for p in pat)


def _carries(
    b: Builder, r: Rows, scan: Scan[Ann], types: tuple[Type, ...], length: Size
) -> tuple[tuple[Name, ...], tuple[Atom, ...]]:
    """Bind what a scan has at the start of each chunk, and after the last one.

    Each thread folds the end of its chunk, from the start of the row of its last element on.  If
    the row began before the chunk, what the chunk before has comes first.
    """
    fold_row_ = evolve(r, kernel=evolve(r.kernel, collective=Reduce(scan.op, scan.ne)))
    chunks = const(r.threads)
    t, thread = b.fresh("t"), b.inner()
    lo = thread.let("lo", I64, size_exp(var(t) * length))
    hi = thread.let("hi", I64, size_exp(var(t) * length + length))
    row = _row_of(thread, r, var(hi) - 1)
    start = thread.let("start", I64, Index(r.kernel.offsets, (var(row),)))
    new = thread.let("new", BOOL, Bin(BinOp.LE, Var(lo), Var(start)))
    begin = thread.let("begin", I64, Bin(BinOp.MAX, Var(lo), Var(start)))
    sums = fold_row(thread, fold_row_, row, begin, hi)
    parts = tuple(Binder[Ann](b.fresh("part"), of_rows(u, chunks), None) for u in types)
    news = Binder[Ann](b.fresh("new"), of_rows(BOOL, chunks), None)
    body = thread.body(*map(Var, sums), Var(new))
    b.stms.append(Stm((*parts, news), Kernel((KernelDim(t, chunks),), Map(), body), b.at))
    return _carried(b, r, scan, parts, news.name)


def _carried(
    b: Builder, r: Rows, scan: Scan[Ann], parts: tuple[Binder[Ann], ...], news: Name
) -> tuple[tuple[Name, ...], tuple[Atom, ...]]:
    """Add a loop over the chunks that records what each begins with."""
    types, chunks = operands(scan.op), const(r.threads)
    t, inner = b.fresh("t"), b.inner()
    tables = tuple(
        b.let("starts", of_rows(u, chunks), Scratch(of_rows(u, chunks).shape, elem_of(u)))
        for u in types
    )
    accs = tuple(b.fresh("acc") for _ in types)
    bufs = tuple(b.fresh("starts") for _ in types)
    params = (
        *(
            LoopParam(Binder[Ann](x, u, None), a)
            for x, u, a in zip(accs, types, scan.ne, strict=True)
        ),
        *(
            LoopParam(Binder[Ann](x, of_rows(u, chunks), None), Var(y), True)
            for x, u, y in zip(bufs, types, tables, strict=True)
        ),
    )
    written = tuple(
        write_row(inner, x, chunks, u, var(t), Var(a))
        for x, u, a in zip(bufs, types, accs, strict=True)
    )
    own = tuple(
        Var(read_row(inner, "p", x.name, u, var(t))) for x, u in zip(parts, types, strict=True)
    )
    new = inner.let("new", BOOL, Index(news, (var(t),)))
    joined = inner.inner()
    both = joined.body(*apply(joined, scan.op, (*map(Var, accs), *own)))
    after = tuple(Binder[Ann](b.fresh("acc"), u, None) for u in types)
    inner.stms.append(Stm(after, If(Var(new), Body((), own), both), b.at))
    body = inner.body(*(Var(p.name) for p in after), *map(Var, written))
    pat = tuple(Binder[Ann](b.fresh(p.binder.name), p.binder.type, None) for p in params)
    b.stms.append(Stm(pat, Loop(params, For(t, chunks), body), b.at))
    names = tuple(p.name for p in pat)
    return names[len(types) :], tuple(map(Var, names[: len(types)]))
