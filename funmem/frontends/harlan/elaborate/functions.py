"""Elaborate lambdas, their application, calls, and the code of definitions.

(f e …)    @f token stores … e …  : (token, stores …, the parameters that f changes …, value)
"""

from collections.abc import Sequence

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.assign import argument_path, require_apart, store
from funmem.frontends.harlan.elaborate.code import Code, Level, Signature, State
from funmem.frontends.harlan.elaborate.externs import call_extern
from funmem.frontends.harlan.elaborate.grounds import has_value, mentions_store
from funmem.frontends.harlan.elaborate.parts import operands, value_or_unit
from funmem.frontends.harlan.elaborate.places import Path
from funmem.frontends.harlan.elaborate.shared import Aliased
from funmem.frontends.harlan.elaborate.wraps import Wrap, group_type, grouped, let, unit, wrapped
from funmem.frontends.harlan.types import IO
from funmem.frontends.inference.types import Opaque, Type
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I64


def lambda_(k: Code, e: ast.Lambda, st: State) -> Exp:
    """``(lambda (x …) e)``: what it captures is captured by value."""
    t = k.ground(e)
    assert isinstance(t, Opaque)
    *_, result, effect, _ = t.args
    stores = mentions_store(t)
    for x in e.captured:
        if x in st.env:
            k.read(st, x)
    with k.inside(Level.LAMBDA):
        inner = st.copy()
        inner.token = None
        params: list[c.Binder] = []
        if effect == IO:
            params.append(c.Binder(k.program.fresh("t"), c.TOKEN))
            inner.token = c.Var(params[0].name, e.at)
        if stores:
            params += k.program.store_binders(inner)
        params += [k.parameter(inner, x) for x in e.params]
        k.given.update(e.params)
        if not params:
            params.append(c.Binder(k.program.fresh("unit"), c.UNIT))
        out: list[Wrap] = []
        value = value_or_unit(k, e.body, inner, out, has_value(result))
    parts: list[Exp] = [inner.token] if inner.token is not None else []
    if stores:
        parts += k.store_values(inner)
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
    token, stores = effect == IO, mentions_store(t)
    given = [*_threads(k, st, token, stores), *args]
    called = c.App(fn, tuple(given) or (unit(at),), at)
    return _returned(k, st, out, called, token, stores, (), result, at)[0]


def _threads(k: Code, st: State, token: bool, stores: bool) -> list[Exp]:
    """Return what a call threads: the token, the stores."""
    found: list[Exp] = []
    if token:
        assert st.token is not None
        found.append(st.token)
    return [*found, *(k.store_values(st) if stores else ())]


def _returned(
    k: Code,
    st: State,
    out: list[Wrap],
    called: Exp,
    token: bool,
    stores: bool,
    inouts: Sequence[c.Type],
    result: Type,
    at: Span,
) -> tuple[Exp, list[Exp]]:
    """Bind what a call returns; return its value, and those of the parameters that it changes."""
    if not token and not stores and not inouts:
        return called, []
    binders: list[c.Binder] = []
    if token:
        binders.append(c.Binder(k.program.fresh("t"), c.TOKEN))
        st.token = c.Var(binders[0].name, at)
    if stores:
        binders += k.program.store_binders(st)
    news = [c.Binder(k.program.fresh("v"), t) for t in inouts]
    binders += news
    value: Exp = unit(at)
    if has_value(result):
        binders.append(c.Binder(k.program.fresh("r"), k.program.types.of(result)))
        value = c.Var(binders[-1].name, at)
    out.append(let(tuple(binders), called, at))
    return value, [c.Var(b.name, at) for b in news]


def _applied_lambda(k: Code, fn: ast.Lambda, e: ast.Apply, st: State, out: list[Wrap]) -> Exp:
    values = operands(k, e.args, st, out)
    with k.inside(Level.LAMBDA), k.scope(st):
        for x, exp, value in zip(fn.params, e.args, values, strict=True):
            k.bind(st, x, k.atom(value, k.type(exp), out, k.program.plain(x.name)))
        k.given.update(fn.params)
        return value_or_unit(k, fn.body, st, out, has_value(k.ground(e)))


def call(k: Code, e: ast.Call, st: State, out: list[Wrap]) -> Exp:
    """``(f e …)``."""
    if isinstance(e.fn, ast.Extern):
        return call_extern(k, e, e.fn, operands(k, e.args, st, out), st, out)
    signature = k.instance(e)
    at, types = e.at, k.program.typing.types
    places: list[tuple[Path | None, ast.Exp]] = []
    for n in signature.inouts:
        places.append((argument_path(k, e.args[n]), e.args[n]))
    _require_separate(k, e, signature)
    assert isinstance(e.fn, ast.Define)
    for n, (place, arg) in zip(signature.inouts, places, strict=True):
        if place is None:
            continue
        inner = bool(place.indices) or k.program.sharing.inner(place.root)
        if inner or n in k.program.sharing.needs[e.fn]:
            require_apart(k, place.root, k.regions(types[arg]))
    wanted = [i for p, _ in places if p is not None for i in p.indices]
    values = operands(k, (*e.args, *wanted), st, out)
    args, rest = values[: len(e.args)], values[len(e.args) :]
    given = [*_threads(k, st, signature.token, signature.reads), *args]
    called = c.App(c.Global(signature.name, (), at), tuple(given) or (unit(at),), at)
    changed = [k.program.types.of(signature.params[n]) for n in signature.inouts]
    token, stores = signature.token, signature.writes
    result, news = _returned(k, st, out, called, token, stores, changed, signature.result, at)
    for (place, arg), new in zip(places, news, strict=True):
        if place is None:
            continue
        indices = tuple(c.Convert(I64, i, at) for i in rest[: len(place.indices)])
        rest = rest[len(place.indices) :]
        store(k, st, out, place.root, indices, new, k.regions(types[arg]), at)
    return result


def _require_separate(k: Code, e: ast.Call, signature: Signature) -> None:
    """Require that a vector that a call changes is not another argument of it as well."""
    types = k.program.typing.types
    for n in signature.inouts:
        for j, other in enumerate(e.args):
            both = k.regions(types[other]) & k.regions(types[e.args[n]])
            if j != n and both:
                raise Aliased(both)


def definition(d: ast.Define, k: Code, signature: Signature) -> c.Def:
    """Return an instance of a definition."""
    st = State({}, None)
    params: list[c.Binder] = []
    types: list[c.Type] = []
    if signature.token:
        params.append(c.Binder(k.program.fresh("t"), c.TOKEN))
        st.token = c.Var(params[0].name, d.at)
        types.append(c.TOKEN)
    if signature.reads:
        params += k.program.store_binders(st)
    params += [k.parameter(st, x) for x in d.params]
    k.given.update(d.params)
    if not params:
        params.append(c.Binder(k.program.fresh("unit"), c.UNIT))
    out: list[Wrap] = []
    wanted = has_value(signature.result)
    value = value_or_unit(k, d.exp, st, out, wanted)
    parts: list[Exp] = [st.token] if st.token is not None else []
    if signature.writes:
        parts += k.store_values(st)
        types += k.program.store_types.values()
    for n in signature.inouts:
        parts.append(st.env[d.params[n]])
        types.append(k.local_type(d.params[n]))
    if wanted or not parts:
        parts.append(value)
        types.append(k.program.types.of(signature.result))
    t = c.arrow([p.type for p in params], group_type(types))
    body = c.Lambda(tuple(params), wrapped(out, grouped(parts, d.at)), d.at)
    return c.Def(signature.name, (), t, body, d.at)
