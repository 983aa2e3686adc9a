"""Tools for testing the compiler and passes written for it: generated well-typed programs."""

import random
from collections import Counter
from functools import partial

from funmem.testing.generator.control import NESTED
from funmem.testing.generator.dead_branches import dead_branches
from funmem.testing.generator.patterns import PATTERNS
from funmem.testing.generator.producers import SIMPLE
from funmem.testing.generator.program import Generated, Generator
from funmem.testing.generator.trapping import planned, plant

PRODUCERS = {**SIMPLE, **NESTED, **PATTERNS}
"""All kinds of statement in generated programs."""


def generate(seed: int, counts: "Counter[str] | None" = None) -> Generated:
    """Return the well-typed FUN program of a seed, with arguments; one in eleven may trap.

    The same seed and counts give the same program.  ``counts`` holds the number of statements of
    each kind so far: rare kinds become likelier.  The program's kinds are added to it.
    """
    kind = planned(seed)
    action = partial(plant, kind=kind) if kind else None
    return Generator(seed, PRODUCERS, Counter() if counts is None else counts, action).program()


def variant(seed: int, every: int) -> Generated | None:
    """Return the program of a seed with dead branches, for about one seed in ``every`` (0: for
    none).

    None for the other seeds, and if the program has no place for a dead branch.
    """
    chance = random.Random(f"variant {seed}").random()
    if not every or chance * every >= 1:
        return None
    return dead_branches(generate(seed), PRODUCERS)


__all__ = ["PRODUCERS", "Generated", "generate", "variant"]
