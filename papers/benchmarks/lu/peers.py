"""Peer implementations in numpy, numba and jax: one column, then the rest of the matrix."""

import numpy as np


def numpy_peer(block, a):
    del block

    def run():
        lu = a.copy()
        for k in range(len(lu)):
            lu[k + 1 :, k] /= lu[k, k]
            lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
        return (lu,)

    return run


def numba_peer(block, a):
    from numba import njit, prange

    del block

    @njit(parallel=True)
    def eliminate(lu, k):
        n = len(lu)
        for i in prange(k + 1, n):
            lu[i, k] /= lu[k, k]
            for j in range(k + 1, n):
                lu[i, j] -= lu[i, k] * lu[k, j]

    out = np.empty_like(a)

    def run():
        out[:] = a
        for k in range(len(out)):
            eliminate(out, k)
        return (out,)

    return run


def jax_peer(block, a):
    import jax
    import jax.numpy as jnp

    del block
    n = len(a)
    index = jnp.arange(n)

    def step(k, lu):
        below = index > k
        column = jnp.where(below, lu[:, k] / lu[k, k], 0)
        row = jnp.where(below, lu[k], 0)
        return (lu - jnp.outer(column, row)).at[:, k].set(jnp.where(below, column, lu[:, k]))

    decompose = jax.jit(lambda a: (jax.lax.fori_loop(0, n, step, a),))
    (given,) = jax.device_put((a,))
    return lambda: jax.block_until_ready(decompose(given))
