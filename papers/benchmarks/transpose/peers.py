"""Peer implementations in numpy, numba and jax."""

import numpy as np


def numpy_peer(a):
    out = np.empty(a.shape[::-1], np.float32)

    def run():
        np.copyto(out, a.T)
        return (out,)

    return run


def numba_peer(a):
    from numba import njit, prange

    @njit(parallel=True)
    def transpose(a, out):
        n, m = a.shape
        for b in prange((m + 31) // 32):
            for i0 in range(0, n, 32):
                for j in range(32 * b, min(m, 32 * b + 32)):
                    for i in range(i0, min(n, i0 + 32)):
                        out[j, i] = a[i, j]

    out = np.empty(a.shape[::-1], np.float32)
    return lambda: (transpose(a, out), (out,))[1]


def jax_peer(a):
    import jax

    transpose = jax.jit(lambda a: (a.T,))
    args = jax.device_put((a,))
    return lambda: jax.block_until_ready(transpose(*args))
