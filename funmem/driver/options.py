"""How a program is run or compiled: one record, from the command line or the API to the engine."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from funmem.driver.stored_tunings import Tunings
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.foreign import NONE as NO_FOREIGN
from funmem.ir.foreign import ForeignCode
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.passes.framework import Report
from funmem.passes.runner import Pipeline
from funmem.passes.tuning import (
    DEFAULT,
    REFERENCE,
    Compiler,
    Processor,
    Tuning,
    defaults,
)

if TYPE_CHECKING:
    from funmem.codegen.python_trees import Function
    from funmem.ir.values import ArgValue


class Engine(Enum):
    """What runs a program: one of the interpreters, C, or an OpenCL device."""

    CORE = "core"
    VALUE = "value"
    HEAP = "heap"
    IMP = "imp"
    C = "c"
    OPENCL = "opencl"

    @property
    def interprets(self) -> bool:
        """True for an interpreter."""
        return self in (Engine.CORE, Engine.VALUE, Engine.HEAP, Engine.IMP)

    @staticmethod
    def named(name: str) -> Engine:
        """Return the engine of that name.  Raises UsageError."""
        for e in Engine:
            if e.value == name:
                return e
        known = ", ".join(e.value for e in Engine)
        message = f"there is no engine `{name}`; there is {known}"
        raise UsageError(Diagnostic(NOWHERE, "engine", message))


class Host(Enum):
    """The language in which a device's host is written."""

    PYTHON = "python"
    C = "c"


@frozen
class Options:
    """How a program is brought to an engine.

    ``device`` applies to OpenCL, ``gpu``, ``safe``, ``cache`` and ``tuned`` to C and OpenCL,
    ``trust`` to these and IMP.
    """

    pipeline: Pipeline | None = None
    """The passes; None: the default pipeline."""
    device: str | None = None
    """Number of a device or part of its name; None: the default device."""
    safe: bool = True
    """Keep every bounds check in kernels."""
    cache: bool = True
    """Use and keep compiled programs and kernels in the user's cache."""
    trust: Report | None = None
    """Omit the checks that the verifier proves, and record them as remarks in this report."""
    tuned: bool = False
    """Compile for this machine: its class of processors, and stored tunings, unless there is a
    ``pipeline``, no ``cache`` or a ``processor``."""
    max_bytes: int | None = None
    """Refuse a run that needs more memory; None: more than the machine or device has."""
    run: tuple[Name, Sequence[ArgValue]] | None = None
    """The run that follows, if it is known: its memory is checked before anything is built."""
    text: str = ""
    """Key of the program's text in the compile cache (``compile_cache.text_of``); empty: none."""
    gpu: bool = False
    """Compile for a GPU; for a run the opened device decides."""
    processor: Processor | None = None
    """The class of processors whose defaults are used; None: this machine's if ``tuned``, else
    AVX-512, so that the code does not depend on the machine.  It means nothing for a GPU."""
    compiler: Compiler = Compiler.GCC
    """The compiler of the emitted code, on which defaults depend: LLVM for OpenCL."""
    tunings: Tunings | None = None
    """Tuning per entry point; None: what ``tuned`` finds."""
    foreign: ForeignCode = NO_FOREIGN
    """The implementations of foreign functions."""
    host: Host = Host.PYTHON
    """The language of a written program's host, if the target has a choice."""
    functions: tuple[Function, ...] = ()
    """How Python calls the entry points of a written program that take or return trees."""

    @property
    def defaults(self) -> Tuning:
        """The tuning of entry points that are not in ``tunings``."""
        return DEFAULT if self.gpu else defaults(self.processor or REFERENCE, self.compiler)

    def for_device(self, *, gpu: bool) -> Options:
        """Return the options for a device of OpenCL."""
        return evolve(self, gpu=gpu, compiler=Compiler.LLVM)
