"""Two contenders in turns, and when one of them has won.

On a machine that others use too, times move by a factor within minutes; what is looked at are the
ratios of rounds in which both ran (:mod:`funmem.bench.rounds`).  How far these scatter is measured
first, with a contender against itself.
"""

import statistics
from collections.abc import Sequence

from funmem.bench.contenders import Contender
from funmem.bench.rounds import LONG_ENOUGH, compete
from funmem.ir.record import frozen

FEW, MORE = 3, 6
"""Rounds after which a bad candidate goes, and those that a good one runs besides."""

LAST = 15
"""Rounds in which the winner has to beat the default once more: of many that were tried, one wins
by chance.
"""

LEAST_GAIN = 0.02
"""Who gains less is not worth a difference from everybody else."""

HOPELESS = 1.15
"""Nobody who takes so much longer in the first rounds has won in the end."""


@frozen
class Contest:
    """One contender's times over the other's, round by round; seconds of a run of the first."""

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
        """Half the distance of the quartiles: how far a round is off."""
        low, high = self.quartiles()
        return (high - low) / 2

    def is_won(self, noise: float) -> bool:
        """Whether the first has won: by more than the noise, and in three rounds of four."""
        return self.median < 1 - max(LEAST_GAIN, noise) and self.quartiles()[1] < 1


def contest(one: Contender, other: Contender, rounds: int) -> Contest:
    """``one`` against ``other``.  Raises what a run raises."""
    a, b = compete((one, other), rounds, warm_up=0)
    pairs = zip(a.rounds, b.rounds, strict=False)
    return Contest(tuple(x / max(y, 1e-9) for x, y in pairs), a.median)


def joined(parts: Sequence[Contest]) -> Contest:
    """All rounds."""
    seconds = statistics.median(p.seconds for p in parts)
    return Contest(tuple(r for p in parts for r in p.ratios), seconds)


def seconds_of(rounds: int, one: float, other: float) -> float:
    """About how long a contest takes, from the seconds that a run of each takes."""
    return one + other + rounds * (max(one, LONG_ENOUGH) + max(other, LONG_ENOUGH))
