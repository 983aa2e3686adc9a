"""Matrix multiplication in numpy."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (1, 2, 7, 16, 33)
RTOL = 1e-4


def inputs(n: int, seed: int) -> tuple[F32, F32]:
    """Return an n × (n + 1) and an (n + 1) × (n + 2) matrix."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-1, 1, (n, n + 1)).astype(np.float32)
    b = rng.uniform(-1, 1, (n + 1, n + 2)).astype(np.float32)
    return a, b


def reference(a: F32, b: F32) -> tuple[F32]:
    """Return the product, summed in double precision."""
    return ((a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32),)
