"""Recording of obligations, with the time that their conditions take."""

from collections.abc import Iterable
from time import perf_counter

from attrs import field

from funmem.ir.fun import Ann, Stm
from funmem.ir.record import define, evolve
from funmem.ir.verify.certificate import (
    Answer,
    Argued,
    Kind,
    Obligation,
    Open,
    Proof,
    Step,
    Verdict,
)

ORDER = list(Step)


@define
class Recorder:
    """The obligations of one entry point."""

    entry: str
    found: list[Obligation] = field(factory=list)

    def record(self, kind: Kind, place: str, at: Stm[Ann], answers: Iterable[Answer]) -> None:
        """Record an obligation: PROVED if all its conditions are, by the highest step needed.

        ``answers`` is consumed up to the first open condition.
        """
        start = perf_counter()
        proofs: list[Proof] = []
        missing: Open | None = None
        for a in answers:
            if isinstance(a, Open):
                missing = a
                break
            proofs.append(a)
        ms = (perf_counter() - start) * 1e3
        if missing is not None:
            unknown = Obligation(kind, self.entry, place, at.at, Verdict.UNKNOWN, None, ms)
            self.found.append(evolve(unknown, why=missing.why, hint=missing.hint))
            return
        if not proofs:
            proofs = [Proof(Step.BLOCKS, Argued("no other place is in the same block"))]
        step = max((p.step for p in proofs), key=ORDER.index)
        unique = tuple(dict.fromkeys(proofs))
        self.found.append(
            Obligation(kind, self.entry, place, at.at, Verdict.PROVED, step, ms, unique)
        )
