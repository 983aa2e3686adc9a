"""Peer implementations in numpy, numba and jax: sorting by splits."""

import numpy as np

BITS = 32


def numpy_peer(xs):
    def run():
        out = xs
        for bit in range(BITS):
            ones = (out >> np.uint32(bit)) & np.uint32(1) != 0
            out = np.concatenate([out[~ones], out[ones]])
        return (out,)

    return run


def numba_peer(xs):
    from numba import get_num_threads, njit, prange

    @njit(parallel=True)
    def split(xs, out, bit, parts):
        n = len(xs)
        zeros = np.zeros(parts + 1, np.int64)
        for t in prange(parts):
            count = 0
            for i in range(n * t // parts, n * (t + 1) // parts):
                count += (xs[i] >> bit) & np.uint32(1) == 0
            zeros[t + 1] = count
        for t in range(parts):
            zeros[t + 1] += zeros[t]
        for t in prange(parts):
            low, first = zeros[t], n * t // parts
            high = zeros[parts] + first - low
            for i in range(first, n * (t + 1) // parts):
                if (xs[i] >> bit) & np.uint32(1) == 0:
                    out[low] = xs[i]
                    low += 1
                else:
                    out[high] = xs[i]
                    high += 1

    def run():
        a, b = xs.copy(), np.empty_like(xs)
        for bit in range(BITS):
            split(a, b, np.uint32(bit), get_num_threads())
            a, b = b, a
        return (a,)

    return run


def jax_peer(xs):
    import jax
    import jax.numpy as jnp

    def split(bit, xs):
        ones = ((xs >> bit.astype(jnp.uint32)) & 1).astype(jnp.int32)
        upto = jnp.cumsum(ones)
        here = jnp.arange(len(xs), dtype=jnp.int32)
        places = jnp.where(ones == 1, len(xs) - upto[-1] + upto - 1, here - upto)
        return jnp.zeros_like(xs).at[places].set(xs, unique_indices=True)

    sort = jax.jit(lambda xs: (jax.lax.fori_loop(0, BITS, split, xs),))
    (given,) = jax.device_put((xs,))
    return lambda: jax.block_until_ready(sort(given))
