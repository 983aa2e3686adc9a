"""Rules of phase 2 for comprehensions, ``order by`` and ``group by``."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import place
from funmem.frontends.futhark.sizes_array import unknown_length
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_control import function, is_inner
from funmem.frontends.futhark.sizes_pat import bind_pattern
from funmem.frontends.inference.types import (
    Array,
    Arrow,
    Meta,
    Opaque,
    Record,
    Rigid,
    Sum,
    Type,
)
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import ONE, Size


def comprehension(cx: SizeContext, e: ast.Comprehension) -> Type:
    """Return the type of ``[e | q]``; the length is known if q draws all of one array.

    Elements may be arrays of different lengths: then the length of the rows is an unknown size, and
    where its value is needed, the program traps unless all rows have it.
    """
    limit, mark = cx.solver.depth, len(cx.trail)
    result = cx.with_sizes(cx.typing.types[e])
    assert isinstance(result, Array)
    length = _qualifier(cx, e.qual)
    elem = cx.exp(cx, e.exp)
    cx.solver.depth = limit
    elem = _outside(cx, elem, e)
    cx.same(e.exp.at, elem, result.elem, "the element")
    cx.hide(mark)
    cx.leave(mark)
    if length is None:
        length = unknown_length(cx, "the comprehension", e)
    return Array(result.elem, length)


def _outside(cx: SizeContext, t: Type, e: ast.Comprehension) -> Type:
    """Return the type of an element, where sizes that only a row knows are unknown."""
    match t:
        case Array(elem, size):
            if size is not None and is_inner(cx, size):
                size = cx.unknown("size", f"the length of the rows made at {place(e.at)}")
                cx.typing.ragged |= size.free()
            return Array(_outside(cx, elem, e), size)
        case Record(fields):
            return Record(tuple((label, _outside(cx, u, e)) for label, u in fields))
        case ScalarType() | Sum() | Arrow() | Rigid() | Opaque() | Meta():
            return t


def _qualifier(cx: SizeContext, q: ast.Qualifier) -> Size | None:
    """Bind the variables of ``q`` one level deeper; return its length, if known outside."""
    match q:
        case ast.QBind(pat, exp):
            t = cx.exp(cx, exp)
            size = t.size if isinstance(t, Array) else None
            names = set[Name]() if size is None else cx.solver.mentions(cx.solver.norm(size))
            if not cx.typing.ragged.isdisjoint(names):
                cx.typing.rows.add(exp)
            cx.solver.depth += 1
            bind_pattern(cx, pat, t.elem if isinstance(t, Array) else t)
            return t.size if isinstance(t, Array) else ONE
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
        cx.same(fold.neutral.at, cx.exp(cx, fold.neutral), t, "the neutral element")
        op = Arrow(t, Arrow(t, t))
        cx.same(fold.op.at, function(cx, fold.op, op), op, "the operator")
        types.append(t)
    cx.bind(cx.typing.names[(q, q.key_name if q.key_name is not None else "key")], key)
    for fold, t in zip(q.folds, types, strict=True):
        cx.bind(cx.typing.names[(fold, fold.name)], t)
