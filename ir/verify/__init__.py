"""The static verifier: that the annotations of a FUNMEM program are right, for all inputs.

The paper has "not provided an algorithm for verifying memory safety"; here is one.  It mirrors the
heap interpreter (interp/heap.py), obligation by obligation:

    O1  each array lies inside its block               homes.py
    O2  a new array has no two elements in one place   homes.py
    O3  kernels are race-free (eq. 4)                  races.py
    O4  nothing that is still needed is overwritten    clobber.py
    O5  what is read or returned has been written      reads.py, written.py
    O6  copies: identical or disjoint                  homes.py
    O7  sizes, and no traps for the sake of memory     homes.py
    O8  arrays lie where their annotations say         coherent.py

A program all of whose obligations are PROVED is valid (definition 3.1, errata 20): on every input
the heap interpreter answers what the value interpreter answers, or traps alike.

**What is trusted**: the type checker (ir/check), index functions and sizes (ir/lmad.py,
ir/sizes.py), the prover of inequalities and of non-overlap (ir/logic/prove.py,
ir/logic/disjoint; tested exhaustively against sets of points), what is known at places of a
program (ir/logic/facts.py, ir/logic/may_trap.py, ir/logic/branches.py,
ir/logic/uninitialised.py).  **Not trusted** is any pass, and nothing that a pass decides with:
footprints, needs and blocks are worked out here, from the annotations in the program.

**What is assumed**: no block of 2^57 bytes exists, and no loop of so many iterations ends.  So a
number that is at most 32 times as large as an array that exists does not overflow i64 (scene.py).

"PROVED" is always right, up to what is trusted.  "UNKNOWN" says which term was not decided.  It
becomes REFUTED, or BOUNDED, by running the program: :mod:`funmem.verify`.
"""

from collections.abc import Sequence

from funmem.ir.fun import Ann, Body, Entry, Kernel, Program, Scatter
from funmem.ir.text import show
from funmem.ir.traverse import sub_bodies
from funmem.ir.verify import clobber, coherent, homes, races, reads
from funmem.ir.verify.certificate import Certificate, Kind, Obligation, Step, Verdict
from funmem.ir.verify.ladder import Ladder, Oracle
from funmem.ir.verify.record import Recorder
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.unshared import unshared
from funmem.ir.verify.written import Written

__all__ = ["Certificate", "Kind", "Obligation", "Step", "Verdict", "verify"]


def verify(p: Program[Ann], oracles: Sequence[Oracle] = ()) -> Certificate:
    """The certificate of a FUNMEM program; nothing is run.

    A program that is not well typed has one obligation, that its annotations are coherent, which
    is UNKNOWN.
    """
    found = coherent.program(p)
    if all(o.verdict is Verdict.PROVED for o in found):
        for e in p.entries:
            found += _entry(e, oracles)
    return Certificate(show(p), tuple(found))


def _entry(e: Entry[Ann], oracles: Sequence[Oracle]) -> list[Obligation]:
    e = unshared(e)
    ladder = Ladder(Scene.of_entry(e), oracles)
    to = Recorder(e.name)
    _body(e.body, ladder, to)
    reads.entry(e, Written.of(ladder.scene), to)
    homes.only_for_memory(e, ladder, to)
    clobber.entry(e, ladder, to)
    return to.found


def _body(b: Body[Ann], ladder: Ladder, to: Recorder) -> None:
    for s in b.stms:
        homes.statement(s, ladder, to)
        match s.exp:
            case Kernel() as e:
                races.kernel(s, e, ladder, to)
            case Scatter() as e:
                races.scatter(s, e, ladder, to)
            case _:
                pass
        for inner in sub_bodies(s.exp):
            _body(inner, ladder, to)
