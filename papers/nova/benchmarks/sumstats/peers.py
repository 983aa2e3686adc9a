"""Peer implementations in numpy, numba and jax, in two passes, as hand-written code has them."""

import math

import numpy as np


def statistics(n, least, greatest, mean, m2, m3, m4):
    """Return the statistics, computed from sums of powers."""
    variance = m2 / n
    skewness, kurtosis = m3 / n / (variance * math.sqrt(variance)), m4 / n / (variance * variance)
    return n, least, greatest, mean, variance, skewness, kurtosis


def numpy_peer(xs):
    def run():
        mean = xs.mean(dtype=np.float64)
        d = xs - mean
        d2 = d * d
        m2, m3, m4 = d2.sum(), np.dot(d2, d), np.dot(d2, d2)
        return statistics(np.int64(len(xs)), xs.min(), xs.max(), mean, m2, m3, m4)

    return run


def numba_peer(xs):
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def sums(xs):
        low, high, total = xs[0], xs[0], 0.0
        for i in prange(len(xs)):
            low, high = min(low, xs[i]), max(high, xs[i])
            total += xs[i]
        mean = total / len(xs)
        m2, m3, m4 = 0.0, 0.0, 0.0
        for i in prange(len(xs)):
            d = xs[i] - mean
            d2 = d * d
            m2 += d2
            m3 += d2 * d
            m4 += d2 * d2
        return low, high, mean, m2, m3, m4

    def run():
        low, high, *rest = sums(xs)
        return statistics(np.int64(len(xs)), np.float32(low), np.float32(high), *rest)

    return run
