"""Run programs as machine code: OpenCL on PoCL, Oclgrind and any other device, C with sanitizers.

Devices are requested by name, never detected.  Each one runs in a separate process
(:mod:`funmem.testing.judge.isolated`), since a faulty program may crash or not terminate.
"""

from enum import Enum
from typing import TypeAlias

from funmem.ir.foreign import NONE, ForeignCode
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.values import ArgValue, Value


class Device(Enum):
    """A target of machine code."""

    OPENCL = "opencl"
    """PoCL."""
    OCLGRIND = "oclgrind"
    """A simulator that reports races between work-items and out-of-bounds accesses.  It runs the
    kernels for graphics processors, in which each iteration is a work-item.
    """
    C = "c"
    SANITIZED = "c sanitized"
    """Checks addresses and undefined behaviour; an error ends the process."""


@frozen
class NamedDevice:
    """An OpenCL device, by its number or a part of its name (``funmem.codegen.device.choose``)."""

    spec: str

    @property
    def value(self) -> str:
        """The name of this engine in reports."""
        return f"{_NAMED}{self.spec}"


AnyDevice: TypeAlias = Device | NamedDevice

_NAMED = "device "
_DEVICES = {d.value: d for d in Device}


def device_of(engine: str) -> AnyDevice | None:
    """Return the device with this name in reports, or None if it is another engine."""
    if engine.startswith(_NAMED):
        return NamedDevice(engine.removeprefix(_NAMED))
    return _DEVICES.get(engine)


def run_here(
    d: AnyDevice,
    p: ImpProgram,
    entry: Name,
    args: tuple[ArgValue, ...],
    foreign: ForeignCode = NONE,
) -> tuple[Value, ...]:
    """Return the results of an entry point on a device, in this process."""
    match d:
        case Device.OPENCL | Device.OCLGRIND | NamedDevice():
            from funmem.codegen.device import POCL, open_device
            from funmem.codegen.foreign_library import table
            from funmem.codegen.opencl import compile_imp, finely_shared
            from funmem.codegen.runtime import Executable

            spec = d.spec if isinstance(d, NamedDevice) else d.value
            on = open_device(POCL if d is Device.OPENCL else spec)
            gpu = on.info.is_gpu or on.info.is_simulator
            compiled = finely_shared(compile_imp(p, safe=True, gpu=gpu, foreign=foreign))
            ready = Executable.load(compiled, on, None)
            ready.foreign = table(foreign)
            return ready.entry(entry).run(args)
        case Device.C | Device.SANITIZED:
            from funmem.codegen.c import compile_c
            from funmem.codegen.c_library import CLibrary, COptions

            options = COptions(sanitize=d is Device.SANITIZED, optimise=False)
            program = compile_c(p, "program", safe=True, foreign=foreign)
            return CLibrary.load(program, options).entry(entry).run(args)
