"""(O5) Each element that is read or returned has been written.

If arrays lie where their annotations say (O8), inside their blocks (O1), and nothing needed is
overwritten (O4), then an element in memory equals the element of its array's value.  It remains to
show that this value is defined: that no uninitialised element of ``scratch`` is read or returned.
In the value semantics, reading one traps; on the heap it is a fault (errata 17).  A result with one
is undefined there.
"""

from collections.abc import Iterator

from funmem.ir.fun import Ann, Entry, Hist, Index, Kernel, Scatter, Stm, Var
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.traverse import walk
from funmem.ir.verify.certificate import Answer, Argued, Kind, Open, Proof, Step
from funmem.ir.verify.record import Recorder
from funmem.ir.verify.written import Written


@frozen
class Reading:
    """A read or return of elements of ``array``, at the statement that reads or makes them."""

    array: Name
    what: str
    at: Stm[Ann]


def entry(e: Entry[Ann], written: Written, to: Recorder) -> None:
    """Record one obligation for each array from which scalars are read, and each result."""
    for r in readings(e, written):
        to.record(Kind.WRITTEN, r.what, r.at, (_written(r, written),))


def readings(e: Entry[Ann], written: Written) -> Iterator[Reading]:
    """Yield the reads of elements from memory, and the results of an entry point.

    An argument that is returned is the caller's, and not listed.
    """
    for s in walk(e.body):
        exp = s.exp
        if isinstance(exp, Index):
            yield Reading(exp.x, f"element of {exp.x}", s)
        elif isinstance(exp, Kernel) and isinstance(exp.collective, Hist):
            for x, p in zip(exp.collective.dest, exp.collective.op.params, strict=False):
                if isinstance(p.type, ScalarType):  # an array is copied, undefined elements too
                    yield Reading(x, f"buckets {x}", s)
        elif isinstance(exp, Scatter):
            yield Reading(exp.indices, f"indices {exp.indices}", s)
    yield from results(e, written)


def results(e: Entry[Ann], written: Written) -> Iterator[Reading]:
    """Yield the arrays that an entry point makes and returns, in order."""
    for b, a in zip(e.results, e.body.result[len(e.implicit_results) :], strict=True):
        if isinstance(a, Var) and written.scene.is_array(a):
            made_by = written.scene.made_by.get(a.name)
            if made_by is not None:
                yield Reading(a.name, result_of(b.name), made_by)


def result_of(x: Name) -> str:
    """Return the place of the obligation of a result."""
    return f"result {x}"


def _written(r: Reading, written: Written) -> Answer:
    x = r.array
    condition = Argued(f"every element of {x} has been given a value")
    if written.whole(x):
        return Proof(Step.VALUES, condition)
    if _behind(r, written):
        return Proof(Step.VALUES, Argued(f"earlier iterations wrote this element of {x}"))
    return Open(f"{x} may have elements that were never given a value", condition)


def defined(r: Reading, written: Written) -> bool:
    """True if the elements that are read or returned are proved to have values."""
    return written.whole(r.array) or _behind(r, written)


def _behind(r: Reading, written: Written) -> bool:
    return isinstance(r.at.exp, Index) and written.behind(r.at)
