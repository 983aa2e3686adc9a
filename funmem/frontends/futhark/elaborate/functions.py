"""Functions: parameters, sizes found in arguments, and what types promise of sizes."""

from collections.abc import Callable, Sequence

from funmem.frontends.futhark import ast
from funmem.frontends.futhark import types as ty
from funmem.frontends.futhark.elaborate.context import (
    Context,
    Wrap,
    core_type,
    let,
    wrapped,
)
from funmem.frontends.futhark.elaborate.patterns import bind
from funmem.frontends.futhark.typing import Scheme
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_types import element_text
from funmem.ir.diagnostics import Span
from funmem.ir.messages import literal
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import var

Elaborate = Callable[[ast.Exp], Exp]


def function(
    ctx: Context,
    params: Sequence[ast.Pattern],
    ret: ast.TypeExp | None,
    body: ast.Exp,
    exp: Elaborate,
    at: Span,
    scheme: Scheme | None = None,
    *,
    called_outside: bool = False,
) -> c.Exp:
    """A function of at least one parameter; without any its body.

    Explicit sizes are its first parameters; the others are found in the arguments.  Arguments have
    the sizes that types state; those of an entry point, which is ``called_outside``, are checked.
    """
    explicit = scheme.explicit_sizes if scheme else ()
    binders = [c.Binder(n, I64) for n in explicit]
    out: list[Wrap] = []
    wanted = [n for n in scheme.sizes if n not in explicit] if scheme else []
    types = [_written(ctx, p) if called_outside else ctx.type(p) for p in params]
    for pat, t in zip(params, types, strict=True):
        value = _parameter(ctx, pat, t, binders)
        for name in list(wanted):
            if bind_size(name, value, ctx.type(pat), out, at):
                wanted.remove(name)
    for pat, t, b in zip(params, types, binders[len(explicit) :], strict=True):
        inner, place = _inner(pat), pat.at if called_outside else at
        if isinstance(inner, ast.PVar):
            if _states_sizes(t):
                checked = coerced(ctx, c.Var(b.name), t, place)
                out.append(let(c.Binder(ctx.typing.names[inner], b.type), checked, at))
        else:
            bind(ctx, pat, coerced(ctx, c.Var(b.name), t, place), out)
    result = exp(body)
    if ret is not None:
        result = coerced(ctx, result, ctx.typing.annotations[ret], at)
    result = wrapped(out, result)
    return c.Lambda(tuple(binders), result, at) if binders else result


def _parameter(ctx: Context, pat: ast.Pattern, t: ty.Type, binders: list[c.Binder]) -> c.Var:
    """The binder of a parameter; of another name than it has if the sizes of t are checked."""
    inner = _inner(pat)
    core = core_type(ctx.type(pat))
    if isinstance(inner, ast.PVar) and not _states_sizes(t):
        binders.append(c.Binder(ctx.typing.names[inner], core))
    else:
        base = inner.name if isinstance(inner, ast.PVar) else "p"
        binders.append(ctx.binder(base, core))
    return c.Var(binders[-1].name)


def _written(ctx: Context, pat: ast.Pattern) -> ty.Type:
    """The type of a parameter with all sizes that are written, also ``[f n]`` and constants."""
    match pat:
        case ast.PAscript(_, te):
            return ctx.typing.annotations[te]
        case ast.PTuple(elems):
            return ty.tuple_type(*(_written(ctx, p) for p in elems))
        case _:
            return ctx.type(pat)


def _inner(pat: ast.Pattern) -> ast.Pattern:
    while isinstance(pat, ast.PAscript):
        pat = pat.pat
    return pat


# ---------------------------------------------------------------------- sizes in types


def find_size(name: Name, value: Exp, t: ty.Type, at: Span) -> Exp | None:
    """The length in ``value``, of type ``t``, that the type calls ``name``, if there is one."""
    dim = 0
    while isinstance(t, ty.Array):
        if t.size is not None and t.size.as_name == name:
            return c.Length(value, dim, at)
        dim, t = dim + 1, t.elem
    if not isinstance(t, ty.Record):
        return None
    if dim > 1:
        value = c.Flatten(dim, value, at)
    if dim > 0:
        value = c.Unzip(value, at)
    for label, u in t.fields:
        part = ty.Array(u, None) if dim > 0 else u
        found = find_size(name, c.Project(value, label, at), part, at)
        if found is not None:
            return found
    return None


def bind_size(name: Name, value: Exp, t: ty.Type, out: list[Wrap], at: Span) -> bool:
    """``let name = `` the length that is called so in the value's type; whether there is one."""
    found = find_size(name, value, t, at)
    if found is not None:
        out.append(let(c.Binder(name, I64), found, at))
    return found is not None


def _states_sizes(t: ty.Type) -> bool:
    match t:
        case ty.Array(elem, size):
            return size is not None or _states_sizes(elem)
        case ty.Record(fields):
            return any(_states_sizes(u) for _, u in fields)
        case _:
            return False


def coerced(ctx: Context, value: Exp, want: ty.Type, at: Span) -> Exp:
    """``value``, whose arrays are checked to have the sizes that the type states.

    Where the type says nothing new this is ``value``; a check that always holds costs nothing,
    because sizes are compared when the program is compiled.
    """
    if not _states_sizes(want):
        return value
    match want:
        case ty.Array():
            out: list[Wrap] = []
            t = core_type(_with_variables(ctx, want, out, at))
            assert isinstance(t, c.Array)
            elem = "{}" if _is_open(want) else literal(element_text(t))
            message = f'Value of (desugared) shape {{}} cannot match shape of type "{{}}{elem}".'
            return wrapped(out, c.Coerce(value, t, message, at))
        case ty.Record(fields):
            out = []
            whole = ctx.atom(value, core_type(want), out, "r")
            parts = tuple(
                (label, coerced(ctx, c.Project(whole, label, at), u, at)) for label, u in fields
            )
            return wrapped(out, c.Fields(parts, at))
        case _:
            return value


def _with_variables(ctx: Context, t: ty.Type, out: list[Wrap], at: Span) -> ty.Type:
    """The type, whose sizes that are computed get names."""
    if not isinstance(t, ty.Array):
        return t
    elem, size = _with_variables(ctx, t.elem, out, at), t.size
    if size is not None and not all(map(ctx.is_local, size.free())):
        made = ctx.size(size, at)
        if made is None:
            return ty.Array(elem, None)
        b = ctx.binder("n", I64)
        out.append(let(b, made, at))
        size = var(b.name)
    return ty.Array(elem, size)


def _is_open(t: ty.Type) -> bool:
    """Whether type parameters are in it, so that only an instance can say what it is."""
    match t:
        case ty.Array(elem):
            return _is_open(elem)
        case ty.Record(fields):
            return any(_is_open(u) for _, u in fields)
        case ty.Sum(constructors):
            return any(_is_open(u) for _, us in constructors for u in us)
        case ty.Rigid():
            return True
        case _:
            return False
