"""Convert type expressions to types with sizes; phase 1 has resolved their names."""

from collections.abc import Callable, Mapping

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.infer_types import record_type
from funmem.frontends.futhark.scope import Abbreviation, TypeVariable
from funmem.frontends.futhark.sizes import map_sizes
from funmem.frontends.futhark.sizes_context import Annotation, SizeContext
from funmem.frontends.futhark.sizes_values import dimension
from funmem.frontends.inference.types import Array, Arrow, Rigid, Sum, Type, tuple_type
from funmem.ir.names import Name
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size, var

OpenSize = Callable[[], Size]
"""Makes a size for one that is not given."""


def sized(cx: SizeContext, te: ast.TypeExp, open_size: OpenSize | None = None) -> Type:
    """Return the type that ``te`` denotes; ``[]`` is a meta, or a result of ``open_size``."""
    make = open_size or cx.solver.meta
    left_open: set[Name] = set()

    def noted() -> Size:
        size = make()
        left_open.update(size.free())
        return size

    t = _sized(cx, te, noted)
    cx.annotations[te] = Annotation(t, cx.time, frozenset(left_open))
    return t


def _sized(cx: SizeContext, te: ast.TypeExp, open_size: OpenSize) -> Type:
    match te:
        case ast.TEName():
            return _named(cx, te, (), open_size)
        case ast.TEApply():
            return _applied(cx, te, open_size)
        case ast.TEArray(size, elem):
            dim = _dim(cx, size, open_size)
            return Array(_sized(cx, elem, open_size), dim)
        case ast.TETuple(elems):
            return tuple_type(*[_sized(cx, t, open_size) for t in elems])
        case ast.TERecord(fields):
            return record_type({label: _sized(cx, t, open_size) for label, t in fields})
        case ast.TESum(constructors):
            return Sum(
                tuple(
                    sorted(
                        (c, tuple([_sized(cx, t, open_size) for t in args]))
                        for c, args in constructors
                    )
                )
            )
        case ast.TEArrow():
            return _arrow(cx, te, open_size)
        case ast.TEUnique(elem):
            return _sized(cx, elem, open_size)
        case ast.TEExists(dims, elem):
            for d in dims:
                name = cx.typing.names[(te, d)]
                cx.vars[name], cx.values[name] = I64, open_size()
            return _sized(cx, elem, open_size)


def _dim(cx: SizeContext, size: ast.Exp | None, open_size: OpenSize) -> Size:
    if size is None:
        return open_size()
    cx.exp(cx, size)
    return dimension(cx, size)


def _arrow(cx: SizeContext, te: ast.TEArrow, open_size: OpenSize) -> Arrow:
    """Return a function type; sizes that its result leaves open are known only to the caller."""
    param = _sized(cx, te.param, open_size)
    name: Name | None = None
    mark = len(cx.trail)
    if te.name is not None:
        name = cx.typing.names[(te, te.name)]
        cx.bind(name, param)
    exists: list[Name] = []

    def exist() -> Size:
        size = cx.solver.unknown("size")
        bound = size.as_name
        assert bound is not None
        cx.solver.depths[bound] = 1 << 30
        exists.append(bound)
        return size

    result_te: ast.TypeExp = te.result
    fresh = isinstance(_inside_exists(result_te), ast.TEUnique)
    if isinstance(result_te, ast.TEArrow):
        result = _sized(cx, result_te, open_size)
    else:
        result = _sized(cx, result_te, exist)
    cx.hide(mark)
    cx.leave(mark)
    consumes = isinstance(te.param, ast.TEUnique)
    return Arrow(param, result, name, consumes, fresh, tuple(exists))


def _inside_exists(te: ast.TypeExp) -> ast.TypeExp:
    while isinstance(te, ast.TEExists):
        te = te.elem
    return te


def is_unique(te: ast.TypeExp | None) -> bool:
    """True for ``*t``, also under ``?[n].``."""
    return te is not None and isinstance(_inside_exists(te), ast.TEUnique)


# ---------------------------------------------------------------------- abbreviations


def _named(
    cx: SizeContext, te: ast.TEName, args: tuple[Size | Type, ...], open_size: OpenSize
) -> Type:
    match cx.entries[te]:
        case ScalarType() as t:
            return t
        case TypeVariable(name):
            return _parameter(cx, name)
        case Abbreviation(dec, _, params) as entry:
            whole, opens = template(cx, entry)
            sizes: dict[Name, Size] = {n: open_size() for n in opens}
            types: dict[Name, Type] = {}
            for p, name, arg in zip(dec.tparams, params, args, strict=True):
                if p.kind is ast.ParamKind.SIZE:
                    assert isinstance(arg, Size)
                    sizes[name] = arg
                else:
                    assert not isinstance(arg, Size)
                    types[name] = arg
            _note_copies(cx, whole, sizes)
            return cx.replace(whole, sizes, types)


def _note_copies(cx: SizeContext, template: Type, sizes: Mapping[Name, Size]) -> None:
    """Record how the atoms in an abbreviation are computed at this use."""
    shared = cx.solver.shared

    def note(s: Size | None) -> Size | None:
        for x in s.free() & shared.atoms.keys() if s is not None else ():
            name = cx.solver.subst(var(x), sizes).as_name
            if name is not None and name != x:
                shared.copies.setdefault(name, (x, sizes))
        return s

    map_sizes(template, note)


def _parameter(cx: SizeContext, name: Name) -> Type:
    """Return the type for a type parameter: itself, or the only type that it stands for."""
    only = cx.typing.single.get(name)
    if only is None:
        return Rigid(name)
    if name not in cx.single:
        cx.single[name] = cx.with_sizes(only)
    return cx.single[name]


def _applied(cx: SizeContext, te: ast.TEApply, open_size: OpenSize) -> Type:
    args: list[Size | Type] = []
    head: ast.TypeExp = te
    while isinstance(head, ast.TEApply):
        if isinstance(head.arg, ast.TESize):
            args.append(_dim(cx, head.arg.size, open_size))
        else:
            args.append(_sized(cx, head.arg, open_size))
        head = head.fn
    assert isinstance(head, ast.TEName)
    return _named(cx, head, tuple(reversed(args)), open_size)


def template(cx: SizeContext, entry: Abbreviation) -> tuple[Type, tuple[Name, ...]]:
    """Return an abbreviation's type over its parameters, and the sizes that it leaves open."""
    if entry.sized is None:
        opens: list[Name] = []

        def open_size() -> Size:
            size = cx.solver.unknown("size")
            name = size.as_name
            assert name is not None
            opens.append(name)
            return size

        for p in entry.dec.tparams:
            if p.kind is ast.ParamKind.SIZE:
                cx.vars[cx.typing.names[(p, p.name)]] = I64
        t = map_sizes(_sized(cx, entry.dec.type, open_size), lambda s: s)
        entry.sized = (t, tuple(opens))
    return entry.sized
