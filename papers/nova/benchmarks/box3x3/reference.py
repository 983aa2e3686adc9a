"""Means of three by three pixels, in double precision."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (0, 1, 50)
MEASURE = 4096
RTOL = 1e-6


def inputs(n: int, seed: int) -> tuple[F32]:
    """Return an image of n by n pixels."""
    return (np.random.default_rng(seed).random((n, n), np.float32),)


def reference(image: F32) -> tuple[F32]:
    """Return the means, from sums of three along each axis of the image padded by its edges."""
    if image.size == 0:
        return (image,)
    wide = np.pad(image.astype(np.float64), 1, mode="edge")
    wide = wide[:-2] + wide[1:-1] + wide[2:]
    wide = wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]
    return ((wide / 9).astype(np.float32),)
