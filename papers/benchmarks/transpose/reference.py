"""The transpose of a matrix."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 33)
MEASURE = 4096
RTOL = 0.0


def inputs(n: int, seed: int) -> tuple[F32]:
    """Return an n × n matrix."""
    return (np.random.default_rng(seed).random((n, n), np.float32),)


def reference(a: F32) -> tuple[F32]:
    """Return the transpose."""
    return (np.ascontiguousarray(a.T),)
