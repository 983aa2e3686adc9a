"""Reference implementations of the programs of this folder in numpy, with other algorithms."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


def pythagorean(n: int) -> tuple[I64, I64, I64]:
    """Return all triples below n, by testing every x, y and z."""
    x, y, z = np.mgrid[1:n, 1:n, 1:n]
    found = (x <= y) & (y <= z) & (x * x + y * y == z * z)
    return x[found], y[found], z[found]


def points_of_lines(height: int, width: int, lines: I32) -> I32:
    """Return the image, drawn line by line with rounded floats."""
    image = np.zeros((height, width), np.int32)
    for number, (x1, y1, x2, y2) in enumerate(lines.tolist(), 1):
        steps = max(abs(x2 - x1), abs(y2 - y1))
        t = np.arange(steps + 1) / max(steps, 1)
        x, y = (np.floor(a + (b - a) * t + 0.5).astype(int) for a, b in ((x1, x2), (y1, y2)))
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        image[y[inside], x[inside]] = number
    return image


def filled_triangles(height: int, width: int, triangles: I32) -> I32:
    """Return the image: a point is in a triangle if it is on the inner side of its three edges."""
    image = np.zeros((height, width), np.int32)
    y, x = np.mgrid[:height, :width]
    for number, flat in enumerate(triangles.tolist(), 1):
        corners = np.array(flat).reshape(3, 2)
        sides = [
            (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
            for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
        ]
        inside = np.all([s >= 0 for s in sides], axis=0) | np.all([s <= 0 for s in sides], axis=0)
        (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
        box = (left <= x) & (x <= right) & (top <= y) & (y <= bottom)
        image[inside & box] = number
    return image


def filled_circles(height: int, width: int, circles: I32) -> I32:
    """Return the image: a point is in a circle if its distance from the centre is at most r."""
    image = np.zeros((height, width), np.int32)
    y, x = np.mgrid[:height, :width]
    for number, (cx, cy, r) in enumerate(circles.tolist(), 1):
        image[(x - cx) ** 2 + (y - cy) ** 2 <= r * r] = number
    return image


def spmv(starts: I64, columns: I64, values: F64, x: F64) -> F64:
    """Return a sparse matrix times a vector, computed with a dense matrix."""
    n = max(len(starts) - 1, 0)
    dense = np.zeros((n, len(x)))
    np.add.at(dense, (np.repeat(np.arange(n), np.diff(starts)), columns), values)
    return np.asarray(dense @ x)


def sieve(n: int) -> I64:
    """Return the primes below n, by trial division."""
    numbers = np.arange(2, max(n, 2))
    return numbers[[all(p % k for k in range(2, int(p**0.5) + 1)) for p in numbers.tolist()]]


# ---------------------------------------------------------------------- inputs


def shapes(seed: int, numbers: int) -> tuple[int, int, I32]:
    """Return height and width of an image, and shapes of ``numbers`` numbers each, some outside."""
    rng = np.random.default_rng(seed)
    height, width = rng.integers(0, 24, 2)
    count = rng.integers(0, 6)
    return int(height), int(width), rng.integers(-6, 28, (count, numbers), dtype=np.int32)


def csr(seed: int) -> tuple[I64, I64, F64, F64]:
    """Return a sparse matrix with rows of very different lengths, some empty, and a vector."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(0, 12)), 9
    lengths = np.minimum(rng.geometric(0.3, n) - 1, m)
    columns: Sequence[I64] = [np.sort(rng.choice(m, k, replace=False)) for k in lengths]
    return (
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([np.empty(0, np.int64), *columns]).astype(np.int64),
        rng.uniform(-1, 1, int(lengths.sum())),
        rng.uniform(-1, 1, m),
    )
