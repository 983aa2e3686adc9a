"""Breadth-first search in Python, with a queue."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]

SIZES = (1, 2, 10, 50, 200)
RTOL = 0.0


def inputs(n: int, seed: int) -> tuple[I64, I64, np.int64]:
    """Return a graph of n nodes and about 1.5 n undirected edges, and a source."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (3 * n // 4, 2))
    pairs = np.concatenate([ends, ends[:, ::-1]])
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    starts = np.searchsorted(pairs[:, 0], np.arange(n + 1)).astype(np.int64)
    return starts, pairs[:, 1].astype(np.int64), np.int64(rng.integers(n))


def reference(starts: I64, edges: I64, source: np.int64) -> tuple[NDArray[np.int32]]:
    """Return the distance of each node from the source; -1 if the node is not reachable."""
    level = np.full(len(starts) - 1, -1, np.int32)
    level[source] = 0
    queue = deque([source])
    while queue:
        v = queue.popleft()
        for w in edges[starts[v] : starts[v + 1]]:
            if level[w] < 0:
                level[w] = level[v] + 1
                queue.append(w)
    return (level,)
