"""A sparse matrix times a vector, computed with a dense matrix."""

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

SIZES = (0, 1, 5, 32, 100)
RTOL = 1e-9


def inputs(n: int, seed: int) -> tuple[I64, I64, F64, F64]:
    """Return an n × (n + 1) matrix with rows of varying length, some empty, and a vector."""
    rng = np.random.default_rng(seed)
    lengths = np.minimum(rng.geometric(0.3, n) - 1, n + 1)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    rows = [np.sort(rng.choice(n + 1, length, replace=False)) for length in lengths]
    columns = np.concatenate([np.empty(0, np.int64), *rows]).astype(np.int64)
    return starts, columns, rng.uniform(-1, 1, len(columns)), rng.uniform(-1, 1, n + 1)


def reference(starts: I64, columns: I64, values: F64, x: F64) -> tuple[F64]:
    """Return the product."""
    n = len(starts) - 1
    dense = np.zeros((n, len(x)))
    rows = np.repeat(np.arange(n), np.diff(starts))
    np.add.at(dense, (rows, columns), values)
    return (dense @ x,)
