"""A vector times a number, plus a vector."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 1000)
MEASURE = 1 << 24
RTOL = 1e-6


def inputs(n: int, seed: int) -> tuple[np.float32, F32, F32]:
    """Return a number and two vectors."""
    rng = np.random.default_rng(seed)
    return np.float32(1.5), rng.random(n, np.float32), rng.random(n, np.float32)


def reference(a: np.float32, xs: F32, ys: F32) -> tuple[F32]:
    """Return a x + y."""
    return (a * xs + ys,)
