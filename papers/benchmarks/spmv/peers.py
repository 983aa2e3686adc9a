"""Peer implementations in scipy (numpy if scipy is not installed), numba and jax."""

import numpy as np


def numpy_peer(starts, columns, values, x):
    k = len(starts) - 1
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        rows = np.repeat(np.arange(k), np.diff(starts))
        return lambda: (np.bincount(rows, values * x[columns], k).astype(np.float32),)
    matrix = csr_matrix((values, columns, starts.astype(np.int32)), (k, len(x)))
    return lambda: (matrix @ x,)


def numba_peer(starts, columns, values, x):
    from numba import njit, prange

    @njit(parallel=True)
    def spmv(starts, columns, values, x, out):
        for i in prange(len(out)):
            total = np.float32(0)
            for e in range(starts[i], starts[i + 1]):
                total += values[e] * x[columns[e]]
            out[i] = total

    out = np.empty(len(starts) - 1, np.float32)
    return lambda: (spmv(starts, columns, values, x, out), (out,))[1]


def jax_peer(starts, columns, values, x):
    import jax

    k = len(starts) - 1
    rows = np.repeat(np.arange(k, dtype=np.int32), np.diff(starts))

    def multiply(rows, columns, values, x):
        products = values * x[columns]
        return (jax.ops.segment_sum(products, rows, k, indices_are_sorted=True),)

    spmv = jax.jit(multiply)
    args = jax.device_put((rows, columns, values, x))
    return lambda: jax.block_until_ready(spmv(*args))
