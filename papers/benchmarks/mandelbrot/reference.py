"""Escape times, in single precision and in the order of the operations of the program."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]

SIZES = (0, 1, 40)
MEASURE = 2048
RTOL = 0.0
DIFFER = 0.01
"""Fraction of escape times that may differ, because a processor may fuse a product and a sum."""
LIMIT = 100


def inputs(n: int, seed: int) -> tuple[np.int64, np.int32]:
    """Return the side of the picture and the limit of the steps."""
    del seed
    return np.int64(n), np.int32(LIMIT)


def reference(n: np.int64, limit: np.int32) -> tuple[I32]:
    """Return the escape times; points that have escaped are not iterated further."""
    f = np.float32
    step = (np.arange(n).astype(f) + f(0.5)) * f(2.5) / f(n)
    c_r = np.tile(f(-2) + step, int(n))
    c_i = np.repeat(f(-1.25) + step, int(n))
    steps = np.zeros(int(n * n), np.int32)
    going = np.arange(int(n * n))
    r, i = np.zeros_like(c_r), np.zeros_like(c_i)
    for _ in range(limit):
        near = r * r + i * i <= 4
        going, r, i, c_r, c_i = (x[near] for x in (going, r, i, c_r, c_i))
        steps[going] += 1
        r, i = r * r - i * i + c_r, 2 * r * i + c_i
    return (steps.reshape(int(n), int(n)),)
