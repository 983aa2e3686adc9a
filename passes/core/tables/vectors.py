r"""Boxed vectors: arrays in recursive data, and rows of different lengths.

    data Row = #boxed []t         a column of elements; a value is a vector {offset, length}

    #boxed xs                     the elements of xs, put behind those of all other vectors
    match v { #boxed xs -> e }    let xs = column[v.offset : v.offset + v.length] in e
    size 0 (match v { #boxed xs -> xs })    v.length, which is a number also after recursion

A data type is a boxed vector if it has one constructor, ``#boxed``, with one array (the pass
``box-rows`` makes such types).  Its elements contain no arrays but boxed vectors.  A vector is a
record of two numbers, without a row of its own, so taking it apart copies nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import unsized
from funmem.ir.diagnostics import Span
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp
from funmem.passes.core.recursion.parts import binary
from funmem.passes.core.tables.families import BOXED, VECTOR
from funmem.passes.core.tables.store import Links, Making, Table, around

if TYPE_CHECKING:
    from funmem.passes.core.tables.expressions import Translation


def is_unboxing(e: c.Match) -> bool:
    """True if an expression is the array of a vector."""
    match e.arms:
        case (c.Arm(constructor, (b,), c.Var(x)),):
            return constructor == BOXED and b.name == x
        case _:
            return False


def store(w: Making, t: Table, xs: Exp, links: Links, at: Span) -> tuple[Table, Exp]:
    """Bind a column that ends in the elements of an array; return the tables, and the vector."""
    xs = w.let(links, "xs", c.Array(t.family.columns[0]), xs, at)
    n = w.let(links, "n", I64, c.Length(xs, 0, at), at)
    if t.grows:
        t = w.grown(t, n, links, at)
    new = w.renewed(t)
    end = w.let(links, "end", I64, binary(BinOp.ADD, c.Var(t.used), n), at)
    written = c.Update(c.Var(t.columns[0]), (c.Range(c.Var(t.used), end, None),), xs, at)
    links.append(c.Let(new.binders()[:1], written, c.Fields(()), at))
    links.append(c.Let(new.binders()[1:], end, c.Fields(()), at))
    return evolve(new, written=True), c.Fields((("offset", c.Var(t.used)), ("length", n)), at)


def opened(
    w: Translation, e: c.Match, table: Table, value: Exp, arm: Callable[[Links, Exp], Exp]
) -> Exp:
    """Return a ``match`` on a vector: its array is a part of the column."""
    links = Links()
    v = w.let(links, "vector", VECTOR, value, e.at)
    if not e.arms:
        assert e.default is not None
        return around(links, arm([], e.default))
    (a,) = e.arms
    (b,) = a.binders
    first = c.Project(v, "offset", e.at)
    span = c.Range(first, binary(BinOp.ADD, first, c.Project(v, "length", e.at)), None)
    xs = c.Index(c.Var(table.columns[0]), (span,), e.at)
    binder = c.Binder(b.name, unsized(w.binder(b).type))
    return around(links, arm([c.Let((binder,), xs, c.Fields(()), e.at)], a.body))
