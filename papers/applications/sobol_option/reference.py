"""Option prices by quasi Monte Carlo in numpy; each Sobol point is computed from the last one."""

import numpy as np
from numpy.typing import NDArray

SIZES = (1, 2, 31, 256, 1000)
RTOL = 1e-9
BITS = 32

TABLE = (
    (0, 0, ()),
    (1, 0, (1,)),
    (2, 1, (1, 3)),
    (3, 1, (1, 3, 7)),
    (3, 2, (1, 1, 5)),
    (4, 1, (1, 3, 1, 13)),
    (4, 4, (1, 1, 5, 11)),
    (5, 2, (1, 3, 5, 5, 17)),
)
"""Degree and inner coefficients of a primitive polynomial, and the first direction numbers."""


def inputs(
    n: int, seed: int
) -> tuple[np.int64, np.float64, np.float64, np.float64, np.float64, np.float64]:
    """Return paths, spot, strike, rate, volatility, years."""
    rng = np.random.default_rng(seed)
    low, high = (80, 80, 0, 0.1, 0.5), (120, 120, 0.1, 0.5, 2)
    spot, strike, rate, volatility, years = rng.uniform(low, high)
    return np.int64(n), spot, strike, rate, volatility, years


def directions(degree: int, inner: int, first: tuple[int, ...]) -> list[int]:
    """Return the direction numbers of a dimension, as fractions of 2^32."""
    if degree == 0:
        return [1 << (BITS - 1 - k) for k in range(BITS)]
    m = list(first)
    for k in range(degree, BITS):
        new = m[k - degree] ^ (m[k - degree] << degree)
        for i in range(1, degree):
            if inner >> (degree - 1 - i) & 1:
                new ^= m[k - i] << i
        m.append(new)
    return [x << (BITS - 1 - k) for k, x in enumerate(m)]


def points(n: int) -> NDArray[np.int64]:
    """Return points 1 to n of the sequence; consecutive points differ in one direction number."""
    vs = np.array([directions(*entry) for entry in TABLE], np.int64)
    out = np.zeros((n + 1, len(TABLE)), np.int64)
    for i in range(1, n + 1):
        lowest_one = (i & -i).bit_length() - 1
        out[i] = out[i - 1] ^ vs[:, lowest_one]
    return out[1:]


def reference(
    paths: np.int64,
    spot: np.float64,
    strike: np.float64,
    rate: np.float64,
    volatility: np.float64,
    years: np.float64,
) -> tuple[np.float64, np.float64]:
    """Return prices of calls on the mean and on the end of a path."""
    u = (points(int(paths)) + 0.5) / 2**BITS
    r, angle = np.sqrt(-2 * np.log(u[:, ::2])), 2 * np.pi * u[:, 1::2]
    z = np.empty_like(u)
    z[:, ::2], z[:, 1::2] = r * np.cos(angle), r * np.sin(angle)
    dt = years / z.shape[1]
    steps = (rate - 0.5 * volatility**2) * dt + volatility * np.sqrt(dt) * z
    prices = spot * np.exp(np.cumsum(steps, axis=1))
    discount = np.exp(-rate * years)
    mean, end = (np.maximum(0, p - strike).mean() for p in (prices.mean(axis=1), prices[:, -1]))
    return discount * mean, discount * end
