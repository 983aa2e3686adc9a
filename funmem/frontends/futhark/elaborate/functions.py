"""Elaborate functions: parameters, sizes found in arguments, and checks of stated sizes."""

from collections.abc import Sequence
from functools import reduce

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.elaborate.context import (
    Elaborate,
    Elaboration,
    Wrap,
    core_type,
    let,
    wrapped,
)
from funmem.frontends.futhark.elaborate.patterns import bind
from funmem.frontends.futhark.typing import Scheme
from funmem.frontends.inference import types as ty
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import element_text
from funmem.ir.diagnostics import Span
from funmem.ir.messages import literal
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import Size, var
from funmem.passes.core.names import inside


def function(
    ctx: Elaboration,
    params: Sequence[ast.Pattern],
    ret: ast.TypeExp | None,
    body: ast.Exp,
    exp: Elaborate,
    at: Span,
    scheme: Scheme | None = None,
    *,
    called_outside: bool = False,
) -> c.Exp:
    """Return a function of at least one parameter, or the body if there are none.

    The explicit sizes are the first parameters; the others are found in the arguments.  Arguments
    have the sizes that their types state; those of an entry point (``called_outside``) are checked.
    """
    explicit = scheme.explicit_sizes if scheme else ()
    binders = [c.Binder(n, I64) for n in explicit]
    out: list[Wrap] = []
    wanted = [n for n in scheme.sizes if n not in explicit] if scheme else []
    types = [_written(ctx, p) if called_outside else ctx.type(p) for p in params]
    for pat, t in zip(params, types, strict=True):
        states = _states_sizes(t) or (called_outside and _payloads_state_sizes(t))
        value = _parameter(ctx, pat, states, binders)
        for name in list(wanted):
            if bind_size(name, value, ctx.type(pat), out, at):
                wanted.remove(name)
    check = claimed if called_outside else coerced
    for pat, t, b in zip(params, types, binders[len(explicit) :], strict=True):
        inner, place = _inner(pat), pat.at if called_outside else at
        checked = check(ctx, c.Var(b.name), t, place)
        if not isinstance(inner, ast.PVar):
            bind(ctx, pat, checked, out)
        elif b.name != ctx.typing.names[inner]:
            out.append(let(c.Binder(ctx.typing.names[inner], b.type), checked, at))
    result = exp(body)
    if ret is not None:
        result = coerced(ctx, result, ctx.typing.annotations[ret], at)
    if scheme is not None and wanted:
        made = scheme.type
        for _ in params:
            assert isinstance(made, ty.Arrow)
            made = made.result
        result = _found_later(ctx, result, made, frozenset(wanted), at)
    result = wrapped(out, result)
    return c.Lambda(tuple(binders), result, at) if binders else result


def _found_later(ctx: Elaboration, e: Exp, t: ty.Type, names: frozenset[Name], at: Span) -> Exp:
    r"""Return ``e``, a function of type ``t``, with sizes that are found only in its own arguments.

        def f [n] (k: i64) : [n]i32 -> i64 = let m = g k in \xs -> n + m
          ->  \k -> let m = g k in \xs -> let n = length xs in n + m

    Bindings before the function that do not need these sizes stay where they are.
    """
    if not isinstance(t, ty.Arrow) or not _mentions(e, names):
        return e
    if isinstance(e, c.Let | c.Assert):
        first = e.exp if isinstance(e, c.Let) else e.cond
        if not _mentions(evolve(e, body=first), names):  # all of e except its body
            return evolve(e, body=_found_later(ctx, e.body, t, names, at))
    if isinstance(e, c.Lambda):
        params, body = e.params, e.body
    else:
        x = ctx.binder("x", core_type(t.param))
        params, body = (x,), c.App(e, (c.Var(x.name),), at)
    out: list[Wrap] = []
    rest: ty.Type = t
    for b in params:
        assert isinstance(rest, ty.Arrow)
        for name in sorted(names):
            if bind_size(name, c.Var(b.name), rest.param, out, at):
                names -= {name}
        rest = rest.result
    return c.Lambda(params, wrapped(out, _found_later(ctx, body, rest, names, at)), at)


def _mentions(e: Exp, names: frozenset[Name]) -> bool:
    return any(isinstance(x, c.Var) and x.name in names for x in inside(e))


def _parameter(ctx: Elaboration, pat: ast.Pattern, states: bool, binders: list[c.Binder]) -> c.Var:
    """Add the binder of a parameter, with a fresh name if its type states sizes."""
    inner = _inner(pat)
    core = core_type(ctx.type(pat))
    if isinstance(inner, ast.PVar) and not states:
        binders.append(c.Binder(ctx.typing.names[inner], core))
    else:
        base = inner.name if isinstance(inner, ast.PVar) else "p"
        binders.append(ctx.binder(base, core))
    return c.Var(binders[-1].name)


def _written(ctx: Elaboration, pat: ast.Pattern) -> ty.Type:
    """Return the type of a parameter with all written sizes, including ``[f n]`` and constants."""
    match pat:
        case ast.PAscript(_, te):
            return ctx.typing.annotations[te]
        case ast.PTuple(elems):
            return ty.tuple_type(*(_written(ctx, p) for p in elems))
        case ast.PRecord(fields):
            t, written = ctx.type(pat), {label: _written(ctx, p) for label, p in fields}
            assert isinstance(t, ty.Record)
            return ty.Record(tuple((label, written[label]) for label, _ in t.fields))
        case ast.PConstr(name, args):  # the only constructor: the pattern matches every value
            return ty.Sum(((name, tuple(_written(ctx, p) for p in args)),))
        case ast.PVar() | ast.PWild() | ast.PLit():
            return ctx.type(pat)


def _inner(pat: ast.Pattern) -> ast.Pattern:
    while isinstance(pat, ast.PAscript):
        pat = pat.pat
    return pat


# ---------------------------------------------------------------------- sizes in types


def find_size(name: Name, value: Exp, t: ty.Type, at: Span) -> Exp | None:
    """Return the length in ``value``, of type ``t``, that the type calls ``name``, or None."""
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


def payload_size(
    fresh: Fresh, name: Name, values: Sequence[tuple[Exp, ty.Type]], at: Span
) -> Exp | None:
    """Return the length called ``name`` in a payload, 0 if no value has a constructor with it.

    Values with different lengths fail a check elsewhere, so the maximum is returned.
    """
    found = [
        e for value, t in values if (e := _payload_size(fresh, name, value, t, at)) is not None
    ]
    if not found:
        return None
    return reduce(lambda x, y: c.Bin(BinOp.MAX, x, y, at), found)


def _payload_size(fresh: Fresh, name: Name, value: Exp, t: ty.Type, at: Span) -> Exp | None:
    none = c.Const(0, I64)
    match t:
        case ty.Array(elem):
            x = c.Binder(fresh("x"), unsized(core_type(elem)))
            direct = find_size(name, value, t, at)
            inner = payload_size(fresh, name, [(c.Var(x.name), elem)], at)
            if direct is not None or inner is None:
                return direct
            a, b = c.Binder(fresh("a"), I64), c.Binder(fresh("b"), I64)
            largest = c.Lambda((a, b), c.Bin(BinOp.MAX, c.Var(a.name), c.Var(b.name), at), at)
            each = c.Map(c.Lambda((x,), inner, at), (value,), at)
            return c.Reduce(largest, (none,), (each,), True, at)
        case ty.Record(fields):
            parts = [(c.Project(value, label, at), u) for label, u in fields]
            return payload_size(fresh, name, parts, at)
        case ty.Sum(constructors):
            arms: list[c.Arm] = []
            for constructor, us in constructors:
                binders = tuple(c.Binder(fresh("p"), unsized(core_type(u))) for u in us)
                payload = [(c.Var(b.name), u) for b, u in zip(binders, us, strict=True)]
                found = payload_size(fresh, name, payload, at)
                if found is not None:
                    arms.append(c.Arm(constructor, binders, found))
            if not arms:
                return None
            return c.Match(value, tuple(arms), none if len(arms) < len(constructors) else None, at)
        case ScalarType() | ty.Arrow() | ty.Rigid() | ty.Opaque() | ty.Meta():
            return None


def bind_size(name: Name, value: Exp, t: ty.Type, out: list[Wrap], at: Span) -> bool:
    """Bind ``name`` to the length of that name in ``value``; return True if there is one."""
    found = find_size(name, value, t, at)
    if found is not None:
        out.append(let(c.Binder(name, I64), found, at))
    return found is not None


def size_there(name: Name, t: ty.Type, found: ty.Type) -> Size | None:
    """Return the size in ``found`` at the place that ``t`` calls ``name``, or None."""
    match t:
        case ty.Array(elem, size) if isinstance(found, ty.Array):
            if size is not None and size.as_name == name:
                return found.size
            return size_there(name, elem, found.elem)
        case ty.Record(fields) if isinstance(found, ty.Record):
            pairs = [(u, v) for (_, u), (_, v) in zip(fields, found.fields, strict=True)]
        case ty.Sum(constructors) if isinstance(found, ty.Sum):
            payloads = zip(constructors, found.constructors, strict=True)
            pairs = [pair for (_, us), (_, vs) in payloads for pair in zip(us, vs, strict=True)]
        case (
            ScalarType()
            | ty.Record()
            | ty.Sum()
            | ty.Array()
            | ty.Arrow()
            | ty.Rigid()
            | ty.Opaque()
            | ty.Meta()
        ):
            return None
    sizes = (size_there(name, u, v) for u, v in pairs)
    return next((d for d in sizes if d is not None), None)


def _states_sizes(t: ty.Type) -> bool:
    """True if a type states a size outside of payloads."""
    match t:
        case ty.Array(elem, size):
            return size is not None or _states_sizes(elem)
        case ty.Record(fields):
            return any(_states_sizes(u) for _, u in fields)
        case ScalarType() | ty.Sum() | ty.Arrow() | ty.Rigid() | ty.Opaque() | ty.Meta():
            return False


def _payloads_state_sizes(t: ty.Type) -> bool:
    match t:
        case ty.Array(elem):
            return _payloads_state_sizes(elem)
        case ty.Record(fields):
            return any(_payloads_state_sizes(u) for _, u in fields)
        case ty.Sum(constructors):
            payload = [u for _, us in constructors for u in us]
            return any(_states_sizes(u) or _payloads_state_sizes(u) for u in payload)
        case ScalarType() | ty.Arrow() | ty.Rigid() | ty.Opaque() | ty.Meta():
            return False


def claimed(ctx: Elaboration, value: Exp, want: ty.Type, at: Span) -> Exp:
    """Return ``value`` with all sizes that the type states checked, including those of payloads.

    A sum is rebuilt, so that the payloads of its other constructors have the stated sizes.
    """
    if not _payloads_state_sizes(want):
        return coerced(ctx, value, want, at)
    out: list[Wrap] = []
    want = _with_variables(ctx, want, out, at)
    t = core_type(want)
    match want:
        case ty.Array(elem):
            x = ctx.binder("x", core_type(elem))
            fn = c.Lambda((x,), claimed(ctx, c.Var(x.name), elem, at), at)
            made: Exp = c.Map(fn, (coerced(ctx, value, want, at),), at)
        case ty.Record(fields):
            whole = ctx.atom(value, t, out, "r")
            parts = [
                (label, claimed(ctx, c.Project(whole, label, at), u, at)) for label, u in fields
            ]
            made = c.Fields(tuple(parts), at)
        case ty.Sum(constructors):
            assert isinstance(t, c.Sum)
            arms: list[c.Arm] = []
            for name, us in constructors:
                binders = tuple(ctx.binder("p", unsized(core_type(u))) for u in us)
                payload = tuple(
                    claimed(ctx, c.Var(b.name), u, at) for b, u in zip(binders, us, strict=True)
                )
                arms.append(c.Arm(name, binders, c.Construct(name, payload, t, at)))
            made = c.Match(value, tuple(arms), None, at)
        case ScalarType() | ty.Arrow() | ty.Rigid() | ty.Opaque() | ty.Meta():
            raise TypeError(f"{want} has no payloads")
    return wrapped(out, made)


def coerced(ctx: Elaboration, value: Exp, want: ty.Type, at: Span) -> Exp:
    """Return ``value`` with the check that its arrays have the sizes that the type states.

    A type without new information gives ``value`` itself.  A check that always holds costs nothing,
    since the compiler compares sizes.
    """
    if not _states_sizes(want):
        return value
    match want:
        case ty.Array():
            out: list[Wrap] = []
            t = core_type(_with_variables(ctx, want, out, at))
            assert isinstance(t, c.Array)
            elem = "{}" if _is_open(want) else literal(element_text(unsized(t)))
            message = f'Value of (desugared) shape {{}} cannot match shape of type "{{}}{elem}".'
            return wrapped(out, c.Coerce(value, t, message, at))
        case ty.Record(fields):
            out = []
            whole = ctx.atom(value, core_type(want), out, "r")
            parts = tuple(
                (label, coerced(ctx, c.Project(whole, label, at), u, at)) for label, u in fields
            )
            return wrapped(out, c.Fields(parts, at))
        case ScalarType() | ty.Sum() | ty.Arrow() | ty.Rigid() | ty.Opaque() | ty.Meta():
            return value


def _with_variables(ctx: Elaboration, t: ty.Type, out: list[Wrap], at: Span) -> ty.Type:
    """Return the type with names for its computed sizes."""
    if isinstance(t, ty.Record):
        fields = [(label, _with_variables(ctx, u, out, at)) for label, u in t.fields]
        return ty.Record(tuple(fields))
    if isinstance(t, ty.Sum):
        payloads = [
            (name, tuple(_with_variables(ctx, u, out, at) for u in us))
            for name, us in t.constructors
        ]
        return ty.Sum(tuple(payloads))
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
    """True if a type mentions type parameters, so that only an instance determines it."""
    match t:
        case ty.Array(elem):
            return _is_open(elem)
        case ty.Record(fields):
            return any(_is_open(u) for _, u in fields)
        case ty.Sum(constructors):
            return any(_is_open(u) for _, us in constructors for u in us)
        case ty.Rigid():
            return True
        case ScalarType() | ty.Arrow() | ty.Opaque() | ty.Meta():
            return False
