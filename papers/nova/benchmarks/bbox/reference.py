"""The bounding box, by minima and maxima."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 1000)
MEASURE = 1 << 24
RTOL = 0.0


def inputs(n: int, seed: int) -> tuple[F32, F32]:
    """Return points in the unit square."""
    rng = np.random.default_rng(seed)
    return rng.random(n, np.float32), rng.random(n, np.float32)


def reference(xs: F32, ys: F32) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    """Return the least x, least y, greatest x and greatest y."""
    least = [np.float32(np.min(a, initial=np.inf)) for a in (xs, ys)]
    greatest = [np.float32(np.max(a, initial=-np.inf)) for a in (xs, ys)]
    return least[0], least[1], greatest[0], greatest[1]
