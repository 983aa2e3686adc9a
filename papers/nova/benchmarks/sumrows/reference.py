"""The sums of rows of different lengths, in double precision."""

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
F32 = NDArray[np.float32]

SIZES = (0, 1, 200)
MEASURE = 1 << 18
RTOL = 1e-4


def inputs(n: int, seed: int) -> tuple[I64, F32]:
    """Return n rows: half of them have at most 16 elements, a few have some thousands."""
    rng = np.random.default_rng(seed)
    lengths = np.minimum(np.floor(8 * rng.pareto(1.5, n)), 1 << 13).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return starts, rng.random(int(starts[-1]), np.float32)


def reference(starts: I64, xs: F32) -> tuple[F32]:
    """Return the sums of the rows, as differences of running sums."""
    upto = np.concatenate([[0.0], np.cumsum(xs, dtype=np.float64)])
    return ((upto[starts[1:]] - upto[starts[:-1]]).astype(np.float32),)
