"""Gravitation between all pairs of bodies, in double precision, some rows of pairs at a time."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 50)
MEASURE = 8192
RTOL = 1e-3
ROWS = 256


def inputs(n: int, seed: int) -> tuple[np.float32, F32, F32, F32, F32]:
    """Return the softening; places and masses."""
    rng = np.random.default_rng(seed)
    xs, ys, zs, ms = (rng.random(n, np.float32) for _ in range(4))
    return np.float32(0.01), xs, ys, zs, ms


def reference(softening: np.float32, xs: F32, ys: F32, zs: F32, ms: F32) -> tuple[F32, F32, F32]:
    """Return the accelerations."""
    at = np.stack([xs, ys, zs]).astype(np.float64)
    out = np.empty_like(at)
    for k in range(0, len(xs), ROWS):
        apart = at[:, None, :] - at[:, k : k + ROWS, None]
        r2 = (apart * apart).sum(axis=0) + softening
        out[:, k : k + ROWS] = (ms / (r2 * np.sqrt(r2)) * apart).sum(axis=2)
    x, y, z = out.astype(np.float32)
    return x, y, z
