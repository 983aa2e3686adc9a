"""Loops that are printed several steps at a time, and comparisons that are printed as one.

Protects ``codegen/unroll.py`` (which loops qualify, and which must not be unrolled) and ``_inside``
of ``codegen/exprs.py``: what C computes with them stays what the interpreter says.
"""

import numpy as np
import pytest

from funmem.codegen.c import compile_c
from funmem.codegen.c_library import CLibrary
from funmem.codegen.opencl import compile_imp
from funmem.interp.imp import run_imp
from funmem.ir.text import parse_imp
from funmem.ir.values import ArgValue, agree
from tests.support.devices import needs_compiler

SUMS = """
entry f [n] [m] (lengths : [n]i64) (x : [m]i64) {{
  var y : mem;
  y <- alloc 8*n;
  kernel i < n do
    var data : i64;
    data <- lengths[i] : i64;
    var half : i64;
    half <- data // 2;
    var acc : i64;
    acc <- 0;
    for k < {bound} do
      {body}
    done
    y[i] : i64 <- acc;
  done
  return (y : [n]i64)
}}"""
STEP = "acc <- acc * 3 + k;"


@pytest.mark.parametrize(
    ("bound", "body", "expected"),
    [
        ("m", STEP, True),
        ("i + 1", STEP, True),
        ("5", STEP, False),  # the C compiler knows the length
        ("data", STEP, False),
        ("half", STEP, False),  # comes from memory, too
        ("m", "for l < m do acc <- acc * 3 + l; done", True),  # only the inner one
        ("m", STEP * 21, False),
    ],
)
def test_which_loops(bound: str, body: str, expected: bool) -> None:
    program = parse_imp(SUMS.format(bound=bound, body=body))
    assert compile_c(program, "p").source.count("FM_UNROLL for") == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (STEP, False),  # LLVM makes vectors of sums
        ("acc <- acc + k; y[k] : i64 <- acc;", True),
        ("var ok : bool; ok <- acc < k; if ok then y[k] : i64 <- acc; else acc <- k; fi", True),
        ("if first then y[k] : i64 <- acc; else acc <- acc + k; fi", False),  # it makes two loops
    ],
)
def test_which_loops_of_opencl(body: str, expected: bool) -> None:
    known = "acc <- 0; var first : bool; first <- i < 1;"
    program = parse_imp(SUMS.replace("acc <- 0;", known).format(bound="m", body=body))
    assert compile_imp(program).source.count("FM_UNROLL for") == expected
    assert "FM_UNROLL" not in compile_imp(program, gpu=True).source


@needs_compiler
@pytest.mark.parametrize("bound", ["m", "i + 1"])
def test_all_lengths(bound: str) -> None:
    """With and without steps that are left over."""
    program = parse_imp(SUMS.format(bound=bound, body=STEP))
    entry = CLibrary.load(compile_c(program, "p")).entry()
    for m in range(10):
        args = (np.zeros(6, np.int64), np.zeros(m, np.int64))
        assert agree(run_imp(program, "f", args), entry.run(args)) is None


INSIDE = """
entry f [n] (x : [n]i64) (most : i64) {
  var y : mem;
  y <- alloc n;
  kernel i < n do
    var v : i64;
    v <- x[i] : i64;
    var ok : bool;
    ok <- 0 <= v && v < most;
    y[i] : bool <- ok;
  done
  return (y : [n]bool)
}"""


@needs_compiler
def test_between_zero_and_a_number_below_zero() -> None:
    """Unsigned, such a number is larger than all indices."""
    program = parse_imp(INSIDE)
    compiled = compile_c(program, "p")
    assert "(ulong)" in compiled.source.partition(" void k0_0_item")[2]
    entry = CLibrary.load(compiled).entry()
    low, high = -(2**63), 2**63 - 1
    for most in (low, -1, 0, 1, 3, high):
        args: tuple[ArgValue, ...] = (np.array([low, -1, 0, 2, 3, high]), np.int64(most))
        assert agree(run_imp(program, "f", args), entry.run(args)) is None


CHECK = 'check (acc < 9) "assertion failed" "too large";'
ROLLED = "#pragma unroll 1"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{CHECK} for k < i do {STEP} done", 1),
        (f"var c : bool; c <- acc > 2; if c then {CHECK} else fi for k < i do {STEP} done", 1),
        (f"{CHECK} for k < i do for l < k do {STEP} done done", 2),
        (f"{CHECK} for k < 5 do {STEP} done", 0),  # its length is known
        (f"for k < i do {STEP} done", 0),
        (f"for k < i do {CHECK} {STEP} done", 0),  # it ends there, not an outer loop
    ],
)
def test_inner_loops_behind_a_check_are_not_unrolled(body: str, expected: int) -> None:
    """Of those NVIDIA's OpenCL compiler keeps the first iteration alone; C is printed as before."""
    text = f"""
entry f [n] (x : [n]i64) {{
  var y : mem;
  y <- alloc 8*n;
  kernel j < n do
    var acc : i64;
    acc <- x[j] : i64;
    for i < n do
      {body}
    done
    y[j] : i64 <- acc;
  done
  return (y : [n]i64)
}}"""
    program = parse_imp(text)
    assert compile_imp(program, safe=True).source.count(ROLLED) == expected
    assert ROLLED not in compile_c(program, "p", safe=True).source
