"""Resolve names of values, and find their types at each use."""

from funmem.frontends.futhark import ast, builtins
from funmem.frontends.futhark.errors import Follows, fail, failure, place
from funmem.frontends.futhark.infer_context import TypeContext
from funmem.frontends.futhark.infer_operators import OVERLOADED, overloaded
from funmem.frontends.futhark.scope import (
    VALUE,
    Builtin,
    BuiltinModule,
    Global,
    LocalVar,
    Module,
    Names,
    ValueEntry,
    Viewed,
)
from funmem.frontends.futhark.typing import Scheme
from funmem.frontends.inference.type_parts import revealed, substitute
from funmem.frontends.inference.types import Array, Arrow, Meta, Opaque, Record, Rigid, Sum, Type
from funmem.frontends.inference.unify import Because, Clash, WithFields
from funmem.ir.diagnostics import (
    Diagnostic,
    SourceError,
    Span,
)
from funmem.ir.messages import suggestion
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType


def lookup(cx: TypeContext, q: ast.QualName) -> tuple[ValueEntry, tuple[str, ...]]:
    """Return what ``q`` refers to and the labels to project: ``x.a.b`` may be fields of x.

    Modules and values share one name space: a variable ``f32`` hides the module.
    """
    quals: tuple[str, ...] = q.quals
    name = q.name
    labels: tuple[str, ...] = ()
    if quals and cx.scope.value(quals[0]) is not None:
        labels, name = (*quals[1:], name), quals[0]
        quals = ()
    while True:
        found = _member(cx, quals, name) if quals else cx.scope.value(name)
        if found is None and not quals and name in OVERLOADED:
            found = Builtin("", name)
        if found is not None:
            return found, labels
        if not quals:
            break
        labels = (name, *labels)
        quals, name = quals[:-1], quals[-1]
    raise _unknown(cx, q)


def _member(cx: TypeContext, quals: tuple[str, ...], name: str) -> ValueEntry | None:
    match cx.scope.module(quals):
        case None:
            return None
        case BuiltinModule(module):
            return None if builtins.member(module, name) is None else Builtin(module, name)
        case Names(values):
            return values.get(name)


DIFFERENTIATION = frozenset(("vjp", "vjp2", "jvp", "jvp2", "with_vjp"))
"""Functions of newer Futhark versions that this front end does not support."""


def _unknown(cx: TypeContext, q: ast.QualName) -> SourceError:
    module = cx.scope.module(q.quals) if q.quals else None
    here = module if isinstance(module, Names) else cx.scope.names
    if here.lacks(VALUE, q.quals[0] if q.quals and module is None else q.name):
        return Follows(Diagnostic(q.at, "unknown-name", f"`{q}` is wrong"))
    if module is not None:
        known = _offers(module)
        return failure(
            q.at,
            "unknown-name",
            f"unknown name `{q}`: module `{chr(46).join(q.quals)}` has no `{q.name}`",
            suggestion(q.name, known),
        )
    if q.name in DIFFERENTIATION and not q.quals:
        message = f"not supported: automatic differentiation (`{q.name}`)"
        return failure(q.at, "not-supported", message)
    first = q.quals[0] if q.quals else q.name
    known = [*cx.scope.values, *cx.scope.names.values, *cx.scope.names.modules]
    kind = "no variable or module" if q.quals else "no variable"
    return failure(q.at, "unknown-name", f"{kind} `{first}` is in scope", suggestion(first, known))


def _offers(module: Module) -> list[str]:
    match module:
        case BuiltinModule(name):
            return builtins.member_names(name)
        case Names(values):
            return list(values)


# ---------------------------------------------------------------------- the type at a use


def use(cx: TypeContext, q: ast.QualName) -> Type:
    """Return the type, at this use, of the value that ``q`` refers to."""
    value, labels = lookup(cx, q)
    if isinstance(value, LocalVar | Global) and q.name.startswith("_"):
        hint = "a name that is meant to be used begins with a letter"
        fail(q.at, "unknown-name", f"`{q}` begins with an underscore and cannot be used", hint)
    match value:
        case LocalVar():
            t = _local(cx, q, value, labels)
        case Builtin("", name):
            t = overloaded(cx, name, q.at)
            cx.instances[q] = (value, (t,), labels)
        case Viewed():
            t, types, shown = as_shown(cx, q.at, value, str(q))
            cx.instances[q] = (value.base, types, labels)
            cx.views[q] = (value.name, shown)
        case Global() | Builtin():
            t, types = of_module(cx, q.at, value, str(q))
            cx.instances[q] = (value, types, labels)
    for label in labels:
        t = project(cx, q.at, t, label)
    return t


def _local(cx: TypeContext, q: ast.QualName, var: LocalVar, labels: tuple[str, ...]) -> Type:
    if var.grouped is not None:
        fail(
            q.at,
            "grouped-variable",
            f"`{q}` stands for many values after `group by` at {place(var.grouped)}",
            f"fold it: `group by … into {q.name} = op ne {q.name}`",
        )
    if not var.generic:
        cx.refer(q, var, labels)
        return var.type
    t, types = instantiate(cx, q.at, Scheme(var.generic, (), var.type), var.kinds, str(q))
    cx.instances[q] = (var, types, labels)
    return t


def of_module(
    cx: TypeContext, at: Span, value: Global | Builtin | Viewed, called: str
) -> tuple[Type, tuple[Type, ...]]:
    """Return the type of a module's value at one use, and its type arguments for the tables.

    Of a value with a module type, these are the arguments of the value behind it.
    """
    match value:
        case Global():
            scheme = cx.require(value)
            cx.uses[value.name] = None
            return instantiate(cx, at, scheme, value.kinds, called)
        case Builtin(module, name):
            member = builtins.member(module, name)
            assert member is not None
            t, types = instantiate(cx, at, member, {}, called)
            return t, (t, *types)
        case Viewed():
            return as_shown(cx, at, value, called)[:2]


def as_shown(
    cx: TypeContext, at: Span, value: Viewed, called: str
) -> tuple[Type, tuple[Type, ...], tuple[Type, ...]]:
    """Return the type in the ``val``, and the type arguments of the value and of the ``val``."""
    own, types = of_module(cx, at, value.own, called)
    t, shown = instantiate(cx, at, value.scheme, value.kinds, called)
    cx.same(at, own, revealed(t, value.hidden), f"`{called}`")
    return t, types, shown


def instantiate(
    cx: TypeContext,
    at: Span,
    scheme: Scheme,
    kinds: dict[Name, ast.ParamKind],
    called: str,
) -> tuple[Type, tuple[Type, ...]]:
    """Return a scheme's type with a fresh metavariable for each type parameter."""
    if not scheme.types:
        return scheme.type, ()
    image: dict[Name, Type] = {}
    for name in scheme.types:
        lifted = kinds.get(name) is ast.ParamKind.LIFTED
        why = None if lifted else Because(f"the type `{name}` of `{called}`", at)
        image[name] = cx.solver.fresh(at, why)
    return substitute(scheme.type, image), tuple(image.values())


def project(cx: TypeContext, at: Span, t: Type, label: str) -> Type:
    """Return the type of ``e.label`` where ``e : t``."""
    t = cx.solver.resolve(t)
    match t:
        case Record(fields):
            for name, f in fields:
                if name == label:
                    return f
            known = [name for name, _ in fields]
            raise failure(
                at,
                "unknown-field",
                f"there is no field `{label}` in {cx.text(t)}",
                suggestion(label, known),
            )
        case Meta():
            field = cx.solver.fresh(at)
            try:
                cx.solver.demand_shape(t, WithFields({label: field}, at))
            except Clash as clash:
                fail(
                    at,
                    "type-mismatch",
                    f"`.{label}` is applied to something other than a record: {clash.reason}",
                )
            return field
        case ScalarType() | Sum() | Array() | Arrow() | Rigid() | Opaque():
            raise failure(at, "unknown-field", f"{cx.text(t)} has no fields, so no `{label}`")
