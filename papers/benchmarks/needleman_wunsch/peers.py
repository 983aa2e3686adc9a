"""Peer implementations in numpy, numba and jax, by antidiagonals; in numba, of blocks."""

import numpy as np


def numpy_peer(block, gap, similarity):
    del block
    n = len(similarity)

    def run():
        scores = np.empty((n + 1, n + 1), np.int32)
        scores[0] = scores[:, 0] = -gap * np.arange(n + 1, dtype=np.int32)
        flat, worth = scores.reshape(-1), similarity.reshape(-1)
        for d in range(2, 2 * n + 1):  # i + j = d: a step of n in the flat matrix
            lo, hi = max(1, d - n), min(n, d - 1)
            at = slice(lo * n + d, hi * n + d + 1, n)
            up, left = (slice(at.start - k, at.stop - k, n) for k in (n + 1, 1))
            both = slice(at.start - n - 2, at.stop - n - 2, n)
            if n == 1:
                pairs = worth
            else:
                first = (lo - 1) * n + d - lo - 1
                pairs = worth[first : first + (hi - lo) * (n - 1) + 1 : n - 1]
            best = np.maximum(flat[up], flat[left]) - gap
            flat[at] = np.maximum(best, flat[both] + pairs)
        return (scores,)

    return run


def numba_peer(block, gap, similarity):
    from numba import njit, prange

    @njit(parallel=True)
    def wave(d, first, last, block, gap, similarity, scores):
        for bi in prange(first, last + 1):
            bj = d - bi
            for i in range(bi * block + 1, (bi + 1) * block + 1):
                for j in range(bj * block + 1, (bj + 1) * block + 1):
                    both = scores[i - 1, j - 1] + similarity[i - 1, j - 1]
                    one = max(scores[i - 1, j], scores[i, j - 1]) - gap
                    scores[i, j] = max(both, one)

    n = len(similarity)
    scores = np.empty((n + 1, n + 1), np.int32)

    def run():
        scores[0] = scores[:, 0] = -gap * np.arange(n + 1, dtype=np.int32)
        q = n // int(block)
        for d in range(2 * q - 1):
            wave(d, max(0, d - q + 1), min(d, q - 1), int(block), gap, similarity, scores)
        return (scores,)

    return run


def jax_peer(block, gap, similarity):
    import jax
    import jax.numpy as jnp

    del block
    n = len(similarity)
    row = jnp.arange(n + 1, dtype=jnp.int32)

    def align(similarity):
        def step(carried, d):
            before, last = carried
            j = d - row
            pair = similarity[jnp.clip(row - 1, 0, n - 1), jnp.clip(j - 1, 0, n - 1)]
            both = jnp.roll(before, 1) + pair
            one = jnp.maximum(jnp.roll(last, 1), last) - gap
            now = jnp.maximum(both, one)
            now = jnp.where((row == 0) | (j == 0), -gap * d, now)
            return (last, now), now

        zero = jnp.zeros(n + 1, jnp.int32)
        _, waves = jax.lax.scan(step, (zero, zero), jnp.arange(2 * n + 1, dtype=jnp.int32))
        return (waves[row[:, None] + row[None, :], row[:, None]],)

    aligned = jax.jit(align)
    (given,) = jax.device_put((similarity,))
    return lambda: jax.block_until_ready(aligned(given))
