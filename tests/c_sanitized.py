"""IMP programs as C under the address and undefined-behaviour sanitizers.

    python -m tests.c_sanitized [--every N]

The sanitizer's library must be loaded first, so that the programs run in a child process with
``LD_PRELOAD``.  Four more children read outside a block and, in foreign C, outside an array and
outside the elements of a vector of vectors, and write outside the array that raw code is to make,
on purpose: a silent sanitizer says nothing.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence

import numpy as np

from funmem.codegen.c import compile_c
from funmem.codegen.c_library import CLibrary, COptions
from funmem.codegen.foreign_library import table
from funmem.frontends.nova.foreign import implement
from funmem.frontends.nova.program import to_core
from funmem.interp.imp import run_imp
from funmem.ir.foreign import ForeignCode, ForeignFunction, OpaqueFunction
from funmem.ir.fun import ArrayType
from funmem.ir.names import Name
from funmem.ir.scalars import F32, I64
from funmem.ir.sizes import var
from funmem.ir.text import parse_imp
from funmem.ir.values import ArgValue, agree
from funmem.testing.judge.isolated import preloaded
from tests.support.opencl_programs import PROGRAMS, f32

N = Name("n")
ROWS = ArrayType(F32, (var(N),))

OUTSIDE = """
entry f [n] (x : [n]f32) {
  var y : mem;
  y <- alloc 4*n;
  kernel i < n do
    y[i] <- x[i + 1] : f32;
  done
  return (y : [n]f32)
}"""
"""Right behind the block: what is further away may have belonged to something else before."""

FOREIGN = """
entry f (k : i64) {
  var y : i64;
  call (y) <- element (k) foreign;
  return (y : i64)
}"""
OVERRUN = ForeignCode(
    (ForeignFunction(Name("element"), (I64,), (I64,), c=True),),
    """
#include <stdlib.h>
static void foreign_element(long k, long *r)
{
    long *volatile few = calloc(3, sizeof(long));
    *r = few[k];
    free(few);
}""",
)
"""It reads outside of its own memory for k = 3."""

RAW = """
entry f [n] (x : [n]f32) (k : i64) {
  var y : mem;
  y <- alloc 4*n;
  var z : mem;
  z <- alloc 4*n;
  opaque ((y : [n]f32)) <- moved (n, k, (x : [n]f32)) grid [n];
  opaque ((z : [n]f32)) <- moved (n, 0, (y : [n]f32)) grid [n];
  return (z : [n]f32)
}"""
RAW_CODE = ForeignCode(
    c="""
static void foreign_moved(long n, long k, const float *x, float *y, long i)
{
    y[i + k] = x[i];
}""",
    opaque=(OpaqueFunction(Name("moved"), (N,), (I64, ROWS), (ROWS,), grid=(var(N),), c=True),),
)
"""It writes behind the block ``y``, which no caller sees, for k = 1."""


NOVA = (
    "((X : vector vector int)) (foreign (ends : vector vector int -> int -> vector int)) (ends X 1)"
)
NOVA_C = """
static void ends(int *n, int **out, int length, const int *offsets, const int *xs, int over)
{
    *n = length;
    *out = malloc(length * sizeof **out);
    for (int i = 0; i < length; i++)
        (*out)[i] = xs[offsets[i + 1] - 1 + over];
}
"""
"""It reads behind the last row for over = 1."""

WRONG = ("outside", "foreign", "raw", "rows")
"""The children that leave an array."""


def run(text: str, arguments: Sequence[Sequence[ArgValue]]) -> None:
    """Runs a program both ways and compares."""
    program = parse_imp(text)
    for safe in (False, True):
        options = COptions(sanitize=True, optimise=False)
        entry = CLibrary.load(compile_c(program, "p", safe=safe), options).entry()
        for args in arguments:
            difference = agree(run_imp(program, "f", args), entry.run(args))
            assert difference is None, difference


def child(what: str, every: int) -> None:
    """What runs with the sanitizer's library."""
    if what == "outside":
        options = COptions(sanitize=True, optimise=False)
        CLibrary.load(compile_c(parse_imp(OUTSIDE), "p"), options).entry()(f32(100))
        return
    if what == "foreign":
        options = COptions(sanitize=True, optimise=False)
        entry = CLibrary.load(compile_c(parse_imp(FOREIGN), "p", foreign=OVERRUN), options).entry()
        assert entry(2) == 0
        print("inside", flush=True)
        entry(3)
        return
    if what == "raw":
        options = COptions(sanitize=True, optimise=False)
        entry = CLibrary.load(compile_c(parse_imp(RAW), "p", foreign=RAW_CODE), options).entry()
        assert entry(f32(100), 0).tolist() == f32(100).tolist()
        print("inside", flush=True)
        entry(f32(100), 1)
        return
    if what == "rows":
        code = implement(to_core(NOVA, "p.nova").foreign, f"#include <stdlib.h>{NOVA_C}", "")
        ends = table(code, COptions(openmp=False, sanitize=True, optimise=False))["ends"]
        offsets, elements = np.array([0, 2, 3], np.int32), np.array([5, 6, 7], np.int32)
        assert ends(offsets, elements, 0) == ([6, 7],)
        print("inside", flush=True)
        ends(offsets, elements, 1)
        return
    chosen = list(PROGRAMS.items())[::every]
    for name, (text, arguments) in chosen:
        print(name, flush=True)
        run(text, arguments)
    print(f"{len(chosen)} programs, nothing noticed")


def sanitized(what: str, every: int) -> subprocess.CompletedProcess[str]:
    """A child process with the sanitizer's library."""
    command = [sys.executable, "-m", "tests.c_sanitized", "--child", what, "--every", str(every)]
    return subprocess.run(command, env=preloaded(), capture_output=True, text=True, check=False)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th program")
    parser.add_argument("--child", choices=("all", *WRONG), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.every)
        return 0
    done = sanitized("all", given.every)
    print(done.stdout, done.stderr, sep="", end="")
    if done.returncode:
        return 1
    for what in WRONG:
        wrong = sanitized(what, 1)
        if wrong.returncode == 0 or "heap-buffer-overflow" not in wrong.stderr:
            print(f"the sanitizer noticed nothing:\n{wrong.stdout}{wrong.stderr}")
            return 1
    print("a heap-buffer-overflow was noticed where there is one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
