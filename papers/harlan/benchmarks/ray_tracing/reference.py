"""A picture of spheres, one after the other, in single precision and in program order."""

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]

SIZES = (0, 1, 40)
MEASURE = 1024
RTOL = 0.0
DIFFER = 0.01
"""Fraction of pixels that may differ: a fused product and sum may move an edge or swap spheres."""
OBJECTS = 100


def inputs(n: int, seed: int) -> tuple[np.int64, U8, F32, F32, F32]:
    """Return the side of the picture, and a hundred spheres; every second is translated first."""
    rng = np.random.default_rng(seed)
    kinds = np.arange(OBJECTS, dtype=np.uint8) % 2
    factors = rng.uniform(0.1, 0.5, OBJECTS).astype(np.float32)
    moves = rng.uniform(-2, 2, (OBJECTS, 3)).astype(np.float32)
    # Scaling after a translation also scales the translation.
    moves[kinds == 1] /= factors[kinds == 1, None]
    return np.int64(n), kinds, factors, moves, rng.random((OBJECTS, 3), np.float32)


def reference(n: np.int64, kinds: U8, factors: F32, moves: F32, colours: F32) -> tuple[U32]:
    """Return the colour of the first sphere that each ray hits."""
    f = np.float32
    at = (np.arange(n).astype(f) + f(0.5)) / f(n) - f(0.5)
    pixels = (n, n)
    towards = [np.broadcast_to(x, pixels) for x in (at[None, :], -at[:, None], f(1))]
    from_ = [np.broadcast_to(x, pixels) for x in (f(0), f(0), f(-5))]
    nearest = np.full(pixels, np.inf, f)
    picture = np.zeros(pixels, np.uint32)
    for kind, factor, by, colour in zip(kinds, factors, moves, colours, strict=True):
        inverse = f(1) / factor
        d = [inverse * x for x in towards]
        if kind == 0:
            o = [inverse * (x - m) for x, m in zip(from_, by, strict=True)]
        else:
            o = [inverse * x - m for x, m in zip(from_, by, strict=True)]
        a, b, c = _dot(d, d), _dot(o, d), _dot(o, o)
        root = b * b - a * (c - f(1))
        t = (-b - np.sqrt(np.maximum(root, f(0)))) / a
        first = (root >= 0) & (t > 0) & (t < nearest)
        nearest[first] = t[first]
        red, green, blue = (int(x * f(255) + f(0.5)) for x in colour)
        picture[first] = red << 16 | green << 8 | blue
    return (picture,)


def _dot(a: list[F32], b: list[F32]) -> F32:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
