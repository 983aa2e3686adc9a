"""Peer implementations in numpy and numba, round by round."""

import numpy as np


def numpy_peer(starts, edges, source):
    n = len(starts) - 1
    owners = np.repeat(np.arange(n), np.diff(starts))

    def run():
        rounds = np.full(n, -1, np.int32)
        rounds[source] = 0
        for r in range(n):
            found = owners[(rounds[edges] == r) & (rounds[owners] < 0)]
            if not len(found):
                break
            rounds[found] = r + 1
        return (rounds,)

    return run


def numba_peer(starts, edges, source):
    from numba import njit, prange

    @njit(parallel=True)
    def step(starts, edges, rounds, r):
        found = 0
        for v in prange(len(rounds)):
            if rounds[v] < 0:
                for e in range(starts[v], starts[v + 1]):
                    if rounds[edges[e]] == r:
                        rounds[v] = r + 1
                        found += 1
                        break
        return found

    def run():
        rounds = np.full(len(starts) - 1, -1, np.int32)
        rounds[source] = 0
        r = 0
        while step(starts, edges, rounds, np.int32(r)):
            r += 1
        return (rounds,)

    return run
