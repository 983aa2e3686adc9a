"""Peer implementations in numpy, numba and jax."""

import numpy as np


def numpy_peer(a, xs, ys):
    out = np.empty_like(xs)

    def run():
        np.multiply(xs, a, out=out)
        np.add(out, ys, out=out)
        return (out,)

    return run


def numba_peer(a, xs, ys):
    from numba import njit, prange

    @njit(parallel=True)
    def axpy(a, xs, ys, out):
        for i in prange(len(xs)):
            out[i] = a * xs[i] + ys[i]

    out = np.empty_like(xs)
    return lambda: (axpy(a, xs, ys, out), (out,))[1]


def jax_peer(a, xs, ys):
    import jax

    axpy = jax.jit(lambda a, xs, ys: (a * xs + ys,))
    args = jax.device_put((a, xs, ys))
    return lambda: jax.block_until_ready(axpy(*args))
