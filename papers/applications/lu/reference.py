"""LU decomposition without pivoting in numpy, one column at a time."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

SIZES = (1, 2, 5, 16, 23)
RTOL = 1e-9


def inputs(n: int, seed: int) -> tuple[np.int64, F64]:
    """Return a block size and a diagonally dominant matrix, which needs no pivoting."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-1, 1, (n, n)) + n * np.eye(n)
    return np.int64(rng.integers(1, 9)), a


def reference(block: np.int64, a: F64) -> tuple[F64]:
    """Return L and U in one matrix, without the unit diagonal of L; ``block`` has no effect."""
    del block
    lu = a.copy()
    for k in range(len(lu)):
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return (lu,)
