"""Functions as ``static inline`` functions of C and OpenCL C: results, checks, and their text.

Protects ``codegen/functions_c.py`` and calls in ``codegen/device_c.py``: what a call returns, that
the caller of a function that fails leaves at once, and that a function is printed once.
"""

import re

import pytest

from funmem.codegen.c import compile_c
from funmem.codegen.c_library import CLibrary, COptions
from funmem.codegen.opencl import compile_imp
from funmem.interp.imp import run_imp
from funmem.ir.diagnostics import Trap, TrapKind
from funmem.ir.imp import ImpProgram
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue, Value, agree
from funmem.passes.lower import lower_program
from funmem.passes.pipeline import ALLOCATE
from funmem.passes.runner import Pipeline
from tests.interp.test_functions import PROGRAM
from tests.support.devices import has_pocl, needs_compiler, run_on_pocl

ON_POCL = pytest.param(
    "opencl",
    marks=[
        pytest.mark.opencl,
        pytest.mark.skipif(not has_pocl(), reason="PoCL is not installed"),
    ],
)
engines = pytest.mark.parametrize("engine", [pytest.param("c", marks=needs_compiler), ON_POCL])


def imp(text: str = PROGRAM) -> ImpProgram:
    """The program in IMP, with its calls."""
    placed = Pipeline.parse(ALLOCATE).run(parse_fun(text, "p.fun"))
    assert not isinstance(placed, ImpProgram)
    return lower_program(placed)


def compute(engine: str, p: ImpProgram, *args: ArgValue) -> tuple[Value, ...]:
    if engine == "opencl":
        return run_on_pocl(p, "f", args)
    library = CLibrary.load(compile_c(p, "p"), COptions(optimise=False))
    return library.entry().run(args)


@engines
def test_agrees_with_the_interpreter(engine: str) -> None:
    p = imp()
    for args in (([2, 4, 3], 4), ([], 1)):
        assert agree(run_imp(p, "f", args), compute(engine, p, *args)) is None


@engines
def test_a_trap_is_in_the_function(engine: str) -> None:
    p = imp()
    with pytest.raises(Trap) as e:
        compute(engine, p, [2, 0, 7], 4)
    assert (e.value.kind, e.value.diagnostic.at.line) == (TrapKind.DIVISION, 17)
    with pytest.raises(Trap) as e:
        compute(engine, p, [1, 7], 4)
    assert (e.value.diagnostic.message, e.value.diagnostic.at.line) == ("x is 7", 16)


LOOPS = """
def collatz (start : i64) -> (steps : i64) =
  let (more : bool) = start > 1
  let (go : bool) (x : i64) (k : i64) =
    loop (g : bool) = more, (y : i64) = start, (m : i64) = 0 while g do
      let (odd : i64) = y & 1
      let (is_odd : bool) = odd == 1
      let (next : i64) = if is_odd then
          let (up : i64) = 3 * y + 1
          in (up)
        else
          let (down : i64) = y / 2
          in (down)
      let (g2 : bool) = next > 1
      let (m2 : i64) = m + 1
      in (g2, next, m2)
  in (k)

entry f (n : i64) -> (r : [n]i64) (s : i64) =
  let (s : i64) = call collatz (n) partial
  let (ys : [n]i64) =
    kernel i < n do
      let (k : i64) = call collatz (i) partial
      in (k)
  in (ys, s)
""".replace("(s : i64) =\n  let (s", "(t : i64) =\n  let (s")


@engines
def test_a_while_in_a_function(engine: str) -> None:
    p = imp(LOOPS)
    assert agree(run_imp(p, "f", (30,)), compute(engine, p, 30)) is None


def test_a_function_is_printed_once_for_each_entry_point() -> None:
    """Also if several kernels call it; what no entry point calls is not printed."""
    text = imp().functions
    source = compile_imp(imp()).source
    assert [f.name for f in text] == ["twice", "both", "ratio", "checked"]
    heads = re.findall(r"^static inline \w+ (f\d+_\d+)\(", source, re.MULTILINE)
    assert sorted(heads) == ["f0_0", "f0_1", "f0_2", "f0_3"]
    unused = compile_imp(imp(PROGRAM.replace("call checked (y, q) partial", "y + q"))).source
    assert "f0_3(" not in unused
    assert "f0_2(" not in unused


def test_a_function_without_checks_takes_no_status() -> None:
    source = compile_imp(imp()).source
    (both,) = re.findall(r"^static inline void f0_1\((.*)\)$", source, re.MULTILINE)
    (ratio,) = re.findall(r"^static inline int f0_2\((.*)\)$", source, re.MULTILINE)
    assert "status" not in both
    assert ratio.startswith("volatile __global long *status, long launch, long gid")
