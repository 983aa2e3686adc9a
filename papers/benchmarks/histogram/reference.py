"""Counts of numbers."""

import numpy as np
from numpy.typing import NDArray

I32 = NDArray[np.int32]

SIZES = (0, 1, 3000)
MEASURE = 1 << 24
RTOL = 0.0
BUCKETS = 1024


def inputs(n: int, seed: int) -> tuple[np.int64, I32]:
    """Return the number of buckets, and numbers below it."""
    return np.int64(BUCKETS), np.random.default_rng(seed).integers(0, BUCKETS, n, np.int32)


def reference(k: np.int64, numbers: I32) -> tuple[I32]:
    """Return the counts."""
    return (np.bincount(numbers, minlength=int(k)).astype(np.int32),)
