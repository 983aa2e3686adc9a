"""(O5) Nothing is read that was never written.

Where arrays lie where they should (O8), inside of their blocks (O1), and nothing that is needed is
overwritten (O4), an element holds what its array's value is.  So what is left to show is that this
value is defined: that no element of ``scratch`` which nobody has given a value is read.  A read of
such an element traps in the value semantics, and is a fault on the heap (errata 17).
"""

from funmem.ir.fun import Ann, Body, Hist, Index, Kernel, Scatter
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.traverse import sub_bodies
from funmem.passes.verify.certificate import Answer, Argued, Kind, Open, Proof, Step
from funmem.passes.verify.record import Recorder
from funmem.passes.verify.written import Written


def body(b: Body[Ann], written: Written, to: Recorder) -> None:
    """One obligation for each scalar that is read from memory."""
    for s in b.stms:
        match s.exp:
            case Index(x):
                to.record(Kind.WRITTEN, f"element of {x}", s, (_written(x, written),))
            case Kernel(_, Hist(dest, op, _)):
                for x, p in zip(dest, op.params, strict=False):
                    if isinstance(p.type, ScalarType):  # else the bucket is copied, holes and all
                        to.record(Kind.WRITTEN, f"buckets {x}", s, (_written(x, written),))
            case Scatter(_, indices):
                to.record(Kind.WRITTEN, f"indices {indices}", s, (_written(indices, written),))
            case _:
                pass
        for inner in sub_bodies(s.exp):
            body(inner, written, to)


def _written(x: Name, written: Written) -> Answer:
    condition = Argued(f"every element of {x} has been given a value")
    if written.whole(x):
        return Proof(Step.VALUES, condition)
    return Open(f"{x} may have elements that were never given a value", condition)
