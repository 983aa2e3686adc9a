"""Ray marching in numpy, all rays at once; rays that have hit a shape stay in place."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

SIZES = (1, 2, 8, 20)
RTOL = 1e-5

FAR, CLOSE, PATIENCE = 20.0, 1e-4, 200
LIGHT = np.array([2.0, 4.0, -3.0])


def inputs(n: int, seed: int) -> tuple[np.int64, np.int64, I32, F64, F64]:
    """Return width, height, and four shapes and the ground: kinds, centres, sizes."""
    rng = np.random.default_rng(seed)
    kinds = np.array([0, 1, 2, 0, 3], np.int32)
    centres = rng.uniform((-1.5, -0.7, -0.5), (1.5, 1, 1), (5, 3))
    sizes = np.stack([rng.uniform(0.4, 0.8, 5), rng.uniform(0.05, 0.2, 5)], axis=1)
    centres[4] = (0, -1, 0)
    return np.int64(n + 2), np.int64(n), kinds, centres, sizes


def norm(v: F64) -> F64:
    """Return the lengths of vectors."""
    return np.sqrt((v * v).sum(axis=-1))


def unit(v: F64) -> F64:
    """Return the vectors scaled to length one."""
    return v / norm(v)[..., None]


def distance(p: F64, kind: int, centre: F64, size: F64) -> F64:
    """Return the distances of points from a shape."""
    q = p - centre
    match kind:
        case 0:
            return norm(q) - size[0]
        case 1:
            beyond = np.abs(q) - (size[0] - size[1])
            inside = np.minimum(0, beyond.max(axis=-1))
            return norm(np.maximum(beyond, 0)) + inside - size[1]
        case 2:
            ring = np.sqrt(q[..., 0] ** 2 + q[..., 2] ** 2) - size[0]
            return np.sqrt(ring**2 + q[..., 1] ** 2) - size[1]
        case _:
            return p[..., 1] - centre[1]


class Scene:
    """The shapes of a scene."""

    def __init__(self, kinds: I32, centres: F64, sizes: F64) -> None:
        self.shapes = list(zip(kinds, centres, sizes, strict=True))

    def nearest(self, p: F64) -> F64:
        """Return the distance to the nearest shape."""
        return np.min([distance(p, int(k), c, s) for k, c, s in self.shapes], axis=0)

    def march(self, start: F64, towards: F64) -> tuple[NDArray[np.bool_], F64]:
        """Return which rays hit a shape, and their end points."""
        t = np.zeros(start.shape[:-1])
        d = self.nearest(start)
        for _ in range(PATIENCE):
            going = (d > CLOSE) & (t < FAR)
            t = np.where(going, t + d, t)
            d = np.where(going, self.nearest(start + t[..., None] * towards), d)
        return d <= CLOSE, start + t[..., None] * towards

    def normal(self, p: F64) -> F64:
        """Return the gradient of the distance, normalised."""
        h = 1e-5
        corners = np.array([[1, -1, -1], [-1, -1, 1], [-1, 1, -1], [1, 1, 1]], np.float64)
        return unit(sum(self.nearest(p + h * e)[..., None] * e for e in corners))


def reference(
    width: np.int64, height: np.int64, kinds: I32, centres: F64, sizes: F64
) -> tuple[F64]:
    """Return the picture."""
    scene = Scene(kinds, centres, sizes)
    step = 2 / height
    x = (np.arange(width) + 0.5 - width / 2) * step
    y = (height / 2 - np.arange(height) - 0.5) * step
    towards = unit(np.stack(np.broadcast_arrays(x[None, :], y[:, None], 2.0), axis=-1))
    hit, p = scene.march(np.broadcast_to([0.0, 0.0, -4.0], towards.shape), towards)
    n = scene.normal(p)
    to_light = unit(LIGHT - p)
    shadow, _ = scene.march(p + 0.01 * n, to_light)
    facing = np.maximum(0, (n * to_light).sum(axis=-1))
    return (np.where(hit, facing * np.where(shadow, 0.1, 1.0), 0.0),)
