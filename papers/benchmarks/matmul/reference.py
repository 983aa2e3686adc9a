"""The product of two matrices, in double precision."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 33)
MEASURE = 1024
RTOL = 1e-4


def inputs(n: int, seed: int) -> tuple[F32, F32]:
    """Return two n × n matrices."""
    rng = np.random.default_rng(seed)
    return rng.random((n, n), np.float32), rng.random((n, n), np.float32)


def reference(a: F32, b: F32) -> tuple[F32]:
    """Return the product."""
    return ((a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32),)
