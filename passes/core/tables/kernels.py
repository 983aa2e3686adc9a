r"""Array operations whose functions allocate, and calls.

A function that is applied to the elements of arrays cannot pass tables from one element to the
next.  There are four ways; the first that is possible is taken:

own        no recursive data come from outside, and none is in the result: each index has tables of
           its own, which are gone afterwards
bounded    an index allocates at most K rows of a type: it fills an arena of K rows, whose links
           begin at ``used + i * K``, and after the operation all arenas are put into the tables

               map (\x -> #cons (x, l)) xs
                 ->  let (links, c_0, c_1) = unzip (map (\x base -> …) (xs, iota n used K))
                     let c_0 = c_0 with [used : used + n*K] = flatten c_0', …

growing    each index fills an arena that may be too short; then the kernel runs again (growing.py)

in order   a loop over the elements, which passes the tables along

A reduction, scan or histogram is always done in order, and so is an array operation inside a kernel
whose arenas may be too short.  All ways give the same values; the links differ.  Remarks name the
way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import row
from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import var
from funmem.passes.core.flatten_data.arrays import OPERANDS
from funmem.passes.core.names import free_names
from funmem.passes.core.recursion.parts import binary, int64
from funmem.passes.core.tables.calls import Unbounded
from funmem.passes.core.tables.effects import Tables
from funmem.passes.core.tables.growing import growing
from funmem.passes.core.tables.histograms import histogram
from funmem.passes.core.tables.lives import new_tables
from funmem.passes.core.tables.store import Arena, Links, Table, several

if TYPE_CHECKING:
    from funmem.passes.core.tables.expressions import Translation

_Rows: TypeAlias = tuple[Exp, Type]
"""An array that may be repeated, and the type of its elements."""


def parallel(w: Translation, e: c.ParallelExp) -> Exp:
    """Return the value of an array operation in which something allocates."""
    match e:
        case c.Map(c.Lambda() as fn, arrays, at):
            operands = w.operands(arrays)
            if not w.allocated(_opened(w, fn)[0]):
                return c.Map(w.pure(fn), tuple(operands), at)
            return _map(w, fn, _rows(w, operands, arrays, at), at)
        case c.Filter(c.Lambda() as fn, array, at):
            operands = w.operands((array,))
            if not w.allocated(_opened(w, fn)[0]):
                return c.Filter(w.pure(fn), operands[0], at)
            ((xs, t),) = _rows(w, operands, (array,), at)
            flags = _map(w, fn, [(xs, t)], at)
            p = c.Binder(w.fresh("p"), c.tuple_type(t, BOOL))
            keep = c.Lambda((p,), c.Project(c.Var(p.name), "1"), at)
            kept = c.Filter(keep, c.Zip((("0", xs), ("1", flags)), at), at)
            return c.Project(c.Unzip(kept, at), "0", at)
        case c.Reduce(c.Lambda() as op, ne, arrays, comm, at):
            operands = w.operands((*ne, *arrays))
            start, rest = operands[: len(ne)], operands[len(ne) :]
            if not w.allocated(op):
                return c.Reduce(w.pure(op), tuple(start), tuple(rest), comm, at)
            return _fold(w, op, start, _rows(w, rest, arrays, at), at, prefixes=False)
        case c.Segmented():
            raise Stuck("a segmented operation before `flatten-nested`, which makes them")
        case c.Scan(c.Lambda() as op, ne, arrays, at):
            operands = w.operands((*ne, *arrays))
            start, rest = operands[: len(ne)], operands[len(ne) :]
            if not w.allocated(op):
                return c.Scan(w.pure(op), tuple(start), tuple(rest), at)
            return _fold(w, op, start, _rows(w, rest, arrays, at), at, prefixes=True)
        case c.Hist(c.Lambda() as op, ne, dest, indices, values, at):
            if w.allocated(op):
                return _histogram(w, e, op)
            operands = w.operands((*ne, *dest, indices, *values))
            n, k = len(ne), len(ne) + len(dest)
            new = (tuple(operands[:n]), tuple(operands[n:k]), operands[k], tuple(operands[k + 1 :]))
            return c.Hist(w.pure(op), *new, at)
        case c.Map() | c.Filter() | c.Reduce() | c.Scan() | c.Hist():
            raise TypeError("the operand of an array operation is not a lambda")


def _rows(w: Translation, xs: Sequence[Exp], old: Sequence[Exp], at: Span) -> list[_Rows]:
    """Return arrays of equal lengths, each bound to a name, and the types of their elements."""
    types = [w.type_of(e) for e in old]
    first = w.let(w.links, "xs", types[0], xs[0], at)
    out = [(first, row(types[0]))]
    if len(xs) > 1:
        n = w.let(w.links, "n", I64, c.Length(first, 0, at), at)
        assert isinstance(n, c.Var)
        for x, t in zip(xs[1:], types[1:], strict=True):
            sized = c.Array(row(t), var(n.name))
            same = c.Coerce(x, sized, OPERANDS, at)
            out.append((w.let(w.links, "xs", sized, same, at), row(t)))
    return out


def _opened(w: Translation, fn: c.Lambda) -> tuple[c.Lambda, Tables]:
    """Return a function without the binding at which regions of an index begin, and their types."""
    begun = w.effects.begun(fn.body)
    if begun is None or begun.released or not isinstance(fn.body, c.Let):
        return fn, frozenset()
    fn = evolve(fn, body=fn.body.body)
    return fn, begun.types & w.effects.exp(fn).all


def _map(w: Translation, whole: c.Lambda, rows: Sequence[_Rows], at: Span) -> Exp:
    """Return ``map whole rows``, where the function allocates."""
    fn, local = _opened(w, whole)
    effect = w.effects.exp(fn)
    outside = {x for b in fn.params for x in w.families.inside(b.type)}
    outside |= {x for y in free_names(fn) if y in w.types for x in w.families.inside(w.types[y])}
    outside |= w.families.inside(w.old_type(fn))
    bounds = w.effects.bounds(fn)
    if any(w.store[x].room is not None for x in effect.all - local):
        return _ordered(w, whole, rows, at)  # inside a kernel
    own = not outside & (effect.all - local)
    kept = frozenset() if own else effect.allocated - local
    if own and bounds is not None:
        w.note(w.place, "an array operation has tables of its own at each index", True)
        return _own(w, fn, rows, effect.all, bounds, at)
    ways: list[tuple[str, Callable[[], Exp]]] = []
    if bounds is not None:
        most = ", ".join(f"{k} of `{x}`" for x, k in sorted(bounds.items()))
        text = f"an array operation has an arena at each index, of at most {most}"
        ways.append((text, lambda: _bounded(w, fn, rows, bounds, kept, at)))
    vectors = effect.allocated & w.families.vectors
    if not vectors and not w.families.has_array(w.type_of(fn.body)):
        text = "an array operation has an arena at each index; it runs again if one is too short"
        arrays = [x for x, _ in rows]
        ways.append((text, lambda: growing(w, fn, arrays, at, kept)))
    gives = "makes vectors" if vectors else "gives arrays"
    why = f"an index allocates without a bound and {gives}"
    for text, way in ways:
        before = w.links, w.store, w.types, dict(w.copies.names), list(w.copies.made)
        bound = len(w.links)  # the list stays the same: callers may hold it
        w.store = dict(w.store)
        try:
            with new_tables(w, local):
                value = way()
        except Unbounded as found:
            w.links, w.store, w.types, w.copies.names, w.copies.made = before
            del w.links[bound:]
            why = str(found)
            continue
        w.note(w.place, text, True)
        return value
    w.note(w.place, f"an array operation runs in order: {why}", False)
    if own:
        return _own(w, fn, rows, effect.all, bounds, at)
    return _ordered(w, whole, rows, at)


# ---------------------------------------------------------------------- own tables


def _own(
    w: Translation,
    fn: c.Lambda,
    rows: Sequence[_Rows],
    tables: Tables,
    bounds: dict[Name, int] | None,
    at: Span,
) -> Exp:
    """Return a map in which each index has tables of its own; they grow unless there is a bound."""
    links, store = Links(), dict(w.store)
    for name in sorted(tables):
        room = int64(0) if bounds is None else int64(bounds.get(name, 0))
        w.store[name] = evolve(w.empty(name, links, room), grows=bounds is None)
    body = w.block(fn.body, frozenset(), links)
    w.store = store
    params = tuple(map(w.binder, fn.params))
    return c.Map(c.Lambda(params, body, fn.at), tuple(x for x, _ in rows), at)


# ---------------------------------------------------------------------- arenas


def _bounded(
    w: Translation,
    fn: c.Lambda,
    rows: Sequence[_Rows],
    bounds: dict[Name, int],
    kept: Tables,
    at: Span,
) -> Exp:
    """Return a map in which each index fills an arena; the rows of ``kept`` are put into tables."""
    names = sorted(kept)
    n = w.let(w.links, "n", I64, c.Length(rows[0][0], 0, at), at)
    outer, inner, links = dict(w.store), dict(w.store), Links()
    bases: list[c.Binder] = []
    starts: list[Exp] = []
    for name in names:
        shared = outer[name]
        base = c.Binder(w.fresh("base"), I64)
        own = w.empty(name, links, int64(bounds[name]))
        arena = Arena(shared.columns, base.name)
        inner[name] = evolve(own, grows=False, arena=arena)
        bases.append(base)
        starts.append(c.Iota(n, c.Var(shared.used), int64(bounds[name]), at))
    for name in sorted(bounds.keys() - kept):
        inner[name] = evolve(w.empty(name, links, int64(bounds[name])), grows=False)
    w.store = inner
    body = w.arenas(fn.body, names, (), links)
    w.store = outer
    params = (*map(w.binder, fn.params), *bases)
    made = c.Map(c.Lambda(params, body, fn.at), (*(x for x, _ in rows), *starts), at)
    t = w.type_of(fn.body)
    binders = [c.Binder(w.fresh("r"), c.Array(t))]
    filled: list[tuple[Name, list[c.Binder]]] = []
    for name in names:
        own_columns = [
            c.Binder(w.fresh("arenas"), c.Array(c.Array(u))) for u in outer[name].family.columns
        ]
        binders += own_columns
        filled.append((name, own_columns))
    w.links.append(c.Let(tuple(binders), c.Unzip(made, at), c.Fields(()), at))
    for name, arrays in filled:
        w.store[name] = _put(w, w.store[name], arrays, n, bounds[name], at)
    return c.Var(binders[0].name, at)


def _put(
    w: Translation, t: Table, arrays: Sequence[c.Binder], n: Exp, bound: int, at: Span
) -> Table:
    """Bind tables that end in the arenas of n indices."""
    count = w.let(w.links, "count", I64, binary(BinOp.MUL, n, int64(bound)), at)
    t = w.grown(t, count, w.links, at)
    new = w.renewed(t)
    end = w.let(w.links, "end", I64, binary(BinOp.ADD, c.Var(t.used), count), at)
    where = (c.Range(c.Var(t.used), end, None),)
    for b, old, arena in zip(new.binders(), t.columns, arrays, strict=False):
        rows = c.Flatten(2, c.Var(arena.name), at)
        w.links.append(c.Let((b,), c.Update(c.Var(old), where, rows, at), c.Fields(()), at))
    w.links.append(c.Let((c.Binder(new.used, I64),), end, c.Fields(()), at))
    return new


# ---------------------------------------------------------------------- in order


def _ordered(w: Translation, fn: c.Lambda, rows: Sequence[_Rows], at: Span) -> Exp:
    """Return a map as a loop that passes the tables along."""
    t = w.type_of(fn.body)
    _scalar_rows(w, t, at)
    n = w.let(w.links, "n", I64, c.Length(rows[0][0], 0, at), at)
    out, i = c.Binder(w.fresh("out"), c.Array(t)), w.fresh("i")

    def step() -> list[Exp]:
        value = w.exp(fn.body)
        return [c.Update(c.Var(out.name), (c.Fix(c.Var(i)),), value, at)]

    here = _elements(w, fn.params, rows, i, at)
    start = c.Scratch(n, t, at)
    (result,) = w.repeated([out], [start], c.For(i, n), w.allocated(fn), here, step, at)
    return result


def _fold(
    w: Translation,
    op: c.Lambda,
    start: Sequence[Exp],
    rows: Sequence[_Rows],
    at: Span,
    *,
    prefixes: bool,
) -> Exp:
    """Return a reduction, or a scan, as a loop that passes the tables along."""
    if all(w.store[x].room is None for x in w.allocated(op)):
        w.note(w.place, "a reduction or scan runs in order: its operator allocates", False)
    k = len(start)
    n = w.let(w.links, "n", I64, c.Length(rows[0][0], 0, at), at)
    i = w.fresh("i")
    accs = [c.Binder(b.name, unsized(w.binder(b).type)) for b in op.params[:k]]
    outs = [c.Binder(w.fresh("out"), c.Array(t)) for _, t in rows] if prefixes else []
    init = list(start)
    for _, t in rows if prefixes else ():
        _scalar_rows(w, t, at)
        init.append(c.Scratch(n, t, at))

    def step() -> list[Exp]:
        names = [c.Binder(w.fresh(b.name), b.type) for b in accs]
        w.links.append(c.Let(tuple(names), w.exp(op.body), c.Fields(()), at))
        values: list[Exp] = [c.Var(b.name) for b in names]
        for out, x in zip(outs, list(values), strict=bool(outs)):
            values.append(c.Update(c.Var(out.name), (c.Fix(c.Var(i)),), x, at))
        return values

    here = _elements(w, op.params[k:], rows, i, at)
    results = w.repeated([*accs, *outs], init, c.For(i, n), w.allocated(op), here, step, at)
    if not prefixes:
        return several(results)
    if k == 1:
        return results[1]
    return c.Zip(tuple((str(j), x) for j, x in enumerate(results[k:])), at)


def _histogram(w: Translation, e: c.Hist, op: c.Lambda) -> Exp:
    """Return a histogram as a loop that passes the tables along."""
    if all(w.store[x].room is None for x in w.allocated(op)):
        w.note(w.place, "a histogram runs in order: its operator allocates", False)
    for b in op.params:
        _scalar_rows(w, w.binder(b).type, e.at)
    return several(histogram(w, e, op))


def _elements(
    w: Translation, params: Sequence[c.Binder], rows: Sequence[_Rows], i: Name, at: Span
) -> Links:
    """Return bindings of parameters to the elements at an index."""
    out = Links()
    for b, (x, _) in zip(params, rows, strict=True):
        out.append(c.Let((w.binder(b),), c.Index(x, (c.Fix(c.Var(i)),), at), c.Fields(()), at))
    return out


def _scalar_rows(w: Translation, t: Type, at: Span) -> None:
    """Refuse elements that contain arrays: their sizes are not known before the loop."""
    if w.families.has_array(t):
        what = "an array operation that allocates recursive data and gives arrays of arrays"
        raise w.refused(at, what, "use a loop")
