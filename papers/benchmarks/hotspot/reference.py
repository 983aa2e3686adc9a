"""The five-point stencil."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

SIZES = (1, 2, 17)
MEASURE = 2048
RTOL = 1e-4
STEPS = 100

ROW, COLUMN, AIR, AMBIENT, HEATING = (np.float32(x) for x in (0.15, 0.2, 0.01, 80, 0.5))


def inputs(n: int, seed: int) -> tuple[np.int32, F32, F32]:
    """Return 100 steps, and temperatures and power of n × n cells."""
    rng = np.random.default_rng(seed)
    return np.int32(STEPS), 60 + 40 * rng.random((n, n), np.float32), rng.random((n, n), np.float32)


def reference(steps: np.int32, t: F32, power: F32) -> tuple[F32]:
    """Return the temperatures after the steps; an edge cell is its own neighbour."""
    for _ in range(steps):
        p = np.pad(t, 1, mode="edge")
        new = COLUMN * (p[:-2, 1:-1] + p[2:, 1:-1] - 2 * t)
        new += ROW * (p[1:-1, :-2] + p[1:-1, 2:] - 2 * t)
        new += AIR * (AMBIENT - t)
        new += HEATING * power
        t = t + new
    return (t,)
