"""The n-body leapfrog in numpy."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

SIZES = (1, 2, 5, 17, 40)
RTOL = 1e-9


def inputs(n: int, seed: int) -> tuple[np.int32, np.float64, np.float64, F64, F64, F64]:
    """Return steps, time step, softening, and n bodies: positions, velocities, masses."""
    rng = np.random.default_rng(seed)
    positions, velocities = rng.normal(0, 3, (n, 3)), rng.normal(0, 0.3, (n, 3))
    return (
        np.int32(8),
        np.float64(0.02),
        np.float64(0.1),
        positions,
        velocities,
        rng.uniform(0.1, 1, n),
    )


def accelerations(softening: np.float64, positions: F64, masses: F64) -> F64:
    """Return the acceleration of each body by all bodies."""
    apart = positions[None, :, :] - positions[:, None, :]
    r2 = (apart * apart).sum(axis=2) + softening
    return ((masses / (r2 * np.sqrt(r2)))[:, :, None] * apart).sum(axis=1)


def reference(
    steps: np.int32,
    dt: np.float64,
    softening: np.float64,
    positions: F64,
    velocities: F64,
    masses: F64,
) -> tuple[F64, F64]:
    """Return positions and velocities after the steps; the softening is positive."""
    for _ in range(steps):
        velocities = velocities + dt / 2 * accelerations(softening, positions, masses)
        positions = positions + dt * velocities
        velocities = velocities + dt / 2 * accelerations(softening, positions, masses)
    return positions, velocities
