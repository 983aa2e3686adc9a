"""Sequential folds over a range of the innermost dimension of a kernel, for (S1) and (S2)."""

from itertools import zip_longest

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
    Const,
    Copy,
    DerivedArray,
    For,
    FreshArray,
    Hist,
    If,
    Index,
    Kernel,
    Lambda,
    Loop,
    LoopParam,
    Map,
    Opaque,
    RaggedKernel,
    Reduce,
    Scalar,
    Scan,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Type,
    Update,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange, SliceDim
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, var
from funmem.ir.substitute import freshen_body, freshen_lambda, subst_body
from funmem.ir.traverse import Mapper, atom_size, map_binder, map_body, walk
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.views import with_views

I64 = ScalarType.I64


def row_type(t: Type, outer: int) -> Type:
    """Return the type of an element of the ``outer`` outermost dimensions."""
    assert isinstance(t, ArrayType)
    return t.elem if t.rank == outer else ArrayType(t.elem, t.shape[outer:])


def row_dims(t: Type, *index: Size) -> tuple[SliceDim, ...]:
    """Return ``[index, …, 0 : d, …]``: one row of an array whose rows have type ``t``."""
    inner = t.shape if isinstance(t, ArrayType) else ()
    return (*(DimFix(i) for i in index), *(DimRange(ZERO, d, ONE) for d in inner))


def read_row(b: Builder, base: str, x: Name, t: Type, *index: Size) -> Name:
    """Bind the row of ``x`` at ``index``, and return its name."""
    if isinstance(t, ArrayType):
        return b.let(base, t, Slice(x, row_dims(t, *index)))
    return b.let(base, t, Index(x, index))


def write_row(b: Builder, x: Name, outer: Size, t: Type, index: Size, value: Atom) -> Name:
    """Bind ``x`` with its row at ``index`` replaced, and return the name."""
    return b.let(x, of_rows(t, outer), Update(x, row_dims(t, index), value))


def apply(b: Builder, op: Lambda[Ann], args: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Inline an operator, and return its results.

    An operator may consume its array parameters (call by copy), so these are copied.  A constant
    that becomes a size gets a name: a negative length traps, but must not occur in a type (T-LEN).
    """
    op = freshen_lambda(op, b.fresh)
    if any(isinstance(a, Const) and a.type is I64 for a in args):
        sizes = _names_in_sizes(op.body)
        args = tuple(
            Var(b.let(p.name, I64, a)) if isinstance(a, Const) and p.name in sizes else a
            for p, a in zip(op.params, args, strict=True)
        )
    if any(map(_consumes, walk(op.body))):
        args = tuple(
            Var(b.let("own", p.type, Copy(a.name)))
            if isinstance(p.type, ArrayType) and isinstance(a, Var)
            else a
            for p, a in zip(op.params, args, strict=True)
        )
    image = {p.name: a for p, a in zip(op.params, args, strict=True)}
    body = subst_body(op.body, image)
    b.stms += body.stms
    return body.result


def _consumes(s: Stm[Ann]) -> bool:
    match s.exp:
        case Update() | Scatter() | Kernel(_, Hist(), _):
            return True
        case Loop(params):
            return any(p.unique for p in params)
        case Scalar() | Index() | DerivedArray() | FreshArray() | Kernel() | If():
            return False
        case Assert() | Alloc():
            return False
        case RaggedKernel() | Opaque():
            return False


def _names_in_sizes(b: Body[Ann]) -> frozenset[Name]:
    """Return the names in the sizes of a body, those of types included, at any depth."""
    found: set[Name] = set()

    def note(d: Size) -> Size:
        found.update(d.free())
        return d

    m = Mapper(size=note, body=lambda inner: map_body(inner, m), binder=lambda p: map_binder(p, m))
    map_body(b, m)
    return frozenset(found)


def operands(op: Lambda[Ann]) -> tuple[Type, ...]:
    """Return the types of an operator's left operands, which are those of its results."""
    return tuple(p.type for p in op.params[: len(op.params) // 2])


@frozen
class Stretch:
    """The iterations lo … lo + count - 1 of a dimension.

    Mapped results and scans have ``width`` elements; a histogram has ``buckets`` buckets; an
    ``exclusive`` scan records the accumulators before each iteration.
    """

    index: Name
    lo: Size
    count: Size
    width: Size
    buckets: Size = ZERO
    exclusive: bool = False


@frozen
class Carried:
    """A loop parameter: its name, type, initial value, and whether the loop updates it."""

    base: str
    type: Type
    init: Atom
    unique: bool


def inline_body(b: Builder, body: Body[Ann], s: Stretch, counter: Name) -> tuple[Atom, ...]:
    """Inline a kernel's body for iteration ``lo + counter``, and return its results."""
    copy = freshen_body(body, b.fresh)
    index = counter
    if s.lo != ZERO:
        index = b.let(s.index, I64, size_exp(s.lo + var(counter)))
    copy = subst_body(copy, {s.index: Var(index)})
    b.stms += copy.stms
    return copy.result


def fold(
    b: Builder,
    kernel: Kernel[Ann],
    s: Stretch,
    start: tuple[Atom, ...],
    mapped: tuple[Type, ...],
    pat: tuple[Binder[Ann], ...] | None = None,
) -> tuple[Name, ...]:
    """Add a loop that folds the body's values over a range, from ``start``, in order.

    Return the names of the collective's results (reduce: the accumulators; scan: arrays of them;
    hist: the buckets), and then of the mapped arrays.  If ``pat`` is given, it binds them.
    """
    carried = _carried(b, kernel, s, start, mapped)
    params = tuple(
        LoopParam(Binder(b.fresh(c.base), c.type, None), c.init, c.unique) for c in carried
    )
    names = tuple(p.binder.name for p in params)
    inner = b.inner()
    counter = b.fresh(s.index)
    body = kernel.body
    if s.lo != ZERO:
        total = kernel.dims[-1].size
        body = with_views(b, body, s.index, s.lo, s.count, total, counter)
    results = inline_body(inner, body, s, counter)
    after = _step(inner, kernel, s, names, results, mapped, var(counter))
    own = tuple(pat or ())
    named = [p for p, c in zip(own, carried, strict=False) if not _may_alias(c)]
    bound = [
        p if p in named else Binder[Ann](b.fresh(c.base), c.type, None)
        for p, c in zip_longest(own, carried)
    ]
    loop = Loop(params, For(counter, s.count), inner.body(*after))
    b.stms.append(Stm(tuple(bound), loop, b.at))
    for p, x in zip(own, bound, strict=False):
        if p is not x:
            b.stms.append(Stm((p,), Copy(x.name), b.at))
    return tuple(x.name for x in bound)


def _may_alias(c: Carried) -> bool:
    """True if a folded array may be the neutral element or an operand of the operator.

    The result of a collective is a fresh array and may be consumed, so such an array is copied.
    """
    return isinstance(c.type, ArrayType) and not c.unique


def _carried(
    b: Builder,
    kernel: Kernel[Ann],
    s: Stretch,
    start: tuple[Atom, ...],
    mapped: tuple[Type, ...],
) -> list[Carried]:
    """Return the loop's parameters: the collective's results, the mapped arrays, accumulators of a
    scan.
    """
    first: list[Carried] = []
    extra: list[Carried] = []
    match kernel.collective:
        case Map():
            first = []
        case Reduce(op):
            ts = operands(op)
            first = [Carried("acc", t, a, False) for t, a in zip(ts, start, strict=True)]
        case Scan(op):
            ts = operands(op)
            first = [written(b, "scanned", t, s.width) for t in ts]
            extra = [Carried("acc", t, a, False) for t, a in zip(ts, start, strict=True)]
        case Hist(_, op):
            ts = tuple(of_rows(t, s.buckets) for t in operands(op))
            first = [Carried("buckets", t, a, True) for t, a in zip(ts, start, strict=True)]
    return first + [written(b, "mapped", t, s.width) for t in mapped] + extra


def written(b: Builder, base: str, t: Type, width: Size) -> Carried:
    """Return the parameter of an array of which each iteration writes one row."""
    type_ = of_rows(t, width)
    return Carried(base, type_, Var(b.let(base, type_, Scratch(type_.shape, type_.elem))), True)


def _step(
    b: Builder,
    kernel: Kernel[Ann],
    s: Stretch,
    names: tuple[Name, ...],
    results: tuple[Atom, ...],
    mapped: tuple[Type, ...],
    at: Size,
) -> tuple[Atom, ...]:
    """Add the statements of one iteration, and return the next values of the loop's parameters."""
    first: tuple[Atom, ...] = ()
    extra: tuple[Atom, ...] = ()
    match kernel.collective:
        case Map():
            used = 0
        case Reduce(op, ne):
            used = len(ne)
            accs = tuple(Var(x) for x in names[:used])
            first = apply(b, op, (*accs, *results[:used]))
        case Scan(op, ne):
            used = len(ne)
            accs = tuple(Var(x) for x in names[-used:])
            extra = apply(b, op, (*accs, *results[:used]))
            first = tuple(
                Var(write_row(b, x, s.width, t, at, a))
                for x, t, a in zip(
                    names, operands(op), accs if s.exclusive else extra, strict=False
                )
            )
        case Hist(_, op, ne):
            used = 1 + len(ne)
            first = _count(b, op, names[: len(ne)], s.buckets, results[0], results[1:used])
    kept = names[len(first) : len(first) + len(mapped)]
    rows = tuple(
        Var(write_row(b, x, s.width, t, at, a))
        for x, t, a in zip(kept, mapped, results[used:], strict=True)
    )
    return (*first, *rows, *extra)


def _count(
    b: Builder,
    op: Lambda[Ann],
    names: tuple[Name, ...],
    width: Size,
    bucket: Atom,
    values: tuple[Atom, ...],
) -> tuple[Atom, ...]:
    """Add ``h[bucket] := op(h[bucket], value)`` if the bucket is in bounds."""
    inside = Bin(
        BinOp.LAND,
        Bin(BinOp.LE, Const(0, I64), bucket),
        Bin(BinOp.LT, bucket, size_exp(width)),
    )
    cond = b.let("inside", ScalarType.BOOL, inside)
    types = operands(op)
    at = atom_size(bucket)
    then = b.inner()
    # The operator may return an operand, and an update's value must not alias its target.
    old = tuple(_own_row(then, x, t, at) for x, t in zip(names, types, strict=True))
    new = apply(then, op, (*old, *values))
    written = tuple(
        Var(write_row(then, x, width, t, at, a)) for x, t, a in zip(names, types, new, strict=True)
    )
    keep = Body[Ann]((), tuple(Var(x) for x in names))
    pat = tuple(
        Binder(b.fresh(x), of_rows(t, width), None) for x, t in zip(names, types, strict=True)
    )
    b.stms.append(Stm(pat, If(Var(cond), then.body(*written), keep), b.at))
    return tuple(Var(p.name) for p in pat)


def _own_row(b: Builder, x: Name, t: Type, at: Size) -> Atom:
    row = read_row(b, "old", x, t, at)
    return Var(b.let("old", t, Copy(row)) if isinstance(t, ArrayType) else row)


def mapped_types(pat: tuple[Binder[Ann], ...], kernel: Kernel[Ann]) -> tuple[Type, ...]:
    """Return the types of the mapped results in one iteration."""
    match kernel.collective:
        case Map():
            taken = 0
        case Reduce(_, ne) | Scan(_, ne) | Hist(_, _, ne):
            taken = len(ne)
    return tuple(row_type(p.type, len(kernel.dims)) for p in pat[taken:])


def buckets_of(stm: Stm[Ann], kernel: Kernel[Ann]) -> Size:
    """Return the number of buckets of a histogram; zero for other collectives."""
    t = stm.pat[0].type
    if isinstance(kernel.collective, Hist) and isinstance(t, ArrayType):
        return t.shape[len(kernel.dims) - 1]
    return ZERO
