r"""tables: recursive data become rows of growing tables, and links to them (Core -> Core).

*Why.*  FUN has only scalars and arrays of scalars (paper 000, section 4: a region is a growing
block of memory, and a pointer is an offset in it).

*Before -> after.*

    data List = #nil | #cons (i64, List)

    def sum = \(l : List) ->                 def sum = \(l : i32) (c0 : []i64) (c1 : []i32) ->
      match l {                                if l == -1 then 0
        #nil -> 0;                       ->    else c0[l] + (@sum c1[l] c0 c1)
        #cons p -> p.0 + (@sum p.1) }

    def build = \(k : i64) -> …                def build = \(k : i64) c0 c1 (used : i64) ->
      #cons (k, @build (k - 1))          ->      let (l, c0, c1, used) = @build (k - 1) c0 c1 used
                                                 let (c0, c1) = … if they are full, twice as long
                                                 let c0 = c0 with [used] = k
                                                 let c1 = c1 with [used] = l
                                                 in (i32(used), c0, c1, used + 1)

*Regions.*  Each region has tables of its own (separate.py): a program is annotated by
passes/core/regions, and data types are copied for the regions in which their values lie.  Tables
end with their region; in loops, recursion and kernels the rows of a region are released at its end,
and the tables are used again.  ``strategy`` says how many regions there are; with ONE, all tables
begin with the entry point.

*Rules.*  (1) The tables of a type are the columns of families.py.  (2) A definition that allocates
takes and returns the tables and the number of their rows; one that only takes values apart takes
the tables (effects.py).  (3) An entry point begins with empty tables, and so do a constant and a
region (lives.py).  (4) ``==`` of recursive data becomes a definition (equality.py).  (5) Array
operations whose functions allocate are in kernels.py.

*Precondition*: monomorphic, lifted, first-order.  *Postcondition*: the same, and no data type
contains itself.  A program without recursive data is not changed.

Raises SourceError (``not-supported``) for arrays inside recursive data; recursive data as inputs or
results of an entry point or a foreign function, or in constants; ``==`` of arrays of recursive
data; and array operations that allocate where the kernels' rules do not reach.
"""

from funmem.ir.core import CoreProgram
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.passes.core.regions import Strategy
from funmem.passes.core.tables.effects import Effects, Scopes
from funmem.passes.core.tables.equality import spelt_out
from funmem.passes.core.tables.expressions import Note, Translation
from funmem.passes.core.tables.families import Families
from funmem.passes.core.tables.separate import Locals, separated
from funmem.passes.core.tables.store import Limits
from funmem.passes.core.unique import renamed, top_names

__all__ = ["tables"]


DEFAULT = Limits()


def _silent(place: str, why: str, parallel: bool) -> None:
    """Note nothing."""


def tables(
    p: CoreProgram,
    limits: Limits = DEFAULT,
    note: Note = _silent,
    strategy: Strategy = Strategy.INFERRED,
) -> CoreProgram:
    """Run the pass; see the docstring.  ``note`` is told how array operations run."""
    families = Families(p.data)
    if not families.names:
        return p
    fresh = Fresh(top_names(p))
    p = spelt_out(renamed(p, fresh), families, fresh)
    begins: Locals = {}
    if strategy is not Strategy.ONE:
        p, begins = separated(p, strategy)
        families, fresh = Families(p.data), Fresh(top_names(p))
        p = renamed(p, fresh)
    scopes = Scopes(p)
    effects = Effects(p, families, scopes, begins)
    work = Translation(families, scopes, effects, fresh, note, limits)
    for f in p.foreign:
        work.foreign(f)
    entries, defs = tuple(map(work.entry, p.entries)), tuple(map(work.definition, p.defs))
    defs = (*defs, *work.copies.made)
    return renamed(evolve(p, entries=entries, defs=defs, data=families.others()), None)
