"""The lattice Boltzmann method in numpy, by rolling arrays, in double precision."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Bools = NDArray[np.bool_]

SIZES = (2, 3, 5)
MEASURE = 48
RTOL = 1e-5
STEPS = 20

AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
DIAGONALS = [(1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1)]
DIRECTIONS = np.array(
    [(0, 0, 0)] + [(s * x, s * y, s * z) for x, y, z in AXES + DIAGONALS for s in (1, -1)]
)
WEIGHTS = np.array([1 / 3] + 6 * [1 / 18] + 12 * [1 / 36])
OPPOSITE = [0, *(((q - 1) ^ 1) + 1 for q in range(1, 19))]


def inputs(n: int, seed: int) -> tuple[np.int64, np.float32, np.float32, Bools, F32]:
    """Return a fluid almost at rest in a box of n × (n + 1) × (n + 2) cells, some of them walls."""
    rng = np.random.default_rng(seed)
    shape = (n, n + 1, n + 2)
    solid = rng.random(shape) < 0.1
    solid[:, 0, :] = True
    f = WEIGHTS * rng.uniform(0.95, 1.05, (*shape, 19))
    return (
        np.int64(min(n, STEPS)),
        np.float32(1.2),
        np.float32(0.001),
        solid,
        f.astype(np.float32),
    )


def reference(
    steps: np.int64, omega: np.float32, force: np.float32, solid: Bools, f: F32
) -> tuple[F32]:
    """Return the populations after the steps."""
    now = f.astype(np.float64)
    for _ in range(steps):
        came = np.empty_like(now)
        for q, shift in enumerate(DIRECTIONS):
            from_wall = np.roll(solid, shift, (0, 1, 2))
            moved = np.roll(now[..., q], shift, (0, 1, 2))
            came[..., q] = np.where(from_wall, now[..., OPPOSITE[q]], moved)
        density = came.sum(-1)
        velocity = came @ DIRECTIONS / density[..., None] + (float(force), 0, 0)
        along = velocity @ DIRECTIONS.T
        square = (velocity**2).sum(-1)[..., None]
        rest = WEIGHTS * density[..., None] * (1 + 3 * along + 4.5 * along**2 - 1.5 * square)
        now = np.where(solid[..., None], now, came + float(omega) * (rest - came))
    return (now.astype(np.float32),)
