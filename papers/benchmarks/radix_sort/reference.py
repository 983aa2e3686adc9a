"""Sorting by numpy."""

import numpy as np
from numpy.typing import NDArray

U32 = NDArray[np.uint32]

SIZES = (0, 1, 500)
MEASURE = 1 << 22
RTOL = 0.0


def inputs(n: int, seed: int) -> tuple[U32]:
    """Return numbers of all 32 bits."""
    return (np.random.default_rng(seed).integers(0, 2**32, n, np.uint32),)


def reference(xs: U32) -> tuple[U32]:
    """Return the numbers in ascending order."""
    return (np.sort(xs),)
