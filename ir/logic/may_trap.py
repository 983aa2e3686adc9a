"""Expressions that cannot trap, given the facts at their program point.

A pass may move a statement past a branch, or out of a kernel or loop that may be empty, only if
the statement cannot trap (errata 25).

    why_traps(e, known)      None, or the reason why ``e`` may trap

"May trap" is always a correct answer.
"""

from collections.abc import Iterable, Sequence
from itertools import product as cartesian

from funmem.ir.arith import scalar_type
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Bin,
    Call,
    Collective,
    Compound,
    Concat,
    Const,
    Convert,
    Copy,
    DerivedArray,
    Exp,
    FlatSlice,
    For,
    FreshArray,
    Hist,
    If,
    Index,
    InPlace,
    Iota,
    Kernel,
    Loop,
    Map,
    Opaque,
    Permute,
    RaggedKernel,
    Reduce,
    Replicate,
    Reshape,
    Reverse,
    Scalar,
    ScalarExp,
    Scan,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Un,
    Update,
    Var,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, Part, SliceDim
from funmem.ir.logic.bounded import shown
from funmem.ir.logic.facts import DIVISIONS, PointFacts
from funmem.ir.logic.prove import names_once
from funmem.ir.names import Name
from funmem.ir.scalars import BinOp, can_trap
from funmem.ir.sizes import ONE, ZERO, Size, product, var
from funmem.ir.traverse import sub_bodies


def why_traps(e: Exp[Ann], known: PointFacts) -> str | None:
    """Return the reason why an expression may trap or not terminate; None if it cannot."""
    match e:
        case Const() | Var() | Bin() | Un() | Convert():
            return _operators(e, known)
        case Call(fn, _, partial):
            return f"function {fn} may trap or not terminate" if partial else None
        case Opaque(fn):
            return f"foreign code {fn} may fail or not terminate"
        case Index(x, index):
            if x in known.uninitialised:
                return f"{x} may have elements that were never written"
            return _places(x, tuple(DimFix(i) for i in index), known)
        case Slice(x, dims):
            return _places(x, dims, known)
        case FlatSlice(x, offset, flat):
            return _flat(x, offset, flat, known)
        case Reshape(shape, x):
            return why_reshape_traps(shape, x, known.shape(x), known)
        case Iota(n):
            return _sizes((n,), known)
        case Replicate(shape) | Scratch(shape):
            return _sizes(shape, known)
        case Update(x, where):
            return _written(x, where, known)
        case Kernel(dims):
            sizes = _sizes(tuple(d.size for d in dims), known)
            return sizes or reads_uninitialised(e, known) or _bodies(e, known)
        case RaggedKernel(row, _, offsets, total):
            if (offsets, total) not in known.rows:
                return f"{offsets} may not be the offsets of rows"
            return _sizes((row.size, total), known) or _bodies(e, known)
        case Scatter():
            return reads_uninitialised(e, known)
        case If():
            return _bodies(e, known)
        case Loop(_, form):
            return _bodies(e, known) if isinstance(form, For) else "it may not terminate"
        case Assert():
            return "it is an assertion"
        case ArrayLit(elems, _, rows):
            return None if elems else _sizes(rows, known)
        case Permute() | Reverse() | Copy() | Concat() | Alloc():
            return None


def reads_uninitialised(e: Exp[Ann], known: PointFacts) -> str | None:
    """Return the reason why a scatter or a histogram itself may read an uninitialised element; None
    if it cannot.  It reads indices, and buckets that are scalars.  Arrays are copied as they are;
    operators read their elements.
    """
    match e:
        case Scatter(_, indices) if indices in known.uninitialised:
            return f"{indices} may have elements that were never written"
        case Kernel(_, Hist(dest, op)):
            pairs = zip(dest, op.params, strict=False)
            scalars = (x for x, p in pairs if not isinstance(p.type, ArrayType))
            wrong = next((x for x in scalars if x in known.uninitialised), None)
            return wrong and f"{wrong} may have elements that were never written"
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
            return None
        case Assert() | Alloc():
            return None


def why_reshape_traps(
    shape: Sequence[Size], x: Name, before: Sequence[Size], known: PointFacts
) -> str | None:
    """Return the reason why a reshape of ``x``, of shape ``before``, may trap;
    None if it cannot.
    """
    more = product(shape) - product(before)
    if not known.nonneg(more) or not known.nonneg(-more):
        return f"{x} may have a different number of elements"
    return _sizes((d for d in shape if d not in before), known)


def why_statement_traps(s: Stm[Ann], known: PointFacts) -> str | None:
    """Return the reason why a statement may trap; None if it cannot.

    The rows of the results of an empty kernel may have a negative size, too.
    """
    return why_traps(s.exp, known) or why_rows_trap(s, known)


def why_rows_trap(
    s: Stm[Ann], known: PointFacts, among: Iterable[Name] | None = None
) -> str | None:
    """Return the reason why the rows of a kernel's mapped results (those named in ``among``) may
    have a negative size, as no iteration checks it if the kernel is empty; None if they cannot.
    """
    return _sizes(row_sizes(s, among), known)


def row_sizes(s: Stm[Ann], among: Iterable[Name] | None = None) -> tuple[Size, ...]:
    """Return the sizes of the rows of a kernel's mapped results (those named in ``among``)."""
    if not isinstance(s.exp, Kernel | RaggedKernel):
        return ()
    mapped = s.pat[collected(s.exp.collective) :]
    if among is not None:
        wanted = frozenset(among)
        mapped = tuple(b for b in mapped if b.name in wanted)
    rank = len(s.exp.dims) if isinstance(s.exp, Kernel) else 1
    shapes = (b.type.shape for b in mapped if isinstance(b.type, ArrayType))
    return tuple(d for shape in shapes for d in shape[rank:])


def collected(c: Collective[Ann]) -> int:
    """Return the number of a kernel's results that belong to its collective."""
    match c:
        case Map():
            return 0
        case Reduce(_, ne) | Scan(_, ne) | Hist(_, _, ne):
            return len(ne)


def _bodies(e: Exp[Ann], known: PointFacts) -> str | None:
    for b, inside in zip(sub_bodies(e), known.inside(e), strict=True):
        for s in b.stms:
            if (why := why_statement_traps(s, inside)) is not None:
                return why
            inside = inside.after(s)
    return None


def _operators(e: ScalarExp, known: PointFacts) -> str | None:
    match e:
        case Const() | Var():
            return None
        case Un(op, a):
            return _operators(a, known) or _trap_of(
                op.value, can_trap(op, scalar_type(a, known.types))
            )
        case Convert(_, a):
            return _operators(a, known)
        case Bin(op, a, b) if op in DIVISIONS and _is_not_zero(b, known):
            return _operators(a, known) or _operators(b, known)
        case Bin(BinOp.POW, a, Const(k)) if k >= 0:
            return _operators(a, known)
        case Bin(op, a, b):
            inner = _operators(a, known) or _operators(b, known)
            return inner or _trap_of(op.value, can_trap(op, scalar_type(a, known.types)))


def _is_not_zero(e: ScalarExp, known: PointFacts) -> bool:
    match e:
        case Const(k):
            return k != 0
        case Var(x):
            return known.nonneg(var(x) - 1)
        case Bin(BinOp.MAX, a, b):
            return any(isinstance(c, Const) and c.value > 0 for c in (a, b))
        case Bin() | Un() | Convert():
            return False


def _trap_of(op: str, traps: bool) -> str | None:
    return f"operator {op} traps on some operands" if traps else None


def _sizes(sizes: Iterable[Size], known: PointFacts) -> str | None:
    for d in sizes:
        if not shown(d, known.facts, known.scalars):
            return f"size {d} may be negative"
    return None


def _places(x: Name, dims: Sequence[SliceDim], known: PointFacts) -> str | None:
    for d, n in zip(dims, known.shape(x), strict=True):
        if not _inside(d, n, known):
            return f"[{d}] may be out of bounds of a dimension of {x} with {n} elements"
    return None


def _inside(d: SliceDim, n: Size, known: PointFacts) -> bool:
    match d:
        case DimFix(i):
            return known.indexes(i, n)
        case DimRange(start, length, stride):
            if known.nonneg(-length) or d == DimRange(ZERO, n, ONE):
                return known.nonneg(length)
            some = known.with_nonneg((length - 1,))
            ends = (start, start + (length - 1) * stride)
            return known.nonneg(length) and all(some.indexes(i, n) for i in ends)


def _written(x: Name, where: Part, known: PointFacts) -> str | None:
    """Return the reason why an update may write out of bounds, or an element twice; None if not."""
    if isinstance(where, Lmad):
        return _flat(x, where.offset, where.dims, known) or _distinct(where.dims, known)
    ranges = (d for d in where if isinstance(d, DimRange))
    twice = (_distinct((Dim(d.len, d.stride),), known) for d in ranges)
    return _places(x, where, known) or next(filter(None, twice), None)


def _distinct(dims: Sequence[Dim], known: PointFacts) -> str | None:
    if names_once(dims, known.facts):
        return None
    return f"{' '.join(map(str, dims))} may address an element twice"


def _flat(x: Name, offset: Size, flat: Sequence[Dim], known: PointFacts) -> str | None:
    (n,) = known.shape(x)
    some = known.with_nonneg(d.len - 1 for d in flat)
    for ends in cartesian(*((ZERO, (d.len - 1) * d.stride) for d in flat)):
        if not some.indexes(sum(ends, start=offset), n):
            return f"the flat slice may be out of bounds of {x}"
    return _sizes((d.len for d in flat), known)
