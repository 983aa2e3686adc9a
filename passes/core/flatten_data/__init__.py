r"""flatten-data: records, tuples and sums become their parts (Core -> Core).

*Why.*  FUN knows scalars and arrays of scalars.

*Before -> after.*

    let p = {x = a, y = xs} in p.y[0]                xs[0]
    map (\(q : {x : i32, y : i32}) -> q.x) ps   ->   map (\(q : i32) (q_1 : i32) -> q) (ps, ps_1)
    match o { #some v -> v | #none -> 0 }            if o == 0 then o_1 else 0

*Rules.*  How a value is laid out: layout.py.  (1) An expression of a compound type becomes one for
each part; what can trap or costs something is bound once, in the order of evaluation.  (2) ``if``,
``match``, loops, calls and operators give several results, as a tuple that is taken apart at once.
(3) Slots that a constructor does not use hold zeros; arrays in them have the sizes that the type
states, and are empty where it states none, or a negative one.  (4) ``==`` is spelt out: tags, then
the payload; arrays have equal shapes and equal elements.

*Precondition*: monomorphic, no function values but operands and calls of first-order definitions.

*Postcondition*: every binder has a scalar type or is an array of scalars of any rank, every name
is bound once (entry points may share names of their parameters).  Tuples are only several results
of ``let``, ``if``, ``loop``, an operand, an operator or a definition.  ``unzip`` stands only around
a map or scan with several results, ``zip`` only around the indices of a scatter or histogram;
project, construct, match, ``==`` at compound types and data types are gone.  An array of units is
an array of false.
"""

from funmem.ir import core as c
from funmem.ir.core import CoreProgram
from funmem.passes.core.flatten_data.expressions import Flattening

__all__ = ["flatten_data"]


def flatten_data(p: CoreProgram) -> CoreProgram:
    """The pass; see the package's text."""
    work = Flattening(p)
    defs = tuple(map(work.definition, p.defs))
    return c.CoreProgram(tuple(map(work.entry, p.entries)), defs)
