"""``match`` on a link: a chain of ``if`` that tests the tag, and reads of the row's columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import parts, unsized
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, BinOp
from funmem.passes.core.recursion.parts import binary
from funmem.passes.core.tables.families import LINK, Family
from funmem.passes.core.tables.store import Links, Table, around

if TYPE_CHECKING:
    from funmem.passes.core.tables.expressions import Translation


def on_link(
    w: Translation, e: c.Match, table: Table, link: Exp, arm: Callable[[Links, Exp], Exp]
) -> Exp:
    """Return a ``match`` on a link as a chain of ``if``; ``arm`` translates a body."""
    family, links = table.family, Links()
    number = link
    if family.tagged and any(a.constructor in family.rows for a in e.arms):
        tag = w.read(table, 0, link, e.at)
        if family.links:
            single = binary(BinOp.LT, link, c.Const(0, LINK))
            tag = c.If(single, link, c.Convert(LINK, tag), e.at)
        t = LINK if family.links else family.tag
        number = w.let(links, "tag", t, tag, e.at)
    cases: list[tuple[Exp, Exp]] = []
    for a in e.arms:
        before: Links = []
        if a.constructor in family.rows:
            _payload(w, before, table, link, a, e.at)
        else:
            for b in a.binders:
                unit = w.families.blank(unsized(w.families.type(b.type)))
                before.append(c.Let((w.binder(b),), unit, c.Fields(()), e.at))
        is_it = _is(family, a.constructor, number, e.at)
        cases.append((is_it, arm(before, a.body)))
    if e.default is not None:
        cases.append((c.Const(True, BOOL), arm([], e.default)))
    whole = cases[-1][1]
    for cond, body in reversed(cases[:-1]):
        whole = c.If(cond, body, whole, e.at)
    return around(links, whole)


def _is(family: Family, constructor: str, number: Exp, at: Span) -> Exp:
    """Return the test for a constructor by its number: its link, or the tag of its rows."""
    if constructor in family.links:
        return c.Bin(BinOp.EQ, number, c.Const(family.links[constructor], LINK), at)
    if not family.tagged:
        return c.Bin(BinOp.GE, number, c.Const(0, LINK), at)
    t = LINK if family.links else family.tag
    return c.Bin(BinOp.EQ, number, c.Const(family.rows[constructor].tag, t), at)


def _payload(w: Translation, links: Links, table: Table, link: Exp, a: c.Arm, at: Span) -> None:
    """Bind an arm's names to the payload of a row; fields that nobody uses are not read."""
    columns = iter(table.family.rows[a.constructor].columns)
    for b in a.binders:
        used = _used(b.name, a.body)
        new = w.binder(b)
        value = _part(w, table, link, unsized(new.type), columns, used, at)
        links.append(c.Let((new,), value, c.Fields(()), at))


def _part(
    w: Translation,
    table: Table,
    link: Exp,
    t: Type,
    columns: Iterator[int],
    used: frozenset[str] | None,
    at: Span,
) -> Exp:
    """Return a value of type t from the next columns; ``used`` are its fields, None: all."""
    if not isinstance(t, c.Record):
        k = next(columns)
        return w.families.blank(t) if used == NOBODY else w.read(table, k, link, at)
    fields: list[tuple[str, Exp]] = []
    for label, u in t.fields:
        inner = None if used is None or label in used else NOBODY
        fields.append((label, _part(w, table, link, u, columns, inner, at)))
    return c.Fields(tuple(fields), at)


NOBODY: frozenset[str] = frozenset()
"""A value that is not used, or only as an operand of ``.l`` for these fields."""


def _used(name: Name, e: Exp) -> frozenset[str] | None:
    """Return the fields of a variable that an expression uses; None if it uses all of it."""
    found = set[str]()
    todo = [e]
    while todo:
        x = todo.pop()
        if isinstance(x, c.Project) and isinstance(x.exp, c.Var) and x.exp.name == name:
            found.add(x.label)
        elif isinstance(x, c.Var) and x.name == name:
            return None
        else:
            todo += parts(x)
    return frozenset(found)
