"""Elaborate the built-ins on vectors, except folds.

Offsets and lengths are i64 inside; what a program sees is an ``int`` of 32 bits, checked where it
is made.
"""

from collections.abc import Sequence

from funmem.frontends.nova.elaborate.context import Call, Elaboration, Wrap, require, wrapped
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, I32, I64, BinOp, UnOp

I64S = c.Array(I64)


def mapped(
    ctx: Elaboration, args: Sequence[Exp], params: Sequence[c.Type], rank: int, at: Span
) -> Exp:
    """``map f X…``: on vectors of rank n elementwise, so n maps deep.  Lengths that differ trap."""
    fn, arrays, types = args[0], tuple(args[1:]), list(params[1:])
    if rank == 1:
        return c.Map(fn, arrays, at)
    rows = [c.Binder(ctx.fresh("row"), row(t)) for t in types]
    inner = [fn, *(c.Var(b.name, at) for b in rows)]
    body = mapped(ctx, inner, [params[0], *(b.type for b in rows)], rank - 1, at)
    return c.Map(c.Lambda(tuple(rows), body, at), arrays, at)


def row(t: c.Type) -> c.Type:
    """The type of a vector's elements."""
    assert isinstance(t, c.Array)
    return t.elem


def i64(n: int, at: Span) -> c.Const:
    """A constant."""
    return c.Const(n, I64, at)


def i32(n: int, at: Span) -> c.Const:
    """A constant."""
    return c.Const(n, I32, at)


def counted(ctx: Elaboration, array: Exp, at: Span, dim: int = 0) -> Exp:
    """The length of a dimension as an int, which traps if it has too many bits."""
    out: list[Wrap] = []
    n = ctx.atom(c.Length(array, dim, at), I64, out, "n")
    few = c.Bin(BinOp.LE, n, i64(I32.max, at), at)
    out.append(require(few, "the length {} exceeds the range of int", (n,), at))
    return wrapped(out, c.Convert(I32, n, at))


def length(call: Call) -> Exp:
    """``length X``."""
    ctx, at = call.ctx, call.at
    return counted(ctx, call.args[0], at)


def shape(call: Call) -> Exp:
    """``shape M``: the lengths of all dimensions."""
    ctx, at = call.ctx, call.at
    assert isinstance(call.result, c.Record)
    dims = range(len(call.result.fields))
    return c.tuple_exp(*(counted(ctx, call.args[0], at, k) for k in dims), at=at)


def rows(call: Call) -> Exp:
    """``rows M``: the same array, as a vector of its rows."""
    return call.args[0]


def gather(call: Call) -> Exp:
    """``gather I X``: Y[k] = X[I[k]]."""
    ctx, at = call.ctx, call.at
    indices, xs = call.args
    i = c.Binder(ctx.fresh("i"), I32)
    element = c.Index(xs, (c.Fix(c.Convert(I64, c.Var(i.name, at), at)),), at)
    return c.Map(c.Lambda((i,), element, at), (indices,), at)


def permute(call: Call) -> Exp:
    """``permute I X``: Y[I[k]] = X[k], a gather by the inverse of I.

    The inverse holds at I[k] the last k with that index.  I is a permutation if each k finds itself
    there: an index that occurs twice or is out of bounds does not.
    """
    ctx, at = call.ctx, call.at
    indices, xs = call.args
    out: list[Wrap] = []
    n = ctx.atom(c.Length(xs, 0, at), I64, out, "n")
    given = ctx.atom(c.Length(indices, 0, at), I64, out, "m")
    same = c.Bin(BinOp.EQ, n, given, at)
    lengths = "permute: the lengths {} of the indices and {} of the vector differ"
    out.append(require(same, lengths, (given, n), at))
    i, k, p = (c.Binder(ctx.fresh(x), t) for x, t in (("i", I32), ("k", I32), ("p", I32)))
    wide = c.Convert(I64, c.Var(i.name, at), at)
    targets = ctx.atom(c.Map(c.Lambda((i,), wide, at), (indices,), at), I64S, out, "to")
    numbers = c.Iota(n, i32(0, at), i32(1, at), at)
    start = c.Replicate(n, i32(-1, at), at)
    last = c.Hist(_maximum(ctx, at), (i32(-1, at),), (start,), targets, (numbers,), at)
    inverse = ctx.atom(last, c.Array(I32), out, "from")
    j = c.Binder(ctx.fresh("j"), I64)
    where, own = c.Var(j.name, at), c.Var(k.name, at)
    inside = c.Bin(
        BinOp.LAND,
        c.Bin(BinOp.LE, i64(0, at), where, at),
        c.Bin(BinOp.LT, where, n, at),
        at,
    )
    found = c.Bin(BinOp.EQ, c.Index(inverse, (c.Fix(where),), at), own, at)
    good = c.Lambda((j, k), c.Bin(BinOp.LAND, inside, found, at), at)
    all_good = conjunction(ctx, c.Map(good, (targets, numbers), at), at)
    out.append(require(all_good, "permute: the indices are no permutation", (), at))
    element = c.Index(xs, (c.Fix(c.Convert(I64, c.Var(p.name, at), at)),), at)
    return wrapped(out, c.Map(c.Lambda((p,), element, at), (inverse,), at))


def _maximum(ctx: Elaboration, at: Span) -> c.Lambda:
    a, b = (c.Binder(ctx.fresh(x), I32) for x in "ab")
    return c.Lambda((a, b), c.Bin(BinOp.MAX, c.Var(a.name, at), c.Var(b.name, at), at), at)


def conjunction(ctx: Elaboration, bools: Exp, at: Span) -> Exp:
    """True if all elements of an array are."""
    a, b = (c.Binder(ctx.fresh(x), BOOL) for x in "ab")
    both = c.Bin(BinOp.LAND, c.Var(a.name, at), c.Var(b.name, at), at)
    return c.Reduce(c.Lambda((a, b), both, at), (c.Const(True, BOOL, at),), (bools,), True, at)


def _stepped(
    ctx: Elaboration, b: Exp, s: Exp, e: Exp, what: str, out: list[Wrap], at: Span
) -> tuple[Exp, Exp, Exp]:
    """Return begin, step and count, ⌈(e-b)/s⌉, as i64; ``out`` gets the checks of step and count.

    (e - b + s - sgn s) quot s is the ceiling unless it is negative, where it is only known not to
    be positive; then (e - b) and s differ in sign by a whole step.
    """
    begin, step, end = (
        ctx.atom(c.Convert(I64, x, at), I64, out, n)
        for x, n in ((b, "begin"), (s, "step"), (e, "end"))
    )
    nonzero = c.Bin(BinOp.NE, step, i64(0, at), at)
    out.append(require(nonzero, f"{what}: the step is 0", (), at))
    distance = ctx.atom(c.Bin(BinOp.SUB, end, begin, at), I64, out, "d")
    sign = c.Un(UnOp.SGN, step, at)
    whole = ctx.atom(c.Bin(BinOp.SUB, step, sign, at), I64, out, "rest")
    up = c.Bin(BinOp.QUOT, c.Bin(BinOp.ADD, distance, whole, at), step, at)
    count = ctx.atom(up, I64, out, "n")
    back = c.Bin(BinOp.MUL, distance, sign, at)
    forward = c.Bin(BinOp.GT, back, c.Un(UnOp.NEG, c.Un(UnOp.ABS, step, at), at), at)
    message = f"{what} {{}} {{}} {{}}: the step leads away from the end"
    out.append(require(forward, message, (b, s, e), at))
    return begin, step, count


def _is(e: Exp, n: int) -> bool:
    return isinstance(e, c.Const) and e.value == n


def _forward(
    ctx: Elaboration, b: Exp, s: Exp, e: Exp, what: str, out: list[Wrap], at: Span
) -> tuple[Exp, Exp]:
    """Return begin and end as i64 for the step 1; ``out`` gets the check that they do not descend.

    The end is clamped as well: then no pass needs the check to see that the count is not negative.
    """
    begin, end = (
        ctx.atom(c.Convert(I64, x, at), I64, out, n) for x, n in ((b, "begin"), (e, "end"))
    )
    message = f"{what} {{}} {{}} {{}}: the step leads away from the end"
    out.append(require(c.Bin(BinOp.GE, end, begin, at), message, (b, s, e), at))
    return begin, ctx.atom(c.Bin(BinOp.MAX, begin, end, at), I64, out, "last")


def slice_(call: Call) -> Exp:
    """``slice b s e X``: X[b], X[b + s], …, ⌈(e-b)/s⌉ elements."""
    ctx, at = call.ctx, call.at
    b, s, e, xs = call.args
    out: list[Wrap] = []
    if _is(s, 1):
        begin, end = _forward(ctx, b, s, e, "slice", out, at)
        if _is(b, 0):  # then the end tells whether an empty slice is inside, too
            n = ctx.atom(c.Length(xs, 0, at), I64, out, "n")
            message = "Index [{}:{}] out of bounds for array of shape [{}]."
            out.append(require(c.Bin(BinOp.LE, end, n, at), message, (begin, end, n), at))
        return wrapped(out, c.Index(xs, (c.Range(begin, end, None),), at))
    begin, step, count = _stepped(ctx, b, s, e, "slice", out, at)
    # the end one beyond the last element, which Core's slices accept whatever e is
    last = c.Bin(BinOp.MUL, c.Bin(BinOp.SUB, count, i64(1, at), at), step, at)
    end = c.Bin(BinOp.ADD, c.Bin(BinOp.ADD, begin, last, at), c.Un(UnOp.SGN, step, at), at)
    return wrapped(out, c.Index(xs, (c.Range(begin, end, step),), at))


def range_(call: Call) -> Exp:
    """``range e``: 0 … e-1; ``range b s e``: b, b + s, …, ⌈(e-b)/s⌉ numbers."""
    ctx, at = call.ctx, call.at
    out: list[Wrap] = []
    if len(call.args) == 1:
        positive = c.Bin(BinOp.GE, call.args[0], c.Const(0, I32, at), at)
        out.append(require(positive, "range {}: the end is negative", (call.args[0],), at))
        n = c.Convert(I64, call.args[0], at)
        return wrapped(out, c.Iota(n, c.Const(0, I32, at), c.Const(1, I32, at), at))
    b, s, e = call.args
    if _is(s, 1):
        begin, end = _forward(ctx, b, s, e, "range", out, at)
        count: Exp = c.Bin(BinOp.SUB, end, begin, at)
    else:
        _, _, count = _stepped(ctx, b, s, e, "range", out, at)
    return wrapped(out, c.Iota(count, b, s, at))


def filter_(call: Call) -> Exp:
    """``filter f X``."""
    at = call.at
    return c.Filter(call.args[0], call.args[1], at)


# ---------------------------------------------------------------------- nested vectors


def flatten(call: Call) -> Exp:
    """``flatten X``: the rows one after the other."""
    at = call.at
    return c.Flatten(2, call.args[0], at)


def segments(call: Call) -> Exp:
    """``segments X``: where the rows of ``flatten X`` begin, and where the last one ends."""
    ctx, at = call.ctx, call.at
    r = c.Binder(ctx.fresh("row"), row(call.params[0]))
    lengths = c.Map(c.Lambda((r,), counted(ctx, c.Var(r.name, at), at), at), (call.args[0],), at)
    a, b = (c.Binder(ctx.fresh(x), I32) for x in "ab")
    plus = c.Lambda((a, b), c.Bin(BinOp.ADD, c.Var(a.name, at), c.Var(b.name, at), at), at)
    zero = c.Const(0, I32, at)
    ends = c.Scan(plus, (zero,), (lengths,), at)
    return c.Concat((c.ArrayLit((zero,), I32, at), ends), at)


def unflatten(call: Call) -> Exp:
    """``unflatten S X``: row k is X from S[k] up to S[k+1]; S rises from 0 to the length of X."""
    ctx, at = call.ctx, call.at
    offsets, xs = call.args
    out: list[Wrap] = []
    n = ctx.atom(c.Length(xs, 0, at), I64, out, "n")
    given = ctx.atom(c.Length(offsets, 0, at), I64, out, "m")
    some = c.Bin(BinOp.GE, given, i64(1, at), at)
    out.append(require(some, "unflatten: the segments are empty", (), at))
    k = ctx.atom(c.Bin(BinOp.SUB, given, i64(1, at), at), I64, out, "k")

    def offset(index: Exp) -> Exp:
        return c.Convert(I64, c.Index(offsets, (c.Fix(index),), at), at)

    first = c.Bin(BinOp.EQ, offset(i64(0, at)), i64(0, at), at)
    last = c.Bin(BinOp.EQ, offset(k), n, at)
    message = "unflatten: the segments do not begin at 0 or do not end at {}"
    out.append(require(c.Bin(BinOp.LAND, first, last, at), message, (n,), at))
    i = c.Binder(ctx.fresh("i"), I64)
    start = offset(c.Var(i.name, at))
    end = offset(c.Bin(BinOp.ADD, c.Var(i.name, at), i64(1, at), at))
    numbers = ctx.atom(c.Iota(k, i64(0, at), i64(1, at), at), I64S, out, "ks")
    rising = c.Map(c.Lambda((i,), c.Bin(BinOp.LE, start, end, at), at), (numbers,), at)
    descend = "unflatten: the segments descend"
    out.append(require(conjunction(ctx, rising, at), descend, (), at))
    j = c.Binder(ctx.fresh("i"), I64)
    here = c.Var(j.name, at)
    span = c.Range(offset(here), offset(c.Bin(BinOp.ADD, here, i64(1, at), at)), None)
    return wrapped(out, c.Map(c.Lambda((j,), c.Index(xs, (span,), at), at), (numbers,), at))
