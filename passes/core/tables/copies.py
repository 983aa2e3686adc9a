r"""Copies of definitions for array operations whose indices have arenas that may be too short.

    def build = \k c_0 used -> …        the tables grow
      ->  def build' = \k a_0 c_0 base used room -> …

A copy takes for each type that is in an arena: the arena's columns, the columns outside, the number
of the arena's first row, and, if it allocates in it, the number of used rows and the capacity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Def, Exp
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.passes.core.tables.store import Arena, Table

if TYPE_CHECKING:
    from funmem.passes.core.tables.expressions import Translation


class Copies:
    """The copies of one program, by definition and by the types that are in arenas."""

    def __init__(self) -> None:
        self.names: dict[tuple[Name, frozenset[Name]], Name] = {}
        self.made: list[Def] = []


def copy_called(w: Translation, e: c.App, name: Name, args: Sequence[Exp]) -> Exp:
    """Return a call of the copy of a definition."""
    effect = w.effects.of[name]
    copy = _copy(w, name)
    given: list[Exp] = []
    for x in sorted(effect.all):
        table, changed = w.store[x], x in effect.allocated
        given += map(c.Var, table.columns)
        if table.arena is not None:
            given += map(c.Var, (*table.arena.outside, table.arena.base))
        if changed:
            given.append(c.Var(table.used))
        if changed and table.room is not None:
            given.append(c.Var(table.room))
    return c.App(c.Global(copy, (), e.at), (*args, *given), e.at)


def _copy(w: Translation, name: Name) -> Name:
    """Return the name of the copy for the present arenas."""
    effect = w.effects.of[name]
    arenas = frozenset(x for x in effect.all if w.store[x].room is not None)
    known = w.copies.names.get((name, arenas))
    if known is not None:
        return known
    w.copies.names[name, arenas] = new = w.fresh(f"{name}_in_arena")
    d = w.scopes.defs[name]
    fn = d.exp
    assert isinstance(fn, c.Lambda)
    before = w.types, w.store, w.links
    w.types, w.store, w.links = w.scopes.definition[name], {}, []
    given: list[c.Binder] = []
    for x in sorted(effect.all):
        table, more = _given(w, x, arena=x in arenas, changed=x in effect.allocated)
        w.store[x] = table
        given += more
    made = w.function(d, fn, given)
    w.types, w.store, w.links = before
    w.copies.made.append(evolve(made, name=new))
    return new


def _given(w: Translation, x: Name, *, arena: bool, changed: bool) -> tuple[Table, list[c.Binder]]:
    """Return the tables of a type in a copy, and their parameters."""
    table = w.named(x)
    if not arena:
        return table, list(table.binders() if changed else table.binders()[:-1])
    outside = w.named(x)
    base, room = c.Binder(w.fresh("base"), I64), c.Binder(w.fresh("room"), I64)
    new = evolve(table, grows=False, written=True, room=room.name)
    new = evolve(new, arena=Arena(outside.columns, base.name))
    given = [*table.binders()[:-1], *outside.binders()[:-1], base]
    return new, [*given, c.Binder(table.used, I64), room] if changed else given
