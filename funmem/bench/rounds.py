"""Contenders in turns, so that all of them meet the same machine.

A round runs every contender, every second round backwards.  One who is quick runs several times in
a round, and the median counts; one who is slow takes part in the first rounds only.
"""

import statistics
from collections.abc import Callable, Sequence
from time import sleep

from funmem.bench.contenders import Contender
from funmem.ir.frozen import frozen

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
    """Runs all contenders; their order is that of the answer.  Raises what a run raises."""
    first, share, limit = [], [], []
    for c in contenders:
        say(f"{c.name}: warm-up")
        runs = [_spent(c)[0] for _ in range(1 + max(0, warm_up))]
        first.append(runs[0])
        share.append(min(MOST, max(1, round(LONG_ENOUGH / max(runs[-1], 1e-9)))))
        limit.append(ROUNDS_OF_SLOW if runs[-1] > SLOW else rounds)
    times: list[list[float]] = [[] for _ in contenders]
    transfers: list[list[float]] = [[] for _ in contenders]
    for k in range(rounds):
        say(f"round {k + 1} of {rounds}")
        order = range(len(contenders)) if k % 2 == 0 else reversed(range(len(contenders)))
        for i in order:
            if k >= limit[i]:
                continue
            sleep(PAUSE)
            spent = [_spent(contenders[i]) for _ in range(share[i])]
            seconds, moved = zip(*spent, strict=True)
            times[i].append(statistics.median(seconds))
            transfers[i].append(statistics.median(moved))
    return [
        Times(c.name, f, tuple(t), statistics.median(m))
        for c, f, t, m in zip(contenders, first, times, transfers, strict=True)
    ]


def _spent(c: Contender) -> tuple[float, float]:
    """One run, whose results go at once, so that the next one finds their memory."""
    run = c.run()
    return run.seconds, run.transfer


def ratio(ours: Times, theirs: Times) -> float:
    """The median of the rounds' ratios: below one, we are faster."""
    return statistics.median(
        a / max(b, 1e-9) for a, b in zip(ours.rounds, theirs.rounds, strict=False)
    )
