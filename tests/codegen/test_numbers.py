"""Minima and maxima of floats that are never NaN.

Protects ``codegen/numbers.py`` and the helpers ``fm_min_of_number_*``: which floats count, and that
C gives the interpreter's bits for NaNs and zeros of both signs.
"""

from itertools import permutations

import numpy as np
import pytest

from funmem.codegen.c import compile_c
from funmem.codegen.c_library import CLibrary
from funmem.interp.imp import run_imp
from funmem.ir.text import parse_imp
from funmem.ir.values import agree
from tests.support.devices import needs_compiler
from tests.support.sampling import sampled

LOOP = """
entry f [n] (x : [n]{t}) (start : {t}) {{
  var parts : mem;
  parts <- alloc 32;
  var acc : {t};
  acc <- {start};
  for i < n do
    var v : {t};
    v <- x[i] : {t};
    var w : {t};
    w <- {step};
    acc <- w;
  done
  parts[0] : {t} <- acc;
  var last : {t};
  last <- parts[0] : {t};
  return (last : {t})
}}"""
PARTS = {"t": "f32", "start": "f32.inf", "step": "min(acc, v)"}


def text(**changed: str) -> str:
    return LOOP.format(**PARTS | changed)


def cheap(source: str) -> int:
    body = compile_c(parse_imp(source), "p").source
    return body.count("= fm_min_of_number_f") + body.count("= fm_max_of_number_f")  # in kernels


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, 1),
        ({"step": "max(v, acc)"}, 1),
        ({"start": "-f32.inf", "step": "max(acc, -v)"}, 1),
        ({"start": "f32.nan"}, 0),
        ({"start": "start"}, 0),  # the caller may pass NaN
        ({"step": "min(acc, v) + v"}, 0),  # inf - inf
        ({"step": "min(v, v)"}, 0),
    ],
)
def test_what_is_a_number(changed: dict[str, str], found: int) -> None:
    assert cheap(text(**changed)) == found


@needs_compiler
@pytest.mark.parametrize("t", sampled(["f32", "f64"], 2))
@pytest.mark.parametrize("op", ["min", "max"])
def test_like_the_interpreter(t: str, op: str) -> None:
    dtype = {"f32": np.float32, "f64": np.float64}[t]
    infinity = f"{t}.inf" if op == "min" else f"-{t}.inf"
    program = parse_imp(text(t=t, start=infinity, step=f"{op}(acc, v)"))
    compiled = compile_c(program, "p", safe=True)
    assert f"fm_{op}_of_number_{t}" in compiled.source
    entry = CLibrary.load(compiled).entry()
    special = np.array([0.0, -0.0, np.nan, 1.5], dtype)
    for order in permutations(special):
        for k in range(5):
            args = [np.array(order[:k], dtype), dtype(np.inf)]
            assert agree(run_imp(program, "f", args), entry.run(args)) is None
