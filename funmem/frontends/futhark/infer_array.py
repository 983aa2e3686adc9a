"""Rules for arrays: literals, ranges, indexing, slices, updates."""

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail
from funmem.frontends.futhark.infer_context import TypeContext
from funmem.frontends.futhark.infer_names import project
from funmem.frontends.futhark.infer_operators import RANGE_SET, SIGNED_SET
from funmem.frontends.inference.types import Array, Arrow, Meta, Type
from funmem.frontends.inference.unify import OneOf
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I64


def array_literal(cx: TypeContext, e: ast.ArrayLit) -> Type:
    """Return the type of ``[e, …]``."""
    if not e.elems:
        elem: Type = cx.solver.fresh(e.at)
        cx.order0(e.at, elem, "an element of an array")
        return Array(elem)
    first = e.elems[0]
    elem = cx.exp(cx, first)
    for x in e.elems[1:]:
        found = cx.exp(cx, x)
        cx.same(
            x.at,
            found,
            elem,
            "this element",
            (x, ("the first element, ", first)),
        )
    cx.order0(e.at, elem, "an element of an array")
    return Array(elem)


def range_(cx: TypeContext, e: ast.Range) -> Type:
    """Return the type of ``a..b...c``: three numbers of one integer type other than u64."""
    t = cx.exp(cx, e.start)
    shape = OneOf(RANGE_SET, "a bound of a range", e.at)
    cx.demand(e.start.at, t, "a bound of a range", lambda: cx.solver.demand_shape(t, shape))
    for part in (e.second, e.end):
        if part is not None:
            found = cx.exp(cx, part)
            cx.same(
                part.at,
                found,
                t,
                "this bound",
                (part, ("the start, ", e.start)),
            )
    return Array(t)


def index(cx: TypeContext, e: ast.Index) -> Type:
    """Return the type of ``e[d, …]``."""
    t = cx.exp(cx, e.exp)
    return _indexed(cx, e.exp.at, t, e.dims)


def index_section(cx: TypeContext, e: ast.IndexSection) -> Type:
    """Return the type of ``(.[d, …])``."""
    t = cx.solver.fresh(e.at)
    return Arrow(t, _indexed(cx, e.at, t, e.dims))


def update(cx: TypeContext, e: ast.Update) -> Type:
    """Return the type of ``e with [d, …] = v``."""
    t = cx.exp(cx, e.exp)
    _updated(cx, e.exp.at, t, e.dims, e.value)
    return t


def path_section(cx: TypeContext, e: ast.PathSection) -> Type:
    """Return the type of ``(.l[d, …].m)``."""
    t = cx.solver.fresh(e.at)
    return Arrow(t, _reached(cx, e.at, t, e.path))


def path_update(cx: TypeContext, e: ast.PathUpdate) -> Type:
    """Return the type of ``e with l[d, …].m = v``."""
    t = cx.exp(cx, e.exp)
    part = _reached(cx, e.at, t, e.path)
    found = cx.exp(cx, e.value)
    cx.same(
        e.value.at,
        found,
        part,
        "the new value",
        (e.value, ("the replaced part, at ", e.at)),
    )
    return t


def _reached(cx: TypeContext, at: Span, t: Type, path: tuple[ast.Step, ...]) -> Type:
    """Return the type of the part that a path selects in a value of type ``t``."""
    for step in path:
        match step:
            case str():
                t = project(cx, at, t, step)
            case dims:
                t = _indexed(cx, at, t, dims)
    return t


def let_with(cx: TypeContext, e: ast.LetWith, t: Type) -> None:
    """Check the right-hand side of ``let x[d, …] = v``."""
    _updated(cx, e.at, t, e.dims, e.exp)


def _updated(cx: TypeContext, at: Span, t: Type, dims: tuple[ast.Dim, ...], value: ast.Exp) -> None:
    part = _indexed(cx, at, t, dims)
    found = cx.exp(cx, value)
    cx.same(
        value.at,
        found,
        part,
        "the new value",
        (value, ("the replaced part, at ", at)),
    )


def _indexed(cx: TypeContext, at: Span, t: Type, dims: tuple[ast.Dim, ...]) -> Type:
    """Return the type of an array of type ``t`` after indexing."""
    kept: list[bool] = []
    whole = t
    for k, d in enumerate(dims):
        t = cx.solver.resolve(t)
        if isinstance(t, Meta):
            array = Array(cx.solver.fresh(at))
            cx.same(at, t, array, "the indexed value")
            t = array
        if not isinstance(t, Array):
            fail(
                at,
                "not-an-array",
                f"this has {k} dimension{'' if k == 1 else 's'}, but {len(dims)} are indexed: "
                f"it is {cx.text(whole)}",
            )
        t = t.elem
        kept.append(_dim(cx, d))
    for keep in reversed(kept):
        if keep:
            t = Array(t)
    return t


def _dim(cx: TypeContext, d: ast.Dim) -> bool:
    """Check one index or slice; return True if the dimension stays."""
    match d:
        case ast.FixDim(e, at):
            t = cx.exp(cx, e)
            shape = OneOf(SIGNED_SET, "an index", at)
            cx.demand(e.at, t, "an index", lambda: cx.solver.demand_shape(t, shape))
            return False
        case ast.SliceDim(lo, hi, step):
            for part in (lo, hi, step):
                if part is not None:
                    cx.same(part.at, cx.exp(cx, part), I64, "a bound of a slice")
            return True
