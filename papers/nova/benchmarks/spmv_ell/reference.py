"""A sparse matrix in ELL form times a vector, by its elements."""

import numpy as np
from numpy.typing import NDArray

I32 = NDArray[np.int32]
F32 = NDArray[np.float32]

SIZES = (0, 1, 200)
MEASURE = 100_000
RTOL = 1e-5
LONGEST = 32


def inputs(n: int, seed: int) -> tuple[I32, F32, F32]:
    """Return an n × n matrix whose rows have 16 to 32 elements, 24 on average, and a vector."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, max(n, 1), (LONGEST, n), np.int32)
    values = rng.random((LONGEST, n), np.float32)
    missing = np.arange(LONGEST)[:, None] >= rng.integers(LONGEST // 2, LONGEST + 1, n)
    columns[missing], values[missing] = -1, 0
    return columns, values, rng.random(n, np.float32)


def reference(columns: I32, values: F32, x: F32) -> tuple[F32]:
    """Return the product, in double precision."""
    e, rows = np.nonzero(columns >= 0)
    products = values[e, rows].astype(np.float64) * x[columns[e, rows]]
    return (np.bincount(rows, products, columns.shape[1]).astype(np.float32),)
