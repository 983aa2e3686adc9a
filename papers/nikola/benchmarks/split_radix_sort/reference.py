"""Sorted numbers."""

import numpy as np
from numpy.typing import NDArray

U32 = NDArray[np.uint32]

SIZES = (0, 1, 1000)
MEASURE = 1 << 20
RTOL = 0.0


def inputs(n: int, seed: int) -> tuple[U32]:
    """Return random numbers."""
    return (np.random.default_rng(seed).integers(0, 1 << 32, n, np.uint32),)


def reference(xs: U32) -> tuple[U32]:
    """Return the numbers in ascending order."""
    return (np.sort(xs),)
