"""Convert type expressions to types without sizes, and resolve the names of types.

Phase 1 checks that each size in a type expression is an i64; phase 2 computes the sizes.  The
meaning of each type name is recorded (``TypeContext.entries``), so phase 2 needs no scopes.
"""

from collections.abc import Mapping

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.builtins import SCALAR_NAMES, member_types
from funmem.frontends.futhark.errors import (
    Follows,
    fail,
    failure,
)
from funmem.frontends.futhark.infer_context import TypeContext
from funmem.frontends.futhark.scope import (
    TYPE,
    VALUE,
    Abbreviation,
    BuiltinModule,
    Names,
    TypeEntry,
    TypeVariable,
    unique,
)
from funmem.frontends.inference.type_parts import substitute
from funmem.frontends.inference.types import (
    Array,
    Arrow,
    Hidden,
    Opaque,
    Record,
    Rigid,
    Sum,
    Type,
    tuple_type,
)
from funmem.frontends.inference.unify import Because, Clash
from funmem.ir.diagnostics import (
    Diagnostic,
    Span,
)
from funmem.ir.messages import suggestion
from funmem.ir.names import Name
from funmem.ir.scalars import I64, ScalarType

# ---------------------------------------------------------------------- names of types


def lookup_type(cx: TypeContext, q: ast.QualName) -> TypeEntry:
    """Return the meaning of a type name."""
    if not q.quals:
        entry = cx.scope.type(q.name)
        if entry is None:
            entry = SCALAR_NAMES.get(q.name)
        if entry is None and cx.scope.names.lacks(TYPE, q.name):
            raise Follows(Diagnostic(q.at, "unknown-type", f"`{q}` is wrong"))
        if entry is None:
            known = [*cx.scope.types, *cx.scope.names.types, *SCALAR_NAMES]
            fail(q.at, "unknown-type", f"no type `{q}` is in scope", suggestion(q.name, known))
        return entry
    module = cx.scope.module(q.quals)
    here = module if isinstance(module, Names) else cx.scope.names
    if here.lacks(VALUE, q.quals[0]) if module is None else here.lacks(TYPE, q.name):
        raise Follows(Diagnostic(q.at, "unknown-type", f"`{q}` is wrong"))
    if module is None:
        fail(q.at, "unknown-module", f"no module `{'.'.join(q.quals)}` is in scope")
    if isinstance(module, BuiltinModule):
        if (scalar := member_types(module.name).get(q.name)) is not None:
            return scalar
    elif (found := module.types.get(q.name)) is not None:
        return found
    raise failure(q.at, "unknown-type", f"module `{'.'.join(q.quals)}` has no type `{q.name}`")


# ---------------------------------------------------------------------- type expressions


def type_of(cx: TypeContext, te: ast.TypeExp) -> Type:
    """Return the type that ``te`` denotes, without sizes; names bound in it stay in scope."""
    t = cx.annotations[te] = _type_of(cx, te)
    return t


def _type_of(cx: TypeContext, te: ast.TypeExp) -> Type:
    match te:
        case ast.TEName():
            entry = _noted(cx, te)
            if isinstance(entry, Abbreviation) and entry.params:
                fail(
                    te.at,
                    "type-arguments",
                    f"`{te.name}` takes {_count(len(entry.params))}, but has none here",
                )
            return of_entry(entry, {})
        case ast.TEApply():
            return _applied(cx, te)
        case ast.TEArray(size, elem):
            if size is not None:
                size_exp(cx, size)
            t = type_of(cx, elem)
            cx.order0(elem.at, t, "an element of an array")
            if _size_lifted(cx, elem):
                fail(
                    elem.at,
                    "type-kind",
                    "an element of an array has a size that is not given, so rows may differ in it",
                    "give the size, as a parameter of the type or in the brackets",
                )
            return Array(t)
        case ast.TETuple(elems):
            return tuple_type(*(type_of(cx, t) for t in elems))
        case ast.TERecord(fields):
            seen: set[str] = set()
            for label, part in fields:
                if label in seen:
                    fail(part.at, "duplicate-name", f"field `{label}` occurs twice")
                seen.add(label)
            return record_type({label: type_of(cx, part) for label, part in fields})
        case ast.TESum(constructors):
            names = [c for c, _ in constructors]
            if len(set(names)) != len(names):
                twice = next(c for c in names if names.count(c) > 1)
                fail(te.at, "duplicate-name", f"constructor `#{twice}` occurs twice")
            return Sum(
                tuple(
                    sorted((c, tuple([type_of(cx, t) for t in args])) for c, args in constructors)
                )
            )
        case ast.TEArrow(name, param, result):
            left = type_of(cx, param)
            if name is not None:
                cx.bind((te, name), name, left, te.at)
            return Arrow(left, type_of(cx, result))
        case ast.TEUnique(elem):
            return type_of(cx, elem)
        case ast.TEExists(dims, elem):
            for d in dims:
                _used(d, elem, te.at, "type")
                cx.bind((te, d), d, I64, te.at)
            return type_of(cx, elem)


def _noted(cx: TypeContext, te: ast.TEName) -> TypeEntry:
    """Return the meaning of a type name, and record it for later phases."""
    entry = cx.entries[te] = lookup_type(cx, te.name)
    if isinstance(entry, Abbreviation):
        cx.typing.abbreviations[te] = entry.dec
    return entry


def _size_lifted(cx: TypeContext, te: ast.TypeExp) -> bool:
    """True if a type is or contains one that may leave sizes open: ``type~``, ``'~a``."""
    match te:
        case ast.TEName():
            match cx.entries[te]:
                case Abbreviation(dec):
                    return dec.kind is ast.ParamKind.SIZE_LIFTED
                case TypeVariable(_, kind):
                    return kind is ast.ParamKind.SIZE_LIFTED
                case ScalarType():
                    return False
        case ast.TEApply(fn):
            return _size_lifted(cx, fn)
        case ast.TETuple(elems):
            return any(_size_lifted(cx, t) for t in elems)
        case ast.TERecord(fields):
            return any(_size_lifted(cx, t) for _, t in fields)
        case ast.TESum(constructors):
            return any(_size_lifted(cx, t) for _, args in constructors for t in args)
        case ast.TEUnique(elem):
            return _size_lifted(cx, elem)
        case ast.TEArray() | ast.TEArrow() | ast.TEExists():
            return False


def _used(size: str, te: ast.TypeExp, at: Span, where: str) -> None:
    """Require that a declared size is the size of an array or an argument of a type."""
    todo: list[object] = [te]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.QualName) and not part.quals and part.name == size:
            return
        if isinstance(part, tuple):
            todo += part
        elif isinstance(part, ast.Node):
            todo += ast.parts(part)
    fail(at, "unused-size", f"the size `[{size}]` occurs nowhere in this {where}", "remove it")


def _applied(cx: TypeContext, te: ast.TEApply) -> Type:
    """Return the type of ``t [n] i32``."""
    args: list[ast.TypeExp | ast.TESize] = []
    head: ast.TypeExp = te
    while isinstance(head, ast.TEApply):
        args.append(head.arg)
        head = head.fn
    args.reverse()
    if not isinstance(head, ast.TEName):
        fail(head.at, "type-arguments", "only a named type takes arguments")
    entry = _noted(cx, head)
    params = entry.dec.tparams if isinstance(entry, Abbreviation) else ()
    if not isinstance(entry, Abbreviation) or len(params) != len(args):
        fail(
            te.at,
            "type-arguments",
            f"`{head.name}` takes {_count(len(params))}, but has {len(args)} here",
        )
    image: dict[Name, Type] = {}
    for param, name, arg in zip(params, entry.params, args, strict=True):
        if param.kind is ast.ParamKind.SIZE:
            if not isinstance(arg, ast.TESize):
                fail(arg.at, "type-arguments", f"`{head.name}` takes a size here: `[{param.name}]`")
            if arg.size is not None:
                size_exp(cx, arg.size)
        elif isinstance(arg, ast.TESize):
            fail(arg.at, "type-arguments", f"`{head.name}` takes a type here: `'{param.name}`")
        else:
            image[name] = type_of(cx, arg)
            if param.kind is not ast.ParamKind.LIFTED:
                cx.order0(arg.at, image[name], f"the argument `'{param.name}` of `{head.name}`")
    return of_entry(entry, image)


def _count(n: int) -> str:
    return f"{n or 'no'} argument{'' if n == 1 else 's'}"


def size_exp(cx: TypeContext, e: ast.Exp) -> None:
    """Require that a size in a type is an i64."""
    t = cx.exp(cx, e)
    cx.same(e.at, t, I64, "a size")


def of_entry(entry: TypeEntry, image: Mapping[Name, Type]) -> Type:
    """Return the type that a name denotes; ``image`` maps its parameters to types."""
    match entry:
        case ScalarType():
            return entry
        case TypeVariable(name):
            return Rigid(name)
        case Abbreviation(hidden=Hidden() as hidden):
            return Opaque(hidden, tuple([image[p] for p in hidden.params]))
        case Abbreviation():
            return substitute(entry.type, image)


def record_type(fields: Mapping[str, Type]) -> Record:
    """Return the record type with its labels in order."""
    return Record(tuple(sorted(fields.items(), key=lambda f: label_order(f[0]))))


def label_order(label: str) -> tuple[int, int, str]:
    """Return the sort key of a label: numbers by value, before names."""
    return (0, int(label), "") if label.isdecimal() else (1, 0, label)


# ---------------------------------------------------------------------- type parameters


def bind_type_params(
    cx: TypeContext, tparams: tuple[ast.TypeParam, ...]
) -> list[tuple[Name, ast.ParamKind]]:
    """Bring ``[n]``, ``'a`` into scope; return the names and kinds of the types, in order."""
    seen: set[str] = set()
    names: list[tuple[Name, ast.ParamKind]] = []
    for p in tparams:
        if p.name in seen:
            fail(p.at, "duplicate-name", f"the parameter `{p.name}` occurs twice")
        seen.add(p.name)
        if p.kind is ast.ParamKind.SIZE:
            cx.bind((p, p.name), p.name, I64, p.at)
        else:
            name = unique(cx.fresh, p.name)
            cx.typing.names[(p, p.name)] = name
            cx.scope.bind_type(p.name, TypeVariable(name, p.kind))
            names.append((name, p.kind))
            if p.kind is ast.ParamKind.LIFTED:
                cx.solver.lifted.add(name)
    return names


def check_abbreviation(cx: TypeContext, dec: ast.TypeDec) -> Abbreviation:
    """Check ``type t 'a [n] = te``."""
    mark = cx.scope.mark()
    bind_type_params(cx, dec.tparams)
    for p in dec.tparams:
        if p.kind is ast.ParamKind.SIZE:
            _used(p.name, dec.type, p.at, "abbreviation")
    t = type_of(cx, dec.type)
    if dec.kind is not ast.ParamKind.LIFTED:
        try:
            cx.solver.demand_order0(t, Because("", dec.at))
        except Clash:
            fail(
                dec.type.at,
                "type-kind",
                f"`{dec.name}` contains a function, which `type` does not allow",
                f"declare it as `type^ {dec.name}`",
            )
    if dec.kind is ast.ParamKind.TYPE:
        _all_sizes_given(dec, dec.type, cx)
    _constructive(dec, dec.type, cx)
    cx.scope.leave(mark)
    params = tuple(cx.typing.names[(p, p.name)] for p in dec.tparams)
    return Abbreviation(dec, cx.scope.names, params, t)


def _constructive(dec: ast.TypeDec, te: ast.TypeExp, cx: TypeContext) -> None:
    """Require that open sizes are lengths of arrays in the type, not of function parameters."""
    match te:
        case ast.TEArrow(_, param, result):
            if (at := _left_open(cx, param)) is not None:
                fail(
                    at,
                    "type-kind",
                    f"`{dec.name}` leaves a size of a function's parameter open",
                    f"give it a name: `type^ {dec.name} [n] = …`",
                )
            _constructive(dec, result, cx)
        case ast.TEUnique(elem) | ast.TEExists(_, elem):
            _constructive(dec, elem, cx)
        case ast.TETuple(elems):
            for t in elems:
                _constructive(dec, t, cx)
        case ast.TERecord(fields):
            for _, t in fields:
                _constructive(dec, t, cx)
        case ast.TESum(constructors):
            for _, args in constructors:
                for t in args:
                    _constructive(dec, t, cx)
        case ast.TEName() | ast.TEApply() | ast.TEArray():
            pass


def check_specified(cx: TypeContext, spec: ast.ValSpec) -> None:
    """Check a ``val``: parameters name their sizes, and a value that is not a function has all."""
    todo: list[ast.TypeExp] = [spec.type] if isinstance(spec.type, ast.TEArrow) else []
    parts: list[ast.TypeExp] = [] if todo else [spec.type]
    while todo:
        match todo.pop():
            case ast.TEArrow(_, param, result):
                parts.append(param)
                todo += [param, result]
            case _:
                pass
    for part in parts:
        if (at := _left_open(cx, part, names=False)) is not None:
            fail(
                at,
                "type-kind",
                f"`{spec.name}` has a parameter with a size that is not given",
                f"add a size parameter: `val {spec.name} [n] : [n]t -> …`",
            )


def _left_open(cx: TypeContext, te: ast.TypeExp | ast.TESize, names: bool = True) -> Span | None:
    """Return the place of a size that is not given, outside of function types, or None.

    With ``names``, a type name that may leave sizes open counts as such a size.
    """
    match te:
        case ast.TEArray(None) | ast.TESize(None):
            return te.at
        case ast.TEArray(_, elem) | ast.TEUnique(elem) | ast.TEExists(_, elem):
            return _left_open(cx, elem, names)
        case ast.TETuple(elems):
            parts: list[ast.TypeExp | ast.TESize] = list(elems)
        case ast.TERecord(fields):
            parts = [t for _, t in fields]
        case ast.TESum(constructors):
            parts = [t for _, args in constructors for t in args]
        case ast.TEApply(fn, arg):
            parts = [fn, arg]
        case ast.TEName():
            return te.at if names and _size_lifted(cx, te) else None
        case ast.TEArrow() | ast.TESize():
            parts = []
    return next((at for t in parts if (at := _left_open(cx, t, names)) is not None), None)


def _all_sizes_given(dec: ast.TypeDec, te: ast.TypeExp | ast.TESize, cx: TypeContext) -> None:
    """Require that no size is left open, which only ``type~`` allows."""
    hint = f"declare it as `type~ {dec.name}`"
    match te:
        case ast.TEArray(None, _) | ast.TESize(None, _):
            fail(te.at, "type-kind", f"`{dec.name}` has a size that is not given", hint)
        case ast.TEArray(_, elem) | ast.TEUnique(elem):
            _all_sizes_given(dec, elem, cx)
        case ast.TEExists():
            fail(te.at, "type-kind", f"`{dec.name}` has a size that is not given", hint)
        case ast.TETuple(elems):
            for t in elems:
                _all_sizes_given(dec, t, cx)
        case ast.TERecord(fields):
            for _, t in fields:
                _all_sizes_given(dec, t, cx)
        case ast.TESum(constructors):
            for _, args in constructors:
                for t in args:
                    _all_sizes_given(dec, t, cx)
        case ast.TEApply(fn, arg):
            _all_sizes_given(dec, fn, cx)
            _all_sizes_given(dec, arg, cx)
        case ast.TEName():
            if _size_lifted(cx, te):
                fail(te.at, "type-kind", f"`{dec.name}` has a size that is not given", hint)
        case ast.TEArrow() | ast.TESize():
            pass
