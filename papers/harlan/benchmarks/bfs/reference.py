"""Breadth-first search with a queue, following the edges backwards."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
I32 = NDArray[np.int32]

SIZES = (1, 2, 200)
MEASURE = 1 << 18
RTOL = 0.0
DEGREE = 16


def inputs(n: int, seed: int) -> tuple[I64, I64, np.int64]:
    """Return a graph with sixteen random edges per node (paper 000, section 7.5), and a node."""
    rng = np.random.default_rng(seed)
    starts = np.arange(n + 1, dtype=np.int64) * DEGREE
    return starts, rng.integers(0, n, n * DEGREE), np.int64(n // 2)


def reference(starts: I64, edges: I64, source: np.int64) -> tuple[I32]:
    """Return the round in which each node is reached: a node reads the state of its neighbours."""
    n = len(starts) - 1
    owners = np.repeat(np.arange(n), np.diff(starts))
    order = np.argsort(edges, kind="stable")
    back = owners[order].tolist()
    first = np.searchsorted(edges[order], np.arange(n + 1)).tolist()
    rounds = [-1] * n
    rounds[source] = 0
    queue = deque([int(source)])
    while queue:
        v = queue.popleft()
        for u in back[first[v] : first[v + 1]]:
            if rounds[u] < 0:
                rounds[u] = rounds[v] + 1
                queue.append(u)
    return (np.array(rounds, np.int32),)
