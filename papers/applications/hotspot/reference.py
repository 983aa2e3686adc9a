"""The hotspot stencil in numpy, in double precision."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (1, 2, 5, 16, 24)
RTOL = 1e-4

ROW, COLUMN, AIR, AMBIENT, HEATING = 0.15, 0.2, 0.01, 80.0, 0.5


def inputs(n: int, seed: int) -> tuple[np.int32, F32, F32]:
    """Return steps, temperatures and power of n × (n + 2) cells."""
    rng = np.random.default_rng(seed)
    shape = (n, n + 2)
    temperature = rng.uniform(60, 100, shape).astype(np.float32)
    power = rng.uniform(0, 2, shape).astype(np.float32)
    return np.int32(2 * n), temperature, power


def reference(steps: np.int32, temperature: F32, power: F32) -> tuple[F32]:
    """Return the temperatures after the steps."""
    t = temperature.astype(np.float64)
    for _ in range(steps):
        p = np.pad(t, 1, mode="edge")
        t = (
            t
            + COLUMN * (p[:-2, 1:-1] + p[2:, 1:-1] - 2 * t)
            + ROW * (p[1:-1, :-2] + p[1:-1, 2:] - 2 * t)
            + AIR * (AMBIENT - t)
            + HEATING * power
        )
    return (t.astype(np.float32),)
