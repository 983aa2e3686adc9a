"""Rules of phase 2 for arrays: literals, ranges, indexing, slices, updates."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import place
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_values import size_of
from funmem.frontends.inference.types import Array, Arrow, Record, Type
from funmem.ir.scalars import I64
from funmem.ir.sizes import ONE, Size, const


def array_literal(cx: SizeContext, e: ast.ArrayLit) -> Type:
    """Return the type of ``[e, …]``; all elements have the sizes of the first."""
    if not e.elems:
        t = cx.with_sizes(cx.typing.types[e])
        assert isinstance(t, Array)
        return Array(t.elem, const(0))
    elem = cx.exp(cx, e.elems[0])
    for x in e.elems[1:]:
        cx.same(x.at, cx.exp(cx, x), elem, "this element")
    return Array(elem, const(len(e.elems)))


def range_(cx: SizeContext, e: ast.Range) -> Type:
    """Return the type of ``a..b...c``; an i64 range of step 1 has a known length."""
    t = cx.exp(cx, e.start)
    for part in (e.second, e.end):
        if part is not None:
            cx.exp(cx, part)
    size: Size | None = None
    step = ONE
    if e.second is not None and t is I64:
        first, second = size_of(cx, e.start), size_of(cx, e.second)
        step = const(0) if first is None or second is None else second - first
    if step == ONE and t is I64:
        a, b = size_of(cx, e.start), size_of(cx, e.end)
        if a is not None and b is not None:
            match e.kind:
                case ast.RangeEnd.BELOW:
                    size = b - a
                case ast.RangeEnd.INCLUSIVE:
                    size = b - a + ONE
                case ast.RangeEnd.ABOVE:
                    pass
    return Array(t, _possible(size) or unknown_length(cx, "the range", e))


def _possible(size: Size | None) -> Size | None:
    """Return ``size``, or None if it is negative: such an array traps, so its type has no size."""
    return None if size is None or (size.as_const or 0) < 0 else size


def unknown_length(cx: SizeContext, what: str, e: ast.Exp) -> Size:
    """Return the length of an array, known only at run time."""
    return cx.unknown("size", f"the length of {what} at {place(e.at)}")


# ---------------------------------------------------------------------- indexing


def index(cx: SizeContext, e: ast.Index) -> Type:
    """Return the type of ``e[d, …]``."""
    return _indexed(cx, cx.exp(cx, e.exp), e.dims, e)


def index_section(cx: SizeContext, e: ast.IndexSection) -> Type:
    """Return the type of ``(.[d, …])``."""
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
                kept.append(size if size is not None else unknown_length(cx, "the slice", e))
        t = t.elem
    for size in reversed(kept):
        t = Array(t, size)
    return t


def _slice_size(cx: SizeContext, d: ast.SliceDim, n: Size | None) -> Size | None:
    """Return the length of ``lo:hi:step`` of n elements, or None: a step may only be 1 or -1 there.

    With a step, the slice must be of the whole dimension.
    """
    if d.step is not None:
        whole = d.lo is None and d.hi is None
        return n if whole and size_of(cx, d.step) in (const(1), const(-1)) else None
    lo = const(0) if d.lo is None else size_of(cx, d.lo)
    hi = n if d.hi is None else size_of(cx, d.hi)
    return None if lo is None or hi is None else _possible(hi - lo)


def path_section(cx: SizeContext, e: ast.PathSection) -> Type:
    """Return the type of ``(.l[d, …].m)``."""
    arrow = cx.typing.types[e]
    assert isinstance(arrow, Arrow)
    t = cx.with_sizes(arrow.param)
    return Arrow(t, _reached(cx, t, e.path, e))


def path_update(cx: SizeContext, e: ast.PathUpdate) -> Type:
    """Return the type of ``e with l[d, …].m = v``."""
    t = cx.exp(cx, e.exp)
    match e.path[-1]:
        case str():
            part = _reached(cx, t, e.path, e)
            cx.same(e.value.at, cx.exp(cx, e.value), part, "the new value")
        case dims:
            updated(cx, _reached(cx, t, e.path[:-1], e), dims, e.value)
    return t


def _reached(cx: SizeContext, t: Type, path: tuple[ast.Step, ...], e: ast.Exp) -> Type:
    """Return the type of the part that a path selects in a value of type ``t``."""
    for step in path:
        match step:
            case str():
                assert isinstance(t, Record)
                t = dict(t.fields)[step]
            case dims:
                t = _indexed(cx, t, dims, e)
    return t


def update(cx: SizeContext, e: ast.Update) -> Type:
    """Return the type of ``e with [d, …] = v``."""
    t = cx.exp(cx, e.exp)
    updated(cx, t, e.dims, e.value)
    return t


def updated(cx: SizeContext, t: Type, dims: tuple[ast.Dim, ...], value: ast.Exp) -> None:
    """Check the new part of an array; the length of a slice is checked at run time."""
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
