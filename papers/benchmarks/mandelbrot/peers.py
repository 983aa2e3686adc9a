"""Peer implementations in numpy, numba and jax."""

import numpy as np

LOW_R, LOW_I, SIDE = np.float32(-2), np.float32(-1.25), np.float32(2.5)


def points(n):
    """Return the real parts and the imaginary parts, which differ only in their first value."""
    step = (np.arange(n).astype(np.float32) + np.float32(0.5)) * SIDE / np.float32(n)
    return LOW_R + step, LOW_I + step


def numpy_peer(n, limit):
    def run():
        re, im = points(n)
        c_r, c_i = np.tile(re, n), np.repeat(im, n)
        steps = np.zeros(n * n, np.int32)
        going = np.arange(n * n)
        r, i = np.zeros_like(c_r), np.zeros_like(c_i)
        for _ in range(limit):
            near = r * r + i * i <= 4
            going, r, i, c_r, c_i = (x[near] for x in (going, r, i, c_r, c_i))
            steps[going] += 1
            r, i = r * r - i * i + c_r, 2 * r * i + c_i
        return (steps.reshape(n, n),)

    return run


def numba_peer(n, limit):
    from numba import njit, prange

    two, four, zero = np.float32(2), np.float32(4), np.float32(0)

    @njit(parallel=True)
    def mandelbrot(limit, re, im, out):
        for y in prange(len(im)):
            for x in range(len(re)):
                r, i, k = zero, zero, 0
                while k < limit and r * r + i * i <= four:
                    r, i = r * r - i * i + re[x], two * r * i + im[y]
                    k += 1
                out[y, x] = k

    re, im = points(n)
    out = np.empty((n, n), np.int32)
    return lambda: (mandelbrot(limit, re, im, out), (out,))[1]


def jax_peer(n, limit):
    import jax
    import jax.numpy as jnp

    def mandelbrot(re, im):
        c_r, c_i = re[None, :], im[:, None]

        def step(_, state):
            r, i, steps = state
            near = r * r + i * i <= 4
            r, i = (
                jnp.where(near, r * r - i * i + c_r, r),
                jnp.where(near, 2 * r * i + c_i, i),
            )
            return r, i, steps + near

        zero = jnp.zeros((len(im), len(re)), jnp.float32)
        start = zero, zero, jnp.zeros(zero.shape, jnp.int32)
        return (jax.lax.fori_loop(0, int(limit), step, start)[2],)

    args = jax.device_put(points(n))
    run = jax.jit(mandelbrot)
    return lambda: jax.block_until_ready(run(*args))
