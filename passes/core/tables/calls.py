"""Calls of definitions that need tables.

A definition takes the tables that it needs after its own arguments.  What an index of an array
operation has in its arena lies in no table that could be an argument, so there a definition is
inlined.  If the arena may be too short, a copy of the definition takes the arena (copies.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.names import Name
from funmem.passes.core.tables.copies import copy_called
from funmem.passes.core.tables.store import around

if TYPE_CHECKING:
    from funmem.passes.core.tables.expressions import Translation


class Unbounded(Exception):
    """An arena cannot be used; the message says why."""


def call(w: Translation, e: c.App, name: Name, args: Sequence[Exp]) -> Exp:
    """Return the value of a call that allocates."""
    effect = w.effects.of[name]
    if any(w.store[x].room is not None for x in effect.all):
        return w.bound(copy_called(w, e, name, args), w.type_of(e), effect.allocated, e.at)
    if any(w.store[x].arena is not None for x in effect.all):
        return _inlined(w, name, args, w.exp)
    whole = c.App(e.fn, (*args, *_tables(w, name)), e.at)
    return w.bound(whole, w.type_of(e), effect.allocated, e.at)


def reading(w: Translation, e: c.App, name: Name, args: Sequence[Exp]) -> Exp:
    """Return a call that allocates nothing."""
    needed = w.effects.of[name].all
    if any(w.store[x].room is not None for x in needed):
        return copy_called(w, e, name, args)
    if any(w.store[x].arena is not None and w.store[x].written for x in needed):
        if name in w.effects.recursive:
            raise Unbounded("a recursive definition reads what an index allocates")
        outer, w.links = w.links, []
        value = _inlined(w, name, args, w.pure)
        value = around(w.links, value)
        w.links = outer
        return value
    return c.App(e.fn, (*args, *_tables(w, name)), e.at)


def _inlined(w: Translation, name: Name, args: Sequence[Exp], exp: Callable[[Exp], Exp]) -> Exp:
    """Return the value of a definition's body in place of a call; its bindings are appended.

    Names are bound once in the program, so the body captures none.  It may be put here twice, so
    its value gets a name that it does not bind.
    """
    fn = w.scopes.defs[name].exp
    assert isinstance(fn, c.Lambda)
    for b, x in zip(fn.params, args, strict=True):
        w.links.append(c.Let((w.binder(b),), x, c.Fields(()), x.at))
    types, w.types = w.types, w.scopes.definition[name]
    value, t = exp(fn.body), w.type_of(fn.body)
    w.types = types
    result = w.fresh("r")
    w.links.append(c.Let((c.Binder(result, t),), value, c.Fields(()), value.at))
    return c.Var(result, value.at)


def _tables(w: Translation, name: Name) -> list[Exp]:
    """Return the tables that a call takes."""
    effect = w.effects.of[name]
    out: list[Exp] = []
    for x in sorted(effect.all):
        table = w.store[x]
        if x in effect.allocated:
            out += table.values()
        else:
            out += map(c.Var, table.columns if table.arena is None else table.arena.outside)
    return out
