"""``funmem verify``: the static verifier, counterexamples, and certificates.

    judge(program)                          a FUNMEM program
    judge(program, source=before_passes)    also test that passes preserved the meaning

Obligations and the ladder that proves them are in :mod:`funmem.ir.verify`, which runs nothing.
This package holds what needs an interpreter or the outside world: replay.py runs programs for
obligations that were not proved (REFUTED, BOUNDED), as_json.py and as_text.py print certificates,
recheck.py checks a certificate again by other means, oracles.py adds islpy and z3 to the ladder.
"""

from collections.abc import Sequence

from funmem.ir.fun import Ann, Program
from funmem.ir.functions import bodies
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
    """Return the certificate of a FUNMEM program.

    Unproved obligations are tried on ``inputs`` inputs by total size (enumeration.py), or on as
    many as ``seconds`` allow; 0 inputs: nothing is run.  ``checks``: also judge the dynamic checks
    of a well-typed program.  ``rounded``: floats may differ from the source's by rounding.
    """
    certificate = verify(program, oracles)
    more: tuple[Obligation, ...] = ()
    if checks and not broken(certificate):
        more = tuple(o for e in bodies(program) for o in judged(e, entry_point).obligations)
    if inputs:
        certificate = replayed(program, certificate, inputs, seconds)
        if source is not None:
            few = inputs if inputs <= STRUCTURED else INPUTS
            more += same_meaning(source, program, few, rounded=rounded)
    return evolve(certificate, obligations=(*certificate.obligations, *more))
