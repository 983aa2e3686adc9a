"""Alternating directions in numpy, all strikes at once, with dense matrices."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

SIZES = (3, 6, 12)
MEASURE = 64
RTOL = 1e-8

Market = tuple[np.float64, np.float64, np.float64, np.float64, np.float64]
Arguments = tuple[np.int64, np.int64, np.int64, *Market, F64]


def inputs(n: int, seed: int) -> Arguments:
    """Return a grid of n × (n + 2) points, n steps, a market, and n strikes."""
    rng = np.random.default_rng(seed)
    market = (100.0, 1.0, rng.uniform(0.2, 0.4), rng.uniform(0.4, 0.7), rng.uniform(0.4, 0.6))
    spot, years, alpha, nu, beta = map(np.float64, market)
    strikes = np.linspace(80, 120, n)
    return (np.int64(n), np.int64(n + 2), np.int64(n), spot, years, alpha, nu, beta, strikes)


def reference(
    nx: np.int64,
    ny: np.int64,
    steps: np.int64,
    spot: np.float64,
    years: np.float64,
    alpha: np.float64,
    nu: np.float64,
    beta: np.float64,
    strikes: F64,
) -> tuple[F64]:
    """Return the prices of the options."""
    dx = 20 * alpha * spot * np.sqrt(years) / nx
    here_x, here_y = int(spot / dx), int(ny) // 2
    x = spot + (np.arange(nx) - here_x) * dx
    y = np.log(alpha) + (np.arange(ny) - here_y) * (10 * nu * np.sqrt(years) / ny)
    dxx, dyy = curvature(x), curvature(y)
    v = np.maximum(0, x[None, :, None] - strikes[:, None, None]) + np.zeros((1, 1, int(ny)))
    dt = years / max(1, steps - 1)
    across = 0.5 * nu * nu * dyy
    for t in np.arange(int(steps) - 2, -1, -1) * dt:
        with np.errstate(divide="ignore"):
            log_x = np.log(x)
        variance = np.exp(2 * (beta * log_x[:, None] + y[None, :] - 0.5 * nu * nu * t))
        along_y = v @ across.T
        half = np.empty_like(v)
        for j in range(int(ny)):
            along = 0.5 * variance[:, j, None] * dxx
            explicit = v[:, :, j] / dt + 0.5 * v[:, :, j] @ along.T + along_y[:, :, j]
            implicit = np.eye(int(nx)) / dt - 0.5 * along
            half[:, :, j] = np.linalg.solve(implicit, explicit.T).T
        implicit = np.eye(int(ny)) / dt - 0.5 * across
        right = half / dt - 0.5 * along_y
        v = np.linalg.solve(implicit, right.reshape(-1, int(ny)).T).T.reshape(v.shape)
    return (v[:, here_x, here_y].copy(),)


def curvature(x: F64) -> F64:
    """Return the matrix of second derivatives."""
    n = len(x)
    d = np.zeros((n, n))
    for i in range(1, n - 1):
        low, up = x[i] - x[i - 1], x[i + 1] - x[i]
        d[i, i - 1], d[i, i + 1] = 2 / (low * (low + up)), 2 / (up * (low + up))
        d[i, i] = -2 * (1 / low + 1 / up) / (low + up)
    return d
