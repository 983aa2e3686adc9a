"""Elaborate ``if``, ``match`` and loops: variables that they assign become results.

    (if c (set! x e) …)       let (x' : t) = if c then e' else x in …
    (while c s …)             let (x' …) = loop (x …) while c do …  in …

The token is one of these variables.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Code, State
from funmem.frontends.harlan.elaborate.grounds import has_value
from funmem.frontends.harlan.elaborate.parts import operands, statement, value_or_unit
from funmem.frontends.harlan.elaborate.places import Changes
from funmem.frontends.harlan.elaborate.wraps import (
    Wrap,
    grouped,
    i32,
    i64,
    let,
    unit,
    wrapped,
)
from funmem.frontends.inference.types import Type
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, I32, I64, BinOp, ScalarType

Branch: TypeAlias = Callable[[State, list[Wrap]], Exp]
Combine: TypeAlias = Callable[[Sequence[Exp]], Exp]


def if_(k: Code, e: ast.If, st: State, out: list[Wrap]) -> Exp:
    """``(if c e e)``."""
    cond = k.program.exp(k, e.cond, st, out)
    wanted = has_value(k.ground(e))
    orelse = e.orelse
    branches: list[Branch] = [
        lambda s, o: value_or_unit(k, e.then, s, o, wanted),
        lambda s, o: unit(e.at) if orelse is None else value_or_unit(k, orelse, s, o, wanted),
    ]
    return branching(
        k, st, out, branches, k.ground(e), lambda vs: _chosen(cond, vs[0], vs[1], e.at), e.at
    )


def _chosen(cond: Exp, then: Exp, orelse: Exp, at: Span) -> Exp:
    """Return ``if``, or the operator that it is: `and` and `or` are macros over ``if``.

    (if a b #f)   a && b        (if a #t b)   a || b        both evaluate b only if needed
    """
    match then, orelse:
        case _, c.Const(False, t) if t is BOOL:
            return c.Bin(BinOp.LAND, cond, then, at)
        case c.Const(True, t), _ if t is BOOL:
            return c.Bin(BinOp.LOR, cond, orelse, at)
        case _:
            return c.If(cond, then, orelse, at)


def match_(k: Code, e: ast.Match, st: State, out: list[Wrap]) -> Exp:
    """``(match e ((C x …) e) …)``."""
    examined = k.program.exp(k, e.exp, st, out)
    wanted = has_value(k.ground(e))
    binders: list[tuple[c.Binder, ...]] = [() for _ in e.arms]

    def branch(j: int, arm: ast.Arm) -> Branch:
        def make(s: State, o: list[Wrap]) -> Exp:
            binders[j] = tuple(k.parameter(s, x) for x in arm.binders)
            return value_or_unit(k, arm.body, s, o, wanted)

        return make

    def combine(values: Sequence[Exp]) -> Exp:
        arms = tuple(
            c.Arm(k.program.types.identifier(arm.constructor), bs, v)
            for arm, bs, v in zip(e.arms, binders, values, strict=True)
        )
        return c.Match(examined, arms, None, e.at)

    branches = [branch(j, arm) for j, arm in enumerate(e.arms)]
    return branching(k, st, out, branches, k.ground(e), combine, e.at)


def branching(
    k: Code,
    st: State,
    out: list[Wrap],
    branches: Sequence[Branch],
    t: Type,
    combine: Combine,
    at: Span,
) -> Exp:
    """Return the value of one of several branches, and bind what any of them changes."""
    states = [st.copy() for _ in branches]
    outs: list[list[Wrap]] = [[] for _ in branches]
    values = [b(s, o) for b, s, o in zip(branches, states, outs, strict=True)]
    changed = [x for x, old in st.env.items() if any(s.env[x] is not old for s in states)]
    token = any(s.token is not st.token for s in states)
    wanted = has_value(t)
    bodies: list[Exp] = []
    for s, o, v in zip(states, outs, values, strict=True):
        parts = [s.token] if token else []
        given: list[Exp] = [p for p in parts if p is not None]
        given += [s.env[x] for x in changed]
        if wanted or not given:
            given.append(v)
        bodies.append(wrapped(o, grouped(given, at)))
    for s in states:
        st.stale.update({x: regions for x, regions in s.stale.items() if x in st.env})
    if not token and not changed:
        return combine(bodies)
    binders = _rebind(k, st, changed, token, at)
    result: Exp = unit(at)
    if wanted:
        name = k.program.fresh("v")
        binders.append(c.Binder(name, k.program.types.of(t)))
        result = c.Var(name, at)
    out.append(let(tuple(binders), combine(bodies), at))
    return result


def _rebind(
    k: Code, st: State, changed: Sequence[ast.Local], token: bool, at: Span
) -> list[c.Binder]:
    """Give changed variables, and the token, new names."""
    binders: list[c.Binder] = []
    if token:
        name = k.program.fresh("t")
        binders.append(c.Binder(name, c.TOKEN))
        st.token = c.Var(name, at)
    for x in changed:
        name = k.program.fresh(k.program.plain(x.name))
        binders.append(c.Binder(name, k.local_type(x)))
        st.env[x] = c.Var(name, at)
    return binders


# ---------------------------------------------------------------------- loops


def while_(k: Code, e: ast.While, st: State, out: list[Wrap]) -> Exp:
    """``(while e s …)``."""
    cond_changes = k.changes(e.cond)
    pure = not _outer(st, cond_changes) and not any(map(k.has_effect, cond_changes.effectful))
    changes = k.changes(e.cond, e.body)
    at = e.at
    if pure:

        def body(s: State, o: list[Wrap]) -> list[Exp]:
            statement(k, e.body, s, o)
            return []

        def form(s: State) -> c.For | c.While:
            own: list[Wrap] = []
            cond = k.program.exp(k, e.cond, s.copy(), own)
            return c.While(wrapped(own, cond))

        loop(k, st, out, changes, [], form, body, at)
        return unit(at)
    first = k.atom(k.program.exp(k, e.cond, st, out), BOOL, out, "go")
    go = c.Binder(k.program.fresh("go"), BOOL)

    def step(s: State, o: list[Wrap]) -> list[Exp]:
        statement(k, e.body, s, o)
        return [k.program.exp(k, e.cond, s, o)]

    loop(k, st, out, changes, [(go, first)], lambda _: c.While(c.Var(go.name, at)), step, at)
    return unit(at)


def _outer(st: State, changes: Changes) -> list[ast.Local]:
    return [x for x in changes.locals if x in st.env]


def for_(k: Code, e: ast.For, st: State, out: list[Wrap]) -> Exp:
    """``(for (i from to step) s …)``: over an int with step 1, a loop that counts."""
    at = e.at
    parts = [e.start, e.stop] if e.step is None else [e.start, e.stop, e.step]
    t = k.type(e.start)
    values = [k.atom(v, t, out, "b") for v in operands(k, parts, st, out)]
    changes = k.changes(e.body)
    if e.step is None and t is I32 and not e.local.assigned:
        start, stop = values
        index = k.program.fresh("k")

        def counted(s: State, o: list[Wrap]) -> list[Exp]:
            i = c.Bin(BinOp.ADD, start, c.Convert(I32, c.Var(index, at), at), at)
            k.bind(s, e.local, k.atom(i, I32, o, k.program.plain(e.local.name)))
            statement(k, e.body, s, o)
            return []

        distance = c.Bin(BinOp.SUB, c.Convert(I64, stop, at), c.Convert(I64, start, at), at)
        bound = c.Bin(BinOp.MAX, distance, i64(0, at), at)
        loop(k, st, out, changes, [], lambda _: c.For(index, bound), counted, at)
        return unit(at)
    start, stop = values[:2]
    assert isinstance(t, ScalarType)
    one = c.Const(1.0 if t.is_float else 1, t, at) if e.step is None else values[2]
    own = c.Binder(k.program.name(e.local.name), t)

    def step(s: State, o: list[Wrap]) -> list[Exp]:
        k.bind(s, e.local, c.Var(own.name, at))
        statement(k, e.body, s, o)
        return [c.Bin(BinOp.ADD, s.env[e.local], one, at)]

    below = c.Bin(BinOp.LT, c.Var(own.name, at), stop, at)
    loop(k, st, out, changes, [(own, start)], lambda _: c.While(below), step, at)
    return unit(at)


def loop(
    k: Code,
    st: State,
    out: list[Wrap],
    changes: Changes,
    more: list[tuple[c.Binder, Exp]],
    form: Callable[[State], c.For | c.While],
    body: Callable[[State, list[Wrap]], list[Exp]],
    at: Span,
) -> list[Exp]:
    """Add a loop over the variables that it changes, and parameters of its own (``more``).

    ``body`` elaborates one iteration and returns the next values of ``more``.  The last ones are
    returned.
    """
    changed = _outer(st, changes)
    token = any(map(k.has_effect, changes.effectful))
    for m in changes.mutations:
        chain = k.program.places.chain(m.root)
        for x in st.env:
            shared = k.local_regions(x) & k.changed_regions(m)
            if x not in chain and shared:
                st.stale[x] = shared
    params: list[c.Binder] = []
    init: list[Exp] = []
    inner = st.copy()
    if token:
        assert st.token is not None
        init.append(st.token)
    init += [st.env[x] for x in changed]
    params = [*_rebind(k, inner, changed, token, at), *(b for b, _ in more)]
    init += [v for _, v in more]
    idle = not params
    if idle:
        params, init = [c.Binder(k.program.fresh("idle"), I32)], [i32(0, at)]
    shape = form(inner)
    o: list[Wrap] = []
    last = body(inner, o)
    given: list[Exp] = []
    if token:
        assert inner.token is not None
        given.append(inner.token)
    given += [inner.env[x] for x in changed]
    given += last
    if idle:
        given = [i32(0, at)]
    whole = c.Loop(tuple(params), tuple(init), shape, wrapped(o, grouped(given, at)), at)
    st.stale.update({x: regions for x, regions in inner.stale.items() if x in st.env})
    binders = _rebind(k, st, changed, token, at)
    ends = [c.Binder(k.program.fresh("end"), b.type) for b, _ in more]
    if idle:
        binders = [c.Binder(k.program.fresh("end"), I32)]
    out.append(let((*binders, *ends), whole, at))
    return [c.Var(b.name, at) for b in ends]
