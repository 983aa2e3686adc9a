"""What the tests run on: PoCL, chosen by name, never whatever else is installed; a C compiler."""

import gc
import os
import shutil
from collections.abc import Sequence
from functools import cache

import pytest

from funmem.codegen.device import POCL, Device, list_devices, open_device
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from funmem.ir.imp import ImpProgram
from funmem.ir.values import ArgValue, Value

needs_compiler = pytest.mark.skipif(
    not (os.environ.get("CC") or any(map(shutil.which, ("cc", "gcc", "clang")))),
    reason="there is no C compiler",
)


def has_pocl() -> bool:
    """Whether PoCL is installed."""
    return any(d.is_pocl for d in list_devices())


def has_oclgrind() -> bool:
    """Whether Oclgrind is installed."""
    return any(d.is_simulator for d in list_devices())


def held(device: Device) -> int:
    """Bytes that a device's pool has given away and that somebody still holds."""
    gc.collect()
    device.pool.collect()
    return device.pool.live


@cache
def pocl() -> Device:
    """The PoCL device, opened once per process."""
    return open_device(POCL)


def run_on_pocl(
    p: ImpProgram, entry: str, args: Sequence[ArgValue], *, safe: bool = True
) -> tuple[Value, ...]:
    """The results of an entry point on PoCL, nothing cached."""
    return Executable.load(compile_imp(p, safe=safe), pocl(), None).entry(entry).run(args)
