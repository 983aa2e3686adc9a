"""Peer implementations in numpy, numba and jax."""

import numpy as np


def numpy_peer(xs, ys):
    return lambda: (xs + ys,)


def numba_peer(xs, ys):
    from numba import njit, prange

    @njit(parallel=True)
    def add(xs, ys, out):
        for i in prange(len(xs)):
            out[i] = xs[i] + ys[i]

    out = np.empty_like(xs)
    return lambda: (add(xs, ys, out), (out,))[1]


def jax_peer(xs, ys):
    import jax

    add = jax.jit(lambda xs, ys: (xs + ys,))
    args = jax.device_put((xs, ys))
    return lambda: jax.block_until_ready(add(*args))
