"""Peer implementations in numpy, one sphere at a time, and in numba, one pixel at a time."""

import math

import numpy as np


def spheres(kinds, factors, moves, colours):
    """Return for each sphere the eye in its coordinates, its scale, and its colour as a number."""
    inverse = np.float32(1) / factors
    eye = np.array([0, 0, -5], np.float32)
    scaled = kinds[:, None] == 0
    origins = np.where(scaled, inverse[:, None] * (eye - moves), inverse[:, None] * eye - moves)
    red, green, blue = (colours * np.float32(255) + np.float32(0.5)).astype(np.uint32).T
    return origins, inverse, red << 16 | green << 8 | blue


def numpy_peer(n, *scene):
    f = np.float32

    def run():
        at = (np.arange(n).astype(f) + f(0.5)) / f(n) - f(0.5)
        x, y = at[None, :], -at[:, None]
        nearest, picture = np.full((n, n), np.inf, f), np.zeros((n, n), np.uint32)
        square = x * x + y * y + f(1)
        for o, k, colour in zip(*spheres(*scene), strict=True):
            a, b = k * k * square, k * (o[0] * x + o[1] * y + o[2])
            root = b * b - a * (o @ o - f(1))
            t = (-b - np.sqrt(np.maximum(root, f(0)))) / a
            first = (root >= 0) & (t > 0) & (t < nearest)
            nearest[first] = t[first]
            picture[first] = colour
        return (picture,)

    return run


def numba_peer(n, *scene):
    from numba import njit, prange

    one, zero, half = np.float32(1), np.float32(0), np.float32(0.5)

    @njit(parallel=True, error_model="numpy")
    def trace(origins, inverse, colours, out):
        n = len(out)
        for i in prange(n):
            y = half - (i + half) / np.float32(n)
            for j in range(n):
                x = (j + half) / np.float32(n) - half
                nearest, colour = np.float32(np.inf), np.uint32(0)
                for k in range(len(inverse)):
                    ox, oy, oz, s = origins[k, 0], origins[k, 1], origins[k, 2], inverse[k]
                    a = s * s * (x * x + y * y + one)
                    b = s * (ox * x + oy * y + oz)
                    root = b * b - a * (ox * ox + oy * oy + oz * oz - one)
                    if root >= zero:
                        t = (-b - math.sqrt(root)) / a
                        if t > zero and t < nearest:
                            nearest, colour = t, colours[k]
                out[i, j] = colour

    out = np.empty((n, n), np.uint32)
    return lambda: (trace(*spheres(*scene), out), (out,))[1]
