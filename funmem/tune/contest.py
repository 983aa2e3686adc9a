"""Measure two contenders in turns, and test whether one of them has won.

On a machine that also does other work, times change by a factor within minutes.  Therefore only
ratios within a round, in which both contenders run, are used (:mod:`funmem.bench.rounds`).  Their
noise is measured first, with a contender against itself.
"""

import statistics
from collections.abc import Sequence

from funmem.bench.contenders import Contender
from funmem.bench.rounds import LONG_ENOUGH, compete
from funmem.ir.record import frozen

FEW, MORE = 3, 6
"""Rounds of every candidate, and additional rounds of a good one."""

LAST = 15
"""Rounds of the final contest between the winner and the default.  The final contest is needed
because among many candidates one wins by chance.
"""

LEAST_GAIN = 0.02
"""Smaller gains are ignored, so that most machines share the defaults."""

HOPELESS = 1.15
"""A candidate whose ratio is larger after the first rounds loses at once.  No such candidate has
won in experiments.
"""


@frozen
class Contest:
    """The ratio of the first contender's time to the second's, for each round; the seconds of a run
    of the first.
    """

    ratios: tuple[float, ...]
    seconds: float

    @property
    def median(self) -> float:
        return statistics.median(self.ratios)

    def quartiles(self) -> tuple[float, float]:
        if len(self.ratios) < 2:
            return self.median, self.median
        low, _, high = statistics.quantiles(self.ratios, n=4, method="inclusive")
        return low, high

    @property
    def noise(self) -> float:
        """Half the interquartile range of the ratios."""
        low, high = self.quartiles()
        return (high - low) / 2

    def is_won(self, noise: float) -> bool:
        """True if the first won: by more than the noise, and in three of four rounds."""
        return self.median < 1 - max(LEAST_GAIN, noise) and self.quartiles()[1] < 1


def contest(one: Contender, other: Contender, rounds: int) -> Contest:
    """Run ``one`` against ``other``.  Raises what a run raises."""
    a, b = compete((one, other), rounds, warm_up=0)
    pairs = zip(a.rounds, b.rounds, strict=False)
    return Contest(tuple(x / max(y, 1e-9) for x, y in pairs), a.median)


def joined(parts: Sequence[Contest]) -> Contest:
    """Return one contest with the rounds of all parts."""
    seconds = statistics.median(p.seconds for p in parts)
    return Contest(tuple(r for p in parts for r in p.ratios), seconds)


def seconds_of(rounds: int, one: float, other: float) -> float:
    """Return an estimate of a contest's seconds, from the seconds of one run of each."""
    return one + other + rounds * (max(one, LONG_ENOUGH) + max(other, LONG_ENOUGH))
