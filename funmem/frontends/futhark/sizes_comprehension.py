"""Rules of phase 2 for comprehensions, ``order by`` and ``group by``."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.sizes_array import unknown_length
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_control import function
from funmem.frontends.futhark.sizes_pat import bind_pattern
from funmem.frontends.inference.types import Array, Arrow, Type
from funmem.ir.sizes import ONE, Size


def comprehension(cx: SizeContext, e: ast.Comprehension) -> Type:
    """Return the type of ``[e | q]``; the length is known if q draws all of one array."""
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
        length = unknown_length(cx, "the comprehension", e)
    return Array(result.elem, length)


def _qualifier(cx: SizeContext, q: ast.Qualifier) -> Size | None:
    """Bind the variables of ``q`` one level deeper; return its length, if known outside."""
    match q:
        case ast.QBind(pat, exp):
            t = cx.exp(cx, exp)
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
