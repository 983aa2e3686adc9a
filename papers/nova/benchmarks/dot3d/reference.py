"""Inner products of vectors of three elements, in double precision."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 1000)
MEASURE = 1 << 23
RTOL = 1e-6


def inputs(n: int, seed: int) -> tuple[F32, ...]:
    """Return the three components of the first vectors, and those of the second vectors."""
    rng = np.random.default_rng(seed)
    return tuple(rng.random(n, np.float32) - np.float32(0.5) for _ in range(6))


def reference(*parts: F32) -> tuple[F32]:
    """Return the sums of three products."""
    a, b = np.stack(parts[:3]).astype(np.float64), np.stack(parts[3:])
    return ((a * b).sum(axis=0).astype(np.float32),)
