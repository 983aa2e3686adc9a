"""Tools for testing the compiler, and passes written for it: generated well-typed programs."""

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
"""Every kind of statement a generated program may have."""


def generate(seed: int, counts: "Counter[str] | None" = None) -> Generated:
    """The well-typed FUN program of a seed, with arguments for it; one in eleven may trap.

    The same seed and counts give the same program.  ``counts`` says how often each kind was
    generated so far; rare kinds become likelier, and the program's kinds are added to it.
    """
    kind = planned(seed)
    action = partial(plant, kind=kind) if kind else None
    return Generator(seed, PRODUCERS, Counter() if counts is None else counts, action).program()


def variant(seed: int, every: int) -> Generated | None:
    """The program of a seed with dead branches in it, for about one seed in ``every`` (0: none).

    None for the others, and where the program has no place for them.
    """
    chance = random.Random(f"variant {seed}").random()
    if not every or chance * every >= 1:
        return None
    return dead_branches(generate(seed), PRODUCERS)


__all__ = ["PRODUCERS", "Generated", "generate", "variant"]
