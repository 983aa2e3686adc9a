"""Generated programs as machine code: OpenCL on PoCL and Oclgrind, and C under sanitizers.

All are asked for by name, never found by chance.  The sanitizers' library has to be in a process
before Python is: :func:`preloaded` says which environment a child process needs.
"""

import os
import subprocess
from collections.abc import Collection, Mapping
from enum import Enum

from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic
from funmem.ir.imp import ImpProgram
from funmem.ir.values import Value
from funmem.testing.judge import Case, Outcome, compare


class Device(Enum):
    """What runs machine code."""

    OPENCL = "opencl"
    """PoCL; in a process of its own where sanitizers are in this one."""
    OCLGRIND = "oclgrind"
    """A simulator, in a process of its own: it reports races and accesses outside of buffers."""
    C = "c"
    SANITIZED = "c sanitized"
    """Addresses and undefined behaviour are checked: the process dies of what is wrong."""


DEVICES = {d.value: d for d in Device}


def judge_on(d: Device, p: ImpProgram, case: Case, want: Outcome) -> None:
    """Raises Disagrees if a device answers something else; DeviceError if there is none."""
    compare(d.value, want, lambda: _run(d, p, case), case.tolerance)


def require(devices: Collection[Device]) -> None:
    """Raises DeviceError if PoCL or the simulator is asked for and not there."""
    for d in devices:
        if d in (Device.OPENCL, Device.OCLGRIND):
            from funmem.codegen.device import POCL, choose

            choose(POCL if d is Device.OPENCL else d.value)


def _run(d: Device, p: ImpProgram, case: Case) -> tuple[Value, ...]:
    sanitizers = "asan" in os.environ.get("LD_PRELOAD", "")
    if d is Device.OCLGRIND or (d is Device.OPENCL and sanitizers):
        from funmem.testing.simulator import simulate

        return simulate(p, case.entry, case.args, d.value)
    if d is Device.OPENCL:
        from funmem.codegen.device import POCL, open_device
        from funmem.codegen.opencl import compile_imp
        from funmem.codegen.runtime import Executable

        executable = Executable.load(compile_imp(p, safe=True), open_device(POCL), None)
        return executable.entry(case.entry).run(case.args)
    from funmem.codegen.c import compile_c
    from funmem.codegen.c_library import CLibrary, COptions

    options = COptions(sanitize=d is Device.SANITIZED, optimise=False)
    return (
        CLibrary.load(compile_c(p, "program", safe=True), options).entry(case.entry).run(case.args)
    )


def preloaded() -> Mapping[str, str]:
    """The environment of a process in which sanitized programs can run.

    Raises DeviceError if the C compiler has no sanitizers.
    """
    from funmem.codegen.c_library import find_compiler

    asked = [*find_compiler(), "-print-file-name=libasan.so"]
    library = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not os.path.isabs(library):
        message = "the C compiler has no address sanitizer"
        raise DeviceError(Diagnostic(NOWHERE, "compiler", message, "gcc has one: set CC=gcc"))
    return {
        **os.environ,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",
    }
