"""C means what the table says: operators, conversions, constants, as on OpenCL devices."""

import ctypes
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from funmem.codegen.c_library import COptions, find_compiler
from funmem.codegen.preludes import c_prelude
from funmem.codegen.scalar_helpers import definitions
from funmem.codegen.scalars_cl import c_const, used
from funmem.ir.scalars import F32, I8, I32, I64, SCALARS, ScalarType
from tests.codegen.test_scalars_cl import (
    Array,
    cases,
    compare,
    constants,
    kernel,
    nested_cases,
    operands,
    pairs,
    uses,
)
from tests.ir.test_scalars import check, dtype, edges
from tests.support.devices import needs_compiler
from tests.support.sampling import sampled

pytestmark = needs_compiler

DRIVER = """
static long fm_gid;
#define get_global_id(k) fm_gid
#define __kernel
"""
RUN = """
void run(void (*f)(void *, void *, void *, long), long size, void *a, void *b, void *c, long n)
{
    for (fm_gid = 0; fm_gid < size; fm_gid++)
        f(a, b, c, n);
}
"""


@dataclass(frozen=True)
class Library:
    """Kernels as C functions: one iteration after the other."""

    handle: ctypes.CDLL
    rows: int = 10**9

    def run(
        self, name: str, size: int, out_bytes: int, *inputs: Array, scalars: tuple[Any, ...] = ()
    ) -> bytes:
        out = np.zeros(out_bytes, np.uint8)
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*inputs, out)]
        pointers += [ctypes.c_void_p(0)] * (3 - len(pointers))
        count = ctypes.c_long(int(scalars[0]) if scalars else 0)
        f = ctypes.cast(getattr(self.handle, name), ctypes.c_void_p)
        self.handle.run(f, ctypes.c_long(size), *pointers, count)
        return out.tobytes()


def build(source: str, folder: Path) -> Library:
    macros = "#define FM_WORDS 1\n#define FM_HEAD 0\n#define rt_context some_context\n"
    text = "\n".join((macros, c_prelude(), definitions(used(source)), DRIVER, source, RUN))
    (folder / "k.c").write_text(text)
    library = folder / "k.so"
    flags = COptions(optimise=False, openmp=False).flags
    subprocess.run(
        [*find_compiler(), *flags, "-o", library, folder / "k.c", "-lm"], check=True, text=True
    )
    return Library(ctypes.CDLL(str(library)))


@pytest.mark.parametrize("t", sampled(SCALARS, 0, slow=12), ids=str)
def test_every_operator_and_conversion(t: ScalarType, tmp_path: Path) -> None:
    library = build(kernel(f"on_{t}", t, t, list(cases(t))), tmp_path)
    compare(library, f"on_{t}", list(cases(t)), t, t, operands(t))


@pytest.mark.parametrize("t", sampled(SCALARS, 4, slow=2), ids=str)
def test_results_are_used(t: ScalarType, tmp_path: Path) -> None:
    library = build(kernel(f"uses_{t}", t, t, list(uses(t))), tmp_path)
    compare(library, f"uses_{t}", list(uses(t)), t, t, pairs(edges(t)))


def test_nested_expressions(tmp_path: Path) -> None:
    """Texts nest, although C promotes small integers to int."""
    every = nested_cases()[::2]
    library = build(kernel("nested", I8, I64, every), tmp_path)
    rng = np.random.default_rng(4)
    xs, ys = (rng.choice(np.array(edges(t), object), 300).tolist() for t in (I8, I64))
    compare(library, "nested", every, I8, I64, (xs, ys))


def test_constants(tmp_path: Path) -> None:
    library = build(constants(), tmp_path)
    every = [(t, v) for t in SCALARS for v in edges(t)]
    out = library.run("constants", 1, 8 * len(every))
    for k, (t, v) in enumerate(every):
        got = np.frombuffer(out, dtype(t), 1, 8 * k)
        check(got.tolist(), np.array([v], dtype(t)), 0, lambda i: c_const(v, t))  # noqa: B023


def test_a_block_may_be_reused_at_another_type(tmp_path: Path) -> None:
    """C's aliasing rule would let the compiler return the 1 that was stored first."""
    source = f"""
__attribute__((noinline)) static int reused(uchar *p, uchar *q)
{{
    ((fm_memory_{I32} *)p)[0] = 1;
    ((fm_memory_{F32} *)q)[0] = 2.0f;
    return ((fm_memory_{I32} *)p)[0];
}}
void aliasing(uchar *p, uchar *out)
{{
    *(int *)out = reused(p, p);
}}
"""
    out = build(source, tmp_path).run("aliasing", 1, 4, np.zeros(8, np.uint8))
    assert np.frombuffer(out, np.float32).tolist() == [2.0]


ULPS = """
void ulps(uint first, uint step, long count, double *worst)
{
    for (long k = 0; k < count; k++) {
        const float x = as_float(first + (uint)k * step);
        const float got[] = {exp(x), log(x), log2(x), log10(x)};
        const double want[] = {(exp)((double)x), (log)((double)x), (log2)((double)x),
                               (log10)((double)x)};
        for (int f = 0; f < 4; f++) {
            const float rounded = (float)want[f];
            if (isnan(rounded) || isinf(rounded)) {
                if (!(isnan(rounded) ? isnan(got[f]) : got[f] == rounded))
                    worst[f] = INFINITY;
                continue;
            }
            int e;
            frexpf(rounded, &e);
            const double ulp = ldexp(1.0, (rounded == 0 || e < -125 ? -125 : e) - 24);
            worst[f] = fmax(worst[f], fabs(got[f] - want[f]) / ulp);
        }
    }
}
"""


def test_exp_and_logarithms_of_floats(tmp_path: Path) -> None:
    """At most 0.51 ulp off, as the prelude says, for floats of all kinds: a million bit patterns,
    among them zeros, subnormal numbers, infinities and NaNs.
    """
    library = build(ULPS, tmp_path).handle
    worst = (ctypes.c_double * 4)()
    for first, step, count in ((0, 4099, 2**20), (0x7F7FFFFF, 1, 3), (0x80000000, 1, 2), (0, 1, 2)):
        library.ulps(ctypes.c_uint(first), ctypes.c_uint(step), ctypes.c_long(count), worst)
    assert max(worst) <= 0.51, list(worst)
