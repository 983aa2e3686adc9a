"""Building the kernels of a program, once.

The first build of a source goes through the driver's compiler; its binary is kept in our cache, so
that a later process starts from that.  PoCL compiles every kernel once more when it is asked for a
binary (about 0.1 s each), so binaries are stored when the process ends, after the results.
"""

import atexit
import sys
import warnings
from contextlib import suppress
from typing import cast

import pyopencl as cl

from funmem.codegen.cache import Cache, key_of
from funmem.codegen.device import Device
from funmem.codegen.forks import Threads, forked_from
from funmem.codegen.processor import SWITCH
from funmem.codegen.toolchain import ensure_linker
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic
from funmem.ir.record import define


@define(eq=False)
class Built:
    """A program on a device; ``from_cache``: its source was not compiled."""

    program: cl.Program
    key: str
    from_cache: bool

    def kernel(self, name: str) -> cl.Kernel:
        """A kernel of its own: arguments set here are seen by nobody else."""
        return cl.Kernel(self.program, name)


def build(device: Device, source: str, cache: Cache | None) -> Built:
    """The program of a source for a device.  Raises DeviceError with the driver's words."""
    if device.info.is_pocl:
        ensure_linker()
    info = device.info
    name = __name__.partition(".")[0]
    version = str(getattr(sys.modules[name], "__version__", ""))
    driver = (info.platform, info.name, info.version, info.driver, device.processor)
    key = key_of(version, *driver, *info.options, source)
    binary = cache.get(key) if cache is not None else None
    if binary is not None:
        try:
            return Built(_from_binary(device, binary), key, True)
        except cl.Error:  # another driver of the same version made it
            pass
    built = Built(_from_source(device, source), key, False)
    if cache is not None:
        _unsaved.append((cache, built))
        del _unsaved[:-_MOST_UNSAVED]
    return built


def _from_binary(device: Device, binary: bytes) -> cl.Program:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        program = cl.Program(device.context, [device.handle], [binary])
        program.build(_options(device))
        return program


def _from_source(device: Device, source: str) -> cl.Program:
    no_cache = cast(str, False)  # pyopencl's "use no cache", which its annotation lacks
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        try:
            program = cl.Program(device.context, source)
            program.build(_options(device), cache_dir=no_cache)
        except cl.Error as error:
            log = "\n".join(str(error).strip().splitlines()[:20])
            message = f"{device.info.name} does not build the kernels: {log}"
            lost = "unknown target CPU" in log and device.info.is_pocl
            hint = f"PoCL is told a name that it knows unless {SWITCH} is set" if lost else ""
            raise DeviceError(Diagnostic(NOWHERE, "build", message, hint)) from None
        return program


def _options(device: Device) -> list[str]:
    return list(device.info.options)


_unsaved: list[tuple[Cache, Built]] = []
_MOST_UNSAVED = 64
"""Of a process that builds more programs, only the last are kept."""


@atexit.register
def save_binaries() -> None:
    """Stores the binaries of all builds of this process that are not stored yet; its forks leave
    that to it.
    """
    if _unsaved and forked_from(Threads.OPENCL):
        return
    while _unsaved:
        cache, built = _unsaved.pop()
        with suppress(cl.Error):  # a driver that gives no binary: it is built again next time
            binaries = cast(list[bytes], built.program.get_info(cl.program_info.BINARIES))
            if binaries and binaries[0]:
                cache.put(built.key, binaries[0])
