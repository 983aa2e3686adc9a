"""Flattening of array operations.

An operation that only moves elements is repeated for each part of its arrays.  An operation that
computes elements is done once, with several operands and results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import row
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, I64, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.passes.core.flatten_data.state import Flat, Scope

if TYPE_CHECKING:
    from funmem.passes.core.flatten_data.expressions import Flattening

LENGTHS = "Cannot zip arrays of shapes {} and {}."
OPERANDS = "Arrays of shapes {} and {} where the lengths must be equal."
UNIT = c.Const(False, BOOL)


def array_value(w: Flattening, e: c.ArrayExp, hint: str) -> Flat:
    """Return the parts of an array operation."""
    match e:
        case c.Length(array, dim, at):
            v = w.atoms(array)
            length = c.Length(v.parts[0], dim, at)
            return Flat(
                I64, (length if _regular(v.type, dim) else w.let(hint or "n", I64, length),)
            )
        case c.Index(array, dims, at):
            v, ds = w.atoms(array), _dims(w, dims)
            t = _sliced(v.type, ds)
            return _each(w, t, v.parts, lambda p: c.Index(p, ds, at), hint)
        case c.FlatSlice(array, offset, flat, at):
            v, o = w.atoms(array), _atom(w, offset)
            ns = tuple((_atom(w, n), _atom(w, s)) for n, s in flat)
            t = row(v.type)
            for n, _ in reversed(ns):
                t = c.Array(t, size_of(n))
            return _each(w, t, v.parts, lambda p: c.FlatSlice(p, o, ns, at), hint)
        case c.Coerce(exp, type_, message, at):
            v, t = w.atoms(exp), _coercible(w.type(type_))
            types = w.layouts.parts(t)
            return Flat(
                t,
                tuple(
                    w.let(hint or "x", u, c.Coerce(p, _array(u), message, at))
                    for p, u in zip(v.parts, types, strict=True)
                ),
            )
        case c.ArrayLit(elems, elem, at):
            t = w.type(elem)
            rows = [_cells(w.atoms(x)) for x in elems]
            types = w.layouts.cells(t, at)
            lits = tuple(
                w.let(
                    hint or "lit",
                    c.Array(u, const(len(rows))),
                    c.ArrayLit(tuple(r[k] for r in rows), u, at),
                )
                for k, u in enumerate(types)
            )
            return Flat(c.Array(t, const(len(rows))), lits)
        case c.Iota(n, start, step, at):
            count, v = _atom(w, n), w.value(start)
            t = c.Array(v.type, size_of(count))
            return _each(w, t, v.parts, lambda p: c.Iota(count, p, w.scalar(step), at), hint)
        case c.Replicate(n, value, at):
            count, v = _atom(w, n), w.atoms(value)
            t = c.Array(v.type, size_of(count))
            return _each(w, t, _cells(v), lambda p: c.Replicate(count, p, at), hint)
        case c.Scratch(n, elem, at):
            count, u = _atom(w, n), w.type(elem)
            t = c.Array(u, size_of(count))
            return Flat(
                t,
                tuple(
                    w.let(hint or "x", c.Array(part, size_of(count)), c.Scratch(count, part, at))
                    for part in w.layouts.cells(u)
                ),
            )
        case c.Copy(exp, at):
            v = w.atoms(exp)
            types = w.layouts.parts(v.type)
            return Flat(
                v.type,
                tuple(
                    w.let(hint or "x", u, c.Copy(p, at)) if isinstance(u, c.Array) else p
                    for p, u in zip(v.parts, types, strict=True)
                ),
            )
        case c.Concat(arrays, at):
            vs = [w.atoms(x) for x in arrays]
            t = c.Array(unsized(row(vs[0].type)))
            return _zipped(w, t, [v.parts for v in vs], lambda ps: c.Concat(ps, at), hint)
        case c.DerivedArray() | c.InPlace():
            return _rebuilt(w, e, hint)
        case c.ParallelOperation():
            return _parallel(w, e, hint)


def _rebuilt(w: Flattening, e: c.DerivedExp | c.InPlaceExp, hint: str) -> Flat:
    """Return the parts of a derived array or of a consuming update."""
    match e:
        case c.Rearrange(perm, array, at):
            v = w.atoms(array)
            t = _rearranged(v.type, perm)
            return _each(w, t, v.parts, lambda p: c.Rearrange(perm, p, at), hint)
        case c.Reverse(array, at):
            v = w.atoms(array)
            return _each(w, v.type, v.parts, lambda p: c.Reverse(p, at), hint)
        case c.Flatten(rank, array, at):
            v = w.atoms(array)
            t = v.type
            for _ in range(rank):
                t = row(t)
            return _each(w, c.Array(t), v.parts, lambda p: c.Flatten(rank, p, at), hint)
        case c.Unflatten(sizes, array, at):
            ns, v = tuple(_atom(w, n) for n in sizes), w.atoms(array)
            t = row(v.type)
            for n in reversed(ns):
                t = c.Array(t, size_of(n))
            return _each(w, t, v.parts, lambda p: c.Unflatten(ns, p, at), hint)
        case c.Zip(named, at):
            return _zip(w, named, at, hint)
        case c.Unzip(array, at):
            return _unzip(w, w.atoms(array), at)
        case c.Update(array, dims, value, at):
            v, ds = w.atoms(array), _dims(w, dims)
            new = w.atoms(value)
            cells = new.parts if _ranges(ds) or _is_row(v.type, ds) else _cells(new)
            return _zipped(
                w, v.type, [v.parts, cells], lambda ps: c.Update(ps[0], ds, ps[1], at), hint
            )
        case c.FlatUpdate(array, offset, strides, value, at):
            v, o = w.atoms(array), _atom(w, offset)
            ss, new = tuple(_atom(w, s) for s in strides), w.atoms(value)
            return _zipped(
                w,
                v.type,
                [v.parts, new.parts],
                lambda ps: c.FlatUpdate(ps[0], o, ss, ps[1], at),
                hint,
            )
        case c.Scatter(dest, indices, values, at):
            v, where, new = w.atoms(dest), _places(w, indices), w.atoms(values)
            return _zipped(
                w,
                v.type,
                [v.parts, new.parts],
                lambda ps: c.Scatter(ps[0], where, ps[1], at),
                hint,
            )


# ---------------------------------------------------------------------- helpers


def _array(t: Type) -> c.Array:
    if not isinstance(t, c.Array):
        raise TypeError(f"{t} is not an array type")
    return t


def _regular(t: Type, dim: int) -> bool:
    """True if the type states the lengths down to a dimension, so that its length cannot trap."""
    sizes = [_array(t := row(t)).size for _ in range(dim)]
    return None not in sizes


def _coercible(t: Type) -> Type:
    """Return the sizes of a type that a coercion checks.

    Sizes inside a sum are left out, since the value may belong to another constructor.
    """
    match t:
        case c.Array(elem, size):
            return c.Array(_coercible(elem), size)
        case c.Record(fields):
            return c.Record(tuple((x, _coercible(u)) for x, u in fields))
        case ScalarType() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
            return unsized(t)


def _atom(w: Flattening, e: Exp) -> Exp:
    return w.atom(w.scalar(e), I64, "n")


def size_of(e: Exp) -> Size | None:
    """Return an i64 constant or variable as a size; None for other expressions."""
    if isinstance(e, c.Var):
        return var(e.name)
    return const(e.value) if isinstance(e, c.Const) and isinstance(e.value, int) else None


def _cells(v: Flat) -> tuple[Exp, ...]:
    """Return the parts of a value as an array's element, of which there is at least one."""
    return v.parts or (UNIT,)


def _each(w: Flattening, t: Type, parts: Sequence[Exp], f: Callable[[Exp], Exp], hint: str) -> Flat:
    """Apply ``f`` to each part; the result has type t."""
    return _zipped(w, t, [parts], lambda ps: f(ps[0]), hint)


def _zipped(
    w: Flattening,
    t: Type,
    operands: Sequence[Sequence[Exp]],
    f: Callable[[tuple[Exp, ...]], Exp],
    hint: str,
) -> Flat:
    """Apply ``f`` to the operands' first parts, second parts, …; the result has type t."""
    types = w.layouts.parts(t)
    out = tuple(
        w.let(hint or "x", u, f(ps))
        for ps, u in zip(zip(*operands, strict=True), types or (BOOL,), strict=True)
    )
    return Flat(t, out if types else ())


def _dims(w: Flattening, dims: Sequence[c.Dim]) -> tuple[c.Dim, ...]:
    def opt(e: Exp | None) -> Exp | None:
        return None if e is None else _atom(w, e)

    out: list[c.Dim] = []
    for d in dims:
        match d:
            case c.Fix(i):
                out.append(c.Fix(_atom(w, i)))
            case c.Range(lo, hi, step):
                out.append(c.Range(opt(lo), opt(hi), opt(step)))
    return tuple(out)


def _ranges(dims: Sequence[c.Dim]) -> bool:
    return any(isinstance(d, c.Range) for d in dims)


def _is_row(t: Type, dims: Sequence[c.Dim]) -> bool:
    for _ in dims:
        t = row(t)
    return isinstance(t, c.Array)


def _sliced(t: Type, dims: Sequence[c.Dim]) -> Type:
    if not dims:
        return t
    inner = _sliced(row(t), dims[1:])
    match dims[0]:
        case c.Range(None, None, None):
            return c.Array(inner, _array(t).size)
        case c.Range():
            return c.Array(inner)
        case c.Fix():
            return inner


def _rearranged(t: Type, perm: Sequence[int]) -> Type:
    sizes: list[Size | None] = []
    for _ in perm:
        sizes.append(_array(t).size)
        t = row(t)
    for k in reversed(perm):
        t = c.Array(t, sizes[k])
    return t


# ---------------------------------------------------------------------- zip, unzip


def _zip(w: Flattening, named: Sequence[tuple[str, Exp]], at: Span, hint: str) -> Flat:
    """Return the parts of arrays that are zipped, after a check that their lengths are equal.

    An array of units contributes no part, but its length is checked.
    """
    vs = [(label, w.atoms(x, label)) for label, x in named]
    size = next((d for _, v in vs if (d := _array(v.type).size) is not None), None)
    same = all(_array(v.type).size == size for _, v in vs)
    if size is None and len(vs) > 1:
        size = size_of(w.let("n", I64, c.Length(vs[0][1].parts[0], 0, at)))
    parts: list[Exp] = []
    for _, v in vs:
        kept: list[Exp] = []
        for p, u in zip(v.parts, w.layouts.parts(v.type), strict=True):
            if same and size is not None and len(vs) > 1 and _array(u).size == size:
                kept.append(p)
                continue
            t = c.Array(_array(u).elem, size)
            kept.append(w.let(hint or "x", t, c.Coerce(p, t, LENGTHS, at)))
        if w.layouts.parts(row(v.type)):
            parts += kept
    record = c.Record(tuple((label, row(v.type)) for label, v in vs))
    return Flat(c.Array(record, size), tuple(parts) or vs[0][1].parts)


def _unzip(w: Flattening, v: Flat, at: Span) -> Flat:
    """Return the parts of each field's array; an array of units is built anew."""
    t = _array(v.type)
    if not isinstance(t.elem, c.Record):
        raise TypeError(f"unzip of {t}")
    fields = tuple((label, c.Array(u, t.size)) for label, u in t.elem.fields)
    out: list[Exp] = []
    start = 0
    for _, u in t.elem.fields:
        count = len(w.layouts.parts(u))
        out += v.parts[start : start + count]
        start += count
        if not count:
            n = w.let("n", I64, c.Length(v.parts[0], 0, at))
            out.append(w.let("units", c.Array(BOOL, t.size), c.Replicate(n, UNIT, at)))
    return Flat(c.Record(fields), tuple(out))


def _places(w: Flattening, indices: Exp) -> Exp:
    """Return the indices of a scatter or histogram: one array, or a ``zip`` of several."""
    v = w.atoms(indices)
    if len(v.parts) == 1:
        return v.parts[0]
    return c.Zip(tuple((str(k), p) for k, p in enumerate(v.parts)), indices.at)


def _depth(where: Exp) -> int:
    """Return the number of dimensions that an index of :func:`_places` selects."""
    return len(where.arrays) if isinstance(where, c.Zip) else 1


# ---------------------------------------------------------------------- operators


def _parallel(w: Flattening, e: c.ParallelExp, hint: str) -> Flat:
    """Return the parts of a map, reduce, scan, hist or filter."""
    match e:
        case c.Map(c.Lambda() as fn, arrays, at):
            return _map(w, fn, [w.atoms(x) for x in arrays], at, hint)
        case c.Reduce(c.Lambda() as op, ne, arrays, comm, at):
            start, xs = [w.atoms(x) for x in ne], [w.atoms(x) for x in arrays]
            t = _together([v.type for v in start])
            new = c.Reduce(_operator(w, op), _group(start), _columns(w, start, xs, at), comm, at)
            return Flat(t, _some(w, t, w.results(hint or "r", w.layouts.cells(t), new)))
        case c.Scan(c.Lambda() as op, ne, arrays, at):
            start, xs = [w.atoms(x) for x in ne], [w.atoms(x) for x in arrays]
            t = _together([v.type for v in start])
            size = _array(xs[0].type).size
            scan = c.Scan(_operator(w, op), _group(start), _columns(w, start, xs, at), at)
            return _several(w, c.Array(unsized(t), size), scan, hint)
        case c.Hist():
            return _hist(w, e, hint)
        case c.Filter(c.Lambda() as fn, array, at):
            return _filter(w, fn, w.atoms(array), at, hint)
        case c.Segmented():
            return _segmented(w, e, hint)
        case c.Map() | c.Reduce() | c.Scan() | c.Filter():
            raise TypeError(f"the function of {type(e).__name__} is not a lambda")


def _segmented(w: Flattening, e: c.Segmented, hint: str) -> Flat:
    """Return the parts of a segmented operation."""
    assert isinstance(e.fn, c.Lambda)
    offsets, total = w.atoms(e.offsets), w.atoms(e.total)
    start = [w.atoms(x) for x in e.ne]
    with w.inner() as scope:
        params = tuple(b for p in e.fn.params for b in w.parameter(p))
        inside, v = w.block(e.fn.body)
        body = _closed(w, inside, v)
        t = w.outside(v.type, scope)
    op = _operator(w, e.op) if isinstance(e.op, c.Lambda) else None
    fn = c.Lambda(params, body, e.fn.at)
    ne = _group(start) if start else ()
    new = c.Segmented(fn, offsets.parts[0], total.parts[0], op, ne, e.each, e.comm, e.at)
    return _several(w, c.Array(unsized(t)), new, hint)


def _together(types: Sequence[Type]) -> Type:
    """Return the type of the values that an operator combines: one, or a tuple of several."""
    return types[0] if len(types) == 1 else c.tuple_type(*types)


def _group(vs: Sequence[Flat]) -> tuple[Exp, ...]:
    return tuple(p for v in vs for p in v.parts) or (UNIT,)


def _columns(
    w: Flattening, ne: Sequence[Flat], xs: Sequence[Flat], at: Span, rank: int = 1
) -> tuple[Exp, ...]:
    """Return the parts of arrays of one shape, of which an operator takes an element each.

    ``ne`` are such elements.  Arrays of units are left out, after a check that they have the same
    shape; if all are arrays of units, the first one stays.
    """
    split: tuple[list[Exp], list[Exp]] = ([], [])
    for v, x in zip(ne, xs, strict=True):
        split[not w.layouts.parts(v.type)].extend(x.parts)
    found, units = split
    first, *units = units if not found else [found[0], *units]
    if units:
        t: Type = BOOL
        for dim in reversed(range(rank)):
            t = c.Array(t, size_of(w.let("n", I64, c.Length(first, dim, at))))
        for p in units:
            w.let("units", t, c.Coerce(p, _array(t), OPERANDS, at))
    return tuple(found) or (first,)


def _some(w: Flattening, t: Type, parts: tuple[Exp, ...]) -> tuple[Exp, ...]:
    """Return the parts of a value that was an element of an array: none for a unit."""
    return parts if w.layouts.parts(t) else ()


def _closed(w: Flattening, scope: Scope, v: Flat) -> Exp:
    return w.closed(scope, v.parts or (UNIT,))


def _operator(w: Flattening, op: c.Lambda) -> c.Lambda:
    """Return the operator with a parameter for each part of its operands."""
    with w.inner():
        params = tuple(b for p in op.params for b in w.parameter(p))
        if not params:
            params = tuple(c.Binder(w.name("unit"), BOOL) for _ in range(2))
        inside, v = w.block(op.body)
        return c.Lambda(params, _closed(w, inside, v), op.at)


def _several(w: Flattening, t: Type, e: Exp, hint: str) -> Flat:
    """Bind an operation on elements of several parts, as an operation with several results."""
    types = w.layouts.parts(t)
    if len(types) == 1:
        return Flat(t, (w.let(hint or "r", types[0], e),))
    return Flat(t, w.results(hint or "r", types, c.Unzip(e, e.at)))


def _map(w: Flattening, fn: c.Lambda, xs: Sequence[Flat], at: Span, hint: str) -> Flat:
    with w.inner() as scope:
        params: list[c.Binder] = []
        for p in fn.params:
            bs = w.parameter(p)
            params += bs or (c.Binder(w.name("unit"), BOOL),)
        inside, v = w.block(fn.body)
        body = _closed(w, inside, v)
        t = w.outside(v.type, scope)
    size = next((d for x in xs if (d := _array(x.type).size) is not None), None)
    new = c.Map(c.Lambda(tuple(params), body, fn.at), tuple(p for x in xs for p in x.parts), at)
    return _several(w, c.Array(t, size), new, hint)


def _hist(w: Flattening, e: c.Hist, hint: str) -> Flat:
    """Return the updated destinations; an array of units stays as it is."""
    start, xs = [w.atoms(x) for x in e.ne], [w.atoms(x) for x in e.dest]
    where, vs = _places(w, e.indices), [w.atoms(x) for x in e.values]
    if not isinstance(e.op, c.Lambda):
        raise TypeError("the operator of Hist is not a lambda")
    op, depth = _operator(w, e.op), _depth(where)
    values, into = _columns(w, start, vs, e.at), _columns(w, start, xs, e.at, depth)
    new = c.Hist(op, _group(start), into, where, values, e.at)
    counted = [w.layouts.parts(v.type) != () for v in start]
    if not any(counted):
        counted[0] = True
    types = [
        p for v, counts in zip(xs, counted, strict=True) if counts for p in w.layouts.parts(v.type)
    ]
    made = iter(w.results(hint or "r", types, new))
    out = [
        p if not counts else next(made)
        for v, counts in zip(xs, counted, strict=True)
        for p in v.parts
    ]
    return Flat(_together([v.type for v in xs]), tuple(out))


def _filter(w: Flattening, fn: c.Lambda, xs: Flat, at: Span, hint: str) -> Flat:
    """Return the parts of a filtered array.

    An array of one part is filtered directly.  For several parts the positions of the kept elements
    are computed, and each part is indexed with them.
    """
    t = row(xs.type)
    kept = c.Array(t)
    if len(xs.parts) == 1:
        with w.inner():
            bs = w.parameter(fn.params[0]) or (c.Binder(w.name("unit"), BOOL),)
            inside, v = w.block(fn.body)
            predicate = c.Lambda(bs, w.closed(inside, v.parts), fn.at)
        return _several(w, kept, c.Filter(predicate, xs.parts[0], at), hint)
    n = w.let("n", I64, c.Length(xs.parts[0], 0, at))
    zero, one = c.Const(0, I64), c.Const(1, I64)
    with w.inner():
        i = c.Binder(w.name("i"), I64)
        with w.inner() as inside:
            fields = tuple(
                w.let("x", u, c.Index(p, (c.Fix(c.Var(i.name)),), at))
                for p, u in zip(xs.parts, w.layouts.parts(t), strict=True)
            )
            inside.table[fn.params[0].name] = Flat(t, fields)
            v = w.value(fn.body)
        predicate = c.Lambda((i,), w.closed(inside, v.parts), fn.at)
    iota = w.let("all", c.Array(I64, size_of(n)), c.Iota(n, zero, one, at))
    places = w.let("places", c.Array(I64), c.Filter(predicate, iota, at))
    with w.inner():
        j = c.Binder(w.name("j"), I64)
        with w.inner() as inside:
            parts = tuple(
                w.let("x", u, c.Index(p, (c.Fix(c.Var(j.name)),), at))
                for p, u in zip(xs.parts, w.layouts.parts(t), strict=True)
            )
        gather = c.Lambda((j,), w.closed(inside, parts), at)
    return _several(w, kept, c.Map(gather, (places,), at), hint)
