r"""Elaborate kernels, ``reduce``, ``scan`` and ``filter``.

(kernel ((x xs) (y ys)) e)   map (\x y -> e) (xs, ys[0:n])     n is the length of xs
(reduce op v)                reduce op e v, if op has a neutral element e that is known; of other
                             scalars, and of datatypes that hold only scalars,
                             reduce op' (false, 0) …  on pairs of a flag and a value;
                             else a loop from the left
(scan op init v)             scan op e (init, v[0], …), or a loop
"""

from collections.abc import Callable, Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.context import kernel_effect
from funmem.frontends.harlan.elaborate.code import Code, Level, State
from funmem.frontends.harlan.elaborate.control import loop
from funmem.frontends.harlan.elaborate.parts import operands
from funmem.frontends.harlan.elaborate.places import Changes
from funmem.frontends.harlan.elaborate.stores import as_array, is_reference, stored
from funmem.frontends.harlan.elaborate.wraps import Wrap, i64, require, wrapped
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
    arrays = _arrays(k, vectors, st, out)
    writes = k.program.shared.writing(e.body)
    if len(arrays) > 1 or writes:
        n = k.atom(c.Length(arrays[0], 0, at), I64, out, "n")
        whole = c.Range(i64(0, at), n, None)
        arrays[1:] = [c.Index(a, (whole,), at) for a in arrays[1:]]
    if writes:
        return vector(k, e, _in_order(k, e, arrays, n, st, out), st, out)
    with k.inside(Level.KERNEL):
        inner = st.copy()
        inner.token = None
        params = tuple(k.parameter(inner, x) for x, _ in e.bindings)
        k.given.update(x for x, _ in e.bindings)
        own: list[Wrap] = []
        body = k.program.exp(k, e.body, inner, own)
    made = c.Map(c.Lambda(params, wrapped(own, body), at), tuple(arrays), at)
    return vector(k, e, made, st, out)


def vector(k: Code, e: ast.Exp, made: Exp, st: State, out: list[Wrap]) -> Exp:
    """Return the vector that an expression has made as an array: a reference if it is shared."""
    t = k.ground(e)
    return stored(k.program, st, out, made, t, e.at) if is_reference(t) else made


def _arrays(k: Code, vectors: Sequence[ast.Exp], st: State, out: list[Wrap]) -> list[Exp]:
    """Return the elements of vectors as arrays; of more than one, under names."""
    found: list[Exp] = []
    for v, value in zip(vectors, operands(k, vectors, st, out), strict=True):
        array = as_array(k.program, st, value, k.ground(v), v.at)
        alone = len(vectors) == 1 and array is value
        found.append(array if alone else k.atom(array, c.Array(k.elem_type(v)), out, "xs"))
    return found


def _in_order(
    k: Code, e: ast.Kernel, arrays: Sequence[Exp], n: Exp, st: State, out: list[Wrap]
) -> Exp:
    """Return the elements of a kernel whose body uses the stores: a loop evaluates it."""
    at, elem = e.at, k.elem_type(e)
    index, done = k.program.fresh("k"), c.Binder(k.program.fresh("done"), c.Array(elem))
    here = c.Var(index, at)
    bound = [
        (x, c.Index(a, (c.Fix(here),), at)) for (x, _), a in zip(e.bindings, arrays, strict=True)
    ]

    def body(s: State, own: list[Wrap]) -> list[Exp]:
        value = k.atom(_inlined(k, bound, e.body, s, own), elem, own)
        before = c.Var(done.name, at)
        first = c.Bin(BinOp.EQ, here, i64(0, at), at)
        later = c.Update(before, (c.Fix(here),), value, at)
        return [c.If(first, c.Replicate(n, value, at), later, at)]

    start = c.ArrayLit((), elem, at)
    return loop(
        k, st, out, k.changes(e.body), [(done, start)], lambda _: c.For(index, n), body, at
    )[0]


def _inlined(
    k: Code,
    bound: Sequence[tuple[ast.Local, Exp]],
    body: ast.Exp,
    st: State,
    out: list[Wrap],
) -> Exp:
    """Return the value of the code of a kernel or a fold at values of its variables, in a loop."""
    with k.inside(Level.KERNEL), k.scope(st):
        for x, value in bound:
            k.bind(st, x, k.atom(value, k.local_type(x), out, k.program.plain(x.name)))
        k.given.update(x for x, _ in bound)
        return k.program.exp(k, body, st, out)


def fold(k: Code, e: ast.Fold, st: State, out: list[Wrap]) -> Exp:
    """``(reduce op v)``, ``(scan op init v)``, ``(filter p v)``."""
    at = e.at
    parts = [e.vector] if e.init is None else [e.init, e.vector]
    *first, v = (
        k.atom(value, k.type(x), out, "xs")
        for value, x in zip(operands(k, parts, st, out), parts, strict=True)
    )
    xs = as_array(k.program, st, v, k.ground(e.vector), at)
    xs = k.atom(xs, c.Array(k.elem_type(e.vector)), out, "xs")
    n = k.atom(c.Length(xs, 0, at), I64, out, "n")
    effect = k.grounds.effect(k.program.typing.effects[e]) == IO
    in_order = effect or k.program.shared.writing(e.body)
    if e.kind is ast.FoldKind.FILTER:
        if effect:
            what = "the function of `filter` prints or calls a foreign function"
            fail(at, ErrorCode.KERNEL, what, "it decides only: print in a loop")
        return vector(k, e, _filter(k, e, xs, n, in_order, st, out), st, out)
    if e.kind is ast.FoldKind.SCAN:
        return vector(k, e, _scan(k, e, first[0], xs, n, in_order, st, out), st, out)
    some = c.Bin(BinOp.GT, n, i64(0, at), at)
    out.append(require(some, f"`{e.kind.value}` of an empty vector", at))
    t = k.type(e)
    if not in_order and e.kind is ast.FoldKind.REDUCE:
        op = _operator(k, e, st)
        prover = Prover(k.program.known)
        exact = prover.candidate(op, t)
        if exact is not None:
            return c.Reduce(op, (exact,), (xs,), True, at)
        if _is_flat(t):
            return _optional(k, op, xs, t, out, at)
    return _from_the_left(k, e, xs, n, st, out)


def _filter(
    k: Code, e: ast.Fold, xs: Exp, n: Exp, in_order: bool, st: State, out: list[Wrap]
) -> Exp:
    """Return the elements that the function of ``filter`` keeps."""
    at = e.at
    if not in_order:
        return c.Filter(_operator(k, e, st), xs, at)
    index, flags = k.program.fresh("k"), c.Binder(k.program.fresh("keep"), c.Array(BOOL))
    here = c.Var(index, at)

    def body(s: State, own: list[Wrap]) -> list[Exp]:
        keep = _inlined(k, [(e.params[0], c.Index(xs, (c.Fix(here),), at))], e.body, s, own)
        return [c.Update(c.Var(flags.name, at), (c.Fix(here),), keep, at)]

    start = c.Scratch(n, BOOL, at)
    given = _threaded(k, e, [(flags, start)], c.For(index, n), body, st, out)
    kept = k.atom(given[0], flags.type, out, "keep")
    i, j = (c.Binder(k.program.fresh("i"), I64) for _ in range(2))
    wanted = c.Lambda((i,), c.Index(kept, (c.Fix(c.Var(i.name, at)),), at), at)
    element = c.Lambda((j,), c.Index(xs, (c.Fix(c.Var(j.name, at)),), at), at)
    numbers = c.Iota(n, i64(0, at), i64(1, at), at)
    return c.Map(element, (c.Filter(wanted, numbers, at),), at)


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
    return _inlined(k, list(zip(e.params, (a, b), strict=True)), e.body, st, own)


def _threaded(
    k: Code,
    e: ast.Fold,
    params: list[tuple[c.Binder, Exp]],
    form: c.For,
    body: Callable[[State, list[Wrap]], list[Exp]],
    st: State,
    out: list[Wrap],
) -> list[Exp]:
    """Return the last values of a loop, which threads the token and the stores if it has to."""
    changes = Changes(effectful=[e])
    if k.program.shared.writing(e.body):
        changes.locals.update(dict.fromkeys(k.program.store_types))
    return loop(k, st, out, changes, params, lambda _: form, body, e.at)


def _from_the_left(k: Code, e: ast.Fold, xs: Exp, n: Exp, st: State, out: list[Wrap]) -> Exp:
    at = e.at
    acc, index = c.Binder(k.program.fresh("acc"), k.type(e)), k.program.fresh("k")
    first = c.Index(xs, (c.Fix(i64(0, at)),), at)

    def body(s: State, own: list[Wrap]) -> list[Exp]:
        here = c.Bin(BinOp.ADD, c.Var(index, at), i64(1, at), at)
        element = c.Index(xs, (c.Fix(here),), at)
        return [_step(k, e, c.Var(acc.name, at), element, s, own)]

    count = c.Bin(BinOp.SUB, n, i64(1, at), at)
    return _threaded(k, e, [(acc, first)], c.For(index, count), body, st, out)[0]


def _scan(
    k: Code, e: ast.Fold, init: Exp, xs: Exp, n: Exp, in_order: bool, st: State, out: list[Wrap]
) -> Exp:
    at, elem = e.at, k.elem_type(e)
    if not in_order:
        op = _operator(k, e, st)
        exact = Prover(k.program.known).candidate(op, elem)
        if exact is not None:
            i = c.Binder(k.program.fresh("i"), I64)
            here = c.Var(i.name, at)
            before = c.Index(xs, (c.Fix(c.Bin(BinOp.SUB, here, i64(1, at), at)),), at)
            first = c.Bin(BinOp.EQ, here, i64(0, at), at)
            numbers = c.Iota(n, i64(0, at), i64(1, at), at)
            shifted = c.Map(c.Lambda((i,), c.If(first, init, before, at), at), (numbers,), at)
            return c.Scan(op, (exact,), (shifted,), at)
    acc, index = c.Binder(k.program.fresh("acc"), elem), k.program.fresh("k")
    done = c.Binder(k.program.fresh("done"), c.Array(elem))

    def body(s: State, own: list[Wrap]) -> list[Exp]:
        i, here = c.Var(index, at), c.Var(acc.name, at)
        grown = c.Update(c.Var(done.name, at), (c.Fix(i),), here, at)
        new = k.atom(grown, done.type, own, "done")
        element = c.Index(xs, (c.Fix(i),), at)
        return [_step(k, e, here, element, s, own), new]

    params = [(acc, init), (done, c.Replicate(n, init, at))]
    return _threaded(k, e, params, c.For(index, n), body, st, out)[1]
