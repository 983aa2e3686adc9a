"""Peer implementations in scipy (numpy if scipy is not installed), numba and jax."""

import numpy as np


def filtered(xp, image):
    """Return the means; ``xp`` is numpy or jax.numpy."""
    wide = xp.pad(image, 1, mode="edge")
    wide = wide[:-2] + wide[1:-1] + wide[2:]
    return (wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]) / np.float32(9)


def numpy_peer(image):
    try:
        from scipy.ndimage import uniform_filter
    except ImportError:
        return lambda: (filtered(np, image),)
    return lambda: (uniform_filter(image, 3, mode="nearest"),)


def numba_peer(image):
    from numba import njit, prange

    nine = np.float32(9)

    @njit(parallel=True, error_model="numpy")
    def box(image, out):
        h, w = image.shape
        for y in prange(h):
            up, down = max(y - 1, 0), min(y + 1, h - 1)
            for x in range(w):
                left, right = max(x - 1, 0), min(x + 1, w - 1)
                total = image[up, left] + image[up, x] + image[up, right]
                total += image[y, left] + image[y, x] + image[y, right]
                total += image[down, left] + image[down, x] + image[down, right]
                out[y, x] = total / nine

    out = np.empty_like(image)
    return lambda: (box(image, out), (out,))[1]


def jax_peer(image):
    import jax

    box = jax.jit(lambda image: (filtered(jax.numpy, image),))
    (given,) = jax.device_put((image,))
    return lambda: jax.block_until_ready(box(given))
