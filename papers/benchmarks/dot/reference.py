"""An inner product, in double precision."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 1000)
MEASURE = 1 << 24
RTOL = 1e-3


def inputs(n: int, seed: int) -> tuple[F32, F32]:
    """Return two vectors of numbers of both signs."""
    rng = np.random.default_rng(seed)
    xs, ys = (rng.random(n, np.float32) - np.float32(0.5) for _ in range(2))
    return xs, ys


def reference(xs: F32, ys: F32) -> tuple[np.float32]:
    """Return the sum of products."""
    return (np.float32(np.dot(xs.astype(np.float64), ys.astype(np.float64))),)
