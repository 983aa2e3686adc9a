"""Strip-mined commutative reductions of the rows of a matrix: rule (S5).

    kernel i < n, j < m reduce comm (op) (ne) do v(i, j)       where m is large
    ->  parts = kernel i < n, l < 64 do
                  loop (acc = ne) for c < m / 64 do op(acc, v(i, 64 * c + l))
        kernel i < n do
          loop (acc = ne) for l < 64 do op(acc, parts[i, l]);  the remaining elements

In (S1), a thread folds a row sequentially, and neighbouring threads access elements that are a row
apart, so accesses are neither vectorised nor coalesced.  Here neighbouring threads read
neighbouring elements, as in (S4).

*Condition*: as for (S4), and a row of a matrix, or a part of one, is read.  A row of a permuted
view is excluded, because there neighbouring threads of (S1) read neighbouring elements.  If the
length of rows is not a constant, it is tested at run time: rows must be so long that the parts take
at most an eighth of the memory of rows of f32, and the second kernel little time.
"""

from collections.abc import Collection

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Bin,
    Binder,
    Compound,
    Const,
    DerivedArray,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    KernelDim,
    Map,
    Reduce,
    Scalar,
    ScalarExp,
    Slice,
    Stm,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.ir.substitute import freshen_body, subst_body, substitution
from funmem.ir.traverse import free_in_stm, map_lambda
from funmem.passes.fun.schedule.builder import Builder
from funmem.passes.fun.schedule.fold import I64, Stretch, fold, operands, read_row
from funmem.passes.fun.schedule.order import sequential
from funmem.passes.fun.schedule.strips import (
    in_strips,
    kernel_of,
    lane_loop,
    read_at,
    table_of,
)

LONG = 128
"""Smallest length of a row, in elements for each byte of an operand."""


@frozen
class Rows:
    """A reduction of rows; rows of at least ``long`` elements are strip-mined."""

    kernel: Kernel[Ann]
    reduce: Reduce[Ann]
    outer: KernelDim
    inner: KernelDim
    long: int


def of_rows_in_strips(b: Builder, stm: Stm[Ann], kernel: Kernel[Ann]) -> Rows | None:
    """Return the reduction if it meets the condition; None otherwise."""
    match kernel:
        case Kernel((outer, inner), Reduce(op) as reduce) if len(stm.pat) == len(reduce.ne):
            types = [t for t in operands(op) if isinstance(t, ScalarType)]
            found = Rows(kernel, reduce, outer, inner, LONG * sum(t.bytes for t in types))
            length = inner.size.as_const
            if length is not None and length < found.long:
                return None
            stms = list(zip(kernel.body.stms, _once(b, found), strict=True))
            once = [s for s, own in stms if own]
            rest = tuple(s for s, own in stms if not own)
            row = evolve(kernel, dims=(inner,), body=evolve(kernel.body, stms=rest))
            reads_rows = any(isinstance(s.exp, Slice) for s in once)
            return found if reads_rows and in_strips(b, row, reduce) else None
        case _:
            return None


def rows(b: Builder, stm: Stm[Ann], r: Rows) -> None:
    """Apply (S5) to long rows, and (S1) to short rows."""
    b.at = stm.at
    if r.inner.size.as_const is not None:
        _in_strips(b, stm.pat, r)
        return
    b.guard(r.inner.size)
    enough: ScalarExp = Bin(BinOp.GE, size_exp(r.inner.size), Const(r.long, I64))
    long = b.let("long", BOOL, enough)
    bodies = []
    for way in (_in_strips, _in_order):
        branch = b.inner()
        pat = tuple(Binder[Ann](b.fresh(x.name), x.type, None) for x in stm.pat)
        way(branch, pat, r)
        bodies.append(branch.body(*(Var(x.name) for x in pat)))
    b.stms.append(Stm(stm.pat, If(Var(long), *bodies), b.at))


def _in_order(b: Builder, pat: tuple[Binder[Ann], ...], r: Rows) -> None:
    sequential(b, Stm(pat, r.kernel, b.at), r.kernel)


def _in_strips(b: Builder, pat: tuple[Binder[Ann], ...], r: Rows) -> None:
    types, length = operands(r.reduce.op), r.inner.size
    whole = var(b.let("strips", I64, Bin(BinOp.DIV, size_exp(length), Const(b.strip, I64))))

    first, lane = b.fresh(r.outer.index), b.fresh("lane")
    thread = b.inner()
    row, reduce = _row(thread, r, first)
    names = dict.fromkeys(read_at(row.body, r.inner.index))
    tables = {x: table_of(thread, x, whole) for x in names}
    sums = lane_loop(thread, row, reduce, tables, ZERO, whole, lane)
    dims = (KernelDim(first, r.outer.size), KernelDim(lane, const(b.strip)))
    parts = kernel_of(b, "part", dims, thread.body(*map(Var, sums)), types)

    second, last = b.fresh(r.outer.index), b.fresh("lane")
    thread = b.inner()
    row, reduce = _row(thread, r, second)
    reader = thread.inner()
    values = [
        Var(read_row(reader, "p", x, t, var(second), var(last)))
        for x, t in zip(parts, types, strict=True)
    ]
    over = Kernel((KernelDim(last, const(b.strip)),), reduce, reader.body(*values))
    all_lanes = Stretch(last, ZERO, const(b.strip), const(b.strip))
    start = fold(thread, over, all_lanes, reduce.ne, ())
    rest = var(thread.let("lo", I64, size_exp(whole * b.strip)))
    tail = Stretch(r.inner.index, rest, length - whole * b.strip, length)
    sums = fold(thread, row, tail, tuple(map(Var, start)), ())
    result = thread.body(*map(Var, sums))
    b.stms.append(Stm(pat, Kernel((KernelDim(second, r.outer.size),), Map(), result), b.at))


def _row(b: Builder, r: Rows, index: Name) -> tuple[Kernel[Ann], Reduce[Ann]]:
    """Return the reduction of row ``index``, and its collective, because the operator may use the
    index as well; statements that run once per row are added to ``b``.
    """
    once = _once(b, r)
    image = {r.outer.index: Var(index)}
    copy = subst_body(freshen_body(r.kernel.body, b.fresh), image)
    reduce = evolve(r.reduce, op=map_lambda(r.reduce.op, substitution(image)))
    b.stms += [s for s, own in zip(copy.stms, once, strict=True) if own]
    b.types = {**b.types, **{p.name: p.type for s in copy.stms for p in s.pat}}
    rest = tuple(s for s, own in zip(copy.stms, once, strict=True) if not own)
    return Kernel((r.inner,), reduce, evolve(copy, stms=rest)), reduce


def _once(b: Builder, r: Rows) -> list[bool]:
    """Return for each statement of the body whether it runs once per row.

    A slice may trap.  It does so in the first row in either case: rows in strips are not empty.
    """
    found: list[bool] = []
    views: set[Name] = set()
    for s in r.kernel.body.stms:
        found.append(_is_once(b, s, r, views))
        if found[-1] and isinstance(s.exp, Slice):
            views |= {p.name for p in s.pat}
    return found


def _is_once(b: Builder, s: Stm[Ann], r: Rows, views: Collection[Name]) -> bool:
    """True if a statement runs once per row: a view of contiguous elements of a row, or of one of
    ``views``, which are such views, or a read of one element per row.
    """
    i, n = var(r.outer.index), r.outer.size
    if r.inner.index in free_in_stm(s):
        return False
    match s.exp:
        case Slice(x, (DimFix(at), DimRange(_, _, stride))) if at == i and stride == ONE:
            return x not in b.permuted
        case Slice(x, (DimRange(_, _, stride),)):
            return x in views and stride == ONE
        case Index(x, (at,)) if at == i:
            return _has_shape(b, x, (n,))
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
            return False
        case Assert() | Alloc():
            return False


def _has_shape(b: Builder, x: Name, shape: tuple[Size, ...]) -> bool:
    t = b.types.get(x)
    return isinstance(t, ArrayType) and t.shape == shape
