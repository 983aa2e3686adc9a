"""The Black-Scholes formula, in double precision, with the same polynomial."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

SIZES = (0, 1, 1000)
MEASURE = 1 << 22
RTOL = 1e-4


def inputs(n: int, seed: int) -> tuple[np.float32, np.float32, F32, F32, F32]:
    """Return rate and volatility; spots, strikes and years of n options."""
    rng = np.random.default_rng(seed)
    spots, strikes, years = (rng.random(n, np.float32) for _ in range(3))
    return np.float32(0.02), np.float32(0.3), 5 + 25 * spots, 1 + 99 * strikes, 0.25 + 9 * years


def cumulative(d: F64) -> F64:
    """Return the standard normal distribution."""
    k = 1 / (1 + 0.2316419 * np.abs(d))
    p = 0.0
    for c in (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153):
        p = k * (c + p)
    tail = 0.39894228 * np.exp(-0.5 * d * d) * p
    return np.where(d > 0, 1 - tail, tail)


def reference(
    rate: np.float32, volatility: np.float32, spots: F32, strikes: F32, years: F32
) -> tuple[F32, F32]:
    """Return the prices of calls and puts."""
    s, k, t = (x.astype(np.float64) for x in (spots, strikes, years))
    r, v = float(rate), float(volatility)
    width = v * np.sqrt(t)
    d1 = (np.log(s / k) + (r + 0.5 * v * v) * t) / width
    discounted = k * np.exp(-r * t)
    call = s * cumulative(d1) - discounted * cumulative(d1 - width)
    return call.astype(np.float32), (call - s + discounted).astype(np.float32)
