"""The nearest places, found by sorting."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 5, 40)
MEASURE = 1 << 20
RTOL = 1e-6
MOST = 100


def inputs(n: int, seed: int) -> tuple[np.int64, F32, F32, np.float32, np.float32]:
    """Return the number of places to find, n places on a grid, some equally far, and a point."""
    rng = np.random.default_rng(seed)
    side = max(2, int(4 * np.sqrt(n)))
    latitudes, longitudes = rng.integers(0, side, (2, n)).astype(np.float32)
    x, y = (np.float32(v) for v in rng.integers(0, side, 2))
    return np.int64(min(MOST, (n + 1) // 2)), latitudes, longitudes, x, y


def reference(
    k: np.int64, latitudes: F32, longitudes: F32, latitude: np.float32, longitude: np.float32
) -> tuple[NDArray[np.int64], F32]:
    """Return the numbers and distances of the k nearest places."""
    distances = np.sqrt((latitudes - latitude) ** 2 + (longitudes - longitude) ** 2)
    order = np.argsort(distances, kind="stable")[:k]
    return order, distances[order]
