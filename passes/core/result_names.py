"""Names for the results of entry points that return records.

    entry main … : {far : i64, total : f32}     ->     entry main … -> (far : i64) (total : f32)

flatten-data replaces a record by its parts, and to-fun calls these ``out_1``, ….  Here the parts of
a record get the names of its fields: ``l`` for a field of one part, ``l_x`` for the field x of a
record in the field l, ``l_0``, ``l_1``, … for the parts of anything else.  Callers receive a named
tuple then (``funmem.compile``).
"""

from collections.abc import Iterator
from typing import cast

from funmem.ir import core as c
from funmem.ir.core import CoreProgram
from funmem.ir.fun import Binder, Body, Entry, FunProgram, Program
from funmem.ir.names import IDENTIFIER, Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.substitute import rename
from funmem.ir.text.lexer import RESERVED
from funmem.ir.traverse import bound_names, map_body, names_of
from funmem.passes.core.flatten_data.layout import Layouts


def with_result_names(p: FunProgram, core: CoreProgram) -> FunProgram:
    """Return ``p``, which is ``core`` after the passes on Core, with the results' names."""
    layouts = Layouts(core.data)
    results = {e.name: list(_labels(e.result, layouts)) for e in core.entries}
    return Program(tuple(_named(e, results.get(e.name, [])) for e in p.entries), p.functions)


def _named(e: Entry[None], labels: list[str]) -> Entry[None]:
    if len(labels) != len(e.results):
        return e
    inside = set(bound_names(e.body))
    fresh = Fresh((*map(Name, RESERVED), *names_of(Program((e,)))))
    outside = Fresh(set(map(Name, RESERVED)) | {*names_of(Program((e,)))} - inside)
    names = [outside.reserve(Name(x if IDENTIFIER.fullmatch(x) else "out")) for x in labels]
    other = rename({x: fresh(x) for x in names if x in inside})
    body = cast("Body[None]", map_body(e.body, other))
    pairs = zip(names, e.results, strict=True)
    return evolve(e, results=tuple(Binder(x, b.type, b.home) for x, b in pairs), body=body)


def _labels(t: c.Type, layouts: Layouts) -> Iterator[str]:
    """Yield the names of the parts of a record, or of an array of records; none for other types."""
    while isinstance(t, c.Array):
        t = t.elem
    if isinstance(t, c.Record) and not t.is_tuple:
        for label, u in t.fields:
            yield from _parts(label, u, layouts)


def _parts(label: str, t: c.Type, layouts: Layouts) -> Iterator[str]:
    inner = t
    while isinstance(inner, c.Array):
        inner = inner.elem
    if isinstance(inner, c.Record):
        for x, u in inner.fields:
            yield from _parts(f"{label}_{x}", u, layouts)
        return
    shown = [h for h in layouts.hidden(t) if not h]
    yield from [label] if len(shown) == 1 else (f"{label}_{k}" for k in range(len(shown)))
