"""The price from the same points in numpy, all paths at once, with exact quantiles."""

from math import erf

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

SIZES = (1, 7, 64)
MEASURE = 1 << 16
RTOL = 1e-6
TIMES, SHARES = 5, 3

Arguments = tuple[
    np.int64,
    np.float64,
    np.float64,
    NDArray[np.uint32],
    I64,
    I64,
    I64,
    F64,
    F64,
    F64,
    F64,
    F64,
    F64,
]


def inputs(n: int, seed: int) -> Arguments:
    """Return the arguments for n paths of three shares at five times."""
    rng = np.random.default_rng(seed)
    mixed = np.eye(SHARES) + rng.uniform(0, 0.5, (SHARES, SHARES))
    covariance = mixed @ mixed.T
    scale = np.sqrt(np.diag(covariance))
    correlation = np.linalg.cholesky(covariance / np.outer(scale, scale))
    volatility = rng.uniform(0.1, 0.4, (TIMES, SHARES))
    drift = 0.03 - 0.5 * volatility**2
    directions = direction_numbers(rng).reshape(TIMES, SHARES, 32)
    bridge = bridges(TIMES)
    strike, discount = np.float64(0.8), np.float64(np.exp(-0.03 * TIMES))
    return (np.int64(n), strike, discount, directions, *bridge, correlation, volatility, drift)


def direction_numbers(rng: np.random.Generator) -> NDArray[np.uint32]:
    """Return direction numbers: random odd numbers below 2, 4, 8, …, shifted to the top bit."""
    k = np.arange(32)
    odd = 2 * rng.integers(0, 1 << k, (TIMES * SHARES, 32)) % (1 << (k + 1)) + 1
    return (odd << (31 - k)).astype(np.uint32)


def bridges(n: int) -> tuple[I64, I64, I64, F64, F64, F64]:
    """Return times 1 … n in the order last, middle, middles of halves, …; time 0 has value 0."""
    rows: list[tuple[int, int, int, float, float, float]] = [(n - 1, -1, -1, 0.0, 0.0, n**0.5)]
    todo = [(0, n)]
    while todo:
        low, high = todo.pop(0)
        at = (low + high) // 2
        if at > low:
            width = high - low
            spread = ((at - low) * (high - at) / width) ** 0.5
            weights = ((high - at) / width, (at - low) / width)
            rows.append((at - 1, low - 1, high - 1, *weights, spread))
            todo += [(low, at), (at, high)]
    at, before, after, weight_before, weight_after, spread = zip(*rows, strict=True)
    whole = [np.array(x, np.int64) for x in (at, before, after)]
    return (*whole, *(np.array(x, np.float64) for x in (weight_before, weight_after, spread)))


def quantile(p: F64) -> F64:
    """Return the inverse of the normal distribution, by bisection and Newton's method."""
    low, high = np.full_like(p, -7.0), np.full_like(p, 7.0)
    for _ in range(20):
        middle = (low + high) / 2
        below = normal(middle) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    x = (low + high) / 2
    for _ in range(4):
        x = x - (normal(x) - p) * np.sqrt(2 * np.pi) * np.exp(x * x / 2)
    return x


def normal(x: F64) -> F64:
    """Return the probability of a normal deviate below x."""
    return np.vectorize(lambda v: 0.5 * (1 + erf(v / 2**0.5)), otypes=[float])(x)


def reference(
    count: np.int64,
    strike: np.float64,
    discount: np.float64,
    directions: NDArray[np.uint32],
    at: I64,
    before: I64,
    after: I64,
    weight_before: F64,
    weight_after: F64,
    spread: F64,
    correlation: F64,
    volatility: F64,
    drift: F64,
) -> tuple[np.float64]:
    """Return the option's price."""
    i = np.arange(1, int(count) + 1)
    gray = i ^ (i >> 1)
    points = np.zeros((int(count), *directions.shape[:2]), np.uint32)
    for k in range(32):
        points ^= np.where((gray >> k & 1)[:, None, None] == 1, directions[:, :, k], np.uint32(0))
    z = quantile((points + 0.5) / 2.0**32)
    w = np.zeros_like(z)
    for k in range(len(at)):
        row = spread[k] * z[:, k, :]
        if before[k] >= 0:
            row = row + weight_before[k] * w[:, before[k], :]
        if after[k] >= 0:
            row = row + weight_after[k] * w[:, after[k], :]
        w[:, at[k], :] = row
    increments = np.diff(w, axis=1, prepend=0)
    growth = np.exp(drift + volatility * (increments @ correlation.T))
    worst = np.cumprod(growth, axis=1).min(axis=2).mean(axis=1)
    return (discount * np.maximum(0, worst - strike).sum() / count,)
