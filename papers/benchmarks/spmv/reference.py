"""A sparse matrix times a vector: the sum of the products of each row."""

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
F32 = NDArray[np.float32]

SIZES = (0, 1, 200)
MEASURE = 100_000
RTOL = 1e-5
LONGEST = 32


def inputs(n: int, seed: int) -> tuple[I64, I32, F32, F32]:
    """Return an n × n matrix whose rows have 0 to 32 elements, 16 on average, and a vector."""
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, LONGEST + 1, n))]).astype(np.int64)
    z = int(starts[-1])
    columns = rng.integers(0, max(n, 1), z, np.int32)
    return starts, columns, rng.random(z, np.float32), rng.random(n, np.float32)


def reference(starts: I64, columns: I32, values: F32, x: F32) -> tuple[F32]:
    """Return the product, in double precision."""
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    products = values.astype(np.float64) * x[columns]
    return (np.bincount(rows, products, len(starts) - 1).astype(np.float32),)
