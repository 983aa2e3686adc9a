"""Bugs of scatters that are lowered with the loops that make their indices."""

import numpy as np

from funmem.ir.values import ArgValue
from tests.seeded.bug import Caught, SeededBug

FIRST = np.array([1, 0])
ROWS = np.array([[1, 2, 3], [4, 5, 6]])


def bug(name: str, what: str, old: str, new: str, caught: Caught, *more: ArgValue) -> SeededBug:
    """A bug that the program of the same name notices."""
    return SeededBug(
        f"lower-scattered-{name}",
        what,
        "funmem.passes.lower.early_scatter",
        old,
        new,
        "lower",
        "allocate,hoist,short-circuit,lower",
        f"scattered_{name}.fun",
        (3, FIRST, ROWS, *more),
        caught,
    )


BUGS: tuple[SeededBug, ...] = (
    bug(
        "sliced",
        "elements are scattered that only the loops have indices for",
        "if e.sliced and not ctx.in_range(k, n):",
        "if False:",
        Caught.OUTSIDE,
        np.array([7, 8, 9]),
    ),
    bug(
        "read",
        "loops read the array into which they scatter",
        "    _other_blocks(ctx, e, between)\n    new",
        "    new",
        Caught.RACE,
    ),
    bug(
        "used",
        "indices are not stored that something else reads",
        "    _unused(made, s, stms, body)\n",
        "",
        Caught.HEAP,
    ),
    SeededBug(
        "lower-unused",
        "a block that statements read and write counts as unused",
        "funmem.passes.lower.unused",
        "        uses |= own_uses(s)\n",
        "",
        "lower",
        "allocate,hoist,short-circuit,lower",
        "scattered_read.fun",
        (3, FIRST, ROWS),
        Caught.TYPES,
        "T-NAME",
    ),
)
