r"""flatten-data: records, tuples and sums become their parts (Core -> Core).

*Why.*  FUN has only scalars and arrays of scalars.

*Before -> after.*

    let p = {x = a, y = xs} in p.y[0]                xs[0]
    map (\(q : {x : i32, y : i32}) -> q.x) ps   ->   map (\(q : i32) (q_1 : i32) -> q) (ps, ps_1)
    match o { #some v -> v | #none -> 0 }            if o == 0 then o_1 else 0

*Rules.*  The layout of values is in layout.py.  (1) An expression of a compound type becomes one
expression for each part.  What can trap or costs something is bound once, in the order of
evaluation.  (2) ``if``, ``match``, loops, calls and operators have several results, as a tuple that
is taken apart at once.  (3) Slots that a constructor does not use hold zeros.  Arrays in them have
the sizes that the type states; an unknown or negative size becomes 0.  (4) ``==`` is replaced by
comparisons of scalars: of the tags, then of the payload; of the shapes, then of the elements.
(5) A token is the bool ``false``; entry points neither take nor return it.

*Precondition*: monomorphic; lambdas occur only as operands, and calls are of first-order
definitions.

*Postcondition*: every binder has a scalar type or is an array of scalars of any rank, and every
name is bound once (entry points may share names of their parameters).  Tuples occur only as several
results of ``let``, ``if``, ``loop``, an operand, an operator or a definition; ``unzip`` only around
a map or scan with several results; ``zip`` only around the indices of a scatter or histogram.
There are no projections, constructors, ``match``, data types, or ``==`` at compound types.  An
array of units is an array of ``false``.
"""

from funmem.ir import core as c
from funmem.ir.core import CoreProgram
from funmem.passes.core.flatten_data.expressions import Flattening

__all__ = ["flatten_data"]


def flatten_data(p: CoreProgram) -> CoreProgram:
    """Run the pass; see the package's docstring."""
    work = Flattening(p)
    defs = tuple(map(work.definition, p.defs))
    foreign = tuple(map(work.foreign, p.foreign))
    return c.CoreProgram(tuple(map(work.entry, p.entries)), defs, (), foreign)
