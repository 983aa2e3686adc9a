r"""box-rows: rows of different lengths, and arrays in recursive data, become boxed (Core -> Core).

*Why.*  An array in recursive data has no place of its own, and FUN's arrays have rows of one
length.  A boxed vector is a value of a data type with one constructor; ``tables`` puts the elements
of all vectors of a type into one growing column, and a vector becomes two numbers, which can lie in
arrays, in data, on stacks, and can go through branches and loops (papers/decisions/tables.md).

*Before -> after.*

    data Rose = #rose i64 ([]Rose)        ->   data Rose = #rose i64 Row  data Row = #boxed []Rose
    [xs, ys] : [][]i32                    ->   [#boxed xs, #boxed ys] : []Row'
    match t { #rose k rs -> size 0 rs }   ->   match t { #rose k v -> size 0 (match v { … }) }

*Plan.*  By type (types.py): arrays in recursive data are boxed, rows of an array if their lengths
may differ (lengths.py), and rows in array operations that run in order (ordered.py).  All nested
arrays with elements of such a type are.  Maps at the top of an entry point stay for
``flatten-nested``, which takes rows of different lengths in parallel, and scans there, whose rows
it writes once, if none runs in order.  A program that coerces arrays to lengths comes from a
language whose arrays are regular, so its rows are.  *Rules*: expressions.py.

*Precondition*: monomorphic, lifted, first-order.  *Postcondition*: the same, and no array in
recursive data except in a boxed vector.  A program with neither is not changed.

A program with an operation that needs rows of one length stays as it is, with a remark; then a row
of another length traps.  If the array is in recursive data, raises SourceError (``not-supported``).
"""

from collections.abc import Callable, Iterator

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.passes.core.box_rows.expressions import Boxing, Refused
from funmem.passes.core.box_rows.lengths import ragged
from funmem.passes.core.box_rows.ordered import in_order
from funmem.passes.core.box_rows.shapes import unknown
from funmem.passes.core.box_rows.types import Boxes, Opened, arrays_in
from funmem.passes.core.names import binders, inside
from funmem.passes.core.tables.effects import Scopes
from funmem.passes.core.tables.families import recursive_types
from funmem.passes.core.unique import renamed, top_names

__all__ = ["box_rows"]

Note = Callable[[str, str], None]
"""Notes what a part of the program needs, and why it stays as it is."""


def _silent(place: str, why: str) -> None:
    """Make no remark."""


def box_rows(p: CoreProgram, remark: Note = _silent) -> CoreProgram:
    """Run the pass; see the docstring."""
    forced = _in_recursive_data(p)
    ordered = in_order(p)
    if not (forced or ordered) and (
        _checks_lengths(p) or not any(map(_may_be_ragged, map(Opened(p.data).type, _types(p))))
    ):
        return p
    fresh = Fresh(top_names(p))
    q = renamed(p, fresh)
    elems = ragged(q, (*forced, *ordered))
    if not elems:
        return p
    try:
        return _boxed(q, elems, fresh)
    except Refused as why:
        if forced:
            message = f"not supported: {why.what}"
            hint = "the lengths of arrays in recursive data, and of rows of their type, are free"
            raise SourceError(Diagnostic(why.at, "not-supported", message, hint)) from None
        remark("the program", why.what)
        return p


def _boxed(p: CoreProgram, elems: frozenset[Type], fresh: Fresh) -> CoreProgram:
    boxes, scopes = Boxes(elems, Opened(p.data), fresh), Scopes(p)
    sums = {d.name: d.type for d in p.data}
    entries = tuple(
        Boxing(boxes, scopes.entry[e.name], scopes.defs, sums, fresh).entry(e) for e in p.entries
    )
    defs = tuple(
        Boxing(boxes, scopes.definition[d.name], scopes.defs, sums, fresh).definition(d)
        for d in p.defs
    )
    data = tuple(map(boxes.data, p.data))
    return evolve(p, entries=entries, defs=defs, data=(*data, *boxes.definitions()))


def _in_recursive_data(p: CoreProgram) -> tuple[Type, ...]:
    """Return the types of the elements of arrays in recursive data that are not boxed yet."""
    recursive, opened = recursive_types(p.data), Opened(p.data)
    return tuple(
        a.elem
        for d in p.data
        if d.name in recursive
        for u in d.type.constructors
        for t in u[1]
        for a in arrays_in(opened.type(t))
    )


def _checks_lengths(p: CoreProgram) -> bool:
    """True if a program is of a language with regular arrays: it coerces arrays to lengths."""
    return any(isinstance(x, c.Coerce) for e in _bodies(p) for x in inside(e))


def _may_be_ragged(t: Type) -> bool:
    """True if a type has nested arrays whose lengths it does not state."""
    return any(True for a in arrays_in(t) for _ in unknown(a.elem))


def _types(p: CoreProgram) -> Iterator[Type]:
    for d in p.defs:
        yield d.type
    for e in p.entries:
        yield e.result
        yield from (q.binder.type for q in e.params)
    for exp in _bodies(p):
        for x in inside(exp):
            yield from (b.type for b in binders(x))
            if isinstance(x, c.ArrayLit):
                yield c.Array(x.elem)


def _bodies(p: CoreProgram) -> tuple[Exp, ...]:
    return (*(d.exp for d in p.defs), *(e.exp for e in p.entries))
