"""Γ ⊢ e ⇒ t for array operations."""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.check.core.context import Gamma, known_sizes, show, well_formed
from funmem.ir.check.core.expressions import expect, group, infer, same, scalar
from funmem.ir.check.rules import require
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.messages import holes
from funmem.ir.scalars import BOOL, I64, ScalarType


def array_type(g: Gamma, e: Exp) -> Type:
    """Γ ⊢ e ⇒ t."""
    match e:
        case c.Length(array, dim):  # C-LENGTH
            below(infer(g, array), dim + 1, "C-LENGTH", e.at)
            return I64
        case c.Index(array, dims):  # C-INDEX
            return _sliced(g, infer(g, array), dims, "C-INDEX", e.at)
        case c.FlatSlice(array, offset, flat):  # C-FLAT-SLICE
            t = below(infer(g, array), 1, "C-FLAT-SLICE", e.at)
            _sizes(g, [offset, *(x for pair in flat for x in pair)], "C-FLAT-SLICE")
            require(bool(flat), e.at, "C-FLAT-SLICE", "a flat slice without dimensions")
            return over(t, len(flat))
        case c.Coerce(exp, t, message):  # C-COERCE
            well_formed(g, t, e.at)
            known_sizes(g, t, e.at)
            enough = holes(message) in (2, 3)
            require(enough, e.at, "C-COERCE", "the message has not two or three holes: {}", message)
            expect(g, exp, unsized(t), "C-COERCE", "the array")
            return unsized(t)
        case c.ArrayLit(elems, elem):  # C-LITERAL
            well_formed(g, elem, e.at)
            for k, x in enumerate(elems, 1):
                expect(g, x, unsized(elem), "C-LITERAL", f"element {k}")
            return c.Array(unsized(elem))
        case c.Iota(n, start, step):  # C-IOTA
            _sizes(g, [n], "C-IOTA")
            first = scalar(g, start, "C-IOTA")
            expect(g, step, first, "C-IOTA", "the step")
            require(first.is_int, e.at, "C-IOTA", "iota counts in integers, not in {}", first)
            return c.Array(first)
        case c.Replicate(n, value):  # C-REPLICATE
            _sizes(g, [n], "C-REPLICATE")
            return c.Array(infer(g, value))
        case c.Scratch(n, elem):  # C-SCRATCH
            _sizes(g, [n], "C-SCRATCH")
            well_formed(g, elem, e.at)
            known_sizes(g, elem, e.at)
            _stated(elem, e.at)
            return c.Array(unsized(elem))
        case c.Copy(exp):  # C-COPY
            return infer(g, exp)
        case c.Concat(arrays):  # C-CONCAT
            require(bool(arrays), e.at, "C-CONCAT", "concat of no arrays")
            t = infer(g, arrays[0])
            below(t, 1, "C-CONCAT", e.at)
            for x in arrays[1:]:
                expect(g, x, t, "C-CONCAT", "another array")
            return t
        case c.Rearrange(perm, array):  # C-REARRANGE
            t = infer(g, array)
            below(t, len(perm), "C-REARRANGE", e.at)
            whole = sorted(perm) == list(range(len(perm)))
            require(whole, e.at, "C-REARRANGE", "{} is no permutation", perm)
            return t
        case c.Reverse(array):  # C-REVERSE
            t = infer(g, array)
            below(t, 1, "C-REVERSE", e.at)
            return t
        case c.Flatten(rank, array):  # C-FLATTEN
            require(rank > 0, e.at, "C-FLATTEN", "flatten of no dimensions")
            return c.Array(below(infer(g, array), rank, "C-FLATTEN", e.at))
        case c.Unflatten(sizes, array):  # C-UNFLATTEN
            _sizes(g, sizes, "C-UNFLATTEN")
            require(bool(sizes), e.at, "C-UNFLATTEN", "unflatten to no dimensions")
            return over(below(infer(g, array), 1, "C-UNFLATTEN", e.at), len(sizes))
        case c.Zip(named):  # C-ZIP
            require(bool(named), e.at, "C-ZIP", "zip of no arrays")
            rows = tuple((x, below(infer(g, exp), 1, "C-ZIP", e.at)) for x, exp in named)
            once = len({x for x, _ in named}) == len(named)
            require(once, e.at, "C-ZIP", "a record has a field twice")
            return c.Array(c.Record(rows))
        case c.Unzip(array):  # C-UNZIP
            t = below(infer(g, array), 1, "C-UNZIP", e.at)
            if not isinstance(t, c.Record):
                require(False, e.at, "C-UNZIP", "elements are {}, no records", show(t))
                return t
            return c.Record(tuple((label, c.Array(u)) for label, u in t.fields))
        case _:
            return _changed(g, e)


def _changed(g: Gamma, e: Exp) -> Type:
    """Changing arrays, and :func:`_parallel`."""
    match e:
        case c.Update(array, dims, value):  # C-UPDATE
            t = infer(g, array)
            expect(g, value, _sliced(g, t, dims, "C-UPDATE", e.at), "C-UPDATE", "the new value")
            return t
        case c.FlatUpdate(array, offset, strides, value):  # C-FLAT-UPDATE
            t = infer(g, array)
            elem = below(t, 1, "C-FLAT-UPDATE", e.at)
            _sizes(g, [offset, *strides], "C-FLAT-UPDATE")
            require(bool(strides), e.at, "C-FLAT-UPDATE", "a flat slice without dimensions")
            expect(g, value, over(elem, len(strides)), "C-FLAT-UPDATE", "the new value")
            return t
        case c.Scatter(dest, indices, values):  # C-SCATTER
            t = infer(g, dest)
            depth = _index_depth(g, indices, "C-SCATTER")
            elem = below(t, depth, "C-SCATTER", e.at)
            expect(g, values, c.Array(elem), "C-SCATTER", "the values")
            return t
        case _:
            return _parallel(g, e)


def _parallel(g: Gamma, e: Exp) -> Type:
    match e:
        case c.Map(fn, arrays):  # C-MAP
            require(bool(arrays), e.at, "C-MAP", "map over no arrays")
            t = infer(g, fn)
            for k, x in enumerate(arrays, 1):
                elem = below(infer(g, x), 1, "C-MAP", x.at)
                if not isinstance(t, c.Arrow):
                    require(False, e.at, "C-MAP", "array {} for what is {}", k, show(t))
                    break
                same(elem, t.param, "C-MAP", f"the elements of array {k}", e.at)
                t = t.result
            return c.Array(t)
        case c.Reduce(op, ne, arrays):  # C-REDUCE
            types = _folded(g, ne, arrays, "C-REDUCE", e.at)
            expect(g, op, operator(types), "C-REDUCE", "the operator")
            return group(types)
        case c.Scan(op, ne, arrays):  # C-SCAN
            types = _folded(g, ne, arrays, "C-SCAN", e.at)
            expect(g, op, operator(types), "C-SCAN", "the operator")
            return c.Array(group(types))
        case c.Hist(op, ne, dest, indices, values):  # C-HIST
            types = _folded(g, ne, values, "C-HIST", e.at)
            expect(g, op, operator(types), "C-HIST", "the operator")
            depth = _index_depth(g, indices, "C-HIST")
            require(len(dest) == len(types), e.at, "C-HIST", "a destination for each value")
            for x, t in zip(dest, types, strict=True):
                expect(g, x, over(t, depth), "C-HIST", "the destination")
            return group([over(t, depth) for t in types])
        case c.Filter(fn, array):  # C-FILTER
            t = infer(g, array)
            elem = below(t, 1, "C-FILTER", e.at)
            expect(g, fn, c.Arrow(elem, BOOL), "C-FILTER", "the predicate")
            return t
        case _:
            raise Stuck(f"{type(e).__name__} has no type")


# ---------------------------------------------------------------------- premises


def below(t: Type, rank: int, rule: str, at: Span) -> Type:
    """What is below the outermost dimensions, which are there."""
    whole = t
    for _ in range(rank):
        if not isinstance(t, c.Array):
            require(False, at, rule, "{} has not {} dimension(s)", show(whole), rank)
            return t
        t = t.elem
    return t


def over(t: Type, rank: int) -> Type:
    """An array of so many dimensions."""
    for _ in range(rank):
        t = c.Array(t)
    return t


def operator(types: Sequence[Type]) -> Type:
    """The type of an operator: accumulators, then elements."""
    return c.arrow([*types, *types], group(types))


def _sizes(g: Gamma, es: Sequence[Exp], rule: str) -> None:
    for x in es:
        expect(g, x, I64, rule, "a size or index")


def _sliced(g: Gamma, t: Type, dims: Sequence[c.Dim], rule: str, at: Span) -> Type:
    require(bool(dims), at, rule, "a slice without dimensions")
    elem = below(t, len(dims), rule, at)
    for d in reversed(dims):
        match d:
            case c.Fix(i):
                _sizes(g, [i], rule)
            case c.Range(lo, hi, step):
                _sizes(g, [x for x in (lo, hi, step) if x is not None], rule)
                elem = c.Array(elem)
    return elem


def _folded(g: Gamma, ne: Sequence[Exp], arrays: Sequence[Exp], rule: str, at: Span) -> list[Type]:
    """The types of the accumulators, which are those of the elements."""
    types = [infer(g, x) for x in ne]
    require(bool(types), at, rule, "nothing to accumulate")
    require(len(arrays) == len(types), at, rule, "a neutral element for each array")
    for k, (x, t) in enumerate(zip(arrays, types, strict=True), 1):
        expect(g, x, c.Array(t), rule, f"array {k}")
    return types


def _index_depth(g: Gamma, indices: Exp, rule: str) -> int:
    """How many dimensions an index goes through: it is an i64 or a record of them."""
    t = below(infer(g, indices), 1, rule, indices.at)
    if t is I64:
        return 1
    fine = isinstance(t, c.Record) and bool(t.fields) and all(u is I64 for _, u in t.fields)
    require(fine, indices.at, rule, "an index is {}, but should be i64 or a record of i64", show(t))
    return len(t.fields) if isinstance(t, c.Record) else 1


def _stated(t: Type, at: Span) -> None:
    """All sizes are known."""
    match t:
        case c.Array(elem, size):
            require(size is not None, at, "C-SCRATCH", "elements of unknown size")
            _stated(elem, at)
        case c.Record(fields):
            for _, u in fields:
                _stated(u, at)
        case c.Arrow():
            require(False, at, "C-SCRATCH", "elements that are functions")
        case c.TypeVar():  # perhaps arrays
            require(False, at, "C-SCRATCH", "elements of unknown type")
        case ScalarType() | c.Sum() | c.Data():
            pass
