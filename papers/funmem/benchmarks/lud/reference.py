"""LU decomposition without pivoting in numpy, one column at a time, in double precision."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

ENTRIES = ("blocked",)
SIZES = (1, 2, 6, 12)
MEASURE = 1056  # not 1024: see the benchmarks' README on rows of 4096 bytes
RTOL = 1e-4
BLOCK = 32


def inputs(n: int, seed: int) -> tuple[np.int64, F32]:
    """Return a block size that divides n, and a diagonally dominant matrix (no pivots)."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-1, 1, (n, n)) + n * np.eye(n)
    block = next(b for b in range(min(BLOCK, max(1, n // 2)), 0, -1) if n % b == 0)
    return np.int64(block), a.astype(np.float32)


def reference(block: np.int64, a: F32) -> tuple[F32]:
    """Return L and U in one matrix, without the unit diagonal of L; ``block`` has no effect."""
    del block
    lu = a.astype(np.float64)
    for k in range(len(lu)):
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return (lu.astype(np.float32),)
