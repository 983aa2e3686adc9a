"""Raw functions from Python: where they can be called, and how they are compared with references.

Malformed ones are in ``wrong/`` (test_wrong.py).  ``examples/jit/raw.py`` runs on all engines.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import funmem as fm
from funmem.frontends.python.raw import Raw
from tests.support.command_line import say

WEIGHED = """
/* A helper with the name of a parameter elsewhere. */
static float half_of(float x) { return x / 2; }
void weighed(float x, int k, float *r, int *s) // two results
{
    *r = half_of(x) * k;
    *s = k + 1;
}
"""


def weighed(x: float, k: int) -> tuple[float, int]:
    return x / 2 * k, k + 1


@pytest.mark.parametrize("via", ["value", "c", pytest.param("opencl", marks=pytest.mark.opencl)])
def test_several_results_and_helpers(via: str) -> None:
    f = fm.opencl(WEIGHED, "f32, i32 -> (f32, i32)", reference=weighed)
    twice = fm.jit(lambda xs: fm.map(lambda x: f(x, 3)[0] + f(x, 4)[1], xs))
    with fm.using(via=via):
        assert twice(np.array([1, 2], np.float32)).tolist() == [6.5, 8.0]
        assert f(np.float32(3), np.int32(2)) == (3.0, 3)


def test_equal_names_of_different_functions() -> None:
    """Names have a digest of the source, so two of one name do not meet."""
    f = fm.c("float f(float x) { return x + 1; }", "f32 -> f32")
    g = fm.c("float f(float x) { return x * 10; }", "f32 -> f32")
    both = fm.jit(lambda x: f(g(x)))
    with fm.using(via="c"):
        assert both(np.float32(2)) == 21
    low = both.lower(np.float32(2))
    assert len(low.core.split("foreign f_")) == 1 + 2 + 2
    assert "raw functions: 2 (f, f), trusted" in low.explain()


def test_c_is_not_for_kernels_on_a_device() -> None:
    f = fm.c("float f(float x) { return x + 1; }", "f32 -> f32")
    low = fm.jit(lambda xs: fm.map(f, xs)).lower(fm.f32["n"])
    with pytest.raises(fm.SourceError, match="called in a kernel, but has no OpenCL C source"):
        _ = low.opencl


@pytest.mark.parametrize("x", [np.float64(1), np.int32(1)], ids=["f64", "i32"])
def test_arguments_are_not_converted_silently(x: object) -> None:
    f: Raw = fm.opencl("float f(float x) { return x; }", "f32 -> f32")
    with pytest.raises(fm.SourceError, match="not f32") as e:
        f(x)
    assert e.value.diagnostic.code == "foreign"


MODULE = """
import funmem as fm

f = fm.opencl("float f(float x) { return x * 2; }", "f32 -> f32", reference=lambda x: x * FACTOR)

@fm.jit
def doubled(xs: fm.f32["n"]):
    return fm.map(f, xs)
"""


@pytest.mark.parametrize(("factor", "code"), [("2", 0), ("3", 3)], ids=["right", "wrong"])
def test_a_wrong_reference_is_reported(factor: str, code: int, tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(MODULE.replace("FACTOR", factor), encoding="utf-8")
    said = say(f"funmem run {path} -i '[1.5f32]' --via c --against value")
    assert said.code == code
    assert ("disagree" in said.err) == (code == 3)


def test_ahead_of_time(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(MODULE.replace("FACTOR", "2"), encoding="utf-8")
    said = say(f"funmem compile {path} --target c -o {tmp_path / 'out'}")
    assert said.code == 0, said.err
    sources = [x for x in os.listdir(tmp_path / "out") if x.endswith(".c")]
    assert "foreign_f_" in (tmp_path / "out" / sources[0]).read_text(encoding="utf-8")
