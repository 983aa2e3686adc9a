"""Infer the regions of array operations: what they make lies in fresh regions.

In-place updates keep the region of the array.  An operator of a reduction may be given partial
results and elements in any order, so accumulators and elements have one type.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.regions.forms import below, levels, made, over, split
from funmem.ir.scalars import I64
from funmem.passes.core.regions.draft import Draft

if TYPE_CHECKING:
    from funmem.passes.core.regions.expressions import Inference, Types


def array_operation(g: "Inference", e: c.ArrayExp, types: "Types") -> Draft:
    """Infer an array operation."""
    match e:
        case c.Map() | c.Reduce() | c.Scan() | c.Hist() | c.Filter() | c.Segmented():
            return _parallel(g, e, types)
        case c.Update() | c.FlatUpdate() | c.Scatter():
            return _in_place(g, e, types)
        case c.Length(array):
            return Draft(e, I64, parts=(g.exp(array, types),))
        case c.Index(array, dims):
            x = g.exp(array, types)
            return _making(g, e, below(x.type, len(dims)), (x, *_dims(g, dims, types)))
        case c.FlatSlice(array, offset, flat):
            x = g.exp(array, types)
            parts = g.each([offset, *(y for pair in flat for y in pair)], types)
            return _making(g, e, below(x.type, 1), (x, *parts))
        case c.Coerce(exp, stated):
            x, u = g.exp(exp, types), g.located(stated)
            g.regions.unify(x.type, u)
            return Draft(e, u, (_plain(u),), (x,))
        case c.ArrayLit(elems, elem):
            xs, t = g.each(elems, types), g.located(elem)
            for x in xs:
                g.regions.unify(x.type, t)
            return _making(g, e, t, xs, (t,))
        case c.Iota(n, start, step_):
            xs = g.each((n, start, step_), types)
            return _making(g, e, xs[1].type, xs)
        case c.Replicate(n, value):
            xs = g.each((n, value), types)
            return _making(g, e, xs[1].type, xs)
        case c.Scratch(n, elem):
            t = g.located(elem)
            whole = over(t, [g.regions.fresh(c.Array(t))])
            return Draft(e, whole, (t,), (g.exp(n, types),), made(e, whole))
        case c.Copy(exp):
            x = g.exp(exp, types)
            t = _copied(g, x.type)
            return Draft(e, t, parts=(x,), made=made(e, t))
        case c.Concat(arrays):
            xs = g.each(arrays, types)
            for x in xs[1:]:
                g.regions.unify(below(xs[0].type, 1), below(x.type, 1))
            return _making(g, e, below(xs[0].type, 1), xs)
        case c.Rearrange(perm, array):
            x = g.exp(array, types)
            return _making(g, e, below(x.type, len(perm)), (x,))
        case c.Reverse(array):
            x = g.exp(array, types)
            return _making(g, e, below(x.type, 1), (x,))
        case c.Flatten(rank, array):
            x = g.exp(array, types)
            return _making(g, e, below(x.type, rank), (x,))
        case c.Unflatten(sizes, array):
            ns, x = g.each(sizes, types), g.exp(array, types)
            return _making(g, e, below(x.type, 1), (*ns, x))
        case c.Zip(named):
            xs = g.each([x for _, x in named], types)
            pairs = zip(named, xs, strict=True)
            fields = tuple((label, below(x.type, 1)) for (label, _), x in pairs)
            return _making(g, e, c.Record(fields), xs)
        case c.Unzip(array):
            x = g.exp(array, types)
            row = below(x.type, 1)
            fields = row.fields if isinstance(row, c.Record) else ()
            new = ((label, over(t, [g.regions.fresh(c.Array(t))])) for label, t in fields)
            t = c.Record(tuple(new))
            return Draft(e, t, parts=(x,), made=made(e, t))


def _making(
    g: "Inference",
    e: c.ArrayExp,
    elem: Type,
    parts: tuple[Draft, ...],
    types: tuple[Type, ...] = (),
) -> Draft:
    """Return an operation that makes arrays with elements of this type, in fresh regions."""
    t = elem
    for _ in range(levels(e)):
        t = over(t, [g.regions.fresh(c.Array(t))])
    return Draft(e, t, types, parts, made(e, t))


def _plain(t: Type) -> Type:
    """Return the type that ``coerce`` states: its outermost array has no annotation.

    ``coerce`` must state an array type; its region is that of the array that is coerced.
    """
    found = split(t)
    return t if found is None else found[1]


def _copied(g: "Inference", t: Type) -> Type:
    """Return the type of a copy: arrays outside sums, data types and functions are new."""
    found = split(t)
    if found is not None and isinstance(found[1], c.Array):
        elem = _copied(g, found[1].elem)
        return over(elem, [g.regions.fresh(found[1])])
    if isinstance(t, c.Record):
        return c.Record(tuple((label, _copied(g, u)) for label, u in t.fields))
    return t


def _dims(g: "Inference", dims: Sequence[c.Dim], types: "Types") -> tuple[Draft, ...]:
    found: list[Exp | None] = []
    for d in dims:
        match d:
            case c.Fix(i):
                found.append(i)
            case c.Range(lo, hi, step_):
                found += [lo, hi, step_]
    return g.each([x for x in found if x is not None], types)


# ---------------------------------------------------------------------- in place


def _in_place(g: "Inference", e: c.InPlaceExp, types: "Types") -> Draft:
    """Infer an update: what is written has the type of what is replaced."""
    match e:
        case c.Update(array, dims, value):
            x, ds, v = g.exp(array, types), _dims(g, dims, types), g.exp(value, types)
            ranges = sum(isinstance(d, c.Range) for d in dims)
            g.regions.unify(below(x.type, len(dims)), below(v.type, ranges))
            return Draft(e, x.type, parts=(x, *ds, v))
        case c.FlatUpdate(array, offset, strides, value):
            x = g.exp(array, types)
            ns, v = g.each((offset, *strides), types), g.exp(value, types)
            g.regions.unify(below(x.type, 1), below(v.type, len(strides)))
            return Draft(e, x.type, parts=(x, *ns, v))
        case c.Scatter(dest, indices, values):
            xs = g.each((dest, indices, values), types)
            depth = _depth(below(xs[1].type, 1))
            g.regions.unify(below(xs[0].type, depth), below(xs[2].type, 1))
            return Draft(e, xs[0].type, parts=xs)


def _depth(index: Type) -> int:
    """Return the number of dimensions of an index."""
    return len(index.fields) if isinstance(index, c.Record) else 1


# ---------------------------------------------------------------------- in parallel


def _parallel(g: "Inference", e: c.ParallelExp, types: "Types") -> Draft:
    """Infer a kernel: its function is code in place, or a closure."""
    match e:
        case c.Map(fn, arrays):
            f, xs = g.operand(fn, len(arrays), types), g.each(arrays, types)
            t = g.applied(f.type, [below(x.type, 1) for x in xs])
            return _making(g, e, t, (f, *xs))
        case c.Filter(fn, array):
            f, x = g.operand(fn, 1, types), g.exp(array, types)
            g.applied(f.type, [below(x.type, 1)])
            return _making(g, e, below(x.type, 1), (f, x))
        case c.Reduce(op, ne, arrays):
            f, ones, xs = _folded(g, op, ne, arrays, types)
            return Draft(e, _group([x.type for x in ones]), parts=(f, *ones, *xs))
        case c.Scan(op, ne, arrays):
            f, ones, xs = _folded(g, op, ne, arrays, types)
            return _making(g, e, _group([x.type for x in ones]), (f, *ones, *xs))
        case c.Hist(op, ne, dest, indices, values):
            f, ones, _ = _folded(g, op, ne, (), types)
            ds, places, vs = g.each(dest, types), g.exp(indices, types), g.each(values, types)
            depth = _depth(below(places.type, 1))
            for one, d, v in zip(ones, ds, vs, strict=True):
                g.regions.unify(one.type, below(d.type, depth))
                g.regions.unify(one.type, below(v.type, 1))
            parts = (f, *ones, *ds, places, *vs)
            return Draft(e, _group([d.type for d in ds]), parts=parts)
        case c.Segmented(fn, offsets, total, op, ne):
            f, ends, n = g.operand(fn, 2, types), g.exp(offsets, types), g.exp(total, types)
            t = g.applied(f.type, [I64, I64])
            if op is None:
                return _making(g, e, t, (f, ends, n))
            o, ones, _ = _folded(g, op, ne, (), types)
            g.regions.unify(t, _group([x.type for x in ones]))
            return _making(g, e, t, (o, f, ends, n, *ones))


def _folded(
    g: "Inference", op: Exp, ne: Sequence[Exp], arrays: Sequence[Exp], types: "Types"
) -> tuple[Draft, tuple[Draft, ...], tuple[Draft, ...]]:
    """Infer an operator, its neutral elements and the arrays that it folds."""
    f, ones = g.operand(op, 2 * len(ne), types), g.each(ne, types)
    xs = g.each(arrays, types)
    accs = [x.type for x in ones]
    for t, x in zip(accs, xs, strict=False):
        g.regions.unify(t, below(x.type, 1))
    g.regions.unify(g.applied(f.type, [*accs, *accs]), _group(accs))
    return f, ones, xs


def _group(types: Sequence[Type]) -> Type:
    """Return the type of several results: the only one, or a tuple of them."""
    return types[0] if len(types) == 1 else c.tuple_type(*types)
