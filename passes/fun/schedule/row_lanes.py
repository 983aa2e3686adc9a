"""Folds of a row in several accumulators: rule (S6) of ragged.py for commutative operators.

    loop (acc = ne) for k < count do op(acc, v(lo + k))
    ->  if count >= 3 * lanes
        then  loop (acc0 = ne, …, acc7 = ne) for c < count / 8 do
                acc0' = op(acc0, v(lo + 8 * c)), …, acc7' = op(acc7, v(lo + 8 * c + 7))
              op(… acc0 …, … acc7 …), and the remaining elements
        else  the loop above

An iteration need not wait for the one before it, and a C compiler makes one vector of the
accumulators.  Shorter rows have too few elements for that: most of their time goes to the branch at
their end.

*Condition*: ``op`` is commutative, as declared or by its form, as elements are folded in another
order.  The body is short, since it is repeated; it computes scalars from the row's elements and
cannot trap for one of them only: checks would separate the accumulators (a sparse product was
measured to become slower).  It reads no array that (S7) computes: the verifier cannot prove that
each of its elements is written, and would have to say so for each accumulator.  It has no branch
and converts no bool: gcc 12.2 adds up only every fourth element of rows of 32 flags if ``i64(c)``
is added in eight accumulators (its vectoriser of loops; 24 or 40 flags are right).  A loop with one
accumulator becomes vectors without that, since integer addition is associative.
"""

from collections.abc import Mapping

from funmem.ir.arith import scalar_type, size_exp
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Bin,
    Binder,
    Const,
    Convert,
    Exp,
    For,
    If,
    Index,
    Kernel,
    KernelDim,
    Loop,
    LoopParam,
    Reduce,
    Reshape,
    Slice,
    Stm,
    Type,
    Un,
    Var,
)
from funmem.ir.lmad import DimRange
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.ir.substitute import freshen_body, subst_body
from funmem.ir.traverse import free_in_body, free_in_exp
from funmem.passes.fun.schedule.builder import Builder
from funmem.passes.fun.schedule.fold import Stretch, apply, fold, operands
from funmem.passes.fun.schedule.strips import commutes, is_plain, read_at, through
from funmem.passes.fun.schedule.views import with_views

LANES = 8
"""The default number of accumulators."""
ROUNDS = 3
"""The least number of elements for each accumulator."""
SHORT = 12
"""The most statements of a body that is repeated."""


def in_lanes(b: Builder, over: Kernel[Ann]) -> bool:
    """True if the condition holds for the fold of a row's elements."""
    (dim,), body = over.dims, over.body
    match over.collective:
        case Reduce(op, _, comm):
            all_stms = (*body.stms, *op.body.stms)
            bound = (*op.params, *(p for s in all_stms for p in s.pat))
            types = {**b.types, **{p.name: p.type for p in bound}}
            return (
                (comm or commutes(op))
                and all(isinstance(t, ScalarType) for t in operands(op))
                and len(all_stms) <= SHORT
                and all(is_plain(s, None, b) for s in op.body.stms)
                and all(is_plain(s, dim, b) or _is_of_row(s, dim) for s in body.stms)
                and b.chunked.isdisjoint(free_in_body(body))
                and not any(isinstance(s.exp, If) for s in all_stms)
                and not any(_of_bool(s.exp, types) for s in all_stms)
            )
        case _:
            return False


def _of_bool(e: Exp[Ann], types: Mapping[Name, Type]) -> bool:
    """True if an expression converts a bool."""
    if isinstance(e, Bin):
        return _of_bool(e.a, types) or _of_bool(e.b, types)
    if not isinstance(e, Convert | Un):
        return False
    known = {x: types.get(x, I64) for x in free_in_exp(e.a)}
    converted = isinstance(e, Convert) and scalar_type(e.a, known) is BOOL
    return converted or _of_bool(e.a, types)


def _is_of_row(s: Stm[Ann], dim: KernelDim) -> bool:
    """True if a statement reads the same scalar for all elements of a row."""
    return (
        isinstance(s.exp, Index)
        and isinstance(s.pat[0].type, ScalarType)
        and not any(dim.index in i.free() for i in s.exp.index)
    )


def fold_in_lanes(
    b: Builder, over: Kernel[Ann], lo: Name, count: Name, lanes: int
) -> tuple[Name, ...]:
    """Fold the elements ``lo … lo + count - 1`` in ``lanes`` accumulators, if they are enough."""
    reduce = over.collective
    assert isinstance(reduce, Reduce)
    row = _row(b, over, lo, count)
    s = Stretch(row.dims[0].index, ZERO, var(count), var(count))
    cond = b.let("wide", BOOL, Bin(BinOp.LE, Const(ROUNDS * lanes, I64), Var(count)))
    wide, narrow = b.inner(), b.inner()
    sums = _in_lanes(wide, row, reduce, s, lanes)
    own = fold(narrow, row, s, reduce.ne, ())
    types = operands(reduce.op)
    pat = tuple(Binder[Ann](b.fresh("acc"), t, None) for t in types)
    branches = (wide.body(*map(Var, sums)), narrow.body(*map(Var, own)))
    b.stms.append(Stm(pat, If(Var(cond), *branches), b.at))
    return tuple(p.name for p in pat)


def _row(b: Builder, over: Kernel[Ann], lo: Name, count: Name) -> Kernel[Ann]:
    """Return the kernel over ``count`` elements from ``lo`` on, which it reads from views."""
    (dim,) = over.dims
    j, inner = b.fresh(dim.index), b.inner()
    body = with_views(b, over.body, dim.index, var(lo), var(count), dim.size, j)
    if dim.index in free_in_body(body):
        k = inner.let(dim.index, I64, size_exp(var(lo) + var(j)))
        body = subst_body(body, {dim.index: Var(k)})
    own = evolve(body, stms=(*inner.stms, *body.stms))
    return Kernel((KernelDim(j, var(count)),), over.collective, own)


def _in_lanes(
    b: Builder, row: Kernel[Ann], reduce: Reduce[Ann], s: Stretch, lanes: int
) -> tuple[Name, ...]:
    types, (dim,) = operands(reduce.op), row.dims
    rounds = b.let("rounds", I64, Bin(BinOp.DIV, size_exp(s.count), Const(lanes, I64)))
    done = b.let("done", I64, size_exp(var(rounds) * lanes))
    views = {
        x: _table(b, x, done, rounds, lanes)
        for x in dict.fromkeys(read_at(row.body, dim.index))
        if isinstance(t := b.types.get(x), ArrayType) and t.shape == (dim.size,)
    }
    params = tuple(
        LoopParam(Binder[Ann](b.fresh("acc"), t, None), a)
        for _ in range(lanes)
        for t, a in zip(types, reduce.ne, strict=True)
    )
    accs = [Var(p.binder.name) for p in params]
    counter, inner = b.fresh("round"), b.inner()
    new: list[Atom] = []
    for lane in range(lanes):
        values = _element(inner, row, views, var(counter), lane, lanes)
        own = accs[lane * len(types) : (lane + 1) * len(types)]
        new += apply(inner, reduce.op, (*own, *values))
    pat = tuple(Binder[Ann](b.fresh("acc"), p.binder.type, None) for p in params)
    b.stms.append(Stm(pat, Loop(params, For(counter, var(rounds)), inner.body(*new)), b.at))
    ends = [Var(p.name) for p in pat]
    sums = [tuple(ends[k : k + len(types)]) for k in range(0, len(ends), len(types))]
    start = _joined(b, reduce, sums)
    rest = var(b.let("left", I64, size_exp(s.count - var(done))))
    return fold(b, row, Stretch(dim.index, var(done), rest, rest), start, ())


def _element(
    b: Builder, row: Kernel[Ann], views: dict[Name, Name], round_: Size, lane: int, lanes: int
) -> tuple[Atom, ...]:
    """Inline the body for one element of a round."""
    j = row.dims[0].index
    copy = freshen_body(through(row.body, j, views, (round_, const(lane))), b.fresh)
    if j in free_in_body(copy):
        at = b.let(j, I64, size_exp(round_ * lanes + lane))
        copy = subst_body(copy, {j: Var(at)})
    b.stms += copy.stms
    return copy.result


def _joined(b: Builder, reduce: Reduce[Ann], sums: list[tuple[Var, ...]]) -> tuple[Atom, ...]:
    """Fold the accumulators, those of neighbouring lanes last."""
    left: list[tuple[Atom, ...]] = list(sums)
    while len(left) > 1:
        half = (len(left) + 1) // 2
        pairs = zip(left, left[half:], strict=False)
        left = [apply(b, reduce.op, (*x, *y)) for x, y in pairs] + left[len(left) - half : half]
    return left[0]


def _table(b: Builder, x: Name, done: Name, rounds: Name, lanes: int) -> Name:
    """Return a view of the first ``done`` elements as a table: ``rounds`` rows of ``lanes``."""
    t = b.types[x]
    assert isinstance(t, ArrayType)
    part = b.let("view", evolve(t, shape=(var(done),)), Slice(x, (DimRange(ZERO, var(done), ONE),)))
    table = evolve(t, shape=(var(rounds), const(lanes)))
    return b.let("view", table, Reshape(table.shape, part))
