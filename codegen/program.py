"""Builds the kernels of a program, and caches the binary.

The first build of a source uses the driver's compiler.  Its binary is kept in funmem's cache, and
later processes load it from there.  PoCL compiles every kernel again when its binary is requested
(about 0.1 s each), so binaries are stored at process exit, after the results are delivered.
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
    """A program built for a device; ``from_cache``: it was loaded from the cache."""

    program: cl.Program
    key: str
    from_cache: bool

    def kernel(self, name: str) -> cl.Kernel:
        """Return a new kernel object, so that its arguments are not shared with other callers."""
        return cl.Kernel(self.program, name)


def build(device: Device, source: str, cache: Cache | None) -> Built:
    """Build a source for a device.  Raises DeviceError with the driver's build log."""
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
        except cl.Error:  # made by another driver that reports the same version
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
    no_cache = cast(str, False)  # turns pyopencl's cache off; its annotation lacks this value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        try:
            program = cl.Program(device.context, source)
            program.build(_options(device), cache_dir=no_cache)
        except cl.Error as error:
            log = "\n".join(str(error).strip().splitlines()[:20])
            message = f"{device.info.name} does not build the kernels: {log}"
            unknown_cpu = "unknown target CPU" in log and device.info.is_pocl
            hint = f"unset {SWITCH}: funmem then gives PoCL a name it knows" if unknown_cpu else ""
            raise DeviceError(Diagnostic(NOWHERE, "build", message, hint)) from None
        return program


def _options(device: Device) -> list[str]:
    return list(device.info.options)


_unsaved: list[tuple[Cache, Built]] = []
_MOST_UNSAVED = 64
"""Cap on the number of builds per process whose binaries are stored; the last ones are kept."""


@atexit.register
def save_binaries() -> None:
    """Store the binaries of this process's builds that are not in the cache yet.

    A forked child does nothing: its parent stores them.
    """
    if _unsaved and forked_from(Threads.OPENCL):
        return
    while _unsaved:
        cache, built = _unsaved.pop()
        with suppress(cl.Error):  # without a binary the next process compiles the source again
            binaries = cast(list[bytes], built.program.get_info(cl.program_info.BINARIES))
            if binaries and binaries[0]:
                cache.put(built.key, binaries[0])
