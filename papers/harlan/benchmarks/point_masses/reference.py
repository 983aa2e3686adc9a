"""Gravitation between all pairs of bodies, in double precision, some rows of pairs at a time."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 50)
MEASURE = 8192
RTOL = 1e-3
ROWS = 256


def inputs(n: int, seed: int) -> tuple[F32, F32, F32]:
    """Return places in the unit cube."""
    rng = np.random.default_rng(seed)
    return rng.random(n, np.float32), rng.random(n, np.float32), rng.random(n, np.float32)


def reference(xs: F32, ys: F32, zs: F32) -> tuple[F32, F32, F32]:
    """Return the accelerations."""
    at = np.stack([xs, ys, zs]).astype(np.float64)
    out = np.empty_like(at)
    for k in range(0, len(xs), ROWS):
        apart = at[:, None, :] - at[:, k : k + ROWS, None]
        d = np.sqrt((apart * apart).sum(axis=0))
        d[d == 0] = np.inf
        out[:, k : k + ROWS] = (apart / d**3).sum(axis=2)
    x, y, z = out.astype(np.float32)
    return x, y, z
