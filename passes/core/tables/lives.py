"""Expressions around which regions live (separate.py): new tables, or rows that are released.

    fresh       let (region : {}) = {} in e   ->   let c_0 = replicate 0 0 … let used = 0 in e
    released    let (region : {}) = {} in e   ->   let r = e  let used' = used in r

The name ``used`` is that of the number of rows before e, so rows that e allocates are overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.passes.core.recursion.parts import int64
from funmem.passes.core.tables.effects import Tables
from funmem.passes.core.tables.separate import Local

if TYPE_CHECKING:
    from funmem.passes.core.tables.expressions import Translation


def in_regions(w: Translation, e: c.Let, local: Local) -> Exp:
    """Return the value of a body around which regions live; its bindings are appended."""
    effect = w.effects.exp(e.body)
    if not local.released:
        with new_tables(w, effect.all & local.types):
            return w.exp(e.body)
    marks = {x: w.store[x].used for x in sorted(effect.allocated & local.types)}
    value = w.let(w.links, "value", w.type_of(e), w.exp(e.body), e.at)
    for x, mark in marks.items():
        used = w.fresh(mark)
        w.links.append(c.Let((c.Binder(used, I64),), c.Var(mark), c.Fields(()), e.at))
        w.store[x] = evolve(w.store[x], used=used)
    return value


@contextmanager
def new_tables(w: Translation, names: Tables) -> Iterator[None]:
    """Bind empty tables, which are in use within."""
    outer = {x: w.store[x] for x in names if x in w.store}
    for x in sorted(names):
        w.store[x] = w.empty(x, w.links, int64(0))
    yield
    for x in names:
        del w.store[x]
    w.store |= outer
