"""The length of a vector, in double precision."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 1000)
MEASURE = 1 << 22
RTOL = 1e-2
"""A sequential sum of millions of squares in single precision has an error of some thousandths."""


def inputs(n: int, seed: int) -> tuple[F32]:
    """Return a vector of numbers of both signs."""
    rng = np.random.default_rng(seed)
    return (rng.random(n, np.float32) - np.float32(0.5),)


def reference(xs: F32) -> tuple[np.float32]:
    """Return the square root of the sum of squares."""
    return (np.float32(np.linalg.norm(xs.astype(np.float64))),)
