r"""``fm.map``, ``fm.reduce``, …: functions of functions, which become Core's array operations.

    fm.map(lambda x: (x, x * x), xs)     ->      unzip (map (\x -> … in (x, t)) xs)

A tree of arrays is an array of trees: the function gets trees of elements.  Its results are trees
of arrays.  Each function is called once, in a scope of its own, on symbolic elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funmem.frontends.python.elementwise import (
    COMMUTATIVE,
    astype,
    binary_operator,
    broadcast,
    fitted,
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
)
from funmem.frontends.python.trees import Structure, flat, rebuilt, show
from funmem.frontends.python.types import promoted
from funmem.ir import core as c
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, I64, BinOp
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
    types = [
        (x.type, with_unknown([n, *dims]), False) for x, dims in zip(found, shapes, strict=True)
    ]
    out = tape.bind_all(e, types)
    return [tape.regular(x, dims) for x, (_, dims, _) in zip(out, types, strict=True)]


def with_unknown(dims: Sequence[Size | None]) -> Dims:
    """Return a shape of which some sizes are read off later."""
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
    e = c.Reduce(o.fn, exps(o.ne), exps(o.arrays), o.comm, here())
    parts = [(x.type, x.dims[1:], False) for x in o.arrays]
    return rebuilt(o.out, tape.bind_all(e, parts))


def exps(xs: Sequence[Symbol]) -> tuple[c.Exp, ...]:
    """Return values as expressions."""
    return tuple([x.exp for x in xs])


def scan(op: Fn, ne: Any, xs: Any) -> Any:
    """Return all prefixes of the reduction, inclusive."""
    tape = tape_of("scan")
    arrays, _ = sequences(tape, (xs,), "scan")
    o = operator(tape, op, ne, arrays, "scan")
    e: c.Exp = c.Scan(o.fn, exps(o.ne), exps(o.arrays), here())
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
    types = [(x.type, with_unknown([None, *x.dims[1:]]), False) for x in arrays]
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
    e = c.Hist(o.fn, exps(o.ne), dest, at_index.exp, exps(o.arrays), here())
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
