"""Own functions of floats: errors in units in the last place, and the special values of C99.

Protects ``codegen/float_math.h`` and that both targets use it.  A wrong coefficient, a wrong bound
between two approximations and a lost sign of zero show here only: tests of operators compare with a
tolerance, on few values.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import funmem as fm
from tests.support.devices import needs_compiler

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


def ln_gamma(x: float) -> float:
    """The logarithm of the absolute value of the gamma function; infinite at its poles."""
    return math.inf if (x <= 0 and x % 1 == 0) or math.isinf(x) else math.lgamma(x)


UNARY: dict[str, Callable[[Doubles], Doubles]] = {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    "erfc": np.vectorize(math.erfc, otypes=[np.float64]),
    "lgamma": np.vectorize(ln_gamma, otypes=[np.float64]),
}
BINARY: dict[str, Callable[[Doubles, Doubles], Doubles]] = {
    "atan2": np.arctan2,
    "hypot": np.hypot,
}
ENDS = [0, -0.0, 1, -1, 0.5, -0.5, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-38, 3e38]
NEAR = [
    1 + 2.0**-8,
    2 - 2.0**-8,
    2,
    1.9999999,
    2.0**-10,
    2.0**-12,
    0.41421354,
    0.41421357,
    1.0000001,
    0.99999994,
    -0.99999994,
]
SPECIAL = np.array([*ENDS, *NEAR, 9.2, 10.05, 10.06, 10.2], np.float32)

PROGRAM = f"""
def main [n] (x: [n]f32) (y: [n]f32) : ({", ".join(["[n]f32"] * (len(UNARY) + len(BINARY)))}) =
  ({", ".join([*(f"map f32.{f} x" for f in UNARY), *(f"map2 f32.{f} x y" for f in BINARY)])})
"""


def arguments() -> Floats:
    """Floats of all magnitudes, and many where the functions are not flat."""
    rng = np.random.default_rng(7)
    bits = np.arange(0, 2**32, 999_983, dtype=np.uint64).astype(np.uint32)
    near = [rng.uniform(-r, r, 4000).astype(np.float32) for r in (0.01, 1, 10)]
    return np.concatenate([SPECIAL, bits.view(np.float32), *near])


def errors(got: Floats, exact: Doubles) -> Doubles:
    """The distances in units in the last place of the exact results, where these are floats."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        fits = np.isfinite(exact) & (np.abs(exact) < 3.4e38)
        unit = np.spacing(np.abs(rounded)).astype(np.float64)
        below = np.spacing(np.abs(rounded) / 2).astype(np.float64) * 2  # at a power of two
        return np.abs(got[fits] - exact[fits]) / np.minimum(unit, below)[fits]


def judge(got: Floats, exact: Doubles) -> None:
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
    assert np.array_equal(np.isnan(got), np.isnan(rounded))
    assert np.array_equal(got[np.isinf(rounded)], rounded[np.isinf(rounded)])
    zero = rounded == 0
    assert np.array_equal(np.signbit(got[zero]), np.signbit(rounded[zero]))
    assert errors(got, exact).max() < 0.51


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("c", marks=needs_compiler),
        pytest.param("opencl", marks=[pytest.mark.opencl, pytest.mark.slow]),
    ],
)
def test_errors_and_special_values(target: str) -> None:
    device = None if target == "c" else "Portable Computing Language"
    program = fm.compile(fm.parse(PROGRAM, language="fut"), target=target, device=device)
    first, second = (a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL))
    x = np.concatenate([arguments(), first])
    y = np.concatenate([np.random.default_rng(8).permutation(arguments()), second])
    got = [np.asarray(a) for a in program.main(x, y)]
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64), y.astype(np.float64)
        exact = [f(wide[0]) for f in UNARY.values()] + [f(*wide) for f in BINARY.values()]
    for found, wanted in zip(got, exact, strict=True):
        judge(found, wanted)
