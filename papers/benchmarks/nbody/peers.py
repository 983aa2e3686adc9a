"""Peer implementations in numpy, numba and jax."""

import math

import numpy as np

ROWS = 256


def pull(xp, softening, own, bodies, ms):
    """Return the accelerations of some bodies by all bodies; ``xp`` is numpy or jax.numpy."""
    x, y, z = (b[None, :] - a[:, None] for a, b in zip(own, bodies, strict=True))
    r2 = x * x + y * y + z * z + softening
    s = ms / (r2 * xp.sqrt(r2))
    return (s * x).sum(1), (s * y).sum(1), (s * z).sum(1)


def numpy_peer(softening, xs, ys, zs, ms):
    bodies = (xs, ys, zs)

    def run():
        out = np.empty((3, len(xs)), np.float32)
        for k in range(0, len(xs), ROWS):
            own = [b[k : k + ROWS] for b in bodies]
            out[:, k : k + ROWS] = pull(np, softening, own, bodies, ms)
        return tuple(out)

    return run


def numba_peer(softening, xs, ys, zs, ms):
    from numba import njit, prange

    zero = np.float32(0)

    @njit(parallel=True, fastmath=True)
    def accelerations(softening, xs, ys, zs, ms, ax, ay, az):
        for i in prange(len(xs)):
            x, y, z = zero, zero, zero
            for j in range(len(xs)):
                dx, dy, dz = xs[j] - xs[i], ys[j] - ys[i], zs[j] - zs[i]
                r2 = dx * dx + dy * dy + dz * dz + softening
                s = ms[j] / (r2 * math.sqrt(r2))
                x += s * dx
                y += s * dy
                z += s * dz
            ax[i], ay[i], az[i] = x, y, z

    out = tuple(np.empty_like(xs) for _ in range(3))
    return lambda: (accelerations(softening, xs, ys, zs, ms, *out), out)[1]


def jax_peer(softening, xs, ys, zs, ms):
    import jax

    bodies = jax.device_put((xs, ys, zs))
    given = jax.device_put((softening, ms))
    accelerations = jax.jit(
        lambda softening, bodies, ms: pull(jax.numpy, softening, bodies, bodies, ms)
    )
    return lambda: jax.block_until_ready(accelerations(given[0], bodies, given[1]))
