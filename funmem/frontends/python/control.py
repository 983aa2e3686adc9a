"""``fm.where``, ``fm.cond``, ``fm.loop``, ``fm.while_loop``, ``fm.require``: control.

A loop's state is a tree.  Its types grow until they are those of the body's results, and a size
that the body changes is read off in each iteration; so the body may be traced more than once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funmem.frontends.python.elementwise import (
    astype,
    select,
)
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.functions import (
    Fn,
    exps,
    result_exp,
    returned,
    tape_of,
    values_of,
    with_unknown,
)
from funmem.frontends.python.tape import (
    Symbol,
    Tape,
    active,
    binder,
    describe,
    unsized_binder,
)
from funmem.frontends.python.trees import Structure, rebuilt, show
from funmem.frontends.python.types import Kind, promoted
from funmem.ir import core as c
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64
from funmem.ir.sizes import Size


def where(cond: Any, a: Any, b: Any) -> Any:
    """Return ``a`` where the condition is true, else ``b``; both are computed."""
    tape = active()
    if tape is None:
        return np.where(cond, a, b)
    return select(cond, a, b, tape)


def cond(test: Any, then: Fn, orelse: Fn) -> Any:
    """Return ``then()`` if the condition is true, else ``orelse()``; only one of them runs."""
    tape = active()
    if not isinstance(test, Symbol):
        return then() if test else orelse()
    assert tape is not None
    test = tape.local(test)
    if test.dims or test.type is not BOOL:
        raise wrong(Code.TYPE, f"the condition of fm.cond is {describe(test)}, not bool")
    at = here()
    kinds: list[Kind] | None = None
    for _ in range(2):
        with tape.scope() as yes:
            xs, first = returned(tape, then())
            one = [(x.type, x.weak) for x in xs]
            if kinds is not None:
                xs = [astype(x, *k) for x, k in zip(xs, kinds, strict=True)]
            a = yes.closed(result_exp(xs))
        with tape.scope() as no:
            ys, second = returned(tape, orelse())
            other = [(y.type, y.weak) for y in ys]
            if kinds is not None:
                ys = [astype(y, *k) for y, k in zip(ys, kinds, strict=True)]
            b = no.closed(result_exp(ys))
        _same_branches(first, xs, second, ys)
        if kinds is not None or one == other:
            break
        kinds = [promoted((j, k)) for j, k in zip(one, other, strict=True)]
    dims = [
        [d if d == e else None for d, e in zip(tape.known(x.dims), tape.known(y.dims), strict=True)]
        for x, y in zip(xs, ys, strict=True)
    ]
    parts = [
        (x.type, with_unknown(ds), x.weak and not x.dims) for x, ds in zip(xs, dims, strict=True)
    ]
    out = tape.bind_all(c.If(test.exp, a, b, at), parts)
    out = [tape.regular(x, ds) for x, ds in zip(out, dims, strict=True)]
    for z, x, y in zip(out, xs, ys, strict=True):
        for d, p, q in zip(z.dims, x.dims, y.dims, strict=True):
            if d.free() and tape.bounds.get(d.as_name or Name("")) is None and d not in (p, q):
                tape.bounded(d, _larger(tape, p, q))
    return rebuilt(first, out)


def _larger(tape: Tape, p: Size, q: Size) -> Size | None:
    """Return an upper bound of two sizes, if that of one is that of the other."""
    known = {x for d in (p, q) for x in d.free() if not tape.gone(x) and x not in tape.bounds}
    bounds = [tape.bound(d, known) for d in (p, q)]
    return bounds[0] if bounds[0] == bounds[1] else None


def _same_branches(
    first: Structure, xs: Sequence[Symbol], second: Structure, ys: Sequence[Symbol]
) -> None:
    ranks = [len(x.dims) for x in xs], [len(y.dims) for y in ys]
    if first != second or ranks[0] != ranks[1]:
        one = show(first, iter([describe(x) for x in xs]))
        other = show(second, iter([describe(y) for y in ys]))
        raise wrong(Code.BRANCH, f"one branch returns {one}, the other {other}")


class _State:
    """The parameters of a loop: types that grow until they are stable, sizes that may change."""

    def __init__(self, tape: Tape, init: Any) -> None:
        self.tape = tape
        self.start, self.structure = values_of(tape, init)
        self.splat = isinstance(init, tuple) and not hasattr(init, "_fields")
        if not self.start:
            raise wrong(Code.TYPE, "a loop needs at least one value as its state")
        self.kinds: list[Kind] = [(x.type, x.weak and not x.dims) for x in self.start]
        self.fixed = [[True] * len(x.dims) for x in self.start]
        self.params: list[Symbol] = []

    def enter(self) -> list[Any]:
        """Bind the parameters in the current scope; return them as arguments."""
        tape = self.tape
        self.params = []
        for x, (t, weak), fixed in zip(self.start, self.kinds, self.fixed, strict=True):
            p = tape.parameter(t, (), False)
            p.weak = weak
            p.dims = tuple(
                d if same else tape.length(c.Length(p.exp, k))
                for k, (d, same) in enumerate(zip(x.dims, fixed, strict=True))
            )
            self.params.append(p)
        return self.arguments(self.params)

    def arguments(self, xs: Sequence[Symbol]) -> list[Any]:
        """Return values as a function of the state receives them."""
        tree = rebuilt(self.structure, xs)
        return list(tree) if self.splat else [tree]

    def next(self, found: Any, what: str) -> list[Symbol] | None:
        """Return the next values; None if types or sizes changed: the body is traced again."""
        tape = self.tape
        xs, structure = returned(tape, found)
        ranks = [len(x.dims) for x in xs]
        if structure != self.structure or ranks != [len(x.dims) for x in self.start]:
            want = show(self.structure, iter([describe(x) for x in self.start]))
            got = show(structure, iter([describe(x) for x in xs]))
            raise wrong(Code.RESULT, f"the body of fm.{what} returns {got}; its state is {want}")
        kinds = [
            promoted((k, (x.type, x.weak and not x.dims)))
            for x, k in zip(xs, self.kinds, strict=True)
        ]
        fixed = [
            [f and d == e for f, d, e in zip(fs, x.dims, p.dims, strict=True)]
            for fs, x, p in zip(self.fixed, xs, self.params, strict=True)
        ]
        if kinds != self.kinds or fixed != self.fixed:
            self.kinds, self.fixed = kinds, fixed
            return None
        return [astype(x, *k) for x, k in zip(xs, kinds, strict=True)]

    def finish(self, form: c.For | c.While, body: c.Exp) -> Any:
        """Bind the loop, and return its results."""
        tape = self.tape
        init = [astype(x, *k) for x, k in zip(self.start, self.kinds, strict=True)]
        binders = tuple(
            binder(p) if all(fs) else unsized_binder(p)
            for p, fs in zip(self.params, self.fixed, strict=True)
        )
        e = c.Loop(binders, exps(init), form, body, here())
        dims = [
            [d if f else None for d, f in zip(x.dims, fs, strict=True)]
            for x, fs in zip(init, self.fixed, strict=True)
        ]
        parts = [
            (t, with_unknown(ds), weak) for (t, weak), ds in zip(self.kinds, dims, strict=True)
        ]
        out = tape.bind_all(e, parts)
        return rebuilt(
            self.structure, [tape.regular(x, ds) for x, ds in zip(out, dims, strict=True)]
        )


MOST_TRIES = 8


def loop(n: Any, body: Fn, init: Any) -> Any:
    """Return the state after n times ``state = body(i, *state)``; a state that is no tuple is one
    argument.
    """
    tape = tape_of("loop")
    bound = tape.lift(n)
    if bound.dims or not bound.type.is_int:
        raise wrong(Code.TYPE, f"the number of iterations is an integer, not {describe(bound)}")
    bound = astype(bound, I64)
    state = _State(tape, init)
    for _ in range(MOST_TRIES):
        with tape.scope() as scope:
            i = tape.parameter(I64, weak=True, base="i", natural=True)
            found = state.next(body(i, *state.enter()), "loop")
            if found is not None:
                e = scope.closed(result_exp(found))
                break
    else:
        raise wrong(Code.RESULT, "the state of fm.loop has no stable type")
    assert isinstance(i.exp, c.Var)
    return state.finish(c.For(i.exp.name, bound.exp), e)


def while_loop(test: Fn, body: Fn, init: Any) -> Any:
    """Return the state after ``while test(*state): state = body(*state)``."""
    tape = tape_of("while_loop")
    state = _State(tape, init)
    for _ in range(MOST_TRIES):
        with tape.scope() as scope:
            found = state.next(body(*state.enter()), "while_loop")
            if found is not None:
                e = scope.closed(result_exp(found))
                break
    else:
        raise wrong(Code.RESULT, "the state of fm.while_loop has no stable type")
    with tape.scope() as scope:
        again = [_reopened(tape, p) for p in state.params]
        (go,), _ = returned(tape, test(*state.arguments(again)))
        if go.dims or go.type is not BOOL:
            raise wrong(Code.RESULT, f"the condition of fm.while_loop is {describe(go)}, not bool")
        condition = scope.closed(go.exp)
    return state.finish(c.While(condition), e)


def _reopened(tape: Tape, p: Symbol) -> Symbol:
    """Return a loop's parameter in the scope of its condition."""
    assert isinstance(p.exp, c.Var)
    found = tape.symbol(tape, p.exp, p.type, (), p.weak, None, p.natural)
    tape.own(p.exp.name)
    found.dims = tuple(
        tape.length(c.Length(p.exp, k)) if any(tape.gone(x) for x in d.free()) else d
        for k, d in enumerate(p.dims)
    )
    return found


def require(test: Any, message: str = "requirement failed", *values: Any) -> None:
    """Trap with a message unless the condition is true; ``{}`` in it stands for the values."""
    tape = tape_of("require")
    holds = tape.lift(test)
    if holds.type is not BOOL:
        raise wrong(Code.TYPE, f"the condition of fm.require is {describe(holds)}, not bool")
    if holds.dims:
        from funmem.frontends.python.reductions import any_

        holds = any_(holds, np.logical_and, None, False)
    given = [tape.lift(v) for v in values]
    if any(v.dims for v in given):
        raise wrong(Code.TYPE, "a value in the message of fm.require is an array")
    if message.count("{}") != len(given):
        raise wrong(
            Code.TYPE, f"the message has {message.count('{}')} holes, but {len(given)} values"
        )
    tape.check(holds.exp, message, exps(given))
