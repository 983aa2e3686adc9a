"""The search: coordinate descent over the parameters, within a budget.

The parameters hardly depend on each other: each belongs to one pass, and for most programs only two
or three of them matter.  Therefore the search tries the values of one parameter with the best
values of all others, and repeats this as long as it finds an improvement.  It misses combinations
that are good although none of their single changes is.

Each candidate is compiled.  If its code equals that of an earlier candidate, it is dropped: a
parameter that does not matter costs no measurements.  Otherwise it is built, its results are
compared with the default's, and it runs in turns with the best candidate so far.  Finally the
winner must beat the default once more.
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
    """The outcome of a candidate."""

    FASTER = "faster"
    NOT_FASTER = "not faster"
    SAME = "the same code"
    WRONG = "wrong"
    FAILED = "failed"


@frozen
class Tried:
    """A candidate and its outcome.  ``ratio``: its time over that of the best so far; ``why``: the
    reason of the outcome, in words.
    """

    tuning: Tuning
    verdict: Verdict
    ratio: float | None = None
    why: str = ""


class Candidate(Protocol):
    """A compiled candidate."""

    @property
    def code(self) -> str:
        """The code; candidates with equal code are equal."""

    @property
    def build(self) -> Callable[[], Contender]:
        """Build the candidate.  Raises DeviceError."""


class Subject(Protocol):
    """The program to tune."""

    def compile(self, tuning: Tuning) -> Candidate:
        """Compile a candidate.  Raises FunmemError."""

    def wrong(self, built: Contender) -> str | None:
        """Run a candidate once, and return what is wrong with its results, or None.

        Raises FunmemError.
        """


@frozen
class Found:
    """The result of a search.

    ``ratio``: the tuned program's time over the default's, from the ``rounds`` of the final
    contest.  ``noise``: the noise of the default against itself.  ``complete``: True if the search
    ended before its budget was spent.
    """

    tuning: Tuning
    ratio: float
    rounds: int
    noise: float
    tried: tuple[Tried, ...]
    complete: bool
    default_seconds: float


class BudgetSpent(Exception):
    """Raised if the budget is spent."""


@frozen(eq=False)
class _Built:
    """A built candidate; ``seconds`` of one run."""

    tuning: Tuning
    contender: Contender
    seconds: float


@define(eq=False)
class Search:
    """One search.

    ``budget``: seconds, measured by ``clock`` from the beginning of the search.  A candidate that
    could not be finished in time is not begun.  ``plain``: the default.
    """

    subject: Subject
    values: Values
    budget: float
    clock: Callable[[], float]
    say: Callable[[str], None] = lambda _: None
    plain: Tuning = DEFAULT
    tried: list[Tried] = field(factory=list)
    noise: float = 0.0
    _until: float = 0.0
    _codes: dict[str, Tuning] = field(factory=dict)
    _default: _Built = field(init=False)
    _best: _Built = field(init=False)

    def run(self, default: Contender, code: str, earlier: Tuning | None = None) -> Found:
        """Search from the default, which is built and correct.  ``earlier``: the result of an
        earlier search, which is the first candidate.

        Raises what a run of the default raises.
        """
        self._until = self.clock() + self.budget
        first = self._default = self._best = _Built(self.plain, default, default.run().seconds)
        self._codes[code] = self.plain
        complete = True
        try:
            self._require_time()
            self.say("the default against itself")
            itself = self._contest(first, first, FEW + MORE)
            self.noise = itself.noise
            first = self._default = self._best = evolve(first, seconds=itself.seconds)
            if earlier is not None and earlier != self.plain:
                self._try(earlier)
            self._sweep()
        except BudgetSpent:
            complete = False
        winner, last = self._best, None
        if winner is not first:
            self.say(f"{winner.tuning} against the default")
            last = self._contest(winner, first, LAST)
            if not last.is_won(self.noise):
                why = "in the final contest against the default"
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
        """Try all values of all parameters, and repeat until there is no improvement.  A repetition
        omits the parameters that do not change the code.
        """
        names = list(self.values)
        improved = True
        while improved:
            improved = False
            for name in tuple(names):
                now = int(getattr(self._best.tuning, name))
                around = self._best.tuning
                found = [
                    self._try(around.changed({name: value}))
                    for value in nearest_first(self.values[name], now)
                ]
                if all(v is Verdict.SAME for v in found):
                    names.remove(name)
                improved = improved or Verdict.FASTER in found

    # -- one candidate

    def _try(self, tuning: Tuning) -> Verdict:
        """Try one candidate, which becomes the best if it wins.  Raises BudgetSpent."""
        self._require_time()
        self.say(str(tuning))
        result = self._judged(tuning)
        if result is not None:
            self.tried.append(result)
        return Verdict.SAME if result is None else result.verdict

    def _judged(self, tuning: Tuning) -> Tried | None:
        """Return a candidate with its outcome; None if the same tuning was tried before."""
        try:
            candidate = self.subject.compile(tuning)
            if (known := self._codes.get(candidate.code)) is not None:
                return None if known == tuning else Tried(tuning, Verdict.SAME, why=str(known))
            self._codes[candidate.code] = tuning
            contender = candidate.build()
            if (why := self.subject.wrong(contender)) is not None:
                return Tried(tuning, Verdict.WRONG, why=why)
            seconds = contender.run().seconds
        except DeviceError as error:
            return Tried(tuning, Verdict.FAILED, why=_line(error))
        except FunmemError as error:
            return Tried(tuning, Verdict.WRONG, why=_line(error))
        return self._measured(_Built(tuning, contender, seconds))

    def _measured(self, candidate: _Built) -> Tried:
        """Run the candidate against the best so far: FEW rounds, and MORE unless it is hopeless."""
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
        """Return the number of rounds that fit in an eighth of the budget: FEW to ``most``."""
        a_round = seconds_of(1, one.seconds, other.seconds)
        return max(FEW, min(most, int(self.budget / 8 / a_round)))

    def _require_time(self) -> None:
        """Raise BudgetSpent unless there is time for a candidate as slow as the best one, and for
        the final contest.
        """
        best, first = self._best, self._default
        a_few = seconds_of(FEW, best.seconds, best.seconds)
        last = seconds_of(self._rounds(LAST, best, first), best.seconds, first.seconds)
        if self.clock() + a_few + last > self._until:
            raise BudgetSpent


def _line(error: FunmemError) -> str:
    return " ".join(error.diagnostic.message.split())[:120]
