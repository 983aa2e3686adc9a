"""The least and greatest number of a padded grid."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 50)
MEASURE = 4096
RTOL = 0.0
LINE = 32


def inputs(n: int, seed: int) -> tuple[np.int64, F32]:
    """Return a grid of n rows and n - n/16 columns, padded to a multiple of 32 columns with numbers
    of larger magnitude and both signs.  A cache line of a GPU has 32 elements.
    """
    rng = np.random.default_rng(seed)
    width = n - n // 16
    grid = rng.random((n, -(-width // LINE) * LINE + LINE), np.float32) - np.float32(0.5)
    grid[:, width:] *= 9
    return np.int64(width), grid


def reference(width: np.int64, grid: F32) -> tuple[np.float32, np.float32]:
    """Return the least and the greatest number of the columns without padding."""
    used = grid[:, :width]
    least, greatest = np.min(used, initial=np.inf), np.max(used, initial=-np.inf)
    return np.float32(least), np.float32(greatest)
