"""Peer implementations in numpy, numba and jax."""

import numpy as np


def numpy_peer(ax, ay, az, bx, by, bz):
    return lambda: (ax * bx + ay * by + az * bz,)


def numba_peer(ax, ay, az, bx, by, bz):
    from numba import njit, prange

    @njit(parallel=True)
    def dots(ax, ay, az, bx, by, bz, out):
        for i in prange(len(out)):
            out[i] = ax[i] * bx[i] + ay[i] * by[i] + az[i] * bz[i]

    out = np.empty_like(ax)
    return lambda: (dots(ax, ay, az, bx, by, bz, out), (out,))[1]


def jax_peer(*parts):
    import jax

    dots = jax.jit(lambda ax, ay, az, bx, by, bz: (ax * bx + ay * by + az * bz,))
    args = jax.device_put(parts)
    return lambda: jax.block_until_ready(dots(*args))
