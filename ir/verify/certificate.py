"""Obligations, verdicts, and the certificate of a verification.

A certificate lists every obligation, its verdict and its proof.  A proof consists of *conditions*:
statements about polynomials and index functions under stated facts, as FUNMEM text.  They can be
checked again without the program and without the prover (``funmem verify --recheck``).
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
    """The kinds of obligations, numbered as in the documentation."""

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
        """Return the obligation in words."""
        return _MEANING[self]

    @property
    def of_memory(self) -> bool:
        """True if a violated obligation means that the program's memory is wrong."""
        return self not in (Kind.CHECK, Kind.MEANING)


_MEANING = {
    Kind.INSIDE: "each array lies inside its block",
    Kind.INJECTIVE: "the elements of a new array have distinct addresses",
    Kind.RACE_FREE: "no iteration writes what another one reads or writes",
    Kind.NOT_CLOBBERED: "nothing that is still needed is overwritten",
    Kind.WRITTEN: "elements are written before they are read or returned",
    Kind.COPY: "source and destination of a copy are identical or disjoint",
    Kind.SIZES: "sizes are not negative, and annotations cause no trap",
    Kind.COHERENT: "arrays lie where their annotations say",
    Kind.CHECK: "dynamic checks can never fail",
    Kind.MEANING: "the passes preserve the program's meaning (tested, never proved)",
}


class Verdict(Enum):
    """The state of knowledge about an obligation, from best to worst."""

    PROVED = "PROVED"
    TRAPS = "TRAPS"
    """It does not hold, but memory is not at fault: the source program traps there."""
    BOUNDED = "BOUNDED"
    UNKNOWN = "UNKNOWN"
    REFUTED = "REFUTED"


class Step(Enum):
    """The rung of the ladder that proved a condition, in the order in which they are tried."""

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
    """Two index functions have no address in common, for all values of the variables."""

    a: Lmad
    b: Lmad
    facts: Facts


@frozen
class NoRepeat:
    """An index function has distinct addresses for distinct indices."""

    ix: Lmad
    facts: Facts


@frozen
class Nonneg:
    """``p >= 0``."""

    p: Size
    facts: Facts


@frozen
class Within:
    """Every address of ``a`` is an address of ``b``."""

    a: Lmad
    b: Lmad
    facts: Facts


@frozen
class Argued:
    """A rule in words, without a condition on numbers."""

    text: str


Condition: TypeAlias = Apart | NoRepeat | Nonneg | Within | Argued


@frozen
class Proof:
    """A condition that holds, and the rung that proved it."""

    step: Step
    condition: Condition


@frozen
class Open:
    """A condition that was not proved, and the term that was not decided."""

    why: str
    condition: Condition
    hint: tuple[tuple[Name, int], ...] = ()
    """Values of variables for which the condition does not hold."""


Answer: TypeAlias = Proof | Open


# ---------------------------------------------------------------------- obligations


@frozen
class Counterexample:
    """An execution in which an obligation does not hold: REFUTED or TRAPS."""

    entry: str
    args: tuple[str, ...]
    message: str
    """From the heap interpreter: block, bytes, both iterations, both statements; or the difference
    between values and heap.
    """


@frozen
class Obligation:
    """A property that has to hold, and what is known about it."""

    kind: Kind
    entry: str
    place: str
    """The array or block, and the operation on it."""
    at: Span
    verdict: Verdict
    step: Step | None
    ms: float
    proofs: tuple[Proof, ...] = ()
    why: str = ""
    """UNKNOWN: the term that was not decided."""
    hint: tuple[tuple[Name, int], ...] = ()
    """UNKNOWN: values of variables for which it may fail."""
    bound: int = 0
    """BOUNDED: the number of inputs that were tried."""
    counterexample: Counterexample | None = None

    def bounded(self, k: int) -> "Obligation":
        """Return the obligation as BOUNDED: none of ``k`` inputs refutes it."""
        return evolve(self, verdict=Verdict.BOUNDED, bound=k, step=Step.ENUMERATION)

    def refuted(self, c: Counterexample) -> "Obligation":
        """Return the obligation as REFUTED by a replayed execution."""
        return evolve(self, verdict=Verdict.REFUTED, counterexample=c, step=Step.ENUMERATION)

    def traps(self, c: Counterexample) -> "Obligation":
        """Return the obligation as TRAPS: in a replayed execution the source program traps."""
        return evolve(self, verdict=Verdict.TRAPS, counterexample=c, step=Step.ENUMERATION)

    @property
    def decided(self) -> bool:
        """True if it is known whether the obligation holds."""
        return self.verdict not in (Verdict.BOUNDED, Verdict.UNKNOWN)


def overall(verdicts: Iterable[tuple[Kind, Verdict]]) -> Verdict:
    """Return the worst verdict of memory; of other kinds, only REFUTED counts."""
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
        """The verdict of the program."""
        return overall((o.kind, o.verdict) for o in self.obligations)

    def count(self, verdict: Verdict) -> int:
        """Return the number of obligations with a verdict."""
        return sum(o.verdict is verdict for o in self.obligations)
