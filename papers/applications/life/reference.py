"""The game of life in numpy."""

import numpy as np
from numpy.typing import NDArray

Board = NDArray[np.bool_]

SIZES = (1, 2, 3, 10, 25)
RTOL = 0.0


def inputs(n: int, seed: int) -> tuple[np.int32, Board]:
    """Return generations, and a board of n × (n + 1) cells."""
    rng = np.random.default_rng(seed)
    return np.int32(n), rng.random((n, n + 1)) < 0.4


def reference(generations: np.int32, cells: Board) -> tuple[Board]:
    """Return the board after the generations."""
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    for _ in range(generations):
        around = sum(np.roll(cells, s, (0, 1)).astype(np.int8) for s in shifts)
        cells = (around == 3) | (cells & (around == 2))
    return (cells,)
