"""Generated programs as machine code: OpenCL on PoCL and Oclgrind, and C under sanitizers.

All are asked for by name, never found by chance, and each runs in a process of its own
(:mod:`funmem.testing.judge.isolated`): what is wrong may crash, or never end.
"""

from enum import Enum

from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.values import ArgValue, Value


class Device(Enum):
    """What runs machine code."""

    OPENCL = "opencl"
    """PoCL."""
    OCLGRIND = "oclgrind"
    """A simulator: it reports races and accesses outside of buffers."""
    C = "c"
    SANITIZED = "c sanitized"
    """Addresses and undefined behaviour are checked; its process dies of what is wrong."""


DEVICES = {d.value: d for d in Device}


def run_here(
    d: Device, p: ImpProgram, entry: Name, args: tuple[ArgValue, ...]
) -> tuple[Value, ...]:
    """The results of an entry point on a device, in this process."""
    match d:
        case Device.OPENCL | Device.OCLGRIND:
            from funmem.codegen.device import POCL, open_device
            from funmem.codegen.opencl import compile_imp
            from funmem.codegen.runtime import Executable

            on = open_device(POCL if d is Device.OPENCL else d.value)
            return Executable.load(compile_imp(p, safe=True), on, None).entry(entry).run(args)
        case Device.C | Device.SANITIZED:
            from funmem.codegen.c import compile_c
            from funmem.codegen.c_library import CLibrary, COptions

            options = COptions(sanitize=d is Device.SANITIZED, optimise=False)
            program = compile_c(p, "program", safe=True)
            return CLibrary.load(program, options).entry(entry).run(args)
