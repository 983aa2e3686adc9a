"""Peer implementations in numpy, numba and jax."""

import numpy as np


def numpy_peer(k, numbers):
    return lambda: (np.bincount(numbers, minlength=int(k)).astype(np.int32),)


def numba_peer(k, numbers):
    from numba import get_num_threads, njit, prange

    @njit(parallel=True)
    def histogram(k, numbers, parts):
        n = len(numbers)
        own = np.zeros((parts, k), np.int32)
        for t in prange(parts):
            for i in range(n * t // parts, n * (t + 1) // parts):
                own[t, numbers[i]] += 1
        return own.sum(axis=0).astype(np.int32)

    return lambda: (histogram(k, numbers, get_num_threads()),)


def jax_peer(k, numbers):
    import jax

    histogram = jax.jit(lambda numbers: (jax.numpy.bincount(numbers, length=int(k)),))
    args = jax.device_put((numbers,))
    return lambda: jax.block_until_ready(histogram(*args))
