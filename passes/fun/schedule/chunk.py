"""Top-level collectives in chunks, one per thread: rules (S2) and (S3)."""

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Ann,
    Bin,
    Binder,
    Body,
    Concat,
    Const,
    Hist,
    Kernel,
    KernelDim,
    Map,
    Reduce,
    Replicate,
    Reshape,
    Scan,
    Stm,
    Type,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BinOp
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.fold import (
    I64,
    Stretch,
    buckets_of,
    fold,
    mapped_types,
    operands,
    read_row,
)
from funmem.passes.fun.schedule.maps import maps_first
from funmem.passes.fun.schedule.scan_maps import Follower, fold_through
from funmem.passes.fun.schedule.strips import in_parts, in_strips, strips
from funmem.passes.fun.schedule.views import with_shifted_views


@frozen
class Chunks:
    """A division of the first ``number`` iterations into ``threads`` chunks of ``length``.

    The last chunks may be shorter or empty, unless they are ``equal``; then some iterations remain.
    """

    number: Size
    threads: Size
    length: Size
    equal: bool = False


@frozen
class Prefixes:
    """The first pass of a scan: of each chunk the accumulators before it, and the last ones."""

    chunks: Chunks
    starts: tuple[Name, ...]
    totals: tuple[Name, ...]


def chunked(
    b: Builder,
    stm: Stm[Ann],
    kernel: Kernel[Ann],
    threads: int,
    after: Follower | None = None,
    prefixes: Prefixes | None = None,
) -> None:
    """Apply (S2), after (S3) if there are mapped results.

    ``after``: the map after a scan; ``prefixes``: a scan's first pass, if a reduction has made it.
    """
    b.at = stm.at
    if mapped_types(stm.pat, kernel):
        stm, kernel = maps_first(b, stm, kernel)
    b.guard(kernel.dims[0].size)
    match kernel.collective:
        case Map():
            b.stms.append(stm)
        case Reduce():
            _reduce(b, stm, kernel, kernel.collective, threads)
        case Scan():
            found = prefixes or _prefixes(b, kernel, kernel.collective, threads)
            _scan(b, stm, kernel, kernel.collective, found, after)
        case Hist():
            _hist(b, stm, kernel, kernel.collective, threads)


def _constant_chunks(b: Builder, size: Size, threads: int) -> Chunks:
    """Return ``threads`` chunks of ceil(n / threads) iterations."""
    n = b.counted(size)
    return Chunks(n, const(threads), b.ceiling(n, Const(threads, I64)))


def _equal_chunks(b: Builder, size: Size, threads: int) -> Chunks:
    """Return ``threads`` chunks of floor(n / threads) iterations."""
    n = b.counted(size)
    length = b.let("chunk", I64, Bin(BinOp.DIV, size_exp(n), Const(threads, I64)))
    return Chunks(n, const(threads), var(length), equal=True)


def _stretch(b: Builder, kernel: Kernel[Ann], c: Chunks, thread: Name, buckets: Size) -> Stretch:
    """Return the iterations of thread ``t``: from t * length, at most length, up to the end."""
    (dim,) = kernel.dims
    lo = var(b.let("lo", I64, size_exp(var(thread) * c.length)))
    if c.equal:
        return Stretch(dim.index, lo, c.length, c.length, buckets)
    left = Bin(BinOp.MIN, size_exp(c.number - lo), size_exp(c.length))
    count = b.let("count", I64, Bin(BinOp.MAX, left, Const(0, I64)))
    return Stretch(dim.index, lo, var(count), c.length, buckets)


def _rest(
    b: Builder,
    stm: Stm[Ann],
    kernel: Kernel[Ann],
    c: Chunks,
    start: tuple[Name, ...],
    buckets: Size = ZERO,
) -> None:
    """Fold the iterations after the first ``c.number``: there are none unless
    the size exceeds i64.
    """
    (dim,) = kernel.dims
    left = dim.size - c.number
    s = Stretch(dim.index, c.number, left, left, buckets)
    fold(b, kernel, s, tuple(map(Var, start)), (), stm.pat)


def _per_thread(
    b: Builder,
    names: tuple[str, ...],
    types: tuple[Type, ...],
    c: Chunks,
    thread: Name,
    body: Body[Ann],
) -> tuple[Name, ...]:
    """Add ``kernel t < threads do body``, with one row of each result per thread."""
    pat = tuple(
        Binder[Ann](b.fresh(x), of_rows(t, c.threads), None)
        for x, t in zip(names, types, strict=True)
    )
    b.stms.append(Stm(pat, Kernel((KernelDim(thread, c.threads),), Map(), body), b.at))
    return tuple(p.name for p in pat)


def _partial_folds(b: Builder, kernel: Kernel[Ann], op: Reduce[Ann], c: Chunks) -> tuple[Name, ...]:
    """Add a kernel in which each thread folds its chunk, from the neutral element."""
    thread = b.fresh("t")
    inner = b.inner()
    s = _stretch(inner, kernel, c, thread, ZERO)
    reduce = Kernel(kernel.dims, op, kernel.body)
    names = fold(inner, reduce, s, op.ne, ())
    body = inner.body(*(Var(x) for x in names))
    return _per_thread(b, ("part",) * len(names), operands(op.op), c, thread, body)


def _over_parts(
    b: Builder, parts: tuple[Name, ...], types: tuple[Type, ...], c: Chunks
) -> tuple[KernelDim, Body[Ann]]:
    """Return the dimension and the body of a kernel that reads the partial results."""
    thread = b.fresh("t")
    reader = b.inner()
    values = tuple(
        Var(read_row(reader, "p", x, t, var(thread))) for x, t in zip(parts, types, strict=True)
    )
    return KernelDim(thread, c.threads), reader.body(*values)


def _reduce(b: Builder, stm: Stm[Ann], kernel: Kernel[Ann], op: Reduce[Ann], threads: int) -> None:
    (dim,) = kernel.dims
    kernel = evolve(kernel, body=with_shifted_views(b, kernel.body, dim))
    if in_strips(b, kernel, op) or in_parts(b, kernel, op):
        strips(b, stm, kernel, op, threads)
        return
    c = _constant_chunks(b, dim.size, threads)
    parts = _partial_folds(b, kernel, op, c)
    part, body = _over_parts(b, parts, operands(op.op), c)
    s = Stretch(part.index, ZERO, c.threads, c.threads)
    over = Kernel((part,), op, body)
    if c.number == dim.size:
        fold(b, over, s, op.ne, (), stm.pat)
    else:
        _rest(b, stm, kernel, c, fold(b, over, s, op.ne, ()))


def reduced_for_scan(b: Builder, stm: Stm[Ann], kernel: Kernel[Ann], threads: int) -> Prefixes:
    """Reduce by the first pass of a scan of the same values, and return that."""
    b.at = stm.at
    assert isinstance(kernel.collective, Reduce)
    op = kernel.collective
    b.guard(kernel.dims[0].size)
    found = _prefixes(b, kernel, Scan(op.op, op.ne), threads)
    fold(b, kernel, _left(b, kernel, found.chunks), tuple(map(Var, found.totals)), (), stm.pat)
    return found


def _prefixes(b: Builder, kernel: Kernel[Ann], op: Scan[Ann], threads: int) -> Prefixes:
    """Reduce chunks of equal length, and scan the partial results."""
    c = _equal_chunks(b, kernel.dims[0].size, threads)
    parts = _partial_folds(b, kernel, Reduce(op.op, op.ne), c)
    over, body = _over_parts(b, parts, operands(op.op), c)
    before = Stretch(over.index, ZERO, c.threads, c.threads, exclusive=True)
    folded = fold(b, Kernel((over,), op, body), before, op.ne, ())
    return Prefixes(c, folded[: len(parts)], folded[len(parts) :])


def _left(b: Builder, kernel: Kernel[Ann], c: Chunks) -> Stretch:
    """Return the iterations after equal chunks, fewer than there are threads."""
    (dim,) = kernel.dims
    covered = c.threads * c.length
    lo = var(b.let("lo", I64, size_exp(covered)))
    left = dim.size - covered
    return Stretch(dim.index, lo, left, left)


def _scan(
    b: Builder,
    stm: Stm[Ann],
    kernel: Kernel[Ann],
    op: Scan[Ann],
    first: Prefixes,
    after: Follower | None,
) -> None:
    """Scan chunks of equal length, which are contiguous in the result; the remaining elements,
    fewer than there are threads, are scanned after them.
    """
    types, pat = operands(op.op), stm.pat
    if after is not None:
        types = (*(types[k] for k in after.stored), *after.types)
        pat = (*(pat[k] for k in after.stored), *after.pat)
    c, starts, totals = first.chunks, first.starts, first.totals
    thread = b.fresh("t")
    inner = b.inner()
    s = _stretch(inner, kernel, c, thread, ZERO)
    own = tuple(
        Var(read_row(inner, "start", x, t, var(thread)))
        for x, t in zip(starts, operands(op.op), strict=True)
    )
    rows = _scanned(inner, kernel, s, own, after)
    row_types = tuple(of_rows(t, c.length) for t in types)
    names = tuple(p.name for p in pat)
    result = inner.body(*(Var(x) for x in rows))
    tables = _per_thread(b, names, row_types, c, thread, result)
    covered = c.threads * c.length
    ends = _scanned(b, kernel, _left(b, kernel, c), tuple(map(Var, totals)), after)
    for p, t, table, end in zip(pat, types, tables, ends, strict=True):
        flat = of_rows(t, covered)
        chunks = b.let(p.name, flat, Reshape(flat.shape, table))
        b.stms.append(Stm((p,), Concat(0, (chunks, end)), b.at))


def _scanned(
    b: Builder,
    kernel: Kernel[Ann],
    s: Stretch,
    start: tuple[Var, ...],
    after: Follower | None,
) -> tuple[Name, ...]:
    """Add a scan of a range, and return the arrays of its results, or those that are left with the
    map that follows it.
    """
    if after is None:
        return fold(b, kernel, s, start, ())[: len(start)]
    return fold_through(b, kernel, s, start, after)


def _hist(b: Builder, stm: Stm[Ann], kernel: Kernel[Ann], op: Hist[Ann], threads: int) -> None:
    types = operands(op.op)
    buckets = buckets_of(stm, kernel)
    c = _few_chunks(b, kernel.dims[0].size, buckets, threads)
    thread = b.fresh("t")
    inner = b.inner()
    s = _stretch(inner, kernel, c, thread, buckets)
    rows = tuple(of_rows(t, buckets) for t in types)
    empty = tuple(
        Var(inner.let("buckets", row, Replicate((buckets,), a)))
        for row, a in zip(rows, op.ne, strict=True)
    )
    own = fold(inner, kernel, s, empty, ())
    result = inner.body(*(Var(x) for x in own))
    parts = _per_thread(b, ("part",) * len(own), rows, c, thread, result)
    if c.number == kernel.dims[0].size:
        _merge(b, stm.pat, op, parts, types, c, buckets)
    else:
        pat = tuple(Binder[Ann](b.fresh(x.name), x.type, None) for x in stm.pat)
        _merge(b, pat, op, parts, types, c, buckets)
        _rest(b, stm, kernel, c, tuple(x.name for x in pat), buckets)


def _few_chunks(b: Builder, size: Size, buckets: Size, threads: int) -> Chunks:
    """Return at most ``threads`` chunks, so few that there are no more private
    buckets than inputs.
    """
    n = b.counted(size)
    divisor = Bin(BinOp.MAX, size_exp(buckets), Const(1, I64))
    private = b.let("private", I64, Bin(BinOp.DIV, size_exp(n), divisor))
    some = Bin(BinOp.MAX, Bin(BinOp.MIN, Var(private), Const(threads, I64)), Const(1, I64))
    used = b.let("threads", I64, some)
    return Chunks(n, var(used), b.ceiling(n, Var(used)))


def _merge(
    b: Builder,
    pat: tuple[Binder[Ann], ...],
    op: Hist[Ann],
    parts: tuple[Name, ...],
    types: tuple[Type, ...],
    c: Chunks,
    buckets: Size,
) -> None:
    """Add a kernel with one thread per bucket that folds dest's element with the private ones."""
    bucket = b.fresh("bucket")
    inner = b.inner()
    start = tuple(
        Var(read_row(inner, "old", x, t, var(bucket))) for x, t in zip(op.dest, types, strict=True)
    )
    thread = inner.fresh("t")
    reader = inner.inner()
    values = tuple(
        Var(read_row(reader, "p", x, t, var(thread), var(bucket)))
        for x, t in zip(parts, types, strict=True)
    )
    over = Kernel((KernelDim(thread, c.threads),), Reduce(op.op, op.ne), reader.body(*values))
    s = Stretch(thread, ZERO, c.threads, c.threads)
    total = fold(inner, over, s, start, ())
    body = inner.body(*(Var(x) for x in total))
    b.stms.append(Stm(pat, Kernel((KernelDim(bucket, buckets),), Map(), body), b.at))
