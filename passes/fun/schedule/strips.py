"""Strip-mined commutative reductions: rule (S4).

    kernel i < n reduce comm (op) (ne) do v(i)
    ->  threads = at most the number of strips
        parts = kernel t < threads, l < 64 do
                  loop (acc = ne) for the chunk's c do op(acc, v(64 * (lo + c) + l))
        lanes = kernel l < 64 do loop (acc = ne) for t < threads do op(acc, parts[t, l])
        loop (acc = ne) for l < 64 do op(acc, lanes[l]);  the remaining elements

An operator that does not commute gets a contiguous part of the elements for each lane, in the order
of the lanes: v(whole * l + lo + c) with whole = n / 64, less what makes the parts of all lanes
begin in the same set of a cache.  This pays if the operator is long enough to outweigh reads of 64
places at once.

Neighbouring threads read neighbouring elements, so that accesses are coalesced on a GPU, and the
pass ``vectorise`` makes groups of 64 lanes on a CPU, each lane with its own accumulator.

*Condition*: ``op`` is commutative, as declared or by its form, because elements are folded in
another order, or has at least ``LONG`` operations.  The body computes scalars from elements of
arrays at the kernel's index and cannot trap.  Otherwise lanes would not run in lockstep, and each
thread would read only every 64th element.
"""

from collections.abc import Iterator

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Compound,
    Const,
    Convert,
    DerivedArray,
    Exp,
    For,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    KernelDim,
    Lambda,
    Loop,
    LoopParam,
    Map,
    Permute,
    Reduce,
    Reshape,
    ScalarExp,
    Slice,
    Stm,
    Type,
    Un,
    Var,
)
from funmem.ir.lmad import DimRange
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, SCALARS, BinOp, ScalarType, can_trap
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.ir.substitute import freshen_body, subst_body
from funmem.ir.traverse import walk
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.fold import I64, Stretch, apply, fold, operands, read_row

_COMMUTATIVE = frozenset(
    (
        *(BinOp.ADD, BinOp.MUL, BinOp.MIN, BinOp.MAX),
        *(BinOp.AND, BinOp.OR, BinOp.XOR, BinOp.LAND, BinOp.LOR),
    )
)


LONG = 16
"""The least number of operations in an operator that does not commute."""

_SET = 32
"""The number of elements of a lane is an odd multiple of half of this."""


def in_strips(b: Builder, kernel: Kernel[Ann], reduce: Reduce[Ann]) -> bool:
    """True if the condition holds for an operator that commutes."""
    return is_commutative(reduce) and _in_lockstep(b, kernel, reduce)


def in_parts(b: Builder, kernel: Kernel[Ann], reduce: Reduce[Ann]) -> bool:
    """True if the condition holds for an operator that may not commute."""
    return _operations(reduce.op.body) >= LONG and _in_lockstep(b, kernel, reduce)


def _in_lockstep(b: Builder, kernel: Kernel[Ann], reduce: Reduce[Ann]) -> bool:
    """True if lanes can fold elements of arrays side by side."""
    (dim,) = kernel.dims
    return (
        all(isinstance(t, ScalarType) for t in operands(reduce.op))
        and all(is_plain(s, None, b) for s in reduce.op.body.stms)
        and all(is_plain(s, dim, b) for s in kernel.body.stms)
        and any(True for _ in read_at(kernel.body, dim.index))
    )


def is_commutative(reduce: Reduce[Ann]) -> bool:
    """True if elements may be folded in another order."""
    return reduce.comm or commutes(reduce.op)


def _operations(body: Body[Ann]) -> int:
    """Return the number of operations on scalars in a body, branches included."""
    return sum(_of_scalar(s.exp) for s in walk(body) if isinstance(s.exp, Bin | Un | Convert))


def _of_scalar(e: ScalarExp) -> int:
    """Return the number of operators in an expression."""
    match e:
        case Bin(_, a, b):
            return 1 + _of_scalar(a) + _of_scalar(b)
        case Un(_, a) | Convert(_, a):
            return 1 + _of_scalar(a)
        case Const() | Var():
            return 0


def commutes(op: Lambda[Ann]) -> bool:
    """True if each result is a commutative operator of a left operand and the right one to it."""
    half = len(op.params) // 2
    pairs = {(p.name, q.name) for p, q in zip(op.params[:half], op.params[half:], strict=True)}
    found = {s.pat[0].name: s.exp for s in op.body.stms if s.pat}
    for r in op.body.result:
        match found.get(r.name) if isinstance(r, Var) else None:
            case Bin(o, Var(x), Var(y)) if o in _COMMUTATIVE:
                if not {(x, y), (y, x)} & pairs:
                    return False
            case _:
                return False
    return True


def is_plain(s: Stm[Ann], dim: KernelDim | None, b: Builder) -> bool:
    """True if a statement computes a scalar and cannot trap; ``dim`` is the dimension of the kernel
    to whose body it belongs, or None for a statement of an operator.
    """
    match s.exp:
        case Const() | Var() | Bin() | Un() | Convert() as e:
            return isinstance(s.pat[0].type, ScalarType) and not _may_trap(e, dict(b.types))
        case Call(_, _, partial):
            return not partial
        case Index(x, (i,)) if dim is not None and i == var(dim.index):
            t = b.types.get(x)
            return isinstance(t, ArrayType) and t.shape == (dim.size,)
        case If(_, then, orelse):  # a choice between scalars, as of a minimum that keeps NaN
            return all(isinstance(p.type, ScalarType) for p in s.pat) and all(
                is_plain(t, None, b) for t in (*then.stms, *orelse.stms)
            )
        case Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
            return False
        case Assert() | Alloc():
            return False


def _may_trap(e: ScalarExp, types: dict[Name, Type]) -> bool:
    """True if an operator may trap; an operator of unknown type may."""
    match e:
        case Bin(op, a, b):
            t = _type(a, types) or _type(b, types)
            here = any(can_trap(op, u) for u in SCALARS) if t is None else can_trap(op, t)
            return here or _may_trap(a, types) or _may_trap(b, types)
        case Un(_, a) | Convert(_, a):
            return _may_trap(a, types)
        case Const() | Var():
            return False


def _type(e: ScalarExp, types: dict[Name, Type]) -> ScalarType | None:
    """Return the type of an operand that is a constant, a conversion or a name; None otherwise."""
    match e:
        case Const(_, t) | Convert(t, _):
            return t
        case Var(x):
            found = types.get(x)
            return found if isinstance(found, ScalarType) else None
        case Bin() | Un():
            return None


def read_at(body: Body[Ann], index: Name) -> Iterator[Name]:
    """Yield the arrays that a body reads at its index."""
    for s in body.stms:
        match s.exp:
            case Index(x, (i,)) if i == var(index):
                yield x
            case _:
                pass


def strips(
    b: Builder, stm: Stm[Ann], kernel: Kernel[Ann], reduce: Reduce[Ann], threads: int
) -> None:
    """Apply (S4)."""
    (dim,) = kernel.dims
    types = operands(reduce.op)
    number = size_exp(b.counted(dim.size))
    whole = var(b.let("strips", I64, Bin(BinOp.DIV, number, Const(b.strip, I64))))
    in_order = not is_commutative(reduce)
    if in_order:
        whole = _spread(b, whole)
    # At most as many threads as strips, so that no thread is idle for short arrays.
    few = Bin(BinOp.MAX, Bin(BinOp.MIN, size_exp(whole), Const(threads, I64)), Const(1, I64))
    used = b.let("threads", I64, few)
    chunk = b.ceiling(whole, Var(used))
    tables = {
        x: table_of(b, x, whole, in_order=in_order)
        for x in dict.fromkeys(read_at(kernel.body, dim.index))
    }
    thread, lane = b.fresh("t"), b.fresh("lane")
    inner = b.inner()
    lo = var(inner.let("lo", I64, size_exp(var(thread) * chunk)))
    left = Bin(BinOp.MIN, size_exp(whole - lo), size_exp(chunk))
    count = var(inner.let("count", I64, Bin(BinOp.MAX, left, Const(0, I64))))
    views = {x: _view(inner, b.types[x], y, lo, count) for x, y in tables.items()}
    sums = lane_loop(inner, kernel, reduce, views, lo, count, lane, whole if in_order else None)
    dims = (KernelDim(thread, var(used)), KernelDim(lane, const(b.strip)))
    parts = kernel_of(b, "part", dims, inner.body(*map(Var, sums)), types)
    lanes = _per_lane(b, reduce, parts, var(used))
    last = b.fresh("lane")
    reader = b.inner()
    values = [
        Var(read_row(reader, "p", x, t, var(last))) for x, t in zip(lanes, types, strict=True)
    ]
    over = Kernel((KernelDim(last, const(b.strip)),), reduce, reader.body(*values))
    all_lanes = Stretch(last, ZERO, const(b.strip), const(b.strip))
    start = fold(b, over, all_lanes, reduce.ne, ())
    rest = var(b.let("lo", I64, size_exp(whole * b.strip)))
    tail = Stretch(dim.index, rest, dim.size - whole * b.strip, dim.size)
    fold(b, Kernel(kernel.dims, reduce, kernel.body), tail, tuple(map(Var, start)), (), stm.pat)


def _spread(b: Builder, whole: Size) -> Size:
    """Return a length of at most ``whole`` elements: an odd number of halves of ``_SET``."""
    half = const(_SET // 2)
    over = Bin(BinOp.AND, size_exp(whole + half), Const(_SET - 1, I64))
    odd = var(b.let("over", I64, over))
    return var(b.let("part", I64, Bin(BinOp.MAX, size_exp(whole - odd), Const(0, I64))))


def table_of(b: Builder, x: Name, whole: Size, *, in_order: bool = False) -> Name:
    """Return a view of an array's whole strips as the rows of a table; ``in_order``: as columns."""
    t = b.types[x]
    assert isinstance(t, ArrayType)
    flat = ArrayType(t.elem, (whole * b.strip,))
    part = b.let("view", flat, Slice(x, (DimRange(ZERO, whole * b.strip, ONE),)))
    table = ArrayType(t.elem, (whole, const(b.strip)))
    if not in_order:
        return b.let("view", table, Reshape(table.shape, part))
    columns = ArrayType(t.elem, (const(b.strip), whole))
    return b.let(
        "view", table, Permute((1, 0), b.let("view", columns, Reshape(columns.shape, part)))
    )


def _view(b: Builder, t: Type, table: Name, lo: Size, count: Size) -> Name:
    """Return a view of a chunk's strips."""
    assert isinstance(t, ArrayType)
    dims = (DimRange(lo, count, ONE), DimRange(ZERO, const(b.strip), ONE))
    return b.let("view", ArrayType(t.elem, (count, const(b.strip))), Slice(table, dims))


def lane_loop(
    b: Builder,
    kernel: Kernel[Ann],
    reduce: Reduce[Ann],
    views: dict[Name, Name],
    lo: Size,
    count: Size,
    lane: Name,
    part: Size | None = None,
) -> tuple[Name, ...]:
    """Add the loop of one lane over a chunk, and return its accumulators.

    ``part``: the number of elements of each lane, if they are contiguous.  Where flags say which
    values are neutral, the loop begins with the first element, and its flags are constant.
    """
    (dim,) = kernel.dims
    types = operands(reduce.op)
    counter = b.fresh(dim.index)

    def element(into: Builder, k: Size) -> tuple[Atom, ...]:
        """Add the k-th element of the lane."""
        body = through(kernel.body, dim.index, views, (k, var(lane)))
        row = lo + k
        place = row * b.strip + var(lane) if part is None else var(lane) * part + row
        at = into.let(dim.index, I64, size_exp(place))
        copy = subst_body(freshen_body(body, b.fresh), {dim.index: Var(at)})
        into.stms += copy.stms
        return copy.result

    def folded(into: Builder, start: tuple[Atom, ...], first: Size) -> tuple[Name, ...]:
        """Add the loop over the elements from ``first`` on."""
        params = tuple(
            LoopParam(Binder[Ann](b.fresh("acc"), t, None), a, False)
            for t, a in zip(types, start, strict=True)
        )
        inner = into.inner()
        one = element(inner, var(counter) + first)
        new = apply(inner, reduce.op, (*(Var(p.binder.name) for p in params), *one))
        pat = tuple(Binder[Ann](b.fresh("acc"), t, None) for t in types)
        loop = Loop(params, For(counter, count - first), inner.body(*new))
        into.stms.append(Stm(pat, loop, b.at))
        return tuple(p.name for p in pat)

    if not _is_flagged(kernel.body, reduce):
        return folded(b, reduce.ne, ZERO)
    some = b.let("some", BOOL, Bin(BinOp.LT, Const(0, I64), size_exp(count)))
    then = b.inner()
    sums = folded(then, element(then, ZERO), ONE)
    pat = tuple(Binder[Ann](b.fresh("acc"), t, None) for t in types)
    none = b.inner().body(*reduce.ne)
    b.stms.append(Stm(pat, If(Var(some), then.body(*map(Var, sums)), none), b.at))
    return tuple(p.name for p in pat)


def _is_flagged(body: Body[Ann], reduce: Reduce[Ann]) -> bool:
    """True if elements have a flag that the neutral elements have not: an operator without a
    neutral element got one (``neutral.py`` of the front ends).
    """
    known = {s.pat[0].name: s.exp for s in body.stms if isinstance(s.exp, Const | Var)}

    def value(a: Exp[Ann]) -> Exp[Ann]:
        return value(known[a.name]) if isinstance(a, Var) and a.name in known else a

    flag = (Const(True, BOOL), Const(False, BOOL))
    return any((value(x), n) == flag for x, n in zip(body.result, reduce.ne, strict=True))


def through(
    body: Body[Ann], index: Name, views: dict[Name, Name], at: tuple[Size, ...]
) -> Body[Ann]:
    """Return the body where reads at the index become reads of the views at ``at``."""

    def exp(e: Exp[Ann]) -> Exp[Ann]:
        match e:
            case Index(x, (i,)) if x in views and i == var(index):
                return Index(views[x], at)
            case _:
                return e

    return evolve(body, stms=tuple(evolve(s, exp=exp(s.exp)) for s in body.stms))


def _per_lane(
    b: Builder, reduce: Reduce[Ann], parts: tuple[Name, ...], threads: Size
) -> tuple[Name, ...]:
    """Add a kernel that folds each lane's partial results of all chunks."""
    types = operands(reduce.op)
    lane, thread = b.fresh("lane"), b.fresh("t")
    inner = b.inner()
    reader = inner.inner()
    values = [
        Var(read_row(reader, "p", x, t, var(thread), var(lane)))
        for x, t in zip(parts, types, strict=True)
    ]
    over = Kernel((KernelDim(thread, threads),), reduce, reader.body(*values))
    own = fold(inner, over, Stretch(thread, ZERO, threads, threads), reduce.ne, ())
    dims = (KernelDim(lane, const(b.strip)),)
    return kernel_of(b, "lanes", dims, inner.body(*map(Var, own)), types)


def kernel_of(
    b: Builder,
    base: str,
    dims: tuple[KernelDim, ...],
    body: Body[Ann],
    types: tuple[Type, ...],
) -> tuple[Name, ...]:
    """Add ``kernel dims do body``, and return the names of its arrays."""
    pat = tuple(
        Binder[Ann](b.fresh(base), of_rows(t, *(d.size for d in dims)), None) for t in types
    )
    b.stms.append(Stm(pat, Kernel(dims, Map(), body), b.at))
    return tuple(p.name for p in pat)
