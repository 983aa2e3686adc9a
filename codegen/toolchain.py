"""Provides a linker for PoCL on a machine without one.

pip's PoCL contains a compiler but no linker: it runs ``ld`` from PATH whenever it builds a kernel.
The ``ziglang`` wheel (the extra ``toolchain``) contains LLVM's lld.  A script named ``ld`` in the
user's private cache folder calls it.
"""

import os
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from funmem.codegen.files import written
from funmem.codegen.folders import cache_root, private_folder, settle_home
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic


def ensure_linker() -> None:
    """Make sure that PATH has an ``ld``.

    If there is none, put a folder with a script that calls ziglang's linker in front of PATH.
    Raises DeviceError with a hint if ziglang is not installed either.
    """
    if shutil.which("ld"):
        return
    if find_spec("ziglang") is None:
        raise DeviceError(
            Diagnostic(
                NOWHERE,
                "linker",
                "PoCL needs the program `ld` to build kernels, and there is none on PATH",
                "install binutils, or `pip install ziglang` (the extra `toolchain`)",
            )
        )
    settle_home(("funmem",))
    folder = private_folder(private_folder(cache_root()) / "toolchain")
    write_shim(folder)
    os.environ["PATH"] = os.pathsep.join(p for p in (str(folder), os.environ.get("PATH")) if p)


def write_shim(folder: Path) -> None:
    """Write the script ``ld`` into a folder, atomically."""
    script = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ziglang ld.lld "$@"\n'
    with written(folder / "ld", mode=0o700) as f:
        f.write(script.encode())
