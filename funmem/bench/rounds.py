"""Contenders in turns, so that all of them meet the same machine.

A round runs every contender, every second round backwards.  One who is quick runs several times in
a round, and the median counts; one who is slow takes part in the first rounds only.
"""

import statistics
from collections.abc import Callable, Sequence
from time import sleep

from attrs import field

from funmem.bench.contenders import Contender, Lost
from funmem.ir.record import define, frozen

LONG_ENOUGH, MOST = 0.03, 9
"""Seconds that a contender's share of a round should take, and the most runs for that."""

SLOW, ROUNDS_OF_SLOW = 3.0, 2
"""Who needs more seconds than that takes part in so many rounds only."""

PAUSE = 0.004
"""Between contenders: threads of one that still wait for work must not disturb the next."""


@frozen
class Times:
    """Of one contender: seconds in each round, those of transfer among them not, and the first."""

    name: str
    first: float
    rounds: tuple[float, ...]
    transfer: float = 0.0
    lost: str = ""
    """Why there are no more rounds: the times do not count."""

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """The distance of the quartiles, relative to the median."""
        if len(self.rounds) < 2 or not self.median:
            return 0.0
        low, _, high = statistics.quantiles(self.rounds, n=4, method="inclusive")
        return (high - low) / self.median


def compete(
    contenders: Sequence[Contender],
    rounds: int,
    warm_up: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> list[Times]:
    """Runs all contenders; their order is that of the answer.  One who is lost takes part no more.
    Raises what else a run raises.
    """
    entrants = []
    for c in contenders:
        say(f"{c.name}: warm-up")
        entrants.append(_Entrant.warmed(c, warm_up, rounds))
    for k in range(rounds):
        say(f"round {k + 1} of {rounds}")
        for e in entrants if k % 2 == 0 else reversed(entrants):
            if k < e.limit and not e.lost:
                sleep(PAUSE)
                e.round()
    return [e.times() for e in entrants]


@define(eq=False)
class _Entrant:
    """A contender in its rounds: ``share`` runs in each of at most ``limit``."""

    contender: Contender
    first: float = 0.0
    share: int = 1
    limit: int = 0
    lost: str = ""
    rounds: list[float] = field(factory=list)
    transfers: list[float] = field(factory=list)

    @staticmethod
    def warmed(c: Contender, warm_up: int, rounds: int) -> "_Entrant":
        """After its first runs, which say how often it runs in a round."""
        try:
            runs = [_spent(c)[0] for _ in range(1 + max(0, warm_up))]
        except Lost as lost:
            return _Entrant(c, lost=lost.why)
        share = min(MOST, max(1, round(LONG_ENOUGH / max(runs[-1], 1e-9))))
        return _Entrant(c, runs[0], share, ROUNDS_OF_SLOW if runs[-1] > SLOW else rounds)

    def round(self) -> None:
        """One round."""
        try:
            spent = [_spent(self.contender) for _ in range(self.share)]
        except Lost as lost:
            self.lost = lost.why
            return
        seconds, moved = zip(*spent, strict=True)
        self.rounds.append(statistics.median(seconds))
        self.transfers.append(statistics.median(moved))

    def times(self) -> Times:
        name, rounds = self.contender.name, tuple(self.rounds)
        moved = statistics.median(self.transfers) if rounds else 0.0
        return Times(name, self.first, rounds, moved, self.lost)


def _spent(c: Contender) -> tuple[float, float]:
    """One run, whose results go at once, so that the next one finds their memory."""
    run = c.run()
    return run.seconds, run.transfer


def ratio(ours: Times, theirs: Times) -> float:
    """The median of the rounds' ratios: below one, we are faster."""
    return statistics.median(
        a / max(b, 1e-9) for a, b in zip(ours.rounds, theirs.rounds, strict=False)
    )
