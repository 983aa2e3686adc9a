"""Elaborate ``reduce``, ``fold``, ``scan`` and ``iscan``: i counts once, neutral or not.

Let f be associative.  In the order of preference (:mod:`funmem.frontends.neutral` decides):

    i is neutral             Reduce f i X
    f has a neutral e        f i (Reduce f e X)
    else                     pairs of a flag, whether there is a value, and the value; the pair
                             (false, i) is neutral for  (p, x) (q, y) -> (p or q, f x y, x or y)

The exclusive scan is the inclusive one of i, X[0], …, X[n-2]; the inclusive one begins with
f i X[0].
"""

from funmem.frontends.neutral import Prover
from funmem.frontends.nova.elaborate.arrays import i64
from funmem.frontends.nova.elaborate.context import Call, Elaboration, Wrap, applied, wrapped
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, I64, BinOp


def reduce(call: Call) -> Exp:
    """``reduce f i X``."""
    ctx, at = call.ctx, call.at
    f, i, xs = call.args
    t = call.result
    prover = Prover(ctx.known)
    comm = prover.commutes(f, t)
    if prover.is_neutral(f, i, t):
        return c.Reduce(f, (i,), (xs,), comm, at)
    exact = prover.candidate(f, t)
    if exact is not None:
        return applied(f, (i, c.Reduce(f, (exact,), (xs,), comm, at)), at)
    op, none = _optional(ctx, f, i, t, at)
    folded = c.Reduce(op, (none,), (_present(ctx, xs, t, at),), False, at)
    out: list[Wrap] = []
    whole = ctx.atom(folded, _pair(t), out, "r")
    value = applied(f, (i, c.Project(whole, "1", at)), at)
    return wrapped(out, c.If(c.Project(whole, "0", at), value, i, at))


def scan(call: Call) -> Exp:
    """``scan f i X``, exclusive: i, f i X[0], …"""
    ctx, at = call.ctx, call.at
    f, i, xs = call.args
    k = c.Binder(ctx.fresh("k"), I64)
    here = c.Var(k.name, at)
    before = c.Index(xs, (c.Fix(c.Bin(BinOp.SUB, here, i64(1, at), at)),), at)
    first = c.Bin(BinOp.EQ, here, i64(0, at), at)
    shifted = c.Map(c.Lambda((k,), c.If(first, i, before, at), at), (_indices(xs, at),), at)
    return _prefixes(ctx, f, i, shifted, call.params[1], at)


def iscan(call: Call) -> Exp:
    """``iscan f i X``, inclusive: f i X[0], f (f i X[0]) X[1], …"""
    ctx, at = call.ctx, call.at
    f, i, xs = call.args
    t = call.params[1]
    if Prover(ctx.known).is_neutral(f, i, t):
        return c.Scan(f, (i,), (xs,), at)
    k, x = c.Binder(ctx.fresh("k"), I64), c.Binder(ctx.fresh("x"), t)
    first = c.Bin(BinOp.EQ, c.Var(k.name, at), i64(0, at), at)
    own = c.Var(x.name, at)
    body = c.If(first, applied(f, (i, own), at), own, at)
    started = c.Map(c.Lambda((k, x), body, at), (_indices(xs, at), xs), at)
    return _prefixes(ctx, f, i, started, t, at)


def fold(call: Call) -> Exp:
    """``fold f i X``: in order."""
    ctx, at = call.ctx, call.at
    f, i, xs = call.args
    acc, k = c.Binder(ctx.fresh("acc"), call.result), ctx.fresh("k")
    element = c.Index(xs, (c.Fix(c.Var(k, at)),), at)
    body = applied(f, (c.Var(acc.name, at), element), at)
    return c.Loop((acc,), (i,), c.For(k, c.Length(xs, 0, at)), body, at)


# ---------------------------------------------------------------------- parts


def _indices(xs: Exp, at: Span) -> Exp:
    return c.Iota(c.Length(xs, 0, at), i64(0, at), i64(1, at), at)


def _prefixes(ctx: Elaboration, f: Exp, i: Exp, xs: Exp, t: c.Type, at: Span) -> Exp:
    """The inclusive scan of an array, in which ``i`` is counted already."""
    prover = Prover(ctx.known)
    exact = i if prover.is_neutral(f, i, t) else prover.candidate(f, t)
    if exact is not None:
        return c.Scan(f, (exact,), (xs,), at)
    op, none = _optional(ctx, f, i, t, at)
    pairs = c.Scan(op, (none,), (_present(ctx, xs, t, at),), at)
    p = c.Binder(ctx.fresh("p"), _pair(t))
    return c.Map(c.Lambda((p,), c.Project(c.Var(p.name, at), "1", at), at), (pairs,), at)


def _pair(t: c.Type) -> c.Record:
    return c.tuple_type(BOOL, t)


def _present(ctx: Elaboration, xs: Exp, t: c.Type, at: Span) -> Exp:
    """The elements of an array with the flag that they are there."""
    x = c.Binder(ctx.fresh("x"), t)
    pair = c.tuple_exp(c.Const(True, BOOL, at), c.Var(x.name, at), at=at)
    return c.Map(c.Lambda((x,), pair, at), (xs,), at)


def _optional(ctx: Elaboration, f: Exp, i: Exp, t: c.Type, at: Span) -> tuple[c.Lambda, Exp]:
    """Return ``f`` on pairs of a flag and a value, and the pair without a value."""
    a, b = (c.Binder(ctx.fresh(x), _pair(t)) for x in "ab")
    some = [c.Project(c.Var(x.name, at), "0", at) for x in (a, b)]
    value = [c.Project(c.Var(x.name, at), "1", at) for x in (a, b)]
    both = c.tuple_exp(c.Const(True, BOOL, at), applied(f, (value[0], value[1]), at), at=at)
    left = c.If(some[1], both, c.Var(a.name, at), at)
    body = c.If(some[0], left, c.Var(b.name, at), at)
    none = c.tuple_exp(c.Const(False, BOOL, at), i, at=at)
    return c.Lambda((a, b), body, at), none
