"""The targets of ``funmem compile``: what a program is compiled to, by name.

A third-party package declares in its ``pyproject.toml``

    [project.entry-points."funmem.targets"]
    listing = "my_package.listing:TARGET"

and ``funmem compile program.fut --target listing`` calls it.  A complete target, which writes IMP:

    def write(program: AnyProgram | Filled, folder: Path, name: str, options: Options):
        imp, passes = machine_code(program, options)
        write_files(folder, {f"{name}.imp": show(imp)})
        return folder / f"{name}.imp", passes

    TARGET = Target("listing", "The text of IMP.", write)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from attrs import field

from funmem.driver.options import Host
from funmem.ir.plugins import Plugins
from funmem.ir.record import frozen
from funmem.passes.tuning import Compiler

if TYPE_CHECKING:
    from pathlib import Path

    from funmem.driver.options import Options
    from funmem.driver.stored_tunings import Place
    from funmem.passes.framework import AnyProgram
    from funmem.passes.lower.fill import Filled
    from funmem.passes.runner import Pipeline

Compile: TypeAlias = "Callable[[AnyProgram | Filled, Path, str, Options], tuple[Path, Pipeline]]"
"""From a program below Core, a folder, the program's name and the options to the path of the file
to name to the user, and the passes that the program went through.
"""


@frozen
class Target:
    """A form in which a program is written for use without the compiler."""

    name: str
    summary: str
    compile: Compile = field(repr=False)
    gpu: bool = False
    """True if there is code for a GPU, too."""
    compiler: Compiler = Compiler.GCC
    """The compiler of the written code, on which defaults of tuning parameters depend."""
    hosts: tuple[Host, ...] = (Host.PYTHON,)
    """The languages in which the host of a device can be written."""
    place: Callable[[bool], Place] | None = field(default=None, repr=False)
    """Returns where the code will run, for stored tunings; the argument: on a GPU."""


def _write_c(
    program: AnyProgram | Filled, folder: Path, name: str, options: Options
) -> tuple[Path, Pipeline]:
    """Write a C library, and return the module's path and all passes.

    With a host in C there is an executable as well, and the path is that of it.
    """
    from funmem.codegen.c_artifact import write_c
    from funmem.codegen.c_library import COptions
    from funmem.codegen.c_main import write_executable
    from funmem.codegen.files import write_file
    from funmem.driver.compilation import compile_c_program

    library, passes = compile_c_program(program, name, options)
    module = write_c(library, folder, COptions(), options.functions)
    if options.foreign.header:
        write_file(folder / f"{library.name}_foreign.h", f"{options.foreign.header}\n")
    if options.host is Host.C:
        return write_executable(library, folder), passes
    return module, passes


def _write_kernels(
    program: AnyProgram | Filled, folder: Path, name: str, options: Options
) -> tuple[Path, Pipeline]:
    """Write OpenCL kernels with their plan, and return the module's path and all passes.

    With a host in C, the path is that of its header.
    """
    from funmem.codegen.artifact import write
    from funmem.codegen.cl_host import write_hosted
    from funmem.driver.compilation import compile_hosted_program, compile_kernels

    if options.host is Host.C:
        hosted, passes = compile_hosted_program(program, name, options)
        return write_hosted(hosted, folder), passes
    compiled, passes = compile_kernels(program, options)
    return write(compiled, folder, name, options.functions), passes


def _this_machine(gpu: bool) -> Place:  # noqa: ARG001
    from funmem.driver.stored_tunings import place_of_c

    return place_of_c()


def _default_device(gpu: bool) -> Place:
    """Return the default device if it is of that kind, else a place without stored tunings."""
    from funmem.codegen.device import choose
    from funmem.driver.stored_tunings import Place, place_of_device
    from funmem.ir.diagnostics import DeviceError

    try:
        info = choose()
    except DeviceError:
        return Place("no device", ())
    return place_of_device(info) if info.is_gpu == gpu else Place("another device", ())


OPENCL = Target(
    "opencl",
    "OpenCL kernels, a host plan, and a Python module that runs them.",
    _write_kernels,
    gpu=True,
    compiler=Compiler.LLVM,
    hosts=(Host.PYTHON, Host.C),
    place=_default_device,
)
C = Target(
    "c",
    "A C library with OpenMP, and a Python module that calls it.",
    _write_c,
    hosts=(Host.PYTHON, Host.C),
    place=_this_machine,
)

TABLE: Mapping[str, str] = MappingProxyType(
    {"opencl": "funmem.driver.targets:OPENCL", "c": "funmem.driver.targets:C"}
)
"""Name -> module and the name of the :class:`Target` in it."""

TARGETS = Plugins("funmem.targets", Target, "target", TABLE, "target")


def find(name: str) -> Target:
    """Return a target.  Raises a UsageError that lists the targets."""
    return TARGETS.find(name)
