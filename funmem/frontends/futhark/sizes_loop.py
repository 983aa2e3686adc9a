"""Sizes of loops: decide which sizes of a loop parameter an iteration changes.

The parameter's sizes start as metas.  The body may bind them, for example by zipping the parameter
with an array of size n.  The metas still open afterwards are assumed to keep their initial sizes.
An assumption that the body's result refutes is dropped, with the assumptions that relied on it,
until none is refuted.  A size that changes is one unknown inside the loop, and another outside.
"""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import place
from funmem.frontends.futhark.infer_types import record_type
from funmem.frontends.futhark.sizes import sizes_in
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_pat import bind_pattern
from funmem.frontends.futhark.typing import LocalRef
from funmem.frontends.inference.types import Array, Type, tuple_type
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var


def loop(cx: SizeContext, e: ast.Loop) -> Type:
    """Return the type of ``loop p = e form do body``."""
    start = cx.exp(cx, e.init) if e.init is not None else _initial(cx, e.pat)
    elem = _outside(cx, e.form)
    limit, mark = cx.solver.depth, len(cx.trail)
    cx.solver.depth = limit + 1
    named = [cx.typing.names[(e, n)] for n in e.sizes]
    for n in named:
        cx.bind(n, I64)
    param = cx.with_sizes(cx.typing.types[e.pat])
    cx.solver.depth = limit + 2
    param = bind_pattern(cx, e.pat, param)
    match e.form:
        case ast.ForLess(index, bound):
            cx.bind(cx.typing.names[(e.form, index)], cx.typing.types[bound])
        case ast.ForIn(pat):
            assert elem is not None
            bind_pattern(cx, pat, elem)
        case ast.While(cond):
            cx.exp(cx, cond)
    body = cx.exp(cx, e.body)
    cx.solver.depth = limit + 1
    changing = _decide(cx, e, limit, param, start, body)
    open_names = [*named, *changing]
    cx.same(e.body.at, body, _reopened(cx, param, open_names), "the body of the loop")
    at = e.at if e.init is None else e.init.at
    cx.same(at, start, _reopened(cx, param, open_names), "the initial value of the loop")
    cx.solver.depth = limit
    result = cx.norm(param)
    image: dict[Name, Size] = {}
    for s in sizes_in(result):
        for x in sorted(s.free()):
            if x in open_names or cx.solver.depth_of(x) > limit:
                image[x] = cx.unknown("size", _note(e))
    cx.leave(mark)
    return cx.replace(result, image)


def _note(e: ast.Loop) -> str:
    return f"a size that the loop at {place(e.at)} changes"


def _outside(cx: SizeContext, form: ast.ForLess | ast.ForIn | ast.While) -> Type | None:
    """Check the expressions evaluated before the loop; return the element type of ``for … in``."""
    match form:
        case ast.ForLess(_, bound):
            cx.exp(cx, bound)
            return None
        case ast.ForIn(_, array):
            t = cx.exp(cx, array)
            assert isinstance(t, Array)
            return t.elem
        case ast.While():
            return None


def _initial(cx: SizeContext, p: ast.Pattern) -> Type:
    """Return the types of the outer variables x and y of ``loop (x, y) for …``."""
    match p:
        case ast.PVar():
            ref = cx.typing.initials[p]
            if not isinstance(ref, LocalRef):
                return cx.with_sizes(cx.typing.types[p])
            return cx.vars[ref.name]
        case ast.PTuple(elems):
            return tuple_type(*[_initial(cx, q) for q in elems])
        case ast.PRecord(fields):
            return record_type({label: _initial(cx, q) for label, q in fields})
        case ast.PAscript(pat, _):
            return _initial(cx, pat)
        case ast.PWild() | ast.PConstr() | ast.PLit():
            return cx.with_sizes(cx.typing.types[p])


def _decide(
    cx: SizeContext, e: ast.Loop, limit: int, param: Type, start: Type, body: Type
) -> list[Name]:
    """Bind the sizes that the body left open; return the names of those that change."""
    solver = cx.solver
    initial: dict[Name, Size] = {}
    results: dict[Name, list[Size]] = {}
    for p, s, b in zip(
        sizes_in(cx.norm(param)), sizes_in(cx.norm(start)), sizes_in(cx.norm(body)), strict=True
    ):
        name = p.as_name
        if name is not None and name in solver.metas:
            initial.setdefault(name, s)
            results.setdefault(name, []).append(b)
    image = dict(initial)
    changing: dict[Name, Size] = {}
    refuted = True
    while refuted:
        refuted = False
        for name, sizes in results.items():
            if name in changing or solver.depths[name] <= limit:
                continue
            if not all(_stays(cx, b, image, initial[name], limit) for b in sizes):
                changing[name] = image[name] = cx.unknown("size", _note(e))
                refuted = True
    for name, size in initial.items():
        if name not in solver.binding and size != var(name):
            solver.binding[name] = changing.get(name, size)
    solver.settle()
    return [n for s in changing.values() if (n := s.as_name) is not None]


def _stays(cx: SizeContext, b: Size, image: dict[Name, Size], initial: Size, limit: int) -> bool:
    """True if the body's size ``b`` is the initial one under the assumptions ``image``."""
    solver = cx.solver
    b = solver.subst(solver.norm(b), image)
    if b == solver.norm(initial):
        return True
    name = b.as_name
    return name is not None and name in solver.metas and solver.depths[name] > limit


def _reopened(cx: SizeContext, t: Type, names: list[Name]) -> Type:
    """Return ``t`` with metas in place of the sizes ``names``, which may change."""
    depth, cx.solver.depth = cx.solver.depth, 1 << 30
    image = {n: cx.solver.meta() for n in names}
    cx.solver.depth = depth
    return cx.replace(cx.norm(t), image)
