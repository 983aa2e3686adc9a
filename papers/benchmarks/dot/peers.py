"""Peer implementations in numpy (BLAS), numba and jax."""

import numpy as np


def numpy_peer(xs, ys):
    return lambda: (np.dot(xs, ys),)


def numba_peer(xs, ys):
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def dot(xs, ys):
        total = np.float32(0)
        for i in prange(len(xs)):
            total += xs[i] * ys[i]
        return total

    return lambda: (np.float32(dot(xs, ys)),)


def jax_peer(xs, ys):
    import jax

    dot = jax.jit(lambda xs, ys: (jax.numpy.dot(xs, ys),))
    args = jax.device_put((xs, ys))
    return lambda: jax.block_until_ready(dot(*args))
