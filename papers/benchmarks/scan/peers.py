"""Peer implementations in numpy, numba and jax."""

import numpy as np


def numpy_peer(xs):
    out = np.empty_like(xs)
    return lambda: (np.cumsum(xs, out=out),)


def numba_peer(xs):
    from numba import get_num_threads, njit, prange

    @njit(parallel=True)
    def scan(xs, out, parts):
        n = len(xs)
        sums = np.zeros(parts + 1, np.int32)
        for t in prange(parts):
            total = np.int32(0)
            for i in range(n * t // parts, n * (t + 1) // parts):
                total += xs[i]
            sums[t + 1] = total
        for t in range(parts):
            sums[t + 1] += sums[t]
        for t in prange(parts):
            total = sums[t]
            for i in range(n * t // parts, n * (t + 1) // parts):
                total += xs[i]
                out[i] = total

    out = np.empty_like(xs)
    return lambda: (scan(xs, out, get_num_threads()), (out,))[1]


def jax_peer(xs):
    import jax

    scan = jax.jit(lambda xs: (jax.numpy.cumsum(xs, dtype=jax.numpy.int32),))
    args = jax.device_put((xs,))
    return lambda: jax.block_until_ready(scan(*args))
