"""Needleman-Wunsch in Python, row by row."""

import numpy as np
from numpy.typing import NDArray

SIZES = (0, 1, 2, 9, 20)
RTOL = 0.0


def inputs(
    n: int, seed: int
) -> tuple[np.int32, NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return a gap penalty, similarities of four letters, and words of n and n + 3 letters."""
    rng = np.random.default_rng(seed)
    half = np.tril(rng.integers(-4, 3, (4, 4)), -1)
    similarity = half + half.T + np.diag(rng.integers(3, 7, 4))
    a, b = (rng.integers(0, 4, size).astype(np.uint8) for size in (n, n + 3))
    return np.int32(rng.integers(1, 5)), similarity.astype(np.int32), a, b


def reference(
    gap: np.int32, similarity: NDArray[np.int32], a: NDArray[np.uint8], b: NDArray[np.uint8]
) -> tuple[NDArray[np.int32]]:
    """Return the matrix of scores."""
    scores = np.zeros((len(a) + 1, len(b) + 1), np.int32)
    scores[:, 0] = -gap * np.arange(len(a) + 1)
    scores[0, :] = -gap * np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            both = scores[i - 1, j - 1] + similarity[a[i - 1], b[j - 1]]
            scores[i, j] = max(both, scores[i - 1, j] - gap, scores[i, j - 1] - gap)
    return (scores,)
