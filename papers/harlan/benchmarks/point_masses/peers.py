"""Peer implementations in numpy, numba and jax."""

import math

import numpy as np

ROWS = 256


def pull(xp, own, bodies):
    """Return the accelerations of some bodies by all bodies; ``xp`` is numpy or jax.numpy."""
    x, y, z = (b[None, :] - a[:, None] for a, b in zip(own, bodies, strict=True))
    d = xp.sqrt(x * x + y * y + z * z)
    d3 = xp.where(d > 0, d * d * d, np.float32(np.inf))
    return (x / d3).sum(1), (y / d3).sum(1), (z / d3).sum(1)


def numpy_peer(*bodies):
    def run():
        out = np.empty((3, len(bodies[0])), np.float32)
        for k in range(0, out.shape[1], ROWS):
            out[:, k : k + ROWS] = pull(np, [b[k : k + ROWS] for b in bodies], bodies)
        return tuple(out)

    return run


def numba_peer(xs, ys, zs):
    from numba import njit, prange

    zero = np.float32(0)

    @njit(parallel=True, fastmath=True, error_model="numpy")
    def accelerations(xs, ys, zs, ax, ay, az):
        for i in prange(len(xs)):
            x, y, z = zero, zero, zero
            for j in range(len(xs)):
                dx, dy, dz = xs[j] - xs[i], ys[j] - ys[i], zs[j] - zs[i]
                d = math.sqrt(dx * dx + dy * dy + dz * dz)
                if d > 0:
                    d3 = d * d * d
                    x += dx / d3
                    y += dy / d3
                    z += dz / d3
            ax[i], ay[i], az[i] = x, y, z

    out = tuple(np.empty_like(xs) for _ in range(3))
    return lambda: (accelerations(xs, ys, zs, *out), out)[1]


def jax_peer(*bodies):
    import jax

    given = jax.device_put(bodies)
    accelerations = jax.jit(lambda bodies: pull(jax.numpy, bodies, bodies))
    return lambda: jax.block_until_ready(accelerations(given))
