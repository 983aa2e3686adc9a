"""Own functions of doubles: errors in units in the last place, and the special values of C99.

Protects ``codegen/double_*.h``: a wrong coefficient, a wrong bound between two approximations, a
wrong reduction of large arguments and a lost sign of zero show here only, since tests of operators
compare with a tolerance on few values.  The reference is libm's long double, where it has 64 bits.
"""

import ctypes

import numpy as np
import pytest
from numpy.typing import NDArray

import funmem as fm
from funmem.codegen.preludes import OWN
from tests.codegen.test_scalars_c import Library, build
from tests.support.devices import needs_compiler

Doubles = NDArray[np.float64]

ERRORS = {
    "exp": 0.9, "expm1": 1.2, "log": 0.85, "log2": 0.8, "log10": 0.75, "log1p": 0.85, "pow": 0.9,
    "sin": 0.82, "cos": 0.82, "tan": 2.3, "sinh": 2.1, "cosh": 1.35, "tanh": 2.4, "asin": 0.9,
    "acos": 0.85, "atan": 1.8, "atan2": 1.9, "asinh": 1.75, "acosh": 2.0, "atanh": 1.9,
    "cbrt": 0.65, "hypot": 1.15, "erf": 1.65, "erfc": 3.9, "tgamma": 4.1, "lgamma": 2.1,
}  # fmt: skip
"""The largest errors, in units in the last place of the result; of lgamma also of 1."""

ENDS = [0, -0.0, 1, -1, 0.5, -0.5, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-308, 1.7e308, 2, -2]
NEAR = [
    3,
    -3,
    1.5,
    -1.5,
    1 - 2**-53,
    1 + 2**-52,
    2**-53 - 1,
    0.75,
    0.4375,
    2.0**20,
    2.0**20 - 2**-33,
]
FAR = [
    2.0**52 - 0.5,
    2.0**52 + 1,
    2.0**53,
    -(2.0**52) - 1,
    2.0**53 - 1,
    -2.5,
    -4.0,
    8.0,
    27.3,
    1e22,
]
OVER = [
    709.7,
    709.9,
    710.47,
    710.48,
    -745.1,
    -745.2,
    171.62,
    171.63,
    -171.5,
    -184.5,
    -190.5,
    -1e300,
]
SPECIAL = np.array([*ENDS, *NEAR, *FAR, *OVER])


def source() -> str:
    """C functions that return the largest error of each function."""

    def judge(f: str, n: int) -> str:
        given = ", ".join(("x[k]", "y[k]")[:n])
        wide = ", ".join(("(long double)x[k]", "(long double)y[k]")[:n])
        return f"""
double judge_{f}(const double *x, const double *y, long n)
{{
    double worst = 0;
    for (long k = 0; k < n; k++)
        worst = fmax(worst, far_off({f}({given}), ({f}l)({wide}), {int(f == "lgamma")}));
    return worst;
}}"""

    return DISTANCE + "".join(judge(f, n) for f, n in OWN.items())


DISTANCE = """
#include <float.h>
int bits_of_long_double(void) { return LDBL_MANT_DIG; }
static double far_off(double got, long double want, int of_one)
{
    const double rounded = (double)want;
    if (isnan(rounded) || isnan(got))
        return isnan(rounded) && isnan(got) ? 0 : INFINITY;
    if (signbit(got) != signbit(rounded) && !(of_one && fabs(rounded) < 1))
        return INFINITY;
    if (isinf(rounded) || isinf(got))
        return got == rounded ? 0 : INFINITY;
    int e;
    frexp(rounded, &e);
    const double unit = ldexp(1, (rounded == 0 || e < -1021 ? -1021 : e) - 53);
    return (double)(fabsl(got - want) / (of_one && unit < 0x1p-52 ? 0x1p-52 : unit));
}
"""


def arguments(each: int) -> tuple[Doubles, Doubles]:
    """Pairs of doubles of all magnitudes, many where the functions are not flat, near multiples of
    pi / 2, and all pairs of special ones.
    """
    rng = np.random.default_rng(7)

    def some(*spans: float) -> Doubles:
        return np.concatenate([rng.uniform(-r, r, each) for r in spans])

    bits = rng.integers(0, 2**64, 2 * each, dtype=np.uint64).view(np.float64)
    turns = np.floor(2.0 ** rng.uniform(0, 60, each)) * (np.pi / 2)
    x = [bits, some(1, 10, 100, 1000), 1 + some(1) * 2.0 ** -rng.uniform(0, 50, each), turns]
    y = [bits[::-1], some(1, 10, 100, 100), some(1) * 2.0 ** rng.uniform(0, 60, each), turns / 3]
    first, second = (a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL))
    return np.concatenate([*x, first]), np.concatenate([*y, second])


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return build(source(), tmp_path_factory.mktemp("c"))


@needs_compiler
@pytest.mark.parametrize("each", [500, pytest.param(100_000, marks=pytest.mark.exhaustive)])
def test_errors_and_special_values(library: Library, each: int) -> None:
    if library.handle.bits_of_long_double() != 64:
        pytest.skip("long double has not 64 bits")
    x, y = arguments(each)
    px, py = (a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in (x, y))
    worst = {}
    for f in OWN:
        judge = getattr(library.handle, f"judge_{f}")
        judge.restype = ctypes.c_double
        worst[f] = judge(px, py, ctypes.c_long(x.size))
    assert ERRORS.keys() == OWN.keys()
    assert {f: e for f, e in worst.items() if not e <= ERRORS[f]} == {}
    assert {f: e for f, e in worst.items() if e < 0.45} == {}  # something was measured


NAMES = {"tgamma": "gamma"}
SOME = ("sin", "pow", "erfc", "lgamma")


def program(names: tuple[str, ...], t: str) -> str:
    def call(f: str) -> str:
        if f == "pow":
            return "map2 (**) x y"
        return f"map2 {t}.{f} x y" if OWN[f] == 2 else f"map {t}.{NAMES.get(f, f)} x"

    return "".join(
        f"entry the_{f} [n] (x: [n]{t}) (y: [n]{t}) : [n]{t} = {call(f)}\n" for f in names
    )


@needs_compiler
@pytest.mark.opencl
@pytest.mark.parametrize(
    ("names", "t"),
    [
        pytest.param(SOME, "f64", marks=pytest.mark.exhaustive),
        pytest.param(tuple(OWN), "f64", marks=pytest.mark.exhaustive),
        pytest.param(tuple(OWN), "f32", marks=pytest.mark.exhaustive),
    ],
)
def test_both_targets_compute_the_same_bits(names: tuple[str, ...], t: str) -> None:
    tree = fm.parse(program(names, t), language="fut")
    in_c = fm.compile(tree, target="c")
    on_device = fm.compile(tree, target="opencl", device="Portable Computing Language")
    with np.errstate(over="ignore"):
        x, y = (a.astype(np.float64 if t == "f64" else np.float32) for a in arguments(500))
    for f in names:
        a, b = (np.asarray(getattr(p, f"the_{f}")(x, y)) for p in (in_c, on_device))
        assert np.array_equal(np.isnan(a), np.isnan(b)), f
        assert np.array_equal(a[~np.isnan(a)].view(np.uint8), b[~np.isnan(b)].view(np.uint8)), f
