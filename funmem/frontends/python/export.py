"""``fm.export``: write jitted functions as a module without the compiler, or as ``.fut``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from funmem.codegen.files import write_file
from funmem.driver.options import Options
from funmem.driver.targets import find
from funmem.frontends.futhark.export import show_fut
from funmem.frontends.python.jit import Jitted
from funmem.frontends.python.modules import foreign_of, program_of
from funmem.ir.foreign import NONE
from funmem.passes.core import to_fun_by


def export(
    functions: Jitted | Iterable[Jitted],
    folder: str | os.PathLike[str],
    *,
    name: str = "program",
    target: str = "opencl",
    safe: bool = True,
    gpu: bool = False,
) -> Path:
    """Write a module with these functions, as ``funmem compile module.py`` does; return its path.

    If ``folder`` is the name of a ``.fut`` file, write the program to it, in the Futhark subset.
    Its entry points have a parameter for each part of an argument.

    All parameters must be annotated.  ``target``: ``opencl``, with code for processors or with
    ``gpu``, or ``c``.  ``safe`` keeps the bounds checks in kernels.  The module does not import the
    compiler.
    Raises SourceError for a function that cannot be compiled ahead of time or lacks a text in
    ``.fut``, DeviceError without a C compiler, UsageError.
    """
    given: dict[str, Jitted] = {}
    for f in (functions,) if isinstance(functions, Jitted) else functions:
        if not isinstance(f, Jitted):
            raise TypeError(f"fm.export takes functions under @fm.jit, not a {type(f).__name__}")
        if given.setdefault(f.__name__, f) is not f:
            raise TypeError(f"two functions are called `{f.__name__}`")
    if not given:
        raise TypeError("fm.export takes at least one function")
    core, called = program_of(given)
    if Path(folder).suffix == ".fut":
        write_file(Path(folder), show_fut(core))
        return Path(folder)
    chosen = find(target)
    foreign = foreign_of(given) if core.foreign else NONE
    options = Options(
        safe=safe,
        gpu=gpu and chosen.gpu,
        compiler=chosen.compiler,
        functions=called,
        foreign=foreign,
    )
    return chosen.compile(to_fun_by(core), Path(folder), name, options)[0]
