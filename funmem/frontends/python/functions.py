r"""``fm.map``, ``fm.reduce``, …: functions of functions, which become Core's array operations.

    fm.map(lambda x: (x, x * x), xs)     ->      unzip (map (\x -> … in (x, t)) xs)

A tree of arrays is an array of trees: the function gets trees of elements.  Its results are trees
of arrays.  Each function is called once, in a scope of its own, on symbolic elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funmem.frontends.python.elementwise import (
    COMMUTATIVE,
    astype,
    binary_operator,
    broadcast,
    fitted,
    select,
    unified,
)
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.tape import (
    Dims,
    Symbol,
    Tape,
    active,
    binder,
    core_type,
    describe,
    unsized_binder,
)
from funmem.frontends.python.trees import Structure, flat, rebuilt, show
from funmem.frontends.python.types import Kind, promoted, scalar_type
from funmem.ir import core as c
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import Size

Fn = Callable[..., Any]


def tape_of(what: str) -> Tape:
    """Return the running tape.  Raises SourceError outside of traced code."""
    tape = active()
    if tape is None:
        hint = "call it in a function with @fm.jit"
        raise wrong(Code.UNSUPPORTED, f"fm.{what} is called outside of traced code", hint)
    return tape


def values_of(tape: Tape, tree: Any) -> tuple[list[Symbol], Structure]:
    """Return the leaves of a tree as values."""
    leaves, structure = flat(tree)
    return [tape.lift(x) for x in leaves], structure


def returned(tape: Tape, tree: Any, at: Span | None = None) -> tuple[list[Symbol], Structure]:
    """Return what a function of the user's returned, as values.  Raises SourceError for None."""
    leaves, structure = flat(tree)
    if any(x is None for x in leaves):
        hint = "does it lack a `return`?" if tree is None else ""
        raise wrong(Code.RESULT, "a traced function returned None", hint, at)
    if not leaves:
        raise wrong(Code.RESULT, "a traced function returned no values", at=at)
    return [tape.lift(x) for x in leaves], structure


def result_exp(xs: Sequence[Symbol]) -> c.Exp:
    """Return values as one expression: the only one, or a tuple."""
    return xs[0].exp if len(xs) == 1 else c.tuple_exp(*(x.exp for x in xs))


def sequences(tape: Tape, trees: Sequence[Any], what: str) -> tuple[list[Symbol], Structure]:
    """Return the arrays of some trees, of one length."""
    if not trees:
        raise wrong(Code.TYPE, f"fm.{what} needs an array")
    arrays, structure = values_of(tape, tuple(trees))
    if not arrays:
        raise wrong(Code.TYPE, f"fm.{what} needs an array")
    for x in arrays:
        if not x.dims:
            raise wrong(Code.TYPE, f"fm.{what} needs arrays, got {describe(x)}")
    n = arrays[0].dims[0]
    n = next((x.dims[0] for x in arrays if x.dims[0].as_const is not None), n)
    return [fitted(x, (n, *x.dims[1:])) for x in arrays], structure


def rows_of(tape: Tape, arrays: Sequence[Symbol]) -> list[Symbol]:
    """Return a symbolic element for each array, as parameters of a lambda."""
    return [tape.parameter(x.type, x.dims[1:]) for x in arrays]


def map_(f: Fn, *xs: Any) -> Any:
    """Return ``f`` applied to the elements (rows) of arrays or trees of arrays."""
    tape = tape_of("map")
    arrays, structure = sequences(tape, xs, "map")
    at = here()
    with tape.scope() as scope:
        rows = rows_of(tape, arrays)
        found, out = returned(tape, f(*rebuilt(structure, rows)))
        body = scope.closed(result_exp(found))
    shapes = [tape.known(x.dims) for x in found]
    fn = c.Lambda(tuple(binder(x) for x in rows), body, at)
    e: c.Exp = c.Map(fn, tuple(x.exp for x in arrays), at)
    if len(found) > 1:
        e = c.Unzip(e, at)
    return rebuilt(out, _arrays(tape, e, found, arrays[0].dims[0], shapes))


def _arrays(
    tape: Tape,
    e: c.Exp,
    found: Sequence[Symbol],
    n: Size | None,
    shapes: Sequence[Sequence[Size | None]],
) -> list[Symbol]:
    """Bind the arrays that an operation makes of rows; unknown sizes are read off."""
    types = [(x.type, _maybe([n, *dims]), False) for x, dims in zip(found, shapes, strict=True)]
    out = tape.bind_all(e, types)
    return [tape.regular(x, dims) for x, (_, dims, _) in zip(out, types, strict=True)]


def _maybe(dims: Sequence[Size | None]) -> Dims:
    return tuple(dims)  # type: ignore[arg-type]  # unknown ones are replaced by regular()


# ---------------------------------------------------------------------- operators


class Operator:
    """A traced operator on trees: its lambda, and its neutral element and arrays converted."""

    def __init__(
        self, fn: c.Lambda, ne: list[Symbol], arrays: list[Symbol], out: Structure, comm: bool
    ) -> None:
        self.fn, self.ne, self.arrays, self.out, self.comm = fn, ne, arrays, out, comm


def operator(tape: Tape, op: Fn, ne: Any, arrays: list[Symbol], what: str) -> Operator:
    """Trace an operator; its type is the common one of elements, neutral element and result."""
    start, out = values_of(tape, ne)
    if len(start) != len(arrays):
        raise wrong(
            Code.TYPE,
            f"the neutral element of fm.{what} has {len(start)} part(s), "
            f"the elements have {len(arrays)}",
        )
    kinds = [
        promoted(((x.type, False), (s.type, s.weak))) for x, s in zip(arrays, start, strict=True)
    ]
    shapes = [x.dims[1:] for x in arrays]
    start = [
        broadcast(s, d) if len(s.dims) < len(d) else s for s, d in zip(start, shapes, strict=True)
    ]
    start = [fitted(s, d) for s, d in zip(start, shapes, strict=True)]
    at = here()
    for _ in range(4):
        with tape.scope() as scope:
            a = [tape.parameter(t, d) for (t, _), d in zip(kinds, shapes, strict=True)]
            b = [tape.parameter(t, d) for (t, _), d in zip(kinds, shapes, strict=True)]
            found, given = returned(tape, op(rebuilt(out, a), rebuilt(out, b)))
            if given != out:
                _other_structure(what, out, start, given, found)
            wider = [promoted(((x.type, x.weak), k)) for x, k in zip(found, kinds, strict=True)]
            if [t for t, _ in wider] == [t for t, _ in kinds]:
                found = [astype(x, t) for x, (t, _) in zip(found, kinds, strict=True)]
                for x, d in zip(found, shapes, strict=True):
                    if len(x.dims) != len(d):
                        _other_structure(what, out, start, given, found)
                found = [fitted(x, d) for x, d in zip(found, shapes, strict=True)]
                body = scope.closed(result_exp(found))
                break
        kinds = wider
    else:
        raise wrong(Code.TYPE, f"the operator of fm.{what} has no stable type")
    fn = c.Lambda(tuple(binder(x) for x in (*a, *b)), body, at)
    return Operator(
        fn,
        [astype(s, t) for s, (t, _) in zip(start, kinds, strict=True)],
        [astype(x, t) for x, (t, _) in zip(arrays, kinds, strict=True)],
        out,
        binary_operator(body, (*a, *b)) in COMMUTATIVE,
    )


def _other_structure(
    what: str, out: Structure, start: Sequence[Symbol], given: Structure, found: Sequence[Symbol]
) -> None:
    want = show(out, iter([describe(x) for x in start]))
    got = show(given, iter([describe(x) for x in found]))
    raise wrong(Code.RESULT, f"the function of fm.{what} returns {got}; {want} is needed")


def _element_tree(arrays: Sequence[Any]) -> Any:
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def reduce_(op: Fn, ne: Any, xs: Any) -> Any:
    """Return ``op`` folded over the elements; ``op`` is associative with neutral element ``ne``."""
    tape = tape_of("reduce")
    arrays, _ = sequences(tape, (xs,), "reduce")
    o = operator(tape, op, ne, arrays, "reduce")
    e = c.Reduce(o.fn, _exps(o.ne), _exps(o.arrays), o.comm, here())
    parts = [(x.type, x.dims[1:], False) for x in o.arrays]
    return rebuilt(o.out, tape.bind_all(e, parts))


def _exps(xs: Sequence[Symbol]) -> tuple[c.Exp, ...]:
    return tuple([x.exp for x in xs])


def scan(op: Fn, ne: Any, xs: Any) -> Any:
    """Return all prefixes of the reduction, inclusive."""
    tape = tape_of("scan")
    arrays, _ = sequences(tape, (xs,), "scan")
    o = operator(tape, op, ne, arrays, "scan")
    e: c.Exp = c.Scan(o.fn, _exps(o.ne), _exps(o.arrays), here())
    if len(o.arrays) > 1:
        e = c.Unzip(e, here())
    return rebuilt(o.out, tape.bind_all(e, [(x.type, x.dims, False) for x in o.arrays]))


def filter_(p: Fn, xs: Any) -> Any:
    """Return the elements (rows) for which ``p`` is true, in order."""
    tape = tape_of("filter")
    arrays, structure = sequences(tape, (xs,), "filter")
    at = here()
    with tape.scope() as scope:
        rows = rows_of(tape, arrays)
        (test,), _ = returned(tape, p(*rebuilt(structure, rows)))
        if test.dims or test.type is not BOOL:
            raise wrong(
                Code.RESULT, f"the predicate of fm.filter returns {describe(test)}, not bool"
            )
        body = scope.closed(test.exp)
    if len(arrays) == 1:
        e: c.Exp = c.Filter(c.Lambda((binder(rows[0]),), body, at), arrays[0].exp, at)
    else:
        elems = c.tuple_type(*(core_type(x.type, x.dims[1:]) for x in arrays))
        whole = c.Binder(tape.name(), elems)
        fields = tuple(binder(x) for x in rows)
        fn = c.Lambda((whole,), c.Let(fields, c.Var(whole.name), body), at)
        zipped = c.Zip(tuple((str(k), x.exp) for k, x in enumerate(arrays)), at)
        e = c.Unzip(c.Filter(fn, zipped, at), at)
    types = [(x.type, _maybe([None, *x.dims[1:]]), False) for x in arrays]
    kept = tape.bind_all(e, types)
    n = tape.length(c.Length(kept[0].exp, 0), "k")
    tape.bounded(n, arrays[0].dims[0])
    for x, source in zip(kept, arrays, strict=True):
        x.dims = (n, *source.dims[1:])
    (found,) = rebuilt(structure, kept)
    return found


def hist(op: Fn, ne: Any, n: Any, indices: Any, values: Any) -> Any:
    """Return n times ``ne``, with ``op`` applied to each value at its index.

    Indices out of bounds are ignored.  ``op`` is associative and commutative.
    """
    tape = tape_of("hist")
    arrays, _ = sequences(tape, (indices, values), "hist")
    at_index, arrays = astype(_integers(arrays[0], "hist"), I64), arrays[1:]
    o = operator(tape, op, ne, arrays, "hist")
    d = tape.dim_of(n)
    size = tape.size_atom(d)
    dest = tuple(c.Replicate(size, x.exp, here()) for x in o.ne)
    e = c.Hist(o.fn, _exps(o.ne), dest, at_index.exp, _exps(o.arrays), here())
    parts = [(x.type, (d, *x.dims[1:]), False) for x in o.arrays]
    return rebuilt(o.out, tape.bind_all(e, parts))


def _integers(x: Symbol, what: str) -> Symbol:
    if not x.type.is_int or len(x.dims) != 1:
        raise wrong(Code.TYPE, f"the indices of fm.{what} are integers, not {describe(x)}")
    return x


def scatter(dest: Any, indices: Any, values: Any) -> Any:
    """Return ``dest`` with the elements at the indices replaced; those out of bounds are ignored.

    If an index occurs more than once, one of its values is taken.
    """
    tape = tape_of("scatter")
    into, structure = values_of(tape, dest)
    arrays, _ = sequences(tape, (indices, values), "scatter")
    at_index = astype(_integers(arrays[0], "scatter"), I64)
    if len(into) != len(arrays) - 1:
        raise wrong(Code.TYPE, f"fm.scatter has {len(into)} destinations, {len(arrays) - 1} values")
    out = []
    for x, v in zip(into, arrays[1:], strict=True):
        v = fitted(astype(v, x.type), (v.dims[0], *x.dims[1:]))
        e = c.Scatter(x.exp, at_index.exp, v.exp, here())
        out.append(tape.bind(e, x.type, x.dims))
    return rebuilt(structure, out)


def _count(tape: Tape, x: Any) -> Size:
    """Return a number of elements as a size, checked unless it is known not to be negative.

    The check lets passes remove the indices that a map does not need as an array.
    """
    d = tape.dim_of(x)
    if d.as_const is None and not (isinstance(x, Symbol) and x.natural):
        n = tape.size_atom(d)
        tape.check(c.Bin(BinOp.LE, c.Const(0, I64), n), "the size {} is negative", (n,))
    return d


def build(shape: Any, f: Fn) -> Any:
    """Return the array whose element at (i, j, …) is ``f(i, j, …)``."""
    tape = tape_of("build")
    given = shape if isinstance(shape, tuple | list) else (shape,)
    dims = [_count(tape, d) for d in given]
    if not dims:
        raise wrong(Code.SHAPE, "fm.build needs at least one dimension")
    out: list[Structure] = []

    def go(depth: int, indices: list[Symbol]) -> list[Symbol]:
        if depth == len(dims):
            found, structure = returned(tape, f(*indices))
            out.append(structure)
            return found
        at = here()
        size = tape.size_atom(dims[depth])
        with tape.scope() as scope:
            i = tape.parameter(I64, weak=True, base="i", natural=True)
            found = go(depth + 1, [*indices, i])
            body = scope.closed(result_exp(found))
        shapes = [tape.known(x.dims) for x in found]
        iota = c.Iota(size, c.Const(0, I64), c.Const(1, I64), at)
        e: c.Exp = c.Map(c.Lambda((binder(i),), body, at), (iota,), at)
        if len(found) > 1:
            e = c.Unzip(e, at)
        return _arrays(tape, e, found, dims[depth], shapes)

    found = go(0, [])
    return rebuilt(out[0], found)


# ---------------------------------------------------------------------- control


def where(cond: Any, a: Any, b: Any) -> Any:
    """Return ``a`` where the condition is true, else ``b``; both are computed."""
    tape = active()
    if tape is None:
        return np.where(cond, a, b)
    return select(cond, a, b, tape)


def cond(test: Any, then: Fn, orelse: Fn) -> Any:
    """Return ``then()`` if the condition is true, else ``orelse()``; only one of them runs."""
    tape = active()
    if not isinstance(test, Symbol):
        return then() if test else orelse()
    assert tape is not None
    test = tape.local(test)
    if test.dims or test.type is not BOOL:
        raise wrong(Code.TYPE, f"the condition of fm.cond is {describe(test)}, not bool")
    at = here()
    kinds: list[Kind] | None = None
    for _ in range(2):
        with tape.scope() as yes:
            xs, first = returned(tape, then())
            one = [(x.type, x.weak) for x in xs]
            if kinds is not None:
                xs = [astype(x, *k) for x, k in zip(xs, kinds, strict=True)]
            a = yes.closed(result_exp(xs))
        with tape.scope() as no:
            ys, second = returned(tape, orelse())
            other = [(y.type, y.weak) for y in ys]
            if kinds is not None:
                ys = [astype(y, *k) for y, k in zip(ys, kinds, strict=True)]
            b = no.closed(result_exp(ys))
        _same_branches(first, xs, second, ys)
        if kinds is not None or one == other:
            break
        kinds = [promoted((j, k)) for j, k in zip(one, other, strict=True)]
    dims = [
        [d if d == e else None for d, e in zip(tape.known(x.dims), tape.known(y.dims), strict=True)]
        for x, y in zip(xs, ys, strict=True)
    ]
    parts = [(x.type, _maybe(ds), x.weak and not x.dims) for x, ds in zip(xs, dims, strict=True)]
    out = tape.bind_all(c.If(test.exp, a, b, at), parts)
    out = [tape.regular(x, ds) for x, ds in zip(out, dims, strict=True)]
    for z, x, y in zip(out, xs, ys, strict=True):
        for d, p, q in zip(z.dims, x.dims, y.dims, strict=True):
            if d.free() and tape.bounds.get(d.as_name or Name("")) is None and d not in (p, q):
                tape.bounded(d, _larger(tape, p, q))
    return rebuilt(first, out)


def _larger(tape: Tape, p: Size, q: Size) -> Size | None:
    """Return an upper bound of two sizes, if that of one is that of the other."""
    known = {x for d in (p, q) for x in d.free() if not tape.gone(x) and x not in tape.bounds}
    bounds = [tape.bound(d, known) for d in (p, q)]
    return bounds[0] if bounds[0] == bounds[1] else None


def _same_branches(
    first: Structure, xs: Sequence[Symbol], second: Structure, ys: Sequence[Symbol]
) -> None:
    ranks = [len(x.dims) for x in xs], [len(y.dims) for y in ys]
    if first != second or ranks[0] != ranks[1]:
        one = show(first, iter([describe(x) for x in xs]))
        other = show(second, iter([describe(y) for y in ys]))
        raise wrong(Code.BRANCH, f"one branch returns {one}, the other {other}")


class _State:
    """The parameters of a loop: types that grow until they are stable, sizes that may change."""

    def __init__(self, tape: Tape, init: Any) -> None:
        self.tape = tape
        self.start, self.structure = values_of(tape, init)
        self.splat = isinstance(init, tuple) and not hasattr(init, "_fields")
        if not self.start:
            raise wrong(Code.TYPE, "a loop needs at least one value as its state")
        self.kinds: list[Kind] = [(x.type, x.weak and not x.dims) for x in self.start]
        self.fixed = [[True] * len(x.dims) for x in self.start]
        self.params: list[Symbol] = []

    def enter(self) -> list[Any]:
        """Bind the parameters in the current scope; return them as arguments."""
        tape = self.tape
        self.params = []
        for x, (t, weak), fixed in zip(self.start, self.kinds, self.fixed, strict=True):
            p = tape.parameter(t, (), False)
            p.weak = weak
            p.dims = tuple(
                d if same else tape.length(c.Length(p.exp, k))
                for k, (d, same) in enumerate(zip(x.dims, fixed, strict=True))
            )
            self.params.append(p)
        return self.arguments(self.params)

    def arguments(self, xs: Sequence[Symbol]) -> list[Any]:
        """Return values as a function of the state receives them."""
        tree = rebuilt(self.structure, xs)
        return list(tree) if self.splat else [tree]

    def next(self, found: Any, what: str) -> list[Symbol] | None:
        """Return the next values; None if types or sizes changed: the body is traced again."""
        tape = self.tape
        xs, structure = returned(tape, found)
        ranks = [len(x.dims) for x in xs]
        if structure != self.structure or ranks != [len(x.dims) for x in self.start]:
            want = show(self.structure, iter([describe(x) for x in self.start]))
            got = show(structure, iter([describe(x) for x in xs]))
            raise wrong(Code.RESULT, f"the body of fm.{what} returns {got}; its state is {want}")
        kinds = [
            promoted((k, (x.type, x.weak and not x.dims)))
            for x, k in zip(xs, self.kinds, strict=True)
        ]
        fixed = [
            [f and d == e for f, d, e in zip(fs, x.dims, p.dims, strict=True)]
            for fs, x, p in zip(self.fixed, xs, self.params, strict=True)
        ]
        if kinds != self.kinds or fixed != self.fixed:
            self.kinds, self.fixed = kinds, fixed
            return None
        return [astype(x, *k) for x, k in zip(xs, kinds, strict=True)]

    def finish(self, form: c.For | c.While, body: c.Exp) -> Any:
        """Bind the loop, and return its results."""
        tape = self.tape
        init = [astype(x, *k) for x, k in zip(self.start, self.kinds, strict=True)]
        binders = tuple(
            binder(p) if all(fs) else unsized_binder(p)
            for p, fs in zip(self.params, self.fixed, strict=True)
        )
        e = c.Loop(binders, _exps(init), form, body, here())
        dims = [
            [d if f else None for d, f in zip(x.dims, fs, strict=True)]
            for x, fs in zip(init, self.fixed, strict=True)
        ]
        parts = [(t, _maybe(ds), weak) for (t, weak), ds in zip(self.kinds, dims, strict=True)]
        out = tape.bind_all(e, parts)
        return rebuilt(
            self.structure, [tape.regular(x, ds) for x, ds in zip(out, dims, strict=True)]
        )


MOST_TRIES = 8


def loop(n: Any, body: Fn, init: Any) -> Any:
    """Return the state after n times ``state = body(i, *state)``; a state that is no tuple is one
    argument.
    """
    tape = tape_of("loop")
    bound = tape.lift(n)
    if bound.dims or not bound.type.is_int:
        raise wrong(Code.TYPE, f"the number of iterations is an integer, not {describe(bound)}")
    bound = astype(bound, I64)
    state = _State(tape, init)
    for _ in range(MOST_TRIES):
        with tape.scope() as scope:
            i = tape.parameter(I64, weak=True, base="i", natural=True)
            found = state.next(body(i, *state.enter()), "loop")
            if found is not None:
                e = scope.closed(result_exp(found))
                break
    else:
        raise wrong(Code.RESULT, "the state of fm.loop has no stable type")
    assert isinstance(i.exp, c.Var)
    return state.finish(c.For(i.exp.name, bound.exp), e)


def while_loop(test: Fn, body: Fn, init: Any) -> Any:
    """Return the state after ``while test(*state): state = body(*state)``."""
    tape = tape_of("while_loop")
    state = _State(tape, init)
    for _ in range(MOST_TRIES):
        with tape.scope() as scope:
            found = state.next(body(*state.enter()), "while_loop")
            if found is not None:
                e = scope.closed(result_exp(found))
                break
    else:
        raise wrong(Code.RESULT, "the state of fm.while_loop has no stable type")
    with tape.scope() as scope:
        again = [_reopened(tape, p) for p in state.params]
        (go,), _ = returned(tape, test(*state.arguments(again)))
        if go.dims or go.type is not BOOL:
            raise wrong(Code.RESULT, f"the condition of fm.while_loop is {describe(go)}, not bool")
        condition = scope.closed(go.exp)
    return state.finish(c.While(condition), e)


def _reopened(tape: Tape, p: Symbol) -> Symbol:
    """Return a loop's parameter in the scope of its condition."""
    assert isinstance(p.exp, c.Var)
    found = tape.symbol(tape, p.exp, p.type, (), p.weak, None, p.natural)
    tape.own(p.exp.name)
    found.dims = tuple(
        tape.length(c.Length(p.exp, k)) if any(tape.gone(x) for x in d.free()) else d
        for k, d in enumerate(p.dims)
    )
    return found


def require(test: Any, message: str = "requirement failed", *values: Any) -> None:
    """Trap with a message unless the condition is true; ``{}`` in it stands for the values."""
    tape = tape_of("require")
    holds = tape.lift(test)
    if holds.type is not BOOL:
        raise wrong(Code.TYPE, f"the condition of fm.require is {describe(holds)}, not bool")
    if holds.dims:
        from funmem.frontends.python.reductions import any_

        holds = any_(holds, np.logical_and, None, False)
    given = [tape.lift(v) for v in values]
    if any(v.dims for v in given):
        raise wrong(Code.TYPE, "a value in the message of fm.require is an array")
    if message.count("{}") != len(given):
        raise wrong(
            Code.TYPE, f"the message has {message.count('{}')} holes, but {len(given)} values"
        )
    tape.check(holds.exp, message, _exps(given))


# ---------------------------------------------------------------------- making arrays


def _shape(tape: Tape, shape: Any) -> tuple[Size, ...]:
    given = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(tape.dim_of(d) for d in given)


def full(shape: Any, value: Any, dtype: Any = None) -> Any:
    """Return an array of one value."""
    tape = active()
    if tape is None:
        return np.full(shape, value, None if dtype is None else _numpy(dtype))
    x = tape.lift(value)
    if dtype is not None:
        x = astype(x, scalar_type(dtype))
    dims = _shape(tape, shape)
    found = broadcast(x, dims)
    if found is x and not dims:
        found = astype(x, x.type)
        found.weak = False
    return found


def _numpy(dtype: Any) -> Any:
    from funmem.ir.values import dtype as numpy_type

    return numpy_type(scalar_type(dtype))


def zeros(shape: Any, dtype: Any = float) -> Any:
    """Return an array of zeros; f64 unless said otherwise, as in numpy."""
    return full(shape, _plain(0, dtype), dtype)


def ones(shape: Any, dtype: Any = float) -> Any:
    """Return an array of ones; f64 unless said otherwise, as in numpy."""
    return full(shape, _plain(1, dtype), dtype)


def _plain(x: int, dtype: Any) -> Any:
    t = scalar_type(dtype)
    return bool(x) if t is BOOL else float(x) if t.is_float else x


def _like(x: Any, value: int, dtype: Any) -> Any:
    tape = active()
    if tape is None:
        return np.full_like(x, value, None if dtype is None else _numpy(dtype))
    source = tape.lift(x)
    t: ScalarType = source.type if dtype is None else scalar_type(dtype)
    made = tape.lift(_plain(value, t))
    found = astype(made, t)
    found.weak = False
    return broadcast(found, source.dims)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Return zeros of the shape and type of ``x``."""
    return _like(x, 0, dtype)


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Return ones of the shape and type of ``x``."""
    return _like(x, 1, dtype)


def full_like(x: Any, value: Any, dtype: Any = None) -> Any:
    """Return an array of one value, of the shape and type of ``x``."""
    tape = active()
    if tape is None:
        return np.full_like(x, value, None if dtype is None else _numpy(dtype))
    source = tape.lift(x)
    t: ScalarType = source.type if dtype is None else scalar_type(dtype)
    return broadcast(astype(tape.lift(value), t), source.dims)


def arange(*bounds: Any, dtype: Any = None) -> Any:
    """Return ``start, start + step, …`` up to ``stop``, of integers."""
    tape = active()
    if tape is None:
        return np.arange(*bounds, dtype=None if dtype is None else _numpy(dtype))
    if not 1 <= len(bounds) <= 3:
        raise TypeError(f"arange takes 1 to 3 bounds, got {len(bounds)}")
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    for x in (start, stop, step):
        if isinstance(x, float | np.floating) or (isinstance(x, Symbol) and x.type.is_float):
            hint = "write fm.arange(n) * step + start"
            raise wrong(Code.UNSUPPORTED, "fm.arange of floats in traced code", hint)
    first, last, by = (tape.lift(x) for x in (start, stop, step))
    kind = promoted(tuple((x.type, x.weak) for x in (first, last, by)))
    t = kind[0] if dtype is None else scalar_type(dtype)
    if isinstance(by.exp, c.Const) and by.exp.value == 1:
        size = tape.dim_of(last - first)  # type: ignore[operator]  # a value has operators
        n = tape.size_atom(size)
    else:
        count = (last - first + by - by.sign()) // by  # type: ignore[operator,attr-defined]
        size = tape.dim_of(count)
        n = tape.size_atom(size)
    inner = t if t.is_int else I64
    a, b = astype(first, inner), astype(by, inner)
    found = tape.bind(c.Iota(n, a.exp, b.exp, here()), inner, (size,), natural=True)
    return astype(found, t)


def array(x: Any, dtype: Any = None) -> Any:
    """Return numbers, traced values, or (nested) sequences of them as an array."""
    tape = active()
    if tape is None:
        return np.array(x, None if dtype is None else _numpy(dtype))
    found = stacked(tape, x) if isinstance(x, list | tuple) else tape.lift(x)
    if found.weak:
        found = astype(found, found.type)
    return found if dtype is None else astype(found, scalar_type(dtype))


def stacked(tape: Tape, xs: Sequence[Any]) -> Symbol:
    """Return values of one shape as the rows of an array."""
    rows = [stacked(tape, x) if isinstance(x, list | tuple) else tape.lift(x) for x in xs]
    if not rows:
        raise wrong(
            Code.SHAPE, "an empty sequence has no element type", "write fm.zeros(0, fm.f32)"
        )
    (t, _), rows = unified(rows)
    dims = rows[0].dims
    if any(len(x.dims) != len(dims) for x in rows):
        shapes = " and ".join(describe(x) for x in rows)
        raise wrong(Code.SHAPE, f"rows of different shape: {shapes}")
    rows = [fitted(x, dims) for x in rows]
    e = c.ArrayLit(_exps(rows), core_type(t, dims), here())
    return tape.bind(e, t, (Size.of(len(rows)), *dims))


def concatenate(xs: Sequence[Any], axis: int = 0) -> Any:
    """Return arrays joined along a dimension."""
    from funmem.frontends.python.indexing import rearranged

    tape = tape_of("concatenate")
    given = [tape.lift(x) for x in xs]
    if not given:
        raise wrong(Code.SHAPE, "fm.concatenate needs at least one array")
    (t, _), given = unified(given)
    rank = len(given[0].dims)
    if not rank or any(len(x.dims) != rank for x in given):
        shapes = " and ".join(describe(x) for x in given)
        raise wrong(Code.SHAPE, f"fm.concatenate of {shapes}")
    k = axis % rank
    perm = [k, *(j for j in range(rank) if j != k)]
    given = [rearranged(x, perm) for x in given]
    rows = given[0].dims[1:]
    given = [fitted(x, (x.dims[0], *rows)) for x in given]
    total = given[0].dims[0]
    for x in given[1:]:
        total = total + x.dims[0]
    found = tape.bind(c.Concat(_exps(given), here()), t, (total, *rows))
    return rearranged(found, [*range(1, k + 1), 0, *range(k + 1, rank)])
