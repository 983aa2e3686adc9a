"""The Mandelbrot set in numpy, all points at once."""

import numpy as np
from numpy.typing import NDArray

SIZES = (1, 2, 9, 20)
RTOL = 0.0


def inputs(
    n: int, seed: int
) -> tuple[np.int64, np.int64, np.int32, np.float64, np.float64, np.float64, np.float64]:
    """Return width, height, limit, and a window around the set."""
    rng = np.random.default_rng(seed)
    left, bottom = rng.uniform((-2.2, -1.4), (-1.8, -1))
    right, top = rng.uniform((0.5, 1), (1, 1.4))
    return np.int64(n + 1), np.int64(n), np.int32(40), left, bottom, right, top


def reference(
    width: np.int64,
    height: np.int64,
    limit: np.int32,
    left: np.float64,
    bottom: np.float64,
    right: np.float64,
    top: np.float64,
) -> tuple[NDArray[np.int32]]:
    """Return the number of steps until each point escapes."""
    xs = left + (right - left) * (np.arange(width) + 0.5) / width
    ys = bottom + (top - bottom) * (np.arange(height) + 0.5) / height
    cx, cy = np.meshgrid(xs, ys)
    zx, zy = np.zeros_like(cx), np.zeros_like(cy)
    steps = np.zeros(cx.shape, np.int32)
    near = np.ones(cx.shape, np.bool_)
    for _ in range(limit):
        near &= zx * zx + zy * zy <= 4
        steps += near
        nx, ny = zx * zx - zy * zy + cx, zx * zy + zy * zx + cy
        zx, zy = np.where(near, nx, zx), np.where(near, ny, zy)
    return (steps,)
