"""Peer implementations in numpy, numba and jax."""

import numpy as np


def multiply(xp, columns, values, x):
    """Return the product; missing elements have the value zero; ``xp`` is numpy or jax.numpy."""
    return (values * xp.take(x, columns, axis=0, mode="clip")).sum(axis=0)


def numpy_peer(columns, values, x):
    return lambda: (multiply(np, columns, values, x),)


def numba_peer(columns, values, x):
    from numba import njit, prange

    @njit(parallel=True)
    def spmv(columns, values, x, out):
        for i in prange(len(out)):
            total = np.float32(0)
            for e in range(len(columns)):
                c = columns[e, i]
                if c >= 0:
                    total += values[e, i] * x[c]
            out[i] = total

    out = np.empty(columns.shape[1], np.float32)
    return lambda: (spmv(columns, values, x, out), (out,))[1]


def jax_peer(columns, values, x):
    import jax

    spmv = jax.jit(lambda columns, values, x: (multiply(jax.numpy, columns, values, x),))
    args = jax.device_put((columns, values, x))
    return lambda: jax.block_until_ready(spmv(*args))
