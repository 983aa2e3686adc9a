"""Peer implementations in numpy, numba and jax; jax needs the number of results in advance."""

import numpy as np


def numpy_peer(xs):
    return lambda: (xs[xs > 0],)


def numba_peer(xs):
    from numba import get_num_threads, njit, prange

    @njit(parallel=True)
    def keep(xs, out, parts):
        n = len(xs)
        ends = np.zeros(parts + 1, np.int64)
        for t in prange(parts):
            count = 0
            for i in range(n * t // parts, n * (t + 1) // parts):
                count += xs[i] > 0
            ends[t + 1] = count
        for t in range(parts):
            ends[t + 1] += ends[t]
        for t in prange(parts):
            at = ends[t]
            for i in range(n * t // parts, n * (t + 1) // parts):
                if xs[i] > 0:
                    out[at] = xs[i]
                    at += 1
        return ends[parts]

    out = np.empty_like(xs)
    return lambda: (out[: keep(xs, out, get_num_threads())],)


def jax_peer(xs):
    import jax
    import jax.numpy as jnp

    count = jax.jit(lambda xs: jnp.sum(xs > 0))
    keep = jax.jit(lambda xs, n: (xs[jnp.nonzero(xs > 0, size=n)[0]],), static_argnums=1)
    (given,) = jax.device_put((xs,))
    return lambda: jax.block_until_ready(keep(given, int(count(given))))
