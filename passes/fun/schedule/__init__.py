"""schedule: divide collectives among threads (FUN -> FUN).

A collective specifies *what* is folded; this pass decides how threads fold it.  Its result contains
only maps, loops and in-place updates, so the memory passes need not handle operators.

(S1) A kernel with outer dimensions, or inside another kernel: one thread per outer index folds the
     innermost dimension in order, because the outer dimensions provide enough parallelism.

     kernel i < n, j < m reduce (op) (ne) do b in (v)
     ->  kernel i < n do loop (acc = ne) for j < m do b; acc' = op(acc, v) in (acc')

(S2) A one-dimensional kernel at the top level: ``threads`` threads fold a contiguous chunk each,
     and their partial results are folded in order, so ``op`` need only be associative.

     kernel i < n reduce (op) (ne) do b in (v)
     ->  parts = kernel t < threads do loop (acc = ne) for the chunk's i do b; op(acc, v)
         loop (acc = ne) for t < threads do op(acc, parts[t])

     A scan reduces its chunks, scans the partial results, and scans each chunk starting from its
     partial result.  Chunks have equal lengths and are contiguous in the result; the remaining
     elements come last.  A map that follows the scan and reads it is computed in the same loops
     (scan_maps.py).  If a reduction of the same values precedes a scan, it is the scan's first
     pass.  A histogram fills one private histogram per thread and folds these into
     dest; the number of threads is limited so that the private histograms are together no larger
     than the input.

     This applies the operator to neutral elements and to buckets without contributions.  If these
     may have uninitialised elements, that would trap, and (S1) applies instead.

     If an array is as long as the kernel has iterations, a chunk reads its part through a view
     (views.py), so that one check, of the view, replaces those of all accesses.

(S3) Mapped results of a top-level collective, and those whose rows may have a negative size
     (order.py), are computed first, by a separate kernel (maps.py).  The values that the collective
     folds are computed again if that is cheap; otherwise the separate kernel stores them.

(S4) A top-level reduction with a commutative operator is strip-mined with strips of 64 (strips.py).
     One with another, long operator gives each of 64 lanes a contiguous part.

(S5) Likewise a reduction of the rows of a matrix, if rows are long (rows.py).

(S6), (S7) Kernels over rows of varying length: rows per thread, long rows in pieces; maps and scans
     in equal chunks of the elements (ragged.py).

If several iterations would trap, or an operator traps for some groupings only, another trap may be
raised, because iterations of a kernel have no order.

Precondition: well-typed FUN.  Postcondition: no kernel has a collective
or rows.
"""

from functools import partial

from funmem.ir.diagnostics import Diagnostic
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Body,
    Compound,
    DerivedArray,
    Entry,
    FreshArray,
    Hist,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Map,
    MemProgram,
    Opaque,
    Permute,
    Program,
    RaggedKernel,
    Reduce,
    Reshape,
    Reverse,
    Scalar,
    Scan,
    Slice,
    Stm,
    Var,
)
from funmem.ir.logic.uninitialised import LazyNames, uninitialised_in
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.traverse import (
    entry_binders,
    free_in_stm,
    inner_binders,
    map_sub_bodies,
    program_fresh,
    sub_bodies,
    walk,
)
from funmem.passes.context import usage_error
from funmem.passes.framework import Context, Option, fun_pass
from funmem.passes.fun.schedule.builder import Builder
from funmem.passes.fun.schedule.chunk import Prefixes, chunked, reduced_for_scan
from funmem.passes.fun.schedule.order import sequential
from funmem.passes.fun.schedule.ragged import ragged
from funmem.passes.fun.schedule.row_lanes import LANES
from funmem.passes.fun.schedule.row_parts import SHARE, Cut
from funmem.passes.fun.schedule.rows import of_rows_in_strips, rows
from funmem.passes.fun.schedule.scan_maps import Follower, follower, scan_of_same
from funmem.passes.tuning import DEFAULT


def no_collectives(p: MemProgram) -> Diagnostic | None:
    """Postcondition: every kernel is a map."""
    for e in p.entries:
        for s in walk(e.body):
            if isinstance(s.exp, RaggedKernel):
                return Diagnostic(s.at, "schedule", "a kernel over rows is left")
            if isinstance(s.exp, Kernel) and not isinstance(s.exp.collective, Map):
                return Diagnostic(s.at, "schedule", "a collective is left")
    return None


@fun_pass(
    "schedule",
    summary="divide collectives among threads that fold sequentially",
    options=(
        Option("threads", DEFAULT.threads, help="chunks of a top-level collective"),
        Option("strip", DEFAULT.strip, help="elements of a strip in commutative reductions"),
        Option("piece", DEFAULT.piece, help="elements of a piece of a row of a ragged array"),
        Option("share", SHARE, help="rows with less than this part of all elements are not cut"),
        Option("lanes", LANES, help="accumulators of a row whose operator commutes"),
    ),
    post=(no_collectives,),
)
def schedule(p: MemProgram, ctx: Context) -> MemProgram:
    """Apply the rules of the module docstring.  Raises UsageError for options out of range."""
    fresh = program_fresh(p)
    threads, strip, piece = (ctx.number(x) for x in ("threads", "strip", "piece"))
    cut = Cut(piece, ctx.number("share"), ctx.number("lanes"))
    if min(threads, strip, piece, cut.lanes) < 1 or cut.share < 0:
        raise usage_error("schedule{threads=…,strip=…,piece=…,lanes=…} are positive numbers")
    return Program(tuple(_entry(e, fresh, threads, strip, cut) for e in p.entries), p.functions)


def _entry(e: Entry[Ann], fresh: Fresh, threads: int, strip: int, cut: Cut) -> Entry[Ann]:
    sizes = frozenset(b.name for b in e.implicit)
    types = {b.name: b.type for b in entry_binders(e)}
    for s in walk(e.body):
        types.update((b.name, b.type) for b in (*s.pat, *inner_binders(s.exp)))
    uninitialised = LazyNames(lambda: uninitialised_in(e.body.stms, ()))
    start = Builder(
        fresh, sizes, types=types, permuted=_permuted(e), uninitialised=uninitialised, strip=strip
    )
    return evolve(e, body=_body(e.body, start, threads, cut, inside=False))


def _permuted(e: Entry[Ann]) -> frozenset[Name]:
    """Return the arrays that are permuted views, or views of these."""
    found: set[Name] = set()
    for s in walk(e.body):
        match s.exp:
            case Permute():
                found.add(s.pat[0].name)
            case Slice(x, _) | Reverse(_, x) | Reshape(_, x) | Var(x) if x in found:
                found.add(s.pat[0].name)
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
                pass
            case Assert() | Alloc():
                pass
    return frozenset(found)


def _body(b: Body[Ann], start: Builder, threads: int, cut: Cut, *, inside: bool) -> Body[Ann]:
    """Rewrite the statements of a body; ``inside`` a kernel, the iterations are threads already."""
    out = start.inner()
    joined: Stm[Ann] | None = None
    prefixes: dict[Name, Prefixes] = {}
    for q, s in enumerate(b.stms):
        if s is joined:
            continue
        if not inside and isinstance(s.exp, Kernel) and _in_chunks(out, s.exp):
            scan = scan_of_same(s, b.stms[q + 1 :])
            if scan is not None:
                prefixes[scan] = reduced_for_scan(out, s, s.exp, threads)
                continue
            after = _follower(out, b, q)
            if after is not None or s.pat[0].name in prefixes:
                joined = b.stms[q + 1] if after is not None else None
                chunked(out, s, s.exp, threads, after, prefixes.get(s.pat[0].name))
                continue
        within = partial(
            _body,
            start=start,
            threads=threads,
            cut=cut,
            inside=inside or isinstance(s.exp, Kernel | RaggedKernel),
        )
        exp = map_sub_bodies(s.exp, within)
        _statement(out, Stm(s.pat, exp, s.at), threads, cut, inside=inside)
    return Body(tuple(out.stms), b.result, b.at)


def _in_chunks(out: Builder, e: Kernel[Ann]) -> bool:
    """True for a reduction or a scan that goes in chunks, with operators without kernels."""
    match e.collective:
        case Reduce() | Scan():
            inner = (t.exp for b in sub_bodies(e) for t in walk(b))
            kernels = any(isinstance(x, Kernel | RaggedKernel) for x in inner)
            return len(e.dims) == 1 and not kernels and not _starts_uninitialised(out, e)
        case Map() | Hist():
            return False


def _follower(out: Builder, b: Body[Ann], q: int) -> Follower | None:
    """Return the map that follows statement ``q`` if that is a scan."""
    s = b.stms[q]
    if q + 1 == len(b.stms) or not isinstance(s.exp, Kernel):
        return None
    if not isinstance(s.exp.collective, Scan):
        return None
    used = frozenset(a.name for a in b.result if isinstance(a, Var))
    for t in b.stms[q + 2 :]:
        used |= free_in_stm(t)
    return follower(out, s, b.stms[q + 1], used)


def _statement(out: Builder, s: Stm[Ann], threads: int, cut: Cut, *, inside: bool) -> None:
    match s.exp:
        case Kernel(_, Map(), _):
            out.stms.append(s)
        case RaggedKernel():
            ragged(out, s, s.exp, threads, cut, inside=inside)
        case Kernel(dims, _, _) if inside or len(dims) > 1:
            found = None if inside else of_rows_in_strips(out, s, s.exp)
            if found is None:
                sequential(out, s, s.exp)
            else:
                rows(out, s, found)
        case Kernel() if _starts_uninitialised(out, s.exp):
            sequential(out, s, s.exp)
        case Kernel():
            chunked(out, s, s.exp, threads)
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            out.stms.append(s)
        case If() | Loop() | Opaque():
            out.stms.append(s)


def _starts_uninitialised(out: Builder, kernel: Kernel[Ann]) -> bool:
    """True if a neutral element or a destination may have uninitialised elements."""
    match kernel.collective:
        case Reduce(_, ne) | Scan(_, ne):
            return any(isinstance(a, Var) and a.name in out.uninitialised for a in ne)
        case Hist(dest, _, ne):
            names = (*dest, *(a.name for a in ne if isinstance(a, Var)))
            return any(x in out.uninitialised for x in names)
        case Map():
            return False
