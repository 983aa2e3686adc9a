"""A program compiled with a host in C runs on a device without Python (paper 001, section 4.4).

``gcc`` builds it with a C program that calls it; the device is PoCL, chosen by name.
"""

import ctypes
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pyopencl
import pytest

from funmem.codegen.c_library import CLibrary, find_compiler
from funmem.codegen.cl_host import compile_hosted, write_hosted
from funmem.codegen.device import POCL
from funmem.codegen.opencl import compile_imp
from funmem.interp.imp import run_imp
from funmem.ir.text import parse_imp
from funmem.ir.values import agree
from tests.support.command_line import say
from tests.support.devices import has_pocl, needs_compiler
from tests.support.opencl_programs import PROGRAMS
from tests.support.sampling import sampled

LIBRARIES = Path(pyopencl.__file__).parent / ".libs"
"""pyopencl's wheel has a loader; PoCL's wheel puts itself and its .icd file there."""

LOADERS = sorted(LIBRARIES.glob("libOpenCL*.so*"))
pytestmark = [
    needs_compiler,
    pytest.mark.opencl,
    pytest.mark.skipif(not LOADERS, reason="pyopencl's wheel contains no libOpenCL to link with"),
    pytest.mark.skipif(not has_pocl(), reason="PoCL is not installed"),
]


def built(folder: Path, name: str, main: str, flags: Sequence[str] = ()) -> Path:
    """A program that calls ``NAME.c``, which lies in a folder."""
    (folder / "main.c").write_text(main)
    program = folder / "program"
    command = [*find_compiler(), "-std=gnu11", "-O1", "-Wall", "-Wno-unused", "-Werror", *flags]
    files = ["main.c", f"{name}.c", str(LOADERS[0]), "-lm", "-o", str(program)]
    done = subprocess.run([*command, *files], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def run(program: Path, *args: str) -> str:
    found = {"OCL_ICD_VENDORS": str(LIBRARIES), "LD_LIBRARY_PATH": str(LIBRARIES)}
    env = {**os.environ, **found}
    done = subprocess.run([program, *args], capture_output=True, text=True, env=env, timeout=120)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


NOVA = """
; The parts of X that are below their mean, and their number.
((X : vector float))
(let (mean (/ (reduce + 0 X) (from_double (to_double (length X)))))
     (Y (filter (lambda (x : float) (< x mean)) X))
 in (Y, (length Y), ((map (lambda (y : float) (* y y)) Y) ! 1)))
"""

CALL = """
#include <stdio.h>
#include <string.h>
#include "below.h"

int main(int argc, char **argv)
{
    float x[5000], *y = NULL, square = 0;
    int64_t shape[1];
    int32_t count = 0;
    struct below_context *c = below_new();
    if (below_open(c, argv[1])) {
        puts(below_message(c));
        return 0;
    }
    for (int n = 5000; n >= 0; n -= 2500) {
        for (int i = 0; i < n; i++)
            x[i] = i;
        int code = below_main(c, n, x, &y, shape, &count, &square);
        if (code)
            printf("%d %s\\n", code, below_message(c));
        else {
            printf("%d %d %g %g\\n", (int)shape[0], count, y[count - 1], square);
            below_release(y);
        }
    }
    below_free(c);
    return 0;
}
"""


@pytest.mark.exhaustive
def test_a_c_program_calls_nova(tmp_path: Path) -> None:
    """Arrays, scalars, a result whose size the device computes, and traps; launch sizes are set.

    The second build runs at most 3 groups of 2 work-items at once.
    """
    (tmp_path / "below.nova").write_text(NOVA)
    said = say(f"funmem compile {tmp_path}/below.nova --host c -o {tmp_path}")
    assert said.code == 0, said.err
    assert said.out.startswith(f"wrote {tmp_path}/below.h: main [")
    program = built(tmp_path, "below", CALL)
    out = run(program, POCL).splitlines()
    assert out[:2] == ["2500 2500 2499 1", "1250 1250 1249 1"]
    assert out[2].startswith("1 ")
    assert "out of bounds" in out[2]
    assert run(program, "no such device") == "no OpenCL device is called `no such device`\n"
    sized = built(tmp_path, "below", CALL, ["-DBELOW_GROUP=2", "-DBELOW_GROUPS=3"])
    assert run(sized, POCL).splitlines() == out


RAW = """
import funmem as fm

turned = fm.opencl("__kernel void turned(long n, __global const float *x, __global float *z) {"
                   " long i = get_global_id(0); z[n - 1 - i] = 2 * x[i]; }",
                   "f32[n] -> f32[n]", grid=("n",))
sums = fm.opencl("void sums(long n, __global const float *x, __global float *z) {"
                 " for (long i = 0; i < n; i++) z[i] = i ? z[i - 1] + x[i] : x[i]; }",
                 "f32[n] -> f32[n]")
in_c = fm.c("void in_c(long n, const float *x, float *z) { z[0] = x[n - 1]; }", "f32[n] -> f32[n]")

@fm.jit
def main(x: fm.f32["n"]):
    return sums(turned(x) + 1)
"""

CALL_RAW = """
#include <stdio.h>
#include "raw.h"

int main(int argc, char **argv)
{
    float x[4] = {1, 2, 3, 4}, *r = NULL;
    int64_t shape[1];
    struct raw_context *c = raw_new();
    if (raw_open(c, argv[1]) || raw_main(c, 4, x, &r, shape))
        puts(raw_message(c));
    else
        printf("%d: %g %g %g %g\\n", (int)shape[0], r[0], r[1], r[2], r[3]);
    raw_release(r);
    raw_free(c);
    return 0;
}
"""


def test_raw_code_on_whole_arrays(tmp_path: Path) -> None:
    """Finds a kernel of a user's that the host in C does not build, or launches on another grid."""
    (tmp_path / "raw.py").write_text(RAW)
    said = say(f"funmem compile {tmp_path}/raw.py --host c --target opencl -o {tmp_path}")
    assert said.code == 0, said.err
    assert run(built(tmp_path, "raw", CALL_RAW), POCL) == "4: 9 16 21 24\n"
    (tmp_path / "raw.py").write_text(RAW.replace("sums(turned(x) + 1)", "in_c(x)"))
    said = say(f"funmem compile {tmp_path}/raw.py --host c --target opencl -o {tmp_path}")
    assert said.code == 1
    assert "has no OpenCL C source" in said.err
    assert "write it for fm.opencl, or run the program as C" in said.err


@pytest.mark.parametrize("name", sampled(PROGRAMS, 18, 4))
def test_agrees_with_the_interpreter(name: str, tmp_path: Path) -> None:
    """Each construct of IMP, with its traps; the library is loaded into this process."""
    text, arguments = PROGRAMS[name]
    program = parse_imp(text)
    hosted = compile_hosted(program, "p")
    write_hosted(hosted, tmp_path)
    library = tmp_path / "libp.so"
    flags = ["-std=gnu11", "-O1", "-shared", "-fPIC", "-ffp-contract=off", "-o", str(library)]
    call = [*find_compiler(), *flags, "p.c", str(LOADERS[0]), "-lm"]
    subprocess.run(call, cwd=tmp_path, check=True)
    loaded = CLibrary.open(library, "p", compile_imp(program).plan)
    loaded.function("p_open")(ctypes.c_void_p(loaded.context), POCL.encode())
    entry = loaded.entry()
    for args in arguments:
        assert agree(run_imp(program, "f", args), entry.run(args)) is None
