"""(O5) Nothing is read, and nothing is returned, that was never written.

Where arrays lie where they should (O8), inside of their blocks (O1), and nothing that is needed is
overwritten (O4), an element holds what its array's value is.  So what is left to show is that this
value is defined: that no element of ``scratch`` which nobody has given a value is read, or leaves
with a result.  A read of such an element traps in the value semantics, and is a fault on the heap
(errata 17); a result with one is undefined there.
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
    """Elements of ``array`` that somebody sees, at the statement that reads or makes them."""

    array: Name
    what: str
    at: Stm[Ann]


def entry(e: Entry[Ann], written: Written, to: Recorder) -> None:
    """One obligation for each array that scalars are read from, and for each one returned."""
    for r in readings(e, written):
        to.record(Kind.WRITTEN, r.what, r.at, (_written(r.array, written),))


def readings(e: Entry[Ann], written: Written) -> Iterator[Reading]:
    """Where elements are read from memory, and the arrays that leave an entry point.  Arguments
    that are handed back are the caller's.
    """
    for s in walk(e.body):
        match s.exp:
            case Index(x):
                yield Reading(x, f"element of {x}", s)
            case Kernel(_, Hist(dest, op, _)):
                for x, p in zip(dest, op.params, strict=False):
                    if isinstance(p.type, ScalarType):  # else the bucket is copied, holes and all
                        yield Reading(x, f"buckets {x}", s)
            case Scatter(_, indices):
                yield Reading(indices, f"indices {indices}", s)
            case _:
                pass
    yield from results(e, written)


def results(e: Entry[Ann], written: Written) -> Iterator[Reading]:
    """The arrays that an entry point returns and has made, in order."""
    for b, a in zip(e.results, e.body.result[len(e.implicit_results) :], strict=True):
        if isinstance(a, Var) and written.scene.is_array(a):
            made_by = written.scene.made_by.get(a.name)
            if made_by is not None:
                yield Reading(a.name, result_of(b.name), made_by)


def result_of(x: Name) -> str:
    """What the obligation of a result is called."""
    return f"result {x}"


def _written(x: Name, written: Written) -> Answer:
    condition = Argued(f"every element of {x} has been given a value")
    if written.whole(x):
        return Proof(Step.VALUES, condition)
    return Open(f"{x} may have elements that were never given a value", condition)
