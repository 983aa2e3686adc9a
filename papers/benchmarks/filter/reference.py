"""The positive numbers of an array."""

import numpy as np
from numpy.typing import NDArray

I32 = NDArray[np.int32]

SIZES = (0, 1, 1000)
MEASURE = 1 << 24
RTOL = 0.0


def inputs(n: int, seed: int) -> tuple[I32]:
    """Return numbers of which half are positive."""
    return (np.random.default_rng(seed).integers(-1000, 1000, n, np.int32),)


def reference(xs: I32) -> tuple[I32]:
    """Return the positive numbers."""
    return (xs[xs > 0],)
