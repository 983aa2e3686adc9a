"""Raw code on whole arrays: sizes, grids, several results, copies, errors.

``examples/jit/raw.py`` runs on all engines (test_programs.py); malformed code is in ``wrong/``.
"""

import numpy as np
import pytest

import funmem as fm
from funmem.ir.text import parse_fun
from tests.support.sampling import sampled

MATRIX = """
__kernel void halves(long n, long m, float k, __global const float *x,
                     __global float *t, __global float *s)
{
    const long i = get_global_id(0), j = get_global_id(1);
    t[j * n + i] = x[i * m + j] * k;
    if (j == 0)
        s[i] = x[i * m] + x[i * m + m - 1];
}
"""


def halves_in_numpy(k: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return x.T * np.float32(k), x[:, 0] + x[:, -1]


halves = fm.opencl(
    MATRIX, "f32, f32[n, m] -> (f32[m, n], f32[n])", grid=("n", "m"), reference=halves_in_numpy
)
running = fm.c(
    "void running(long n, const double *x, double *z)"
    " { double s = 0; for (long i = 0; i < n; i++) z[i] = s += x[i]; }",
    "f64[n] -> f64[n]",
)

ENGINES = ("value", "heap", "imp", "c", "opencl")


@pytest.mark.parametrize("via", sampled(ENGINES, 3, slow=6))
def test_two_dimensions_two_results_and_a_copied_argument(via: str) -> None:
    """Only here: the order of sizes, numbers and results; a transposed argument is copied."""
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    f = fm.jit(lambda x: halves(2.0, x.T))
    with fm.using(via=via):
        t, s = f(x)
    expected = halves_in_numpy(2.0, x.T)
    np.testing.assert_array_equal(t, expected[0])
    np.testing.assert_array_equal(s, expected[1])


def test_a_function_in_c_is_one_call() -> None:
    """Only here: code without a grid and without a reference, in a loop of the host."""
    f = fm.jit(lambda x: fm.loop(3, lambda i, x: running(x), x))
    x = np.arange(4.0)
    expected = np.cumsum(np.cumsum(np.cumsum(x)))
    for via in ("value", "c"):
        with fm.using(via=via):
            assert f(x).tolist() == expected.tolist()
    with pytest.raises(fm.SourceError, match="has no OpenCL C source"):
        _ = f.lower(fm.f64["n"]).opencl


def test_a_result_needs_no_copy_and_an_argument_its_own_block() -> None:
    """Short-circuiting moves a result to the beginning of a block only; a part is copied there."""
    rev = fm.opencl(
        "__kernel void rev(long n, __global const float *x, __global float *z)"
        " { z[n - 1 - get_global_id(0)] = x[get_global_id(0)]; }",
        "f32[n] -> f32[n]",
        grid=("n",),
        reference=lambda x: x[::-1],
    )
    alone = fm.jit(lambda x: rev(x + 1)).lower(fm.f32["n"])
    assert alone.imp.count("kernel") == 1
    joined = fm.jit(lambda x: fm.concatenate([x, rev(x[1:])])).lower(fm.f32["n"])
    fm.check(parse_fun(joined.fun, "joined"))
    assert joined.imp.count("kernel") == 3  # the argument and both parts are copied
    assert "raw functions: 1 (rev), trusted" in joined.explain()


def test_sizes_that_disagree_are_an_error_of_the_call() -> None:
    add = fm.opencl(
        "__kernel void add(long n, __global const float *x, __global const float *y,"
        " __global float *z) { long i = get_global_id(0); z[i] = x[i] + y[i]; }",
        "f32[n], f32[n] -> f32[n]",
        grid=("n",),
    )
    with fm.using(via="c"), pytest.raises(fm.FunmemError, match=r"shape mismatch: .4. and .3."):
        add(np.ones(3, np.float32), np.ones(4, np.float32))
