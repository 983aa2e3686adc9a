"""Lloyd's k-means in numpy."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

SIZES = (1, 2, 10, 60, 200)
RTOL = 1e-9


def inputs(n: int, seed: int) -> tuple[np.int64, np.int32, F64]:
    """Return the number of centres, the number of rounds, and n clustered points in space."""
    rng = np.random.default_rng(seed)
    k = min(n, 5)
    heaps = rng.uniform(-10, 10, (k, 3))
    points = heaps[rng.integers(0, k, n)] + rng.normal(0, 1, (n, 3))
    return np.int64(k), np.int32(6), points


def nearest(centres: F64, points: F64) -> NDArray[np.int64]:
    """Return the number of the nearest centre of each point."""
    apart = points[:, None, :] - centres[None, :, :]
    return (apart * apart).sum(axis=2).argmin(axis=1)


def reference(k: np.int64, rounds: np.int32, points: F64) -> tuple[F64, NDArray[np.int64]]:
    """Return the centres after the rounds, and the nearest centre of each point."""
    centres = points[:k].copy()
    for _ in range(rounds):
        chosen = nearest(centres, points)
        for c in range(k):
            if (chosen == c).any():
                centres[c] = points[chosen == c].mean(axis=0)
    return centres, nearest(centres, points)
