"""Elaborate expressions: one arm for each form of the grammar."""

from funmem.frontends.inference.types import nearest
from funmem.frontends.nova import ast
from funmem.frontends.nova.elaborate.builtins import built_in
from funmem.frontends.nova.elaborate.context import (
    Elaboration,
    Polymorphic,
    Scope,
    Wrap,
    applied,
    wrapped,
)
from funmem.frontends.nova.elaborate.foreign import foreign_function
from funmem.frontends.nova.errors import Code, fail
from funmem.frontends.nova.types import show
from funmem.frontends.nova.typing import (
    BuiltInUse,
    ConstructorUse,
    ForeignUse,
    LocalUse,
    SpecialUse,
)
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, ScalarType

MAX_DIGITS = 400


def expression(ctx: Elaboration, e: ast.Exp, scope: Scope) -> Exp:
    """Return an expression as Core."""
    match e:
        case ast.Var():
            return _variable(ctx, e, (), scope)
        case ast.Number():
            return _number(ctx, e, scope)
        case ast.Bool(value, at):
            return c.Const(value, BOOL, at)
        case ast.Nil(at):
            return c.tuple_exp(at=at)
        case ast.App(fn, args, at):
            if isinstance(fn, ast.Var):
                return _variable(ctx, fn, args, scope)
            given = tuple(expression(ctx, x, scope) for x in args)
            return applied(expression(ctx, fn, scope), given, at)
        case ast.TupleExp(elems, at):
            return c.tuple_exp(*(expression(ctx, x, scope) for x in elems), at=at)
        case ast.Project(exp, index, at):
            return c.Project(expression(ctx, exp, scope), str(index), at)
        case ast.Element():
            return _element(ctx, e, scope)
        case ast.If(cond, then, orelse, at):
            test, first, second = (expression(ctx, x, scope) for x in (cond, then, orelse))
            return c.If(test, first, second, at)
        case ast.Case(exp, arms, at):
            made = tuple(_arm(ctx, arm, scope) for arm in arms)
            return c.Match(expression(ctx, exp, scope), made, None, at)
        case ast.Let():
            return _let(ctx, e, scope)
        case ast.Lambda():
            return _lambda(ctx, e, scope)
        case ast.Mu(binder, fn, at):
            name = ctx.name(binder.name)
            t = ctx.type(ctx.typing.bound[binder], scope, at)
            assert isinstance(fn, ast.Lambda)
            inner = _lambda(ctx, fn, scope.bind(binder, name))
            return c.Mu(c.Binder(name, t), inner, at)


def _variable(ctx: Elaboration, fn: ast.Var, args: tuple[ast.Exp, ...], scope: Scope) -> Exp:
    """Return ``(x e…)``, or x alone."""
    use = ctx.typing.uses[fn]
    at = fn.at
    given = tuple(expression(ctx, x, scope) for x in args)
    match use:
        case LocalUse(key, types):
            entry = scope.names[key]
            if isinstance(entry, Polymorphic):
                entry = _instance(ctx, entry, tuple(ctx.type(t, scope, at) for t in types))
            head: Exp = c.Var(entry, at)
            return c.App(head, given, at) if given else head
        case ConstructorUse(made):
            t = ctx.type_of(fn, scope)
            assert isinstance(t, c.Arrow)
            assert isinstance(t.result, c.Sum | c.Data)
            if given:
                return c.Construct(made.name, given, t.result, at)
            name = ctx.fresh("x")
            body = c.Construct(made.name, (c.Var(name, at),), t.result, at)
            return c.Lambda((c.Binder(name, t.param),), body, at)
        case ForeignUse(name):
            head = foreign_function(ctx, ctx.foreign[name], at)
            return c.App(head, given, at) if given else head
        case BuiltInUse(name):
            return built_in(ctx, name, ctx.type_of(fn, scope), given, None, at)
        case SpecialUse():
            return built_in(ctx, fn.name, ctx.type_of(fn, scope), given, use, at)


def _instance(ctx: Elaboration, p: Polymorphic, types: tuple[c.Type, ...]) -> Name:
    """Return the name of a polymorphic definition at these types."""
    if types not in p.instances:
        image = {**p.scope.image, **dict(zip(p.quantified, types, strict=True))}
        scope = Scope(p.scope.names, image)
        d = p.definition
        binder = c.Binder(ctx.name(d.name), ctx.type(ctx.typing.bound[d], scope, d.at))
        exp = expression(ctx, d.exp, scope)
        ctx.known[binder.name] = exp
        p.instances[types] = (binder, exp)
    return p.instances[types][0].name


def _number(ctx: Elaboration, e: ast.Number, scope: Scope) -> Exp:
    t = ctx.type_of(e, scope)
    assert isinstance(t, ScalarType)
    text = e.text.removesuffix("L")
    if t.is_float:
        return c.Const(nearest(float(text), t), t, e.at)
    value = int(text) if len(text) < MAX_DIGITS else None
    if value is None or not t.min <= value <= t.max:
        shown = text if len(text) < 30 else f"{text[:30]}…"
        hint = f"an `{show(t)}` is between {t.min} and {t.max}"
        fail(e.at, Code.TYPE, f"`{shown}` is no {show(t)}", hint)
    return c.Const(value, t, e.at)


def _element(ctx: Elaboration, e: ast.Element, scope: Scope) -> Exp:
    """Return ``X[i]``, or ``M[i, j]`` for a tuple of indices."""
    vector = expression(ctx, e.vector, scope)
    index = expression(ctx, e.index, scope)
    t = ctx.type_of(e.index, scope)
    if isinstance(t, ScalarType):
        return c.Index(vector, (c.Fix(c.Convert(I64, index, e.index.at)),), e.at)
    assert isinstance(t, c.Record)
    out: list[Wrap] = []
    vector = ctx.atom(vector, ctx.type_of(e.vector, scope), out, "v")
    if isinstance(index, c.Fields):
        parts = [x for _, x in index.fields]
    else:
        whole = ctx.atom(index, t, out, "i")
        parts = [c.Project(whole, label, e.index.at) for label, _ in t.fields]
    dims = tuple(c.Fix(c.Convert(I64, x, e.index.at)) for x in parts)
    return wrapped(out, c.Index(vector, dims, e.at))


def _arm(ctx: Elaboration, arm: ast.Arm, scope: Scope) -> c.Arm:
    name = ctx.name(arm.name)
    binder = c.Binder(name, ctx.type(ctx.typing.bound[arm], scope, arm.at))
    return c.Arm(arm.constructor, (binder,), expression(ctx, arm.body, scope.bind(arm, name)))


def _let(ctx: Elaboration, e: ast.Let, scope: Scope) -> Exp:
    """Return nested bindings; a polymorphic definition is bound once for each instance."""
    out: list[Wrap | Polymorphic] = []
    for d in e.definitions:
        quantified = ctx.typing.generic.get(d)
        if quantified is not None:
            polymorphic = Polymorphic(d, quantified, scope)
            out.append(polymorphic)
            scope = scope.bind(d, polymorphic)
            continue
        exp = expression(ctx, d.exp, scope)
        binder = c.Binder(ctx.name(d.name), ctx.type(ctx.typing.bound[d], scope, d.at))
        ctx.known[binder.name] = exp
        out.append(_binding(binder, exp, d))
        scope = scope.bind(d, binder.name)
    rest = expression(ctx, e.body, scope)
    for entry in reversed(out):
        if isinstance(entry, Polymorphic):
            for binder, exp in reversed(entry.instances.values()):
                rest = c.Let((binder,), exp, rest, entry.definition.at)
        else:
            rest = entry(rest)
    return rest


def _binding(binder: c.Binder, exp: Exp, d: ast.Definition) -> Wrap:
    return lambda rest: c.Let((binder,), exp, rest, d.at)


def _lambda(ctx: Elaboration, e: ast.Lambda, scope: Scope) -> c.Lambda:
    """Return a lambda; nested ones become one of several parameters."""
    params: list[c.Binder] = []
    body: ast.Exp = e
    while isinstance(body, ast.Lambda):
        for p in body.params:
            name = ctx.name(p.name)
            params.append(c.Binder(name, ctx.type(ctx.typing.bound[p], scope, p.at)))
            scope = scope.bind(p, name)
        body = body.body
    return c.Lambda(tuple(params), expression(ctx, body, scope), e.at)
