"""Γ; Δ ⊢ e ⇒ t for array operations: what they make lies in the regions that ``at`` names."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from funmem.ir import core as c
from funmem.ir.check.core.premises import group
from funmem.ir.check.regions.context import (
    Gamma,
    applied,
    in_regions,
    makes,
    same,
    shown,
    well_formed,
)
from funmem.ir.check.rules import require
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.names import Name
from funmem.ir.regions.forms import at, below, levels, over, split, spots
from funmem.ir.scalars import I64


class Judgements(NamedTuple):
    """The judgements of expressions.py, which array operations need for their parts."""

    infer: Callable[[Gamma, Exp], Type]
    operand: Callable[[Gamma, Exp, int], Type]


def array_operation(j: Judgements, g: Gamma, e: c.ArrayExp, given: Sequence[Name]) -> Type:
    """Return the type of an array operation."""
    match e:
        case c.Map() | c.Reduce() | c.Scan() | c.Hist() | c.Filter() | c.Segmented():
            return _parallel(j, g, e, given)
        case c.Update() | c.FlatUpdate() | c.Scatter():
            makes(g, given, 0, e.at)
            return _in_place(j, g, e)
        case c.Length(array):  # R-LENGTH
            makes(g, given, 0, e.at)
            j.infer(g, array)
            return I64
        case c.Index(array, dims):  # R-INDEX: the element of the array's type
            _each(j, g, _in_dims(dims))
            return _new(g, e, below(j.infer(g, array), len(dims)), given)
        case c.FlatSlice(array, offset, flat):  # R-FLAT-SLICE
            _each(j, g, [offset, *(x for pair in flat for x in pair)])
            return _new(g, e, below(j.infer(g, array), 1), given)
        case c.Coerce(exp, stated):  # R-COERCE: the array stays where it is
            makes(g, given, 0, e.at)
            found = j.infer(g, exp)
            where = split(found)
            want = unsized(stated) if where is None else at(where[0], unsized(stated))
            want = well_formed(g, want, e.at)
            same(found, want, "R-COERCE", "the array", e.at)
            return want
        case c.ArrayLit(elems, elem):  # R-LITERAL
            t = well_formed(g, elem, e.at)
            for k, x in enumerate(elems, 1):
                same(j.infer(g, x), t, "R-LITERAL", f"element {k}", x.at)
            return _new(g, e, t, given)
        case c.Iota(n, start, step):  # R-IOTA
            _each(j, g, (n, step))
            return _new(g, e, j.infer(g, start), given)
        case c.Replicate(n, value):  # R-REPLICATE
            j.infer(g, n)
            return _new(g, e, j.infer(g, value), given)
        case c.Scratch(n, elem):  # R-SCRATCH
            j.infer(g, n)
            t = well_formed(g, elem, e.at)
            inner = tuple(spots(t))
            makes(g, given, 1 + len(inner), e.at)
            same_regions = tuple(given[1:]) == inner
            text = "`at` names {} for the elements, but their type has {}"
            names = [", ".join(map(shown, rs)) for rs in (given[1:], inner)]
            require(same_regions, e.at, "R-SCRATCH", text, *names)
            return over(t, given[:1])
        case c.Copy(exp):  # R-COPY: all arrays outside sums, data types and functions are new
            found = j.infer(g, exp)
            makes(g, given, len(tuple(spots(found))), e.at)
            return _copied(found, list(given))
        case c.Concat(arrays):  # R-CONCAT
            rows = [below(j.infer(g, x), 1) for x in arrays]
            for row in rows[1:]:
                same(row, rows[0], "R-CONCAT", "the elements of another array", e.at)
            return _new(g, e, rows[0], given)
        case c.Rearrange(perm, array):  # R-REARRANGE
            return _new(g, e, below(j.infer(g, array), len(perm)), given)
        case c.Reverse(array):  # R-REVERSE
            return _new(g, e, below(j.infer(g, array), 1), given)
        case c.Flatten(rank, array):  # R-FLATTEN
            return _new(g, e, below(j.infer(g, array), rank), given)
        case c.Unflatten(sizes, array):  # R-UNFLATTEN
            _each(j, g, sizes)
            return _new(g, e, below(j.infer(g, array), 1), given)
        case c.Zip(named):  # R-ZIP
            row = c.Record(tuple((label, below(j.infer(g, x), 1)) for label, x in named))
            return _new(g, e, row, given)
        case c.Unzip(array):  # R-UNZIP: one array for each field
            row_type = below(j.infer(g, array), 1)
            fields = row_type.fields if isinstance(row_type, c.Record) else ()
            makes(g, given, len(fields), e.at)
            pairs = zip(fields, given, strict=True)
            return c.Record(tuple((label, over(t, [r])) for (label, t), r in pairs))


def _new(g: Gamma, e: c.ArrayExp, elem: Type, given: Sequence[Name]) -> Type:
    """Return the type of the arrays that an operation makes."""
    return in_regions(g, elem, given, levels(e), e.at)


def _each(j: Judgements, g: Gamma, es: Sequence[Exp]) -> None:
    for x in es:
        j.infer(g, x)


def _in_dims(dims: Sequence[c.Dim]) -> list[Exp]:
    found: list[Exp | None] = []
    for d in dims:
        match d:
            case c.Fix(i):
                found.append(i)
            case c.Range(lo, hi, step):
                found += [lo, hi, step]
    return [x for x in found if x is not None]


def _copied(t: Type, given: list[Name]) -> Type:
    """Return the type of a copy whose arrays lie in the given regions, the outermost first."""
    found = split(t)
    if found is not None and isinstance(found[1], c.Array):
        r = given.pop(0)
        return over(_copied(found[1].elem, given), [r])
    if isinstance(t, c.Record):
        return c.Record(tuple((label, _copied(u, given)) for label, u in t.fields))
    return t


# ---------------------------------------------------------------------- in place


def _in_place(j: Judgements, g: Gamma, e: c.InPlaceExp) -> Type:
    """An update: what is written has the type of what it replaces, so it lives as long."""
    match e:
        case c.Update(array, dims, value):  # R-UPDATE
            t = j.infer(g, array)
            _each(j, g, _in_dims(dims))
            ranges = sum(isinstance(d, c.Range) for d in dims)
            new = below(j.infer(g, value), ranges)
            same(new, below(t, len(dims)), "R-UPDATE", "the new value", e.at)
            return t
        case c.FlatUpdate(array, offset, strides, value):  # R-FLAT-UPDATE
            t = j.infer(g, array)
            _each(j, g, (offset, *strides))
            new = below(j.infer(g, value), len(strides))
            same(new, below(t, 1), "R-FLAT-UPDATE", "the new value", e.at)
            return t
        case c.Scatter(dest, indices, values):  # R-SCATTER
            t = j.infer(g, dest)
            depth = _depth(below(j.infer(g, indices), 1))
            same(below(j.infer(g, values), 1), below(t, depth), "R-SCATTER", "a new value", e.at)
            return t


def _depth(index: Type) -> int:
    """Return the number of dimensions of an index."""
    return len(index.fields) if isinstance(index, c.Record) else 1


# ---------------------------------------------------------------------- in parallel


def _parallel(j: Judgements, g: Gamma, e: c.ParallelExp, given: Sequence[Name]) -> Type:
    """A kernel: its function sees Γ, if it is code in place."""
    match e:
        case c.Map(fn, arrays):  # R-MAP
            elems = [below(j.infer(g, x), 1) for x in arrays]
            t = applied(j.operand(g, fn, len(arrays)), elems, "R-MAP", "an element of array", e.at)
            return _new(g, e, t, given)
        case c.Filter(fn, array):  # R-FILTER
            elem = below(j.infer(g, array), 1)
            applied(j.operand(g, fn, 1), [elem], "R-FILTER", "an element of array", e.at)
            return _new(g, e, elem, given)
        case c.Reduce(op, ne, arrays):  # R-REDUCE
            makes(g, given, 0, e.at)
            types = [j.infer(g, x) for x in ne]
            for k, (x, t) in enumerate(zip(arrays, types, strict=True), 1):
                elem = below(j.infer(g, x), 1)
                same(elem, t, "R-REDUCE", f"an element of array {k}", e.at)
            result = applied(j.operand(g, op, 2 * len(ne)), [*types, *types], *_REDUCE, e.at)
            same(result, group(types), "R-REDUCE", "the operator's result", e.at)
            return group(types)
        case c.Scan(op, ne, arrays):  # R-SCAN
            types = [j.infer(g, x) for x in ne]
            for k, (x, t) in enumerate(zip(arrays, types, strict=True), 1):
                elem = below(j.infer(g, x), 1)
                same(elem, t, "R-SCAN", f"an element of array {k}", e.at)
            result = applied(j.operand(g, op, 2 * len(ne)), [*types, *types], *_SCAN, e.at)
            same(result, group(types), "R-SCAN", "the operator's result", e.at)
            return _new(g, e, group(types), given)
        case c.Hist(op, ne, dest, indices, values):  # R-HIST
            makes(g, given, 0, e.at)
            types, depth = [j.infer(g, x) for x in ne], _depth(below(j.infer(g, indices), 1))
            dests = [j.infer(g, x) for x in dest]
            for t, d, x in zip(types, dests, values, strict=True):
                same(below(d, depth), t, "R-HIST", "an element of the destination", e.at)
                same(below(j.infer(g, x), 1), t, "R-HIST", "a value", e.at)
            result = applied(j.operand(g, op, 2 * len(ne)), [*types, *types], *_HIST, e.at)
            same(result, group(types), "R-HIST", "the operator's result", e.at)
            return group(dests)
        case c.Segmented(fn, offsets, total, op, ne):  # R-SEGMENTED
            _each(j, g, (offsets, total))
            elem = applied(j.operand(g, fn, 2), [I64, I64], "R-SEGMENTED", "argument", e.at)
            if op is not None:
                types = [j.infer(g, x) for x in ne]
                same(elem, group(types), "R-SEGMENTED", "the value of an element", e.at)
                folded = j.operand(g, op, 2 * len(ne))
                result = applied(folded, [*types, *types], "R-SEGMENTED", "operand", e.at)
                same(result, elem, "R-SEGMENTED", "the operator's result", e.at)
            return _new(g, e, elem, given)


_REDUCE, _SCAN, _HIST = (("R-REDUCE", "operand"), ("R-SCAN", "operand"), ("R-HIST", "operand"))
