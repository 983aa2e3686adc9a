"""The static verifier: prove, for all inputs, that the annotations of a FUNMEM program are valid.

The paper has "not provided an algorithm for verifying memory safety"; this is one.  It mirrors the
heap interpreter (interp/heap.py), obligation by obligation:

    O1  each array lies inside its block                       homes.py
    O2  the elements of a new array have distinct addresses    homes.py
    O3  kernels are race-free (eq. 4)                          races.py
    O4  nothing that is still needed is overwritten            clobber.py
    O5  elements are written before they are read or returned  reads.py, written.py
    O6  copies: source and destination identical or disjoint   homes.py
    O7  sizes; annotations cause no trap                       homes.py
    O8  arrays lie where their annotations say                 coherent.py

If all obligations of a program are PROVED, it is valid (definition 3.1, errata 20): on every input
the heap interpreter returns the result of the value interpreter, or both trap alike.

**Trusted**: the type checker (ir/check), index functions and sizes (ir/lmad.py, ir/sizes.py), the
provers of inequalities and of non-overlap (ir/logic/prove.py, ir/logic/disjoint; tested
exhaustively against sets of points), the facts known at places of a program (ir/logic/facts.py,
ir/logic/may_trap.py, ir/logic/branches.py, ir/logic/uninitialised.py).  **Not trusted**: passes,
and the analyses by which passes decide.  Footprints, needs and blocks are computed here, from the
annotations in the program.

**Assumed**: no block has 2^57 bytes, and no loop of 2^57 iterations ends.  So a number that is at
most 32 times the size of an existing array does not overflow i64 (scene.py).

PROVED is sound, given what is trusted.  UNKNOWN names the term that was not decided; running the
program turns it into REFUTED or BOUNDED (:mod:`funmem.verify`).
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
    """Return the certificate of a FUNMEM program, which is not run.

    A program that is not well typed has one obligation for each type error, coherence of its
    annotations, which is UNKNOWN.
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
        if isinstance(s.exp, Kernel):
            races.kernel(s, s.exp, ladder, to)
        elif isinstance(s.exp, Scatter):
            races.scatter(s, s.exp, ladder, to)
        for inner in sub_bodies(s.exp):
            _body(inner, ladder, to)
