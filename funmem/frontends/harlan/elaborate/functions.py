"""Elaborate lambdas, their application, calls, and the code of definitions.

(f e …)    @f token e …  : (token, the parameters that f changes …, value)
"""

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.assign import argument_path, require_apart, store
from funmem.frontends.harlan.elaborate.code import Code, Level, Signature, State
from funmem.frontends.harlan.elaborate.externs import call_extern
from funmem.frontends.harlan.elaborate.grounds import has_value
from funmem.frontends.harlan.elaborate.parts import operands, value_or_unit
from funmem.frontends.harlan.elaborate.places import Path
from funmem.frontends.harlan.elaborate.wraps import Wrap, group_type, grouped, let, unit, wrapped
from funmem.frontends.harlan.errors import Code as ErrorCode
from funmem.frontends.harlan.errors import fail
from funmem.frontends.harlan.types import IO
from funmem.frontends.inference.types import Opaque
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.scalars import I64


def lambda_(k: Code, e: ast.Lambda, st: State) -> Exp:
    """``(lambda (x …) e)``: what it captures is captured by value."""
    t = k.ground(e)
    assert isinstance(t, Opaque)
    *_, result, effect, _ = t.args
    for x in e.captured:
        if x in st.env:
            k.read(st, x, e.at)
    with k.inside(Level.LAMBDA):
        inner = st.copy()
        inner.token = None
        params: list[c.Binder] = []
        if effect == IO:
            params.append(c.Binder(k.program.fresh("t"), c.TOKEN))
            inner.token = c.Var(params[0].name, e.at)
        params += [k.parameter(inner, x) for x in e.params]
        k.given.update(e.params)
        if not params:
            params.append(c.Binder(k.program.fresh("unit"), c.UNIT))
        out: list[Wrap] = []
        value = value_or_unit(k, e.body, inner, out, has_value(result))
    parts: list[Exp] = [inner.token] if inner.token is not None else []
    if has_value(result) or not parts:
        parts.append(value)
    return c.Lambda(tuple(params), wrapped(out, grouped(parts, e.at)), e.at)


def apply(k: Code, e: ast.Apply, st: State, out: list[Wrap]) -> Exp:
    """``(e e …)``; a lambda where it is applied is a ``let``."""
    at = e.at
    if isinstance(e.fn, ast.Lambda):
        return _applied_lambda(k, e.fn, e, st, out)
    t = k.ground(e.fn)
    assert isinstance(t, Opaque)
    *_, result, effect, _ = t.args
    fn, *args = operands(k, (e.fn, *e.args), st, out)
    if effect != IO:
        return c.App(fn, tuple(args) or (unit(at),), at)
    assert st.token is not None
    called = c.App(fn, (st.token, *args), at)
    return k.effect(st, out, called, result, at)


def _applied_lambda(k: Code, fn: ast.Lambda, e: ast.Apply, st: State, out: list[Wrap]) -> Exp:
    values = operands(k, e.args, st, out)
    before = dict(st.env)
    with k.inside(Level.LAMBDA):
        for x, exp, value in zip(fn.params, e.args, values, strict=True):
            k.bind(st, x, k.atom(value, k.type(exp), out, k.program.plain(x.name)))
        k.given.update(fn.params)
        result = value_or_unit(k, fn.body, st, out, has_value(k.ground(e)))
    st.env = before
    return result


def call(k: Code, e: ast.Call, st: State, out: list[Wrap]) -> Exp:
    """``(f e …)``."""
    if isinstance(e.fn, ast.Extern):
        return call_extern(k, e, e.fn, operands(k, e.args, st, out), st, out)
    signature = k.instance(e)
    at = e.at
    places: list[tuple[Path | None, ast.Exp]] = []
    for n in signature.inouts:
        places.append((argument_path(k, e.args[n], f"`{e.fn.name}`"), e.args[n]))
    _require_separate(k, e, signature)
    assert isinstance(e.fn, ast.Define)
    for n, (place, arg) in zip(signature.inouts, places, strict=True):
        if place is None:
            continue
        inner = bool(place.indices) or k.program.sharing.inner(place.root)
        if inner or n in k.program.sharing.needs[e.fn]:
            require_apart(k, place.root, arg.at)
    wanted = [i for p, _ in places if p is not None for i in p.indices]
    values = operands(k, (*e.args, *wanted), st, out)
    args, rest = values[: len(e.args)], values[len(e.args) :]
    given = [*([st.token] if signature.token and st.token is not None else []), *args]
    called = c.App(c.Global(signature.name, (), at), tuple(given) or (unit(at),), at)
    if not signature.inouts:
        return k.effect(st, out, called, signature.result, at) if signature.token else called
    binders: list[c.Binder] = []
    if signature.token:
        binders.append(c.Binder(k.program.fresh("t"), c.TOKEN))
        st.token = c.Var(binders[0].name, at)
    news = [k.program.fresh("v") for _ in places]
    types = [k.program.types.of(signature.params[n]) for n in signature.inouts]
    binders += [c.Binder(x, t) for x, t in zip(news, types, strict=True)]
    result: Exp = unit(at)
    if has_value(signature.result):
        name = k.program.fresh("r")
        binders.append(c.Binder(name, k.program.types.of(signature.result)))
        result = c.Var(name, at)
    out.append(let(tuple(binders), called, at))
    for (place, arg), new in zip(places, news, strict=True):
        if place is None:
            continue
        indices = tuple(c.Convert(I64, i, at) for i in rest[: len(place.indices)])
        rest = rest[len(place.indices) :]
        regions = k.regions(k.program.typing.types[arg])
        store(k, st, out, place.root, indices, c.Var(new, at), regions, at)
    return result


def _require_separate(k: Code, e: ast.Call, signature: Signature) -> None:
    """Require that a vector that a call changes is not another argument of it as well."""
    types = k.program.typing.types
    for n in signature.inouts:
        for j, other in enumerate(e.args):
            if j != n and k.regions(types[other]) & k.regions(types[e.args[n]]):
                what = f"`{e.fn.name}` changes this vector, which another argument may share"
                fail(e.args[n].at, ErrorCode.ALIAS, what, "pass a copy: `(kernel ((e v)) e)`")


def definition(d: ast.Define, k: Code, signature: Signature) -> c.Def:
    """Return an instance of a definition."""
    st = State({}, None)
    params: list[c.Binder] = []
    types: list[c.Type] = []
    if signature.token:
        params.append(c.Binder(k.program.fresh("t"), c.TOKEN))
        st.token = c.Var(params[0].name, d.at)
        types.append(c.TOKEN)
    params += [k.parameter(st, x) for x in d.params]
    k.given.update(d.params)
    if not params:
        params.append(c.Binder(k.program.fresh("unit"), c.UNIT))
    out: list[Wrap] = []
    wanted = has_value(signature.result)
    value = value_or_unit(k, d.exp, st, out, wanted)
    parts: list[Exp] = [st.token] if st.token is not None else []
    for n in signature.inouts:
        parts.append(st.env[d.params[n]])
        types.append(k.local_type(d.params[n]))
    if wanted or not parts:
        parts.append(value)
        types.append(k.program.types.of(signature.result))
    t = c.arrow([p.type for p in params], group_type(types))
    body = c.Lambda(tuple(params), wrapped(out, grouped(parts, d.at)), d.at)
    return c.Def(signature.name, (), t, body, d.at)
