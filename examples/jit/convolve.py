"""Convolution and correlation of two vectors; a window is a slice whose start is an index."""

import numpy as np

import funmem as fm


@fm.jit
def convolve(a: fm.f32["n"], b: fm.f32["m"]) -> fm.f32["n + m - 1"]:
    """Return what ``np.convolve(a, b)`` returns, for n > 0."""
    n, m = a.shape[0], b.shape[0]
    margin = fm.zeros(n - 1, fm.f32)
    padded = fm.concatenate([margin, b, margin])
    reverse = a[::-1]
    return fm.build(n + m - 1, lambda t: (reverse * padded[t : t + n]).sum())


@fm.jit
def correlate(a: fm.f32["n"], b: fm.f32["m"]):
    """Return what ``np.correlate(a, b, "valid")`` returns, for n >= m."""
    n, m = a.shape[0], b.shape[0]
    return fm.build(n - m + 1, lambda t: (a[t : t + m] * b).sum())


if __name__ == "__main__":
    a, b = np.arange(5, dtype=np.float32), np.ones(3, np.float32)
    print(convolve(a, b))
    print(correlate(a, b))
