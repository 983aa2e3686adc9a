"""Peer implementations in numpy, numba and jax."""

import numpy as np


def count(xp, text):
    """Return the number of letters that do not follow a letter; ``xp`` is numpy or jax.numpy."""
    letter = ((text | 32) - xp.uint8(97)) < 26
    return letter[:1].sum() + (letter[1:] & ~letter[:-1]).sum()


def numpy_peer(text):
    return lambda: (np.int64(count(np, text)),)


def numba_peer(text):
    from numba import njit, prange

    @njit
    def letter(c):
        return np.uint8((c | np.uint8(32)) - np.uint8(97)) < np.uint8(26)

    @njit(parallel=True)
    def words(text):
        found = 0
        for i in prange(1, len(text)):
            found += letter(text[i]) and not letter(text[i - 1])
        return found + letter(text[0])

    return lambda: (np.int64(words(text)),)


def jax_peer(text):
    import jax

    words = jax.jit(lambda text: count(jax.numpy, text))
    (given,) = jax.device_put((text,))
    return lambda: (np.int64(words(given)),)
