"""Peer implementations in numpy (BLAS), numba and jax."""

import math

import numpy as np


def numpy_peer(xs):
    return lambda: (np.sqrt(np.dot(xs, xs)),)


def numba_peer(xs):
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def norm(xs):
        total = np.float32(0)
        for i in prange(len(xs)):
            total += xs[i] * xs[i]
        return math.sqrt(total)

    return lambda: (np.float32(norm(xs)),)


def jax_peer(xs):
    import jax

    norm = jax.jit(lambda xs: (jax.numpy.linalg.norm(xs),))
    (given,) = jax.device_put((xs,))
    return lambda: jax.block_until_ready(norm(given))
