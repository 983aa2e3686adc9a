"""Tridiagonal systems, solved by numpy as dense systems with pivoting."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

SIZES = (1, 2, 3, 10, 33)
RTOL = 1e-8


def inputs(n: int, seed: int) -> tuple[F64, F64, F64, F64]:
    """Return four systems of n equations: lower, middle and upper diagonals, right sides."""
    rng = np.random.default_rng(seed)
    lower, upper, right = (rng.uniform(-1, 1, (4, n)) for _ in range(3))
    return lower, rng.uniform(2.5, 4, (4, n)) * rng.choice((-1, 1), (4, n)), upper, right


def reference(lower: F64, middle: F64, upper: F64, right: F64) -> tuple[F64]:
    """Return the solutions."""
    out = np.empty_like(right)
    for i in range(len(right)):
        dense = np.diag(middle[i]) + np.diag(lower[i, 1:], -1) + np.diag(upper[i, :-1], 1)
        out[i] = np.linalg.solve(dense, right[i])
    return (out,)
