"""Rules of phase 2 for arrays: literals, ranges, indexing, slices, updates, comprehensions."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import place
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_pat import bind_pattern
from funmem.frontends.futhark.sizes_values import size_of
from funmem.frontends.futhark.types import Array, Arrow, Type
from funmem.ir.scalars import I64
from funmem.ir.sizes import ONE, Size, const


def array_literal(cx: SizeContext, e: ast.ArrayLit) -> Type:
    """``[e, …]``: all elements have the sizes of the first."""
    if not e.elems:
        t = cx.with_sizes(cx.typing.types[e])
        assert isinstance(t, Array)
        return Array(t.elem, const(0))
    elem = cx.exp(cx, e.elems[0])
    for x in e.elems[1:]:
        cx.same(x.at, cx.exp(cx, x), elem, "this element")
    return Array(elem, const(len(e.elems)))


def range_(cx: SizeContext, e: ast.Range) -> Type:
    """``a..b...c``: its length is known without a step, for i64."""
    t = cx.exp(cx, e.start)
    for part in (e.second, e.end):
        if part is not None:
            cx.exp(cx, part)
    size: Size | None = None
    if e.second is None and t is I64:
        a, b = size_of(cx, e.start), size_of(cx, e.end)
        if a is not None and b is not None:
            match e.kind:
                case ast.RangeEnd.BELOW:
                    size = b - a
                case ast.RangeEnd.INCLUSIVE:
                    size = b - a + ONE
                case ast.RangeEnd.ABOVE:
                    size = a - b
    return Array(t, _possible(size) or _unknown(cx, "the range", e))


def _possible(size: Size | None) -> Size | None:
    """A size, unless no array has it: what would have it traps, and its type says nothing."""
    return None if size is None or (size.as_const or 0) < 0 else size


def _unknown(cx: SizeContext, what: str, e: ast.Exp) -> Size:
    return cx.unknown("size", f"the length of {what} at {place(e.at)}")


# ---------------------------------------------------------------------- indexing


def index(cx: SizeContext, e: ast.Index) -> Type:
    """``e[d, …]``."""
    return _indexed(cx, cx.exp(cx, e.exp), e.dims, e)


def index_section(cx: SizeContext, e: ast.IndexSection) -> Type:
    """``(.[d, …])``."""
    arrow = cx.typing.types[e]
    assert isinstance(arrow, Arrow)
    t = cx.with_sizes(arrow.param)
    return Arrow(t, _indexed(cx, t, e.dims, e))


def _indexed(cx: SizeContext, t: Type, dims: tuple[ast.Dim, ...], e: ast.Exp) -> Type:
    kept: list[Size] = []
    for d in dims:
        assert isinstance(t, Array)
        match d:
            case ast.FixDim(i):
                cx.exp(cx, i)
            case ast.SliceDim():
                for part in (d.lo, d.hi, d.step):
                    if part is not None:
                        cx.exp(cx, part)
                size = _slice_size(cx, d, t.size)
                kept.append(size if size is not None else _unknown(cx, "the slice", e))
        t = t.elem
    for size in reversed(kept):
        t = Array(t, size)
    return t


def _slice_size(cx: SizeContext, d: ast.SliceDim, n: Size | None) -> Size | None:
    """The length of ``lo:hi:step`` of n elements; a step other than -1 of the whole hides it."""
    if d.step is not None:
        whole = d.lo is None and d.hi is None
        return n if whole and size_of(cx, d.step) in (const(1), const(-1)) else None
    lo = const(0) if d.lo is None else size_of(cx, d.lo)
    hi = n if d.hi is None else size_of(cx, d.hi)
    return None if lo is None or hi is None else _possible(hi - lo)


def update(cx: SizeContext, e: ast.Update) -> Type:
    """``e with [d, …] = v``."""
    t = cx.exp(cx, e.exp)
    updated(cx, t, e.dims, e.value)
    return t


def updated(cx: SizeContext, t: Type, dims: tuple[ast.Dim, ...], value: ast.Exp) -> None:
    """What replaces a part of an array: the length of a slice is checked when the program runs."""
    found = cx.exp(cx, value)
    for d in dims:
        assert isinstance(t, Array)
        match d:
            case ast.FixDim(i):
                cx.exp(cx, i)
            case ast.SliceDim():
                for part in (d.lo, d.hi, d.step):
                    if part is not None:
                        cx.exp(cx, part)
                assert isinstance(found, Array)
                found = found.elem
        t = t.elem
    cx.same(value.at, found, t, "the new value")


# ---------------------------------------------------------------------- comprehensions


def comprehension(cx: SizeContext, e: ast.Comprehension) -> Type:
    """``[e | q]``: of known length only if q draws from one array and keeps all."""
    limit, mark = cx.solver.depth, len(cx.trail)
    result = cx.with_sizes(cx.typing.types[e])
    assert isinstance(result, Array)
    length = _qualifier(cx, e.qual)
    elem = cx.exp(cx, e.exp)
    cx.solver.depth = limit
    cx.same(e.exp.at, elem, result.elem, "the element")
    cx.hide(mark)
    cx.leave(mark)
    if length is None:
        length = _unknown(cx, "the comprehension", e)
    return Array(result.elem, length)


def _qualifier(cx: SizeContext, q: ast.Qualifier) -> Size | None:
    """Bind what ``q`` binds, one level deeper; the number of its elements, if known outside."""
    match q:
        case ast.QBind(pat, exp):
            t = cx.exp(cx, exp)
            assert isinstance(t, Array)
            cx.solver.depth += 1
            bind_pattern(cx, pat, t.elem)
            return t.size
        case ast.QFilter(exp):
            cx.exp(cx, exp)
            return None
        case ast.QSeq(quals):
            first = _qualifier(cx, quals[0])
            for part in quals[1:]:
                _qualifier(cx, part)
            return first if all(isinstance(p, ast.QOrder) for p in quals[1:]) else None
        case ast.QZip(branches):
            lengths = [_qualifier(cx, b) for b in branches]
            known = [n for n in lengths if n is not None]
            return known[0] if len(known) == len(branches) else None
        case ast.QOrder(key):
            cx.exp(cx, key)
            return None
        case ast.QGroup():
            _group(cx, q)
            return None


def _group(cx: SizeContext, q: ast.QGroup) -> None:
    key = cx.exp(cx, q.key)
    types: list[Type] = []
    for fold in q.folds:
        t = cx.exp(cx, fold.exp)
        op = cx.exp(cx, fold.op)
        assert isinstance(op, Arrow)
        cx.same(fold.op.at, op, Arrow(t, Arrow(t, t)), "the operator")
        cx.same(fold.neutral.at, cx.exp(cx, fold.neutral), t, "the neutral element")
        types.append(t)
    cx.bind(cx.typing.names[(q, q.key_name if q.key_name is not None else "key")], key)
    for fold, t in zip(q.folds, types, strict=True):
        cx.bind(cx.typing.names[(fold, fold.name)], t)
