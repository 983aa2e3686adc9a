"""Arguments of the programs at the measured size, and the permitted errors of their results."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from attrs import frozen

from funmem.ir.values import ArgValue

Arguments: TypeAlias = tuple[ArgValue, ...]
Random: TypeAlias = np.random.Generator


@frozen
class Input:
    """``make`` returns the arguments at a size.  ``rtol``: permitted error, relative to the largest
    magnitude of a result; zero for results that must be equal.
    """

    size: int
    make: Callable[[Random, int], Arguments]
    rtol: float = 1e-9


def i32(x: int) -> ArgValue:
    return np.int32(x)


def i64(x: int) -> ArgValue:
    return np.int64(x)


def f64(x: float) -> ArgValue:
    return np.float64(x)


def gemm(r: Random, n: int) -> Arguments:
    return f64(1.5), f64(1.2), r.random((n, n)), r.random((n, n)), r.random((n, n))


def two_mm(r: Random, n: int) -> Arguments:
    return f64(1.5), f64(1.2), *(r.random((n, n)) for _ in range(4))


def atax(r: Random, n: int) -> Arguments:
    return r.random((n, n)), r.random(n)


def jacobi_2d(r: Random, n: int) -> Arguments:
    return i32(50), r.random((n, n))


def seidel_2d(r: Random, n: int) -> Arguments:
    return i32(10), r.random((n, n))


def fdtd_2d(r: Random, n: int) -> Arguments:
    return np.arange(50.0), r.random((n, n)), r.random((n, n)), r.random((n, n))


def table(r: Random, n: int) -> Arguments:
    return (r.random((n, n)),)


def size_only(_: Random, n: int) -> Arguments:
    return (i64(n),)


def floats(r: Random, *shape: int) -> ArgValue:
    return r.random(shape, np.float32)


def fft(r: Random, n: int) -> Arguments:
    n = 1 << (n.bit_length() - 1)
    return r.random(n) - 0.5, r.random(n) - 0.5


def merge_sort(r: Random, n: int) -> Arguments:
    return (r.integers(-n, n, n).astype(np.int32),)


def binary_search(r: Random, n: int) -> Arguments:
    return np.sort(r.random(n)), r.random(n)


def pagerank(r: Random, n: int) -> Arguments:
    """Ten links from each page on average; half of them lead to the first tenth of the pages."""
    links = 10 * n
    popular = r.integers(0, max(1, n // 10), links)
    target = np.where(r.random(links) < 0.5, popular, r.integers(0, n, links))
    source = np.concatenate([np.arange(n), r.integers(0, n, links - n)])
    start = np.concatenate([[0], np.cumsum(np.bincount(target, minlength=n))])
    return (
        i32(20),
        np.bincount(source, minlength=n),
        start,
        source[np.argsort(target, kind="stable")],
    )


def life(r: Random, n: int) -> Arguments:
    return i32(50), r.integers(0, 2, (n, n)).astype(np.int8)


def convolution(r: Random, n: int) -> Arguments:
    return floats(r, n, n), floats(r, 5, 5)


def backprop(r: Random, n: int) -> Arguments:
    def weights(*shape: int) -> ArgValue:
        return (r.random(shape, np.float32) - np.float32(0.5)) / np.float32(100)

    return np.float32(0.7), floats(r, n), weights(n, 16), weights(16), weights(n, 16)


def pathfinder(r: Random, n: int) -> Arguments:
    return (r.integers(0, 10, (100, n)).astype(np.int32),)


def nerve_cells(r: Random, n: int) -> Arguments:
    return i32(500), f64(0.05), r.random(n), 2 * r.random(n) - 1, r.random(n)


def equalise(r: Random, n: int) -> Arguments:
    return (np.clip(r.normal(100, 25, (n, n)), 0, 255).astype(np.uint8),)


def ep(_: Random, n: int) -> Arguments:
    return i64(n), i64(256)


def cfd(r: Random, n: int) -> Arguments:
    """Cells whose neighbours are near in memory; some faces are walls or the free stream."""
    near = (np.arange(n)[:, None] + r.integers(-100, 101, (n, 4))) % n
    near[r.random((n, 4)) < 0.02] = -1
    near[r.random((n, 4)) < 0.02] = -2
    normals = 0.1 * (r.random((n, 4, 3)) - 0.5)
    normals -= normals.mean(axis=1, keepdims=True)
    momentum = r.random((n, 3)) - 0.5
    return i32(5), 1 + r.random(n), near, normals, 1 + r.random(n), momentum, 3 + r.random(n)


def lavamd(r: Random, n: int) -> Arguments:
    return f64(0.5), r.random((4, 4, 4, n, 3)), r.random((4, 4, 4, n))


def srad(r: Random, n: int) -> Arguments:
    return i32(20), np.float32(0.5), np.exp(floats(r, n, n))


def particle_filter(r: Random, n: int) -> Arguments:
    observed = np.arange(1, 11)[:, None] * np.array([1.0, 0.5])
    return observed, r.integers(0, 2**32, n, np.uint32), r.random(n) - 0.5, r.random(n) - 0.5


def streamcluster(r: Random, n: int) -> Arguments:
    centres, d = 64, 32
    candidates = r.integers(0, n, 10)
    assigned, cost = r.integers(0, centres, n), floats(r, n) * np.float32(6)
    weight = np.float32(0.5) + floats(r, n)
    return i64(centres), np.float32(50), candidates, assigned, cost, weight, floats(r, n, d)


def mri_q(r: Random, n: int) -> Arguments:
    return *(floats(r, 512) for _ in range(4)), *(floats(r, n) for _ in range(3))


def tpacf(r: Random, n: int) -> Arguments:
    stars = r.normal(size=(n, 3))
    return np.cos(np.linspace(0, np.pi, 20)), stars / np.linalg.norm(stars, axis=1, keepdims=True)


def cutcp(r: Random, n: int) -> Arguments:
    """Cells of width 1 in a cube, with at most 8 atoms each."""
    corner = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1)[..., None, :]
    place = corner + r.random((n, n, n, 8, 3))
    atoms = np.concatenate([place, r.random((n, n, n, 8, 1)) - 0.5], axis=-1)
    counts = r.integers(0, 9, (n, n, n))
    return np.float32(1), np.float32(0.5), counts, atoms.astype(np.float32)


INPUTS = {
    "atax": Input(3000, atax),
    "backprop": Input(1 << 20, backprop, 1e-4),
    "binary_search": Input(1 << 19, binary_search, 0),
    "cfd": Input(50_000, cfd),
    "convolution": Input(1024, convolution, 1e-4),
    "correlation": Input(600, table),
    "covariance": Input(600, table),
    "cutcp": Input(16, cutcp, 1e-4),
    "ep": Input(8192, ep),
    "equalise": Input(8192, equalise, 0),
    "fannkuch": Input(9, size_only, 0),
    "fdtd_2d": Input(600, fdtd_2d),
    "fft": Input(1 << 17, fft),
    "gemm": Input(512, gemm),
    "gram_schmidt": Input(300, table),
    "jacobi_2d": Input(1000, jacobi_2d),
    "lavamd": Input(48, lavamd),
    "life": Input(512, life, 0),
    "merge_sort": Input(1 << 18, merge_sort, 0),
    "mri_q": Input(4096, mri_q, 1e-4),
    "nerve_cells": Input(4096, nerve_cells),
    "pagerank": Input(50_000, pagerank),
    "particle_filter": Input(20_000, particle_filter, 1e-4),
    "pathfinder": Input(200_000, pathfinder, 0),
    "seidel_2d": Input(400, seidel_2d),
    "spectral_norm": Input(1500, size_only),
    "srad": Input(512, srad, 1e-3),
    "streamcluster": Input(200_000, streamcluster, 1e-4),
    "tpacf": Input(1500, tpacf, 1e-5),
    "two_mm": Input(400, two_mm),
}
