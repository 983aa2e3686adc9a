"""Sequential folds of the whole innermost dimension of a kernel: rule (S1).

Mapped results are allocated before the loop, which writes one row per iteration.  If the size of
rows may be negative, the allocation could trap before an iteration does, with another kind of trap.
So such results are computed by a separate kernel, as in (S3).
"""

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Binder,
    Copy,
    Hist,
    Kernel,
    KernelDim,
    Map,
    Reduce,
    Scan,
    Stm,
    Type,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.sizes import ZERO, Size, var
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.fold import (
    Stretch,
    buckets_of,
    fold,
    mapped_types,
    operands,
    read_row,
)
from funmem.passes.fun.schedule.maps import maps_to


def sequential(b: Builder, stm: Stm[Ann], kernel: Kernel[Ann]) -> None:
    """Apply (S1): one thread per outer index, or no kernel if there is no outer dimension."""
    b.at = stm.at
    *outer, inner = kernel.dims
    mapped = mapped_types(stm.pat, kernel)
    b.guard(inner.size)
    if not outer:
        _fold_all(b, kernel, inner, (), mapped, stm.pat, buckets_of(stm, kernel))
        return
    thread = b.inner()
    index = tuple(var(d.index) for d in outer)
    names = _fold_all(thread, kernel, inner, index, mapped, None, buckets_of(stm, kernel))
    results = tuple(Var(x) for x in names[: len(stm.pat)])
    b.stms.append(Stm(stm.pat, Kernel(tuple(outer), Map(), thread.body(*results)), stm.at))


def _fold_all(
    b: Builder,
    kernel: Kernel[Ann],
    inner: KernelDim,
    index: tuple[Size, ...],
    mapped: tuple[Type, ...],
    pat: tuple[Binder[Ann], ...] | None,
    buckets: Size,
) -> tuple[Name, ...]:
    """Fold the whole innermost dimension for the outer index ``index``."""
    start: tuple[Atom, ...]
    match kernel.collective:
        case Map():
            start = ()
        case Reduce(_, ne) | Scan(_, ne):
            start = ne
        case Hist(dest, op) if index:
            rows = tuple(of_rows(t, buckets) for t in operands(op))
            start = tuple(
                Var(b.let(x, t, Copy(read_row(b, x, x, t, *index))))
                for x, t in zip(dest, rows, strict=True)
            )
        case Hist(dest):
            start = tuple(Var(x) for x in dest)
    whole = Stretch(inner.index, ZERO, inner.size, inner.size, buckets)
    if all(b.nonneg(d) for t in mapped if isinstance(t, ArrayType) for d in t.shape):
        return fold(b, kernel, whole, start, mapped, pat)
    kept = tuple(Binder[Ann](b.fresh("mapped"), of_rows(t, inner.size), None) for t in mapped)
    if pat is not None:
        pat, kept = pat[: -len(mapped)], pat[-len(mapped) :]
    left = maps_to(b, kernel, kept)
    whole = evolve(whole, index=left.dims[0].index)
    names = fold(b, left, whole, start, (), pat)[: len(start)]
    return (*names, *(p.name for p in kept))
