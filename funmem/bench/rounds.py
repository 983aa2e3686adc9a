"""Run contenders in turns, so that the machine's load affects all of them alike.

A round runs every contender; every second round has the reverse order.  A quick contender runs
several times in a round, and the median counts.  A slow contender runs in the first rounds only.
"""

import statistics
from collections.abc import Callable, Sequence
from time import sleep

from attrs import field

from funmem.bench.contenders import Contender, Lost
from funmem.ir.record import define, frozen

LONG_ENOUGH, MOST = 0.03, 9
"""Seconds that a contender's runs in one round should take, and the maximum number of runs."""

SLOW, ROUNDS_OF_SLOW = 3.0, 2
"""A contender whose run takes more than SLOW seconds runs in ROUNDS_OF_SLOW rounds only."""

PAUSE = 0.004
"""Seconds between contenders, until the threads of the last one have stopped spinning."""


@frozen
class Times:
    """One contender's times in seconds: the first run, the median run of each round, and the median
    transfer, which the runs do not include.
    """

    name: str
    first: float
    rounds: tuple[float, ...]
    transfer: float = 0.0
    lost: str = ""
    """Why the contender stopped; its times do not count then.  Empty if it did not stop."""

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """The interquartile range, relative to the median."""
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
    """Run all contenders in turns, and return their times in the same order.

    A contender that raises Lost does not run again; other exceptions of a run are passed on.
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
    """A contender with its times: it runs ``share`` times in each of at most ``limit`` rounds."""

    contender: Contender
    first: float = 0.0
    share: int = 1
    limit: int = 0
    lost: str = ""
    rounds: list[float] = field(factory=list)
    transfers: list[float] = field(factory=list)

    @staticmethod
    def warmed(c: Contender, warm_up: int, rounds: int) -> "_Entrant":
        """Run the warm-up, from whose last run the number of runs in a round follows."""
        try:
            runs = [_spent(c)[0] for _ in range(1 + max(0, warm_up))]
        except Lost as lost:
            return _Entrant(c, lost=lost.why)
        share = min(MOST, max(1, round(LONG_ENOUGH / max(runs[-1], 1e-9))))
        return _Entrant(c, runs[0], share, ROUNDS_OF_SLOW if runs[-1] > SLOW else rounds)

    def round(self) -> None:
        """Run ``share`` times, and record the median times, or why the contender is lost."""
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
    """Run once, and drop the results at once, so that the next run can reuse their memory."""
    run = c.run()
    return run.seconds, run.transfer


def ratio(ours: Times, theirs: Times) -> float:
    """Return the median of the rounds' ratios.  Below 1, ``ours`` is faster."""
    return statistics.median(
        a / max(b, 1e-9) for a, b in zip(ours.rounds, theirs.rounds, strict=False)
    )
