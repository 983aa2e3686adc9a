r"""Elaborate kernels, ``reduce``, ``scan`` and ``filter``.

(kernel ((x xs) (y ys)) e)   map (\x y -> e) (xs, ys[0:n])     n is the length of xs
(reduce op v)                reduce op e v, if op has a neutral element e that is known; of other
                             scalars, and of datatypes that hold only scalars,
                             reduce op' (false, 0) …  on pairs of a flag and a value;
                             else a loop from the left
(scan op init v)             scan op e (init, v[0], …), or a loop
"""

from collections.abc import Callable

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.context import kernel_effect
from funmem.frontends.harlan.elaborate.code import Code, Level, State
from funmem.frontends.harlan.elaborate.parts import operands
from funmem.frontends.harlan.elaborate.wraps import Wrap, grouped, i64, let, require, wrapped
from funmem.frontends.harlan.errors import Code as ErrorCode
from funmem.frontends.harlan.errors import fail
from funmem.frontends.harlan.types import IO
from funmem.frontends.neutral import Prover
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType


def kernel(k: Code, e: ast.Kernel, st: State, out: list[Wrap]) -> Exp:
    """``(kernel ((x e) …) e)``."""
    if k.grounds.effect(k.program.typing.effects[e]) == IO:
        kernel_effect(e)
    at = e.at
    vectors = [v for _, v in e.bindings]
    arrays = operands(k, vectors, st, out)
    if len(arrays) > 1:
        arrays = [k.atom(a, k.type(v), out, "xs") for a, v in zip(arrays, vectors, strict=True)]
        n = k.atom(c.Length(arrays[0], 0, at), I64, out, "n")
        whole = c.Range(i64(0, at), n, None)
        arrays[1:] = [c.Index(a, (whole,), at) for a in arrays[1:]]
    with k.inside(Level.KERNEL):
        inner = st.copy()
        inner.token = None
        params = tuple(k.parameter(inner, x) for x, _ in e.bindings)
        k.given.update(x for x, _ in e.bindings)
        own: list[Wrap] = []
        body = k.program.exp(k, e.body, inner, own)
    return c.Map(c.Lambda(params, wrapped(own, body), at), tuple(arrays), at)


def fold(k: Code, e: ast.Fold, st: State, out: list[Wrap]) -> Exp:
    """``(reduce op v)``, ``(scan op init v)``, ``(filter p v)``."""
    at = e.at
    parts = [e.vector] if e.init is None else [e.init, e.vector]
    values = [
        k.atom(v, k.type(x), out, "xs")
        for v, x in zip(operands(k, parts, st, out), parts, strict=True)
    ]
    xs = values[-1]
    n = k.atom(c.Length(xs, 0, at), I64, out, "n")
    effect = k.grounds.effect(k.program.typing.effects[e]) == IO
    if e.kind is ast.FoldKind.FILTER:
        if effect:
            what = "the function of `filter` prints or calls a foreign function"
            fail(at, ErrorCode.KERNEL, what, "it decides only: print in a loop")
        return c.Filter(_operator(k, e, st), xs, at)
    if e.kind is ast.FoldKind.SCAN:
        return _scan(k, e, values[0], xs, n, effect, st, out)
    some = c.Bin(BinOp.GT, n, i64(0, at), at)
    out.append(require(some, f"`{e.kind.value}` of an empty vector", at))
    t = k.type(e)
    if not effect and e.kind is ast.FoldKind.REDUCE:
        op = _operator(k, e, st)
        prover = Prover(k.program.known)
        exact = prover.candidate(op, t)
        if exact is not None:
            return c.Reduce(op, (exact,), (xs,), True, at)
        if _is_flat(t):
            return _optional(k, op, xs, t, out, at)
    return _from_the_left(k, e, xs, n, st, out)


def _operator(k: Code, e: ast.Fold, st: State) -> c.Lambda:
    """Return the function of a fold, which has no effect."""
    with k.inside(Level.KERNEL):
        inner = st.copy()
        inner.token = None
        params = tuple(k.parameter(inner, x) for x in e.params)
        k.given.update(e.params)
        own: list[Wrap] = []
        body = k.program.exp(k, e.body, inner, own)
    return c.Lambda(params, wrapped(own, body), e.at)


def _is_flat(t: c.Type) -> bool:
    """True for scalars, and for datatypes of them: all values have one size."""
    match t:
        case ScalarType():
            return True
        case c.Sum(constructors):
            return all(_is_flat(u) for _, fields in constructors for u in fields)
        case _:
            return False


def _zero(t: c.Type, at: Span) -> Exp:
    """Return some value of a flat type: zeros in its first constructor."""
    match t:
        case ScalarType():
            return c.Const(False if t is BOOL else 0.0 if t.is_float else 0, t, at)
        case c.Sum(((name, fields), *_)):
            return c.Construct(name, tuple(_zero(u, at) for u in fields), t, at)
        case _:
            raise AssertionError(f"{t} is not flat")


def _optional(k: Code, op: c.Lambda, xs: Exp, t: c.Type, out: list[Wrap], at: Span) -> Exp:
    """Reduce pairs of a flag, whether there is a value, and the value."""
    pair = c.tuple_type(BOOL, t)
    a, b = (c.Binder(k.program.fresh(x), pair) for x in "ab")
    some = [c.Project(c.Var(x.name, at), "0", at) for x in (a, b)]
    value = [c.Project(c.Var(x.name, at), "1", at) for x in (a, b)]
    yes = c.Const(True, BOOL, at)
    both = c.tuple_exp(yes, c.App(op, (value[0], value[1]), at), at=at)
    left = c.If(some[1], both, c.Var(a.name, at), at)
    joined = c.Lambda((a, b), c.If(some[0], left, c.Var(b.name, at), at), at)
    nothing = c.tuple_exp(c.Const(False, BOOL, at), _zero(t, at), at=at)
    none = k.atom(nothing, pair, out, "none")
    x = c.Binder(k.program.fresh("x"), t)
    present = c.Lambda((x,), c.tuple_exp(yes, c.Var(x.name, at), at=at), at)
    whole = c.Reduce(joined, (none,), (c.Map(present, (xs,), at),), False, at)
    return c.Project(whole, "1", at)


def _step(k: Code, e: ast.Fold, a: Exp, b: Exp, st: State, own: list[Wrap]) -> Exp:
    """Return the operator's value at an accumulator and an element; ``st`` gets the token."""
    before = dict(st.env)
    with k.inside(Level.KERNEL):
        t = k.program.types.of(k.grounds.of(k.program.typing.bound[e.params[0]]))
        for x, value in zip(e.params, (a, b), strict=True):
            k.bind(st, x, k.atom(value, t, own, k.program.plain(x.name)))
        k.given.update(e.params)
        result = k.program.exp(k, e.body, st, own)
    st.env = before
    return result


def _threaded(
    k: Code,
    e: ast.Fold,
    params: list[c.Binder],
    init: list[Exp],
    count: Exp,
    body: Callable[[Exp, State, list[Wrap]], list[Exp]],
    st: State,
    out: list[Wrap],
) -> list[Exp]:
    """Return the last values of a counting loop, which threads the token if the fold needs it."""
    at = e.at
    effect = k.grounds.effect(k.program.typing.effects[e]) == IO
    index = k.program.fresh("k")
    inner = st.copy()
    before: list[c.Binder] = []
    start: list[Exp] = []
    if effect:
        assert st.token is not None
        before = [c.Binder(k.program.fresh("t"), c.TOKEN)]
        start = [st.token]
        inner.token = c.Var(before[0].name, at)
    own: list[Wrap] = []
    parts = body(c.Var(index, at), inner, own)
    if effect:
        assert inner.token is not None
        parts = [inner.token, *parts]
    whole = c.Loop(
        (*before, *params),
        (*start, *init),
        c.For(index, count),
        wrapped(own, grouped(parts, at)),
        at,
    )
    ends = [c.Binder(k.program.fresh("end"), b.type) for b in (*before, *params)]
    out.append(let(tuple(ends), whole, at))
    if effect:
        st.token = c.Var(ends[0].name, at)
        ends = ends[1:]
    return [c.Var(b.name, at) for b in ends]


def _from_the_left(k: Code, e: ast.Fold, xs: Exp, n: Exp, st: State, out: list[Wrap]) -> Exp:
    at = e.at
    acc = c.Binder(k.program.fresh("acc"), k.type(e))
    first = c.Index(xs, (c.Fix(i64(0, at)),), at)

    def body(i: Exp, s: State, own: list[Wrap]) -> list[Exp]:
        here = c.Bin(BinOp.ADD, i, i64(1, at), at)
        element = c.Index(xs, (c.Fix(here),), at)
        return [_step(k, e, c.Var(acc.name, at), element, s, own)]

    count = c.Bin(BinOp.SUB, n, i64(1, at), at)
    return _threaded(k, e, [acc], [first], count, body, st, out)[0]


def _scan(
    k: Code, e: ast.Fold, init: Exp, xs: Exp, n: Exp, effect: bool, st: State, out: list[Wrap]
) -> Exp:
    at = e.at
    t = k.type(e)
    assert isinstance(t, c.Array)
    if not effect:
        op = _operator(k, e, st)
        exact = Prover(k.program.known).candidate(op, t.elem)
        if exact is not None:
            i = c.Binder(k.program.fresh("i"), I64)
            here = c.Var(i.name, at)
            before = c.Index(xs, (c.Fix(c.Bin(BinOp.SUB, here, i64(1, at), at)),), at)
            first = c.Bin(BinOp.EQ, here, i64(0, at), at)
            numbers = c.Iota(n, i64(0, at), i64(1, at), at)
            shifted = c.Map(c.Lambda((i,), c.If(first, init, before, at), at), (numbers,), at)
            return c.Scan(op, (exact,), (shifted,), at)
    acc = c.Binder(k.program.fresh("acc"), t.elem)
    done = c.Binder(k.program.fresh("done"), t)

    def body(i: Exp, s: State, own: list[Wrap]) -> list[Exp]:
        here = c.Var(acc.name, at)
        grown = c.Update(c.Var(done.name, at), (c.Fix(i),), here, at)
        new = k.atom(grown, t, own, "done")
        element = c.Index(xs, (c.Fix(i),), at)
        return [_step(k, e, here, element, s, own), new]

    start = [init, c.Replicate(n, init, at)]
    return _threaded(k, e, [acc, done], start, n, body, st, out)[1]
