"""The search: one parameter after the other, until nothing is better, within a budget.

The parameters hardly depend on each other: each belongs to one pass, and most programs have only
kernels to which two or three of them matter.  So it is enough to try the values of one parameter
with the best values of all others, and to begin again as long as something was found; what is left
out are combinations that are good although none of their parts is.

A candidate is compiled.  If its code is one that was there before, it is no candidate; so a
parameter that does not matter costs no measurements.  Otherwise it is built, its results are
compared with the default's, and it takes turns with the best so far.  In the end the winner has to
beat the default once more.
"""

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from attrs import field

from funmem.bench.contenders import Contender
from funmem.ir.diagnostics import DeviceError, FunmemError
from funmem.ir.record import define, evolve, frozen
from funmem.passes.tuning import DEFAULT, Tuning
from funmem.tune.contest import FEW, HOPELESS, LAST, MORE, Contest, contest, joined, seconds_of
from funmem.tune.values import Values, nearest_first


class Verdict(Enum):
    """What became of a candidate."""

    FASTER = "faster"
    NOT_FASTER = "not faster"
    SAME = "the same code"
    WRONG = "wrong"
    FAILED = "failed"


@frozen
class Tried:
    """A candidate.  ``ratio``: its time over that of the best so far; ``why``: a word on it."""

    tuning: Tuning
    verdict: Verdict
    ratio: float | None = None
    why: str = ""


class Made(Protocol):
    """A candidate that is compiled."""

    @property
    def code(self) -> str:
        """Candidates with the same code are the same."""

    @property
    def build(self) -> Callable[[], Contender]:
        """Builds it.  Raises DeviceError."""


class Subject(Protocol):
    """What is tuned."""

    def compile(self, tuning: Tuning) -> Made:
        """A candidate.  Raises FunmemError."""

    def wrong(self, built: Contender) -> str | None:
        """What is wrong with a candidate's results, in one run of it.  Raises FunmemError."""


@frozen
class Found:
    """What a search has found.  ``ratio``: its time over the default's, in contests of their own;
    ``noise``: how far a round of the default against itself is off; ``complete``: nothing that was
    to be tried was left when the budget was spent.
    """

    tuning: Tuning
    ratio: float
    rounds: int
    noise: float
    tried: tuple[Tried, ...]
    complete: bool
    default_seconds: float


class Spent(Exception):
    """The budget is."""


@frozen(eq=False)
class _Built:
    """A candidate that takes part: ``seconds`` of a run."""

    tuning: Tuning
    contender: Contender
    seconds: float


@define(eq=False)
class Search:
    """One search.  ``budget``: seconds by the ``clock``, from the beginning of the search; what
    could not be finished in time is not begun.
    """

    subject: Subject
    values: Values
    budget: float
    clock: Callable[[], float]
    say: Callable[[str], None] = lambda _: None
    tried: list[Tried] = field(factory=list)
    noise: float = 0.0
    _until: float = 0.0
    _codes: dict[str, Tuning] = field(factory=dict)
    _default: _Built = field(init=False)
    _best: _Built = field(init=False)

    def run(self, default: Contender, code: str, earlier: Tuning = DEFAULT) -> Found:
        """The search, from the default on, which is built and right.  ``earlier``: what was found
        before; it has to prove itself first.

        Raises what a run of the default raises.
        """
        self._until = self.clock() + self.budget
        first = self._default = self._best = _Built(DEFAULT, default, default.run().seconds)
        self._codes[code] = DEFAULT
        complete = True
        try:
            self._require_time()
            self.say("the default against itself")
            itself = self._contest(first, first, FEW + MORE)
            self.noise = itself.noise
            first = self._default = self._best = evolve(first, seconds=itself.seconds)
            if earlier != DEFAULT:
                self._try(earlier)
            self._sweep()
        except Spent:
            complete = False
        winner, last = self._best, None
        if winner is not first:
            self.say(f"{winner.tuning} against the default")
            last = self._contest(winner, first, LAST)
            if not last.is_won(self.noise):
                why = "against the default, in the end"
                self.tried.append(Tried(winner.tuning, Verdict.NOT_FASTER, last.median, why))
                winner, last = first, None
        return Found(
            winner.tuning,
            1.0 if last is None else last.median,
            0 if last is None else len(last.ratios),
            self.noise,
            tuple(self.tried),
            complete,
            first.seconds,
        )

    def _sweep(self) -> None:
        """All values of all parameters, again until nothing is better.  A parameter that has never
        made a difference to the code is left out then.
        """
        names = list(self.values)
        improved = True
        while improved:
            improved = False
            for name in tuple(names):
                now = int(getattr(self._best.tuning, name))
                around = self._best.tuning
                found = [
                    self._try(evolve(around, **{name: value}))
                    for value in nearest_first(self.values[name], now)
                ]
                if all(v is Verdict.SAME for v in found):
                    names.remove(name)
                improved = improved or Verdict.FASTER in found

    # -- one candidate

    def _try(self, tuning: Tuning) -> Verdict:
        """One candidate, which is the best so far if it wins.  Raises Spent."""
        self._require_time()
        self.say(str(tuning))
        result = self._judged(tuning)
        if result is not None:
            self.tried.append(result)
        return Verdict.SAME if result is None else result.verdict

    def _judged(self, tuning: Tuning) -> Tried | None:
        """What becomes of a candidate; None for one that was there before."""
        try:
            made = self.subject.compile(tuning)
            if (known := self._codes.get(made.code)) is not None:
                return None if known == tuning else Tried(tuning, Verdict.SAME, why=str(known))
            self._codes[made.code] = tuning
            contender = made.build()
            if (why := self.subject.wrong(contender)) is not None:
                return Tried(tuning, Verdict.WRONG, why=why)
            seconds = contender.run().seconds
        except DeviceError as error:
            return Tried(tuning, Verdict.FAILED, why=_line(error))
        except FunmemError as error:
            return Tried(tuning, Verdict.WRONG, why=_line(error))
        return self._measured(_Built(tuning, contender, seconds))

    def _measured(self, candidate: _Built) -> Tried:
        """The candidate against the best so far: a few rounds, and more if there is hope."""
        c = self._contest(candidate, self._best, FEW)
        if c.median < HOPELESS:
            c = joined((c, self._contest(candidate, self._best, MORE)))
        if not c.is_won(self.noise):
            return Tried(candidate.tuning, Verdict.NOT_FASTER, c.median)
        self._best = candidate
        return Tried(candidate.tuning, Verdict.FASTER, c.median)

    def _contest(self, one: _Built, other: _Built, rounds: int) -> Contest:
        most = self._rounds(rounds, one, other)
        return contest(one.contender, other.contender, most)

    # -- the budget

    def _rounds(self, most: int, one: _Built, other: _Built) -> int:
        """As many rounds as an eighth of the budget has room for, if it is three."""
        a_round = seconds_of(1, one.seconds, other.seconds)
        return max(FEW, min(most, int(self.budget / 8 / a_round)))

    def _require_time(self) -> None:
        """Raises Spent unless a candidate as slow as the best one, and the last contest, fit."""
        best, first = self._best, self._default
        a_few = seconds_of(FEW, best.seconds, best.seconds)
        last = seconds_of(self._rounds(LAST, best, first), best.seconds, first.seconds)
        if self.clock() + a_few + last > self._until:
            raise Spent


def _line(error: FunmemError) -> str:
    return " ".join(error.diagnostic.message.split())[:120]
