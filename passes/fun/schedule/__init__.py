"""Which parallelism becomes threads (FUN -> FUN).

A collective says *what* is folded; this pass says by whom.  Afterwards no collective is left, only
maps, loops and in-place updates, so the memory passes need to know nothing about operators.

(S1) A kernel with outer dimensions, or inside another kernel: one thread per outer index folds the
     innermost dimension in order.  There is parallelism enough outside.

     kernel i < n, j < m reduce (op) (ne) do b in (v)
     ->  kernel i < n do loop (acc = ne) for j < m do b; acc' = op(acc, v) in (acc')

(S2) A one-dimensional kernel at the top level: ``threads`` threads fold a contiguous chunk each,
     and their partial results are folded in order, so ``op`` need only be associative.

     kernel i < n reduce (op) (ne) do b in (v)
     ->  parts = kernel t < threads do loop (acc = ne) for the chunk's i do b; op(acc, v)
         loop (acc = ne) for t < threads do op(acc, parts[t])

     A scan reduces its chunks, scans the partial results, and scans each chunk from there; the few
     elements that fill no chunk come last, so that the chunks lie end to end in the result.  A
     histogram fills one private histogram per thread and folds those into dest; the number of
     threads is limited so that the private ones are no larger than the input.

     Here the operator is applied to neutral elements and to buckets that no iteration names.  If
     they may have uninitialised elements, that would trap; then it is (S1).

     A chunk reads its part of an array that is as long as the kernel has iterations through a view
     (views.py), so that one check, of the view, stands for those of all accesses.

(S3) Results that are mapped beside a top-level collective, or whose rows may have a negative size
     (order.py), are computed first, by a kernel of their own (maps.py).  What the collective folds
     is computed again, if that is cheap; if not, it reads it from what that kernel has written.

(S4) A top-level reduction whose operator commutes goes along arrays in strips of 64 (strips.py).

(S5) So does that of the rows of a matrix, if they are long (rows.py).

Where several iterations would trap, or an operator traps on some groupings only, which trap is
met may change: iterations of a kernel have no order.

Precondition: well-typed FUN.  Postcondition: no kernel has a collective.
"""

from functools import partial

from funmem.ir.diagnostics import Diagnostic
from funmem.ir.fun import (
    Ann,
    Body,
    Entry,
    Hist,
    Kernel,
    Map,
    MemProgram,
    Permute,
    Program,
    Reduce,
    Reshape,
    Reverse,
    Scan,
    Slice,
    Stm,
    Var,
)
from funmem.ir.logic.uninitialised import LazyNames, uninitialised_in
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.traverse import entry_binders, inner_binders, map_sub_bodies, program_fresh, walk
from funmem.passes.context import usage_error
from funmem.passes.framework import Context, Option, fun_pass
from funmem.passes.fun.schedule.builder import Builder
from funmem.passes.fun.schedule.chunk import chunked
from funmem.passes.fun.schedule.order import sequential
from funmem.passes.fun.schedule.rows import of_rows_in_strips, rows
from funmem.passes.tuning import DEFAULT


def no_collectives(p: MemProgram) -> Diagnostic | None:
    """Every kernel is a map."""
    for e in p.entries:
        for s in walk(e.body):
            if isinstance(s.exp, Kernel) and not isinstance(s.exp.collective, Map):
                return Diagnostic(s.at, "schedule", "a collective is left")
    return None


@fun_pass(
    "schedule",
    summary="collectives become threads and sequential folds",
    options=(
        Option("threads", DEFAULT.threads, help="chunks of a top-level collective"),
        Option("strip", DEFAULT.strip, help="neighbours that fold side by side"),
    ),
    post=(no_collectives,),
)
def schedule(p: MemProgram, ctx: Context) -> MemProgram:
    """The pass; see the module's text for the rules.  Raises UsageError for bad numbers."""
    fresh = program_fresh(p)
    threads, strip = ctx.number("threads"), ctx.number("strip")
    if threads < 1 or strip < 1:
        raise usage_error("schedule{threads=…,strip=…} are positive numbers")
    return Program(tuple(_entry(e, fresh, threads, strip) for e in p.entries))


def _entry(e: Entry[Ann], fresh: Fresh, threads: int, strip: int) -> Entry[Ann]:
    sizes = frozenset(b.name for b in e.implicit)
    types = {b.name: b.type for b in entry_binders(e)}
    for s in walk(e.body):
        types.update((b.name, b.type) for b in (*s.pat, *inner_binders(s.exp)))
    uninitialised = LazyNames(lambda: uninitialised_in(e.body.stms, ()))
    start = Builder(
        fresh, sizes, types=types, permuted=_permuted(e), uninitialised=uninitialised, strip=strip
    )
    return evolve(e, body=_body(e.body, start, threads, inside=False))


def _permuted(e: Entry[Ann]) -> frozenset[Name]:
    """The arrays that are permuted views, or views of such."""
    found: set[Name] = set()
    for s in walk(e.body):
        match s.exp:
            case Permute():
                found.add(s.pat[0].name)
            case Slice(x, _) | Reverse(_, x) | Reshape(_, x) | Var(x) if x in found:
                found.add(s.pat[0].name)
            case _:
                pass
    return frozenset(found)


def _body(b: Body[Ann], start: Builder, threads: int, *, inside: bool) -> Body[Ann]:
    """Statements in order; ``inside``: within a kernel, where there are threads already."""
    out = start.inner()
    for s in b.stms:
        within = partial(
            _body,
            start=start,
            threads=threads,
            inside=inside or isinstance(s.exp, Kernel),
        )
        exp = map_sub_bodies(s.exp, within)
        _statement(out, Stm(s.pat, exp, s.at), threads, inside=inside)
    return Body(tuple(out.stms), b.result, b.at)


def _statement(out: Builder, s: Stm[Ann], threads: int, *, inside: bool) -> None:
    match s.exp:
        case Kernel(_, Map(), _):
            out.stms.append(s)
        case Kernel(dims, _, _) if inside or len(dims) > 1:
            found = None if inside else of_rows_in_strips(out, s, s.exp)
            if found is None:
                sequential(out, s, s.exp)
            else:
                rows(out, s, found)
        case Kernel() if _starts_with_holes(out, s.exp):
            sequential(out, s, s.exp)
        case Kernel():
            chunked(out, s, s.exp, threads)
        case _:
            out.stms.append(s)


def _starts_with_holes(out: Builder, kernel: Kernel[Ann]) -> bool:
    """Whether what is folded from, a neutral element or a destination, may have uninitialised."""
    match kernel.collective:
        case Reduce(_, ne) | Scan(_, ne):
            return any(isinstance(a, Var) and a.name in out.uninitialised for a in ne)
        case Hist(dest, _, ne):
            names = (*dest, *(a.name for a in ne if isinstance(a, Var)))
            return any(x in out.uninitialised for x in names)
        case Map():
            return False
