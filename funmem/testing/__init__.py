"""Tools for testing the compiler and passes written for it: generated well-typed programs."""

import random
from collections import Counter
from collections.abc import Mapping
from functools import partial

from funmem.testing.generator.control import NESTED
from funmem.testing.generator.dead_branches import dead_branches
from funmem.testing.generator.foreign import with_foreign
from funmem.testing.generator.functions import outlined
from funmem.testing.generator.patterns import PATTERNS
from funmem.testing.generator.producers import SIMPLE
from funmem.testing.generator.program import Generated, Generator, Producer
from funmem.testing.generator.rows import ROWS
from funmem.testing.generator.shapes import SHAPES
from funmem.testing.generator.trapping import planned, plant

PRODUCERS = {**SIMPLE, **NESTED, **PATTERNS}
"""The kinds of statement in all generated programs."""

WITH_ROWS = 8
"""About one program in so many has kernels over rows as well."""

WITH_SHAPES = 8
"""About one program in so many has products of matrices and filters as well."""

WITH_FUNCTIONS = 8
"""About one program in so many has functions."""

WITH_FOREIGN = 8
"""About one program in so many calls foreign code."""


def producers(seed: int) -> Mapping[str, Producer]:
    """Return the kinds of statement in the program of a seed."""
    with_rows = random.Random(f"over rows {seed}").random() * WITH_ROWS < 1
    more = {**(ROWS if with_rows else {}), **(SHAPES if with_shapes(seed) else {})}
    return {**PRODUCERS, **more} if more else PRODUCERS


def with_shapes(seed: int) -> bool:
    """True if the program of a seed may have products and filters.

    Those stay on the host mostly, where the default pipeline looks for them.
    """
    return random.Random(f"shapes {seed}").random() * WITH_SHAPES < 1


def generate(
    seed: int,
    counts: "Counter[str] | None" = None,
    *,
    rows: bool = False,
    functions: bool = False,
) -> Generated:
    """Return the well-typed FUN program of a seed, with arguments; one in eleven may trap.

    The same seed and counts give the same program.  ``counts`` holds the number of statements of
    each kind so far: rare kinds become likelier.  The program's kinds are added to it.  With
    ``rows`` some programs have kernels over rows, which ``allocate`` does not take, and some have
    products of matrices and filters; with ``functions`` some have functions.
    """
    kind = planned(seed)
    action = partial(plant, kind=kind) if kind else None
    counts = Counter() if counts is None else counts
    kinds = producers(seed) if rows else PRODUCERS
    made = Generator(seed, kinds, counts, action).program()
    if functions and random.Random(f"with functions {seed}").random() * WITH_FUNCTIONS < 1:
        made = outlined(made)
    if functions and random.Random(f"with foreign {seed}").random() * WITH_FOREIGN < 1:
        made = with_foreign(made)
    return made


def variant(
    seed: int, every: int, *, rows: bool = False, functions: bool = False
) -> Generated | None:
    """Return the program of a seed with dead branches, for about one seed in ``every`` (0: for
    none).

    None for the other seeds, and if the program has no place for a dead branch.
    """
    chance = random.Random(f"variant {seed}").random()
    if not every or chance * every >= 1:
        return None
    original = generate(seed, rows=rows, functions=functions)
    return dead_branches(original, producers(seed) if rows else PRODUCERS)


__all__ = ["PRODUCERS", "Generated", "generate", "producers", "variant", "with_shapes"]
