"""Calls of foreign functions in Core: values of Core to the caller's layout and back."""

from collections.abc import Sequence

from funmem.interp.core.layout import Layout
from funmem.interp.core.values import Rec, Val, record
from funmem.ir import core as c
from funmem.ir import foreign_calls as foreign
from funmem.ir.core import ForeignDef, Type
from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.scalars import ScalarType
from funmem.ir.values import ArrayValue


def call_foreign(
    layout: Layout, table: foreign.Table, d: ForeignDef, args: Sequence[Val], at: Span
) -> Val:
    """Return the value of ``foreign f (v, …)``; an effect returns its token."""
    given = list(zip(args, d.params, strict=True))[1 if d.effect else 0 :]
    parts = [p for v, t in given for p in layout.results(v, t)]
    own, tuple_ = d.result, isinstance(d.result, c.Record)
    if d.effect:
        own = c.Record(d.result.fields[1:]) if isinstance(d.result, c.Record) else c.UNIT
    types = list(map(_result, layout.parts(own)))
    found = foreign.call(table, d.name, [p.value for p in parts], types, at)
    made = layout.built(own, iter([x.data if isinstance(x, ArrayValue) else x for x in found]))
    if not d.effect:
        return made
    return Rec((("0", args[0]), *record(made).fields)) if tuple_ else args[0]


def _result(t: Type) -> foreign.Result:
    sizes: list[int | None] = []
    array = isinstance(t, c.Array)
    while isinstance(t, c.Array):
        sizes.append(None if t.size is None else t.size.as_const)
        t = t.elem
    if not isinstance(t, ScalarType):
        raise Stuck(f"{t} is not the type of a part")
    return foreign.Result(t, tuple(sizes) if array else None)
