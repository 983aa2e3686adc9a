"""``order by`` and ``group by``: a stable sort of the rows, and reductions of runs of equal keys.

The sort is a bitonic network on row numbers.  Round k sorts blocks of 2^k rows: first each row of
a block is compared with its mirror image, then rows at distance 2^(k-2), …, 2, 1.  The lower
place always keeps the smaller row.  A place beyond the last row counts as larger than all rows and
is never moved, so the number of rows is arbitrary.  Row numbers break ties, which makes the sort
stable.  Each step is one map over all rows: O(n (log n)^2) work, O((log n)^2) steps.

Rows that already are in the order of the key are not sorted.  If they also are a regular nest, and
the key is the outer variable of an ascending range, then each group is the rows of one outer row,
and the segmented reductions are regular ones (paper 004, section 7).
"""

from collections.abc import Callable, Sequence

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.elaborate.context import (
    Elaborate,
    Elaboration,
    Wrap,
    core_type,
    i64,
    let,
    not_supported,
    wrapped,
)
from funmem.frontends.futhark.elaborate.core_exps import free_names
from funmem.frontends.futhark.elaborate.rows import Nest, Rows
from funmem.frontends.inference import types as ty
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType, UnOp


@frozen
class OuterRows:
    """The rows before a branch of a zip; ``number`` is the variable with the row's number."""

    number: c.Binder
    rows: Rows

    def key(self, key: Exp, t: ty.Type, at: Span) -> tuple[Exp, ty.Type]:
        """Return a key that separates the elements of different rows."""
        whole = c.tuple_exp(c.Var(self.number.name), key, at=at)
        return whole, ty.Record((("0", I64), ("1", t)))


def ordered(
    ctx: Elaboration,
    rows: Rows,
    q: ast.QOrder,
    exp: Elaborate,
    scope: OuterRows | None,
    out: list[Wrap],
) -> Rows:
    """Return the rows in ascending order of a key; NaN comes last."""
    key, t, at = exp(q.key), ctx.type(q.key), q.at
    if scope is None and _in_order(rows, key):
        return rows
    if scope is not None:
        key, t = scope.key(key, t, at)
    keys = _keys(ctx, rows, key, t, out, at)
    return rows.permuted(ctx, _permutation(ctx, keys, t, out, at), out, at)


def _in_order(rows: Rows, key: Exp) -> bool:
    return isinstance(key, c.Var) and key.name == rows.ascending


def grouped(
    ctx: Elaboration,
    rows: Rows,
    q: ast.QGroup,
    exp: Elaborate,
    scope: OuterRows | None,
    out: list[Wrap],
) -> Rows:
    """Return a row for each distinct key, in ascending order: the key and the folds of its rows."""
    key, t, at = exp(q.key), ctx.type(q.key), q.at
    key_variable = c.Binder(ctx.name(q, q.key_name or "key"), core_type(t))
    folds = [_fold(ctx, fold, exp, rows, out) for fold in q.folds]
    if scope is not None:
        groups = _groups(ctx, rows, *scope.key(key, t, at), folds, out, at)
        return _with_outer(ctx, groups, key_variable, scope, out, at)
    outer = rows.nest.outer if rows.nest is not None else None
    if rows.nest is not None and outer is not None and outer.strictly and _in_order(outer, key):
        groups = _nest_groups(ctx, rows.nest, key, folds, out, at)
    else:
        groups = _groups(ctx, rows, key, t, folds, out, at)
    variables = (key_variable, *groups.variables[1:])
    return Rows(variables, groups.arrays, key_variable.name, strictly=True)


@frozen
class _Fold:
    """``into x = op ne e``, with ``op`` and ``ne`` named or constant."""

    variable: c.Binder
    op: Exp
    ne: Exp
    exp: Exp


def _fold(ctx: Elaboration, fold: ast.QFold, exp: Elaborate, rows: Rows, out: list[Wrap]) -> _Fold:
    t = ctx.core(fold.exp)
    op, ne = exp(fold.op), exp(fold.neutral)
    for what, e in (("an operator", op), ("a neutral element", ne)):
        if not free_names(e).isdisjoint(rows.names):
            hint = "all groups must be folded in the same way"
            raise not_supported(f"{what} that depends on the row", fold.at, hint)
    fn = ctx.binder("op", c.arrow([t, t], t))
    neutral = ctx.atom(ne, t, out, "ne")
    out.append(let(fn, op, fold.at))
    variable = c.Binder(ctx.name(fold, fold.name), t)
    return _Fold(variable, c.Var(fn.name), neutral, exp(fold.exp))


def _groups(
    ctx: Elaboration,
    rows: Rows,
    key: Exp,
    t: ty.Type,
    folds: Sequence[_Fold],
    out: list[Wrap],
    at: Span,
) -> Rows:
    """Return the groups; the first variable is the key."""
    key_t = core_type(t)
    keys = _keys(ctx, rows, key, t, out, at)
    if not _in_order(rows, key):
        order = _permutation(ctx, keys, t, out, at)
        keys = _array(ctx, _gather(ctx, keys, order, at), key_t, "keys", out, at)
        rows = rows.permuted(ctx, order, out, at)
    n = ctx.atom(c.Length(keys, 0, at), I64, out, "n")
    starts = _array(ctx, _run_starts(ctx, keys, t, n, at), BOOL, "starts", out, at)
    firsts = _firsts(ctx, starts, n, out, at)
    total = ctx.atom(c.Length(firsts, 0, at), I64, out, "total")
    variables = [ctx.binder("key", key_t)]
    arrays: list[Exp] = [_array(ctx, _gather(ctx, keys, firsts, at), key_t, "groups", out, at)]
    for fold in folds:
        ft = fold.variable.type
        values = _array(ctx, rows.map(ctx, fold.exp, at), ft, "values", out, at)
        sums = _segmented(ctx, fold, starts, values, out, at)
        variables.append(fold.variable)
        last = _lasts(ctx, sums, firsts, total, n, at)
        arrays.append(_array(ctx, last, ft, "groups", out, at))
    return Rows(tuple(variables), tuple(arrays))


def _with_outer(
    ctx: Elaboration, groups: Rows, key: c.Binder, scope: OuterRows, out: list[Wrap], at: Span
) -> Rows:
    """Return groups within rows: the key without the row's number, and the variables of the row."""
    keys = groups.arrays[0]
    number = c.Project(c.Unzip(keys, at), "0", at)
    numbers = _array(ctx, number, I64, "numbers", out, at)
    inner = _array(ctx, c.Project(c.Unzip(keys, at), "1", at), key.type, "keys", out, at)
    before = scope.rows.permuted(ctx, numbers, out, at)
    return Rows(
        (*before.variables, scope.number, key, *groups.variables[1:]),
        (*before.arrays, numbers, inner, *groups.arrays[1:]),
    )


def _nest_groups(
    ctx: Elaboration, nest: Nest, key: Exp, folds: Sequence[_Fold], out: list[Wrap], at: Span
) -> Rows:
    """Return a reduction for each outer row of a nest, or no rows if the nest has no elements."""
    some = c.Bin(BinOp.GT, nest.size, i64(0), at)
    n = ctx.atom(c.If(some, nest.outer.length(at), i64(0), at), I64, out, "n")
    (b,) = (b for b in nest.outer.variables if c.Var(b.name) == key)
    keys = nest.outer.array(b.name)
    assert keys is not None
    variables, arrays = [b], [c.Index(keys, (c.Range(None, n, None),), at)]
    for fold in folds:
        value = wrapped(nest.inner, fold.exp)
        everything = c.Iota(nest.size, i64(0), i64(1), at)
        values = c.Map(c.Lambda((nest.index,), value, at), (everything,), at)
        one = c.Reduce(fold.op, (fold.ne,), (values,), False, at)
        t = fold.variable.type
        sums = _array(ctx, nest.outer.map(ctx, one, at), t, "sums", out, at)
        variables.append(fold.variable)
        arrays.append(c.Index(sums, (c.Range(None, n, None),), at))
    return Rows(tuple(variables), tuple(arrays))


# ---------------------------------------------------------------------- keys


def _keys(ctx: Elaboration, rows: Rows, key: Exp, t: ty.Type, out: list[Wrap], at: Span) -> Exp:
    return _array(ctx, rows.map(ctx, key, at), core_type(t), "keys", out, at)


def _array(ctx: Elaboration, e: Exp, elem: c.Type, base: str, out: list[Wrap], at: Span) -> Exp:
    b = ctx.binder(base, c.Array(elem))
    out.append(let(b, e, at))
    return c.Var(b.name)


def _fix(xs: Exp, i: Exp, at: Span) -> Exp:
    return c.Index(xs, (c.Fix(i),), at)


def _gather(ctx: Elaboration, xs: Exp, order: Exp, at: Span) -> Exp:
    i = ctx.binder("i", I64)
    return c.Map(c.Lambda((i,), _fix(xs, c.Var(i.name), at), at), (order,), at)


def _leaves(t: ty.Type, a: Exp, b: Exp, at: Span) -> list[tuple[ScalarType, Exp, Exp]]:
    """Return the scalars of two keys in pairs, the most significant first."""
    match t:
        case ScalarType():
            return [(t, a, b)]
        case ty.Record(fields):
            return [
                leaf
                for label, u in fields
                for leaf in _leaves(u, c.Project(a, label, at), c.Project(b, label, at), at)
            ]
        case ty.Sum() | ty.Array() | ty.Arrow() | ty.Rigid() | ty.Opaque() | ty.Meta():
            raise TypeError(f"{at}: a key of type {t}")


def _scalar_less(t: ScalarType, a: Exp, b: Exp, at: Span) -> Exp:
    if t is BOOL:
        return c.Bin(BinOp.LAND, c.Un(UnOp.LNOT, a, at), b, at)
    less: Exp = c.Bin(BinOp.LT, a, b, at)
    if t.is_float:
        number = c.Un(UnOp.LNOT, c.Un(UnOp.ISNAN, a, at), at)
        less = c.Bin(BinOp.LOR, less, c.Bin(BinOp.LAND, number, c.Un(UnOp.ISNAN, b, at), at), at)
    return less


def _less(t: ty.Type, a: Exp, b: Exp, otherwise: Exp, at: Span) -> Exp:
    """Return ``a < b``, compared lexicographically, or ``otherwise`` if they are equal."""
    result = otherwise
    for u, x, y in reversed(_leaves(t, a, b, at)):
        smaller, larger = _scalar_less(u, x, y, at), _scalar_less(u, y, x, at)
        result = c.If(smaller, c.Const(True, BOOL), c.If(larger, c.Const(False, BOOL), result))
    return result


# ---------------------------------------------------------------------- sorting


def _permutation(ctx: Elaboration, keys: Exp, t: ty.Type, out: list[Wrap], at: Span) -> Exp:
    """Return the row numbers in ascending order of the keys."""
    n = ctx.atom(c.Length(keys, 0, at), I64, out, "n")
    order, size = ctx.binder("order", c.Array(I64)), ctx.binder("size", I64)
    one, two = i64(1), i64(2)
    double = c.Bin(BinOp.MUL, two, c.Var(size.name), at)
    mirrored = _step(ctx, keys, t, c.Var(order.name), n, _mirror(c.Var(size.name)), at)
    inner, gap = ctx.binder("order", c.Array(I64)), ctx.binder("gap", I64)
    nearer = _step(ctx, keys, t, c.Var(inner.name), n, _distance(c.Var(gap.name)), at)
    steps = c.Loop(
        (inner, gap),
        (mirrored, c.Bin(BinOp.DIV, c.Var(size.name), i64(4), at)),
        c.While(c.Bin(BinOp.GE, c.Var(gap.name), one, at)),
        c.tuple_exp(nearer, c.Bin(BinOp.DIV, c.Var(gap.name), two, at)),
        at,
    )
    going = c.Bin(BinOp.LT, c.Bin(BinOp.DIV, c.Var(size.name), two, at), n, at)
    rounds = c.Loop(
        (order, size),
        (c.Iota(n, i64(0), one, at), two),
        c.While(going),
        c.tuple_exp(c.Project(steps, "0", at), double),
        at,
    )
    return _array(ctx, c.Project(rounds, "0", at), I64, "order", out, at)


def _mirror(size: Exp) -> Callable[[Exp], Exp]:
    """Return the place as far from the end of its block as ``i`` is from the start."""
    return lambda i: c.Bin(BinOp.XOR, i, c.Bin(BinOp.SUB, size, i64(1)))


def _distance(gap: Exp) -> Callable[[Exp], Exp]:
    return lambda i: c.Bin(BinOp.XOR, i, gap)


def _step(
    ctx: Elaboration,
    keys: Exp,
    t: ty.Type,
    order: Exp,
    n: Exp,
    partner: Callable[[Exp], Exp],
    at: Span,
) -> Exp:
    """Return one step: each place keeps the smaller or the larger of its row and its partner's."""
    i, j = ctx.binder("i", I64), ctx.binder("j", I64)
    mine, other = ctx.binder("mine", I64), ctx.binder("other", I64)
    place, there = c.Var(i.name), c.Var(j.name)
    by_number = c.Bin(BinOp.LT, c.Var(other.name), c.Var(mine.name), at)
    a, b = _fix(keys, c.Var(other.name), at), _fix(keys, c.Var(mine.name), at)
    smaller = ctx.binder("smaller", BOOL)
    lower = c.Bin(BinOp.LT, place, there, at)
    swap = c.Bin(BinOp.EQ, c.Var(smaller.name), lower, at)
    inside = wrapped(
        [
            let(mine, _fix(order, place, at), at),
            let(other, _fix(order, there, at), at),
            let(smaller, _less(t, a, b, by_number, at), at),
        ],
        c.If(swap, c.Var(other.name), c.Var(mine.name), at),
    )
    alone = c.Bin(BinOp.GE, there, n, at)
    body = c.Let((j,), partner(place), c.If(alone, _fix(order, place, at), inside, at), at)
    return c.Map(c.Lambda((i,), body, at), (c.Iota(n, i64(0), i64(1), at),), at)


# ---------------------------------------------------------------------- groups


def _run_starts(ctx: Elaboration, keys: Exp, t: ty.Type, n: Exp, at: Span) -> Exp:
    """Return, for each row, the test that it is the first one with its key."""
    i, key, earlier = ctx.binder("i", I64), *(ctx.binder("key", core_type(t)) for _ in "ab")
    before = c.Bin(BinOp.SUB, c.Var(i.name), i64(1), at)
    differ = _less(t, c.Var(earlier.name), c.Var(key.name), c.Const(False, BOOL), at)
    changed = wrapped(
        [
            let(earlier, _fix(keys, before, at), at),
            let(key, _fix(keys, c.Var(i.name), at), at),
        ],
        differ,
    )
    first = c.Bin(BinOp.EQ, c.Var(i.name), i64(0), at)
    body = c.If(first, c.Const(True, BOOL), changed, at)
    return c.Map(c.Lambda((i,), body, at), (c.Iota(n, i64(0), i64(1), at),), at)


def _firsts(ctx: Elaboration, starts: Exp, n: Exp, out: list[Wrap], at: Span) -> Exp:
    """Return the numbers of the rows that are the first with their key."""
    i = ctx.binder("i", I64)
    test = c.Lambda((i,), _fix(starts, c.Var(i.name), at), at)
    kept = c.Filter(test, c.Iota(n, i64(0), i64(1), at), at)
    return _array(ctx, kept, I64, "firsts", out, at)


def _lasts(ctx: Elaboration, sums: Exp, firsts: Exp, total: Exp, n: Exp, at: Span) -> Exp:
    """Return the last element of each run."""
    k = ctx.binder("k", I64)
    later = c.Bin(BinOp.ADD, c.Var(k.name), i64(1), at)
    is_last = c.Bin(BinOp.EQ, later, total, at)
    end = c.If(is_last, n, _fix(firsts, later, at), at)
    body = _fix(sums, c.Bin(BinOp.SUB, end, i64(1), at), at)
    return c.Map(c.Lambda((k,), body, at), (c.Iota(total, i64(0), i64(1), at),), at)


def _segmented(
    ctx: Elaboration, fold: _Fold, starts: Exp, values: Exp, out: list[Wrap], at: Span
) -> Exp:
    """Return the scan of each run (paper 004, section 7: segmented reductions)."""
    t = fold.variable.type
    f, x, g, y = (ctx.binder(b, u) for b, u in (("f", BOOL), ("x", t), ("g", BOOL), ("y", t)))
    flag = c.If(c.Var(f.name), c.Const(True, BOOL), c.Var(g.name), at)
    joined = c.App(fold.op, (c.Var(x.name), c.Var(y.name)), at)
    value = c.If(c.Var(g.name), c.Var(y.name), joined, at)
    scan = c.Scan(
        c.Lambda((f, x, g, y), c.tuple_exp(flag, value), at),
        (c.Const(False, BOOL), fold.ne),
        (starts, values),
        at,
    )
    return _array(ctx, c.Project(c.Unzip(scan, at), "1", at), t, "sums", out, at)
