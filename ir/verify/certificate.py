"""Obligations, verdicts, and the certificate that a verification leaves behind.

A certificate lists every obligation with what was shown and how.  What was shown is written down
as *conditions*: statements about polynomials and index functions under stated facts, in the text
of FUNMEM, so that they can be judged again by somebody who has neither the program nor the prover
(``funmem verify --recheck``).
"""

from collections.abc import Iterable
from enum import Enum
from typing import TypeAlias

from funmem.ir.diagnostics import Span
from funmem.ir.lmad import Lmad
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size


class Kind(Enum):
    """What has to hold, by the numbers of the documentation."""

    INSIDE = "O1"
    INJECTIVE = "O2"
    RACE_FREE = "O3"
    NOT_CLOBBERED = "O4"
    WRITTEN = "O5"
    COPY = "O6"
    SIZES = "O7"
    COHERENT = "O8"
    CHECK = "C"
    MEANING = "S"

    @property
    def meaning(self) -> str:
        """The obligation in words."""
        return _MEANING[self]

    @property
    def of_memory(self) -> bool:
        """Whether a program's memory is wrong if it does not hold."""
        return self not in (Kind.CHECK, Kind.MEANING)


_MEANING = {
    Kind.INSIDE: "each array lies inside its block",
    Kind.INJECTIVE: "a new array has no two elements in one place",
    Kind.RACE_FREE: "no iteration writes what another one reads or writes",
    Kind.NOT_CLOBBERED: "nothing that is still needed is overwritten",
    Kind.WRITTEN: "nothing is read or returned that was never written",
    Kind.COPY: "source and destination of a copy are identical or disjoint",
    Kind.SIZES: "sizes are no negative numbers, and memory adds no traps",
    Kind.COHERENT: "arrays lie where their annotations say",
    Kind.CHECK: "dynamic checks can never fail",
    Kind.MEANING: "the passes have kept what the program means (tested, never proved)",
}


class Verdict(Enum):
    """What is known of an obligation; the worst comes last."""

    PROVED = "PROVED"
    TRAPS = "TRAPS"
    """It does not hold, and no memory is at fault: the program means a trap there."""
    BOUNDED = "BOUNDED"
    UNKNOWN = "UNKNOWN"
    REFUTED = "REFUTED"


class Step(Enum):
    """The rung of the ladder that decided, in the order in which they are tried."""

    NORMAL_FORM = "normal form"
    BLOCKS = "different blocks"
    CONSTANTS = "constants"
    INTERVALS = "intervals"
    DIVISORS = "divisors"
    DIMENSIONS = "dimensions"
    TYPES = "types"
    VALUES = "values"
    ISL = "islpy"
    Z3 = "z3"
    ENUMERATION = "enumeration"


# ---------------------------------------------------------------------- conditions


@frozen
class Apart:
    """No element is in both index functions, whatever the variables are."""

    a: Lmad
    b: Lmad
    facts: Facts


@frozen
class NoRepeat:
    """No element of an index function is at two indices."""

    ix: Lmad
    facts: Facts


@frozen
class Nonneg:
    """A polynomial is not negative."""

    p: Size
    facts: Facts


@frozen
class Within:
    """Every element of ``a`` is one of ``b``."""

    a: Lmad
    b: Lmad
    facts: Facts


@frozen
class Argued:
    """Nothing about numbers: a rule, in words."""

    text: str


Condition: TypeAlias = Apart | NoRepeat | Nonneg | Within | Argued


@frozen
class Proof:
    """A condition that holds, and the rung that showed it."""

    step: Step
    condition: Condition


@frozen
class Open:
    """A condition that nobody has shown, and the term that stands in the way."""

    why: str
    condition: Condition
    hint: tuple[tuple[Name, int], ...] = ()
    """Values of variables at which the condition does not hold."""


Answer: TypeAlias = Proof | Open


# ---------------------------------------------------------------------- obligations


@frozen
class Counterexample:
    """An execution that shows that an obligation does not hold: REFUTED, or TRAPS."""

    entry: str
    args: tuple[str, ...]
    message: str
    """Of the heap interpreter: block, bytes, both iterations, both statements; or how values and
    heap differ.
    """


@frozen
class Obligation:
    """One thing that has to hold, and what is known of it."""

    kind: Kind
    entry: str
    place: str
    """The array or block, and what is done to it."""
    at: Span
    verdict: Verdict
    step: Step | None
    ms: float
    proofs: tuple[Proof, ...] = ()
    why: str = ""
    """UNKNOWN: the term outside of the fragment, or what stands in the way."""
    hint: tuple[tuple[Name, int], ...] = ()
    """UNKNOWN: values of variables at which it may fail."""
    bound: int = 0
    """BOUNDED: so many inputs were tried."""
    counterexample: Counterexample | None = None

    def bounded(self, k: int) -> "Obligation":
        """No input among ``k`` refutes it."""
        return evolve(self, verdict=Verdict.BOUNDED, bound=k, step=Step.ENUMERATION)

    def refuted(self, c: Counterexample) -> "Obligation":
        """A replayed execution refutes it."""
        return evolve(self, verdict=Verdict.REFUTED, counterexample=c, step=Step.ENUMERATION)

    def traps(self, c: Counterexample) -> "Obligation":
        """In a replayed execution the program itself does what it should not, and so it means."""
        return evolve(self, verdict=Verdict.TRAPS, counterexample=c, step=Step.ENUMERATION)

    @property
    def decided(self) -> bool:
        """Whether it is known to hold, or not to."""
        return self.verdict not in (Verdict.BOUNDED, Verdict.UNKNOWN)


def overall(verdicts: Iterable[tuple[Kind, Verdict]]) -> Verdict:
    """The worst verdict of the memory.  Of the rest it only counts what is refuted."""
    counted = (v for kind, v in verdicts if kind.of_memory or v is Verdict.REFUTED)
    return max(counted, key=list(Verdict).index, default=Verdict.PROVED)


@frozen
class Certificate:
    """All obligations of a program."""

    program: str
    """The FUNMEM program that was judged, as text."""
    obligations: tuple[Obligation, ...]

    @property
    def verdict(self) -> Verdict:
        """Of all of them together."""
        return overall((o.kind, o.verdict) for o in self.obligations)

    def count(self, verdict: Verdict) -> int:
        """How many obligations have a verdict."""
        return sum(o.verdict is verdict for o in self.obligations)
