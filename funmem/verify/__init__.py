"""``funmem verify``: the static verifier, its counterexamples, and its certificates.

    judge(program)                          a FUNMEM program
    judge(program, source=before_passes)    also whether passes have kept the meaning

Obligations and the ladder that proves them are :mod:`funmem.ir.verify`, which runs nothing.
Here is what needs an interpreter or the world outside: replay.py tries out what was not proved
(REFUTED, BOUNDED), as_json.py and as_text.py show certificates, recheck.py judges one again by
other means, oracles.py makes islpy and z3 rungs of the ladder, when asked.
"""

from collections.abc import Sequence

from funmem.ir.fun import Ann, Program
from funmem.ir.record import evolve
from funmem.ir.verify import verify
from funmem.ir.verify.certificate import Certificate, Obligation
from funmem.ir.verify.checks import judged
from funmem.ir.verify.ladder import Oracle
from funmem.passes.lower import entry_point
from funmem.verify.replay import INPUTS, STRUCTURED, broken, replayed, same_meaning

__all__ = ["judge"]


def judge(
    program: Program[Ann],
    source: Program[Ann] | None = None,
    *,
    inputs: int = INPUTS,
    seconds: float | None = None,
    oracles: Sequence[Oracle] = (),
    checks: bool = False,
    rounded: bool = False,
) -> Certificate:
    """The certificate of a FUNMEM program; what was not proved has been tried on ``inputs``
    inputs (0: nothing is run), by total size (enumeration.py), or on as many as there was time for.
    With ``checks`` also the dynamic checks of a well-typed program.  ``rounded``: floats may differ
    from the source's by rounding.
    """
    certificate = verify(program, oracles)
    more: tuple[Obligation, ...] = ()
    if checks and not broken(certificate):
        more = tuple(o for e in program.entries for o in judged(e, entry_point).obligations)
    if inputs:
        certificate = replayed(program, certificate, inputs, seconds)
        if source is not None:
            few = inputs if inputs <= STRUCTURED else INPUTS
            more += same_meaning(source, program, few, rounded=rounded)
    return evolve(certificate, obligations=(*certificate.obligations, *more))
