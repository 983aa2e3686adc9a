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


def spectral_norm(_: Random, n: int) -> Arguments:
    return (i64(n),)


INPUTS = {
    "atax": Input(3000, atax),
    "correlation": Input(600, table),
    "covariance": Input(600, table),
    "fdtd_2d": Input(600, fdtd_2d),
    "gemm": Input(512, gemm),
    "gram_schmidt": Input(300, table),
    "jacobi_2d": Input(1000, jacobi_2d),
    "seidel_2d": Input(400, seidel_2d),
    "spectral_norm": Input(1500, spectral_norm),
    "two_mm": Input(400, two_mm),
}
