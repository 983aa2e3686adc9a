r"""entry-data: recursive data cross the border of entry points as rows of a table (Core -> Core).

*Why.*  Callers pass and get scalars and arrays.  What the tables of a running program contain is
nobody else's business: results leave by copy, so that their regions may end.

*Before -> after.*

    entry main (l : List) : List = @reversed l

        ->  entry main (l : i64) (tags : []i64) (c0 : []i32) (c1 : []i64)
              : (i64, []i64, []i32, []i64) =
              let l = … the value of row l …
              let r = @reversed l
              in (0, … the rows that r leads to …)

*Rules.*  Rows and links: layout.py.  Values made of rows: inward.py.  Rows made of values:
outward.py.  An entry point has one table for its parameters and one for its result.  Callers in
Python pass and get ``Variant``\ s (funmem/values/rows.py), which the interface describes
(interfaces.py).

*Precondition*: well typed.  *Postcondition*: no recursive data can be reached from the type of a
parameter or result.  A program in which there are none is not changed.

Raises SourceError (``not-supported``) for functions inside such data, and for arrays of arrays of
recursive data as results.
"""

from funmem.ir import core as c
from funmem.ir.core import CoreProgram
from funmem.ir.core_traverse import bound_names
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.passes.core.entry_data.code import around
from funmem.passes.core.entry_data.inward import Inward, all_values
from funmem.passes.core.entry_data.layout import Layout, Links
from funmem.passes.core.entry_data.outward import Outward, result
from funmem.passes.core.names import inside

__all__ = ["entry_data", "layouts"]


def entry_data(p: CoreProgram) -> CoreProgram:
    """Run the pass; see the docstring."""
    if not p.data:
        return p
    links = Links(p.data)
    entries = tuple([_entry(links, e) for e in p.entries])
    same = all(a is b for a, b in zip(entries, p.entries, strict=True))
    data = (*p.data, *links.holders.values())
    return p if same else evolve(p, entries=entries, data=data)


def layouts(links: Links, e: c.Entry) -> tuple[Layout | None, Layout | None]:
    """Return the layouts of the rows of an entry point's parameters and of its result."""
    given, taken = [q.binder.type for q in e.params], [e.result]
    first, second = (
        Layout(links, types, e.at) if any(map(links.inside, types)) else None
        for types in (given, taken)
    )
    return first, second


def _entry(links: Links, e: c.Entry) -> c.Entry:
    given, returned = layouts(links, e)
    if given is None and returned is None:
        return e
    params, body, type_ = e.params, e.exp, e.result
    names = [*e.sizes, *(q.binder.name for q in params)]
    fresh = Fresh([*names, *(x for y in inside(e.exp) for x in bound_names(y))])
    if returned is not None:
        work = Outward(returned, fresh, e.at)
        columns = [c.Array(u) for u in returned.columns]
        pools = [c.Array(u) for us in returned.pool_columns for u in us]
        tags = c.Array(I64)
        type_ = c.tuple_type(links.type(e.result), tags, *columns, *pools)
        body = result(work, body, e.result)
    if given is not None:
        inner, pairs, outside = Inward(given, fresh, e.at), [], list[c.EntryParam]()
        for q in params:
            if links.inside(q.binder.type):
                new = c.Binder(q.binder.name, links.type(q.binder.type))
                outside.append(evolve(q, binder=new))
                pairs.append((q.binder, new))
            else:
                outside.append(q)
        body = around(all_values(inner, pairs), body)
        params = (*outside, *(c.EntryParam(b) for b in inner.params))
    return evolve(e, params=params, result=type_, exp=body)
