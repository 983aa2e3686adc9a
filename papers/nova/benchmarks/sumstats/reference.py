"""Summary statistics, in two passes."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Statistics = tuple[np.int64, np.float32, np.float32, np.float64, np.float64, np.float64, np.float64]

SIZES = (2, 1000)
"""Sizes start at 2, because the skewness of one number is undefined."""
MEASURE = 1 << 23
RTOL = 1e-6


def inputs(n: int, seed: int) -> tuple[F32]:
    """Return numbers with an exponential distribution (skewness 2, kurtosis 9)."""
    return (np.random.default_rng(seed).standard_exponential(n, np.float32),)


def reference(xs: F32) -> Statistics:
    """Return count, least, greatest, mean, variance, skewness and kurtosis."""
    d = xs.astype(np.float64)
    mean = d.mean()
    d -= mean
    d2 = d * d
    variance, m3, m4 = d2.mean(), (d2 * d).mean(), (d2 * d2).mean()
    skewness, kurtosis = m3 / variance**1.5, m4 / variance**2
    return np.int64(len(xs)), xs.min(), xs.max(), mean, variance, skewness, kurtosis
