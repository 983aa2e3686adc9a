"""The class of this machine's processor, which decides the defaults of tuning parameters."""

import os
from collections.abc import Collection

from funmem.codegen.this_processor import flags, level
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.passes.tuning import Processor

VARIABLE = "FUNMEM_PROCESSOR"
"""The environment variable that gives the class instead: sse, avx2 or avx512."""

_CLASSES = {"haswell": Processor.AVX2, "skylake-avx512": Processor.AVX512}


def class_of(flags: Collection[str]) -> Processor:
    """Return the class of a processor with these flags; SSE if none are known."""
    return _CLASSES.get(level(flags), Processor.SSE)


def this_processor() -> Processor:
    """Return the class of this machine's processor, or what FUNMEM_PROCESSOR says.

    Without ``/proc/cpuinfo``, as outside Linux, it is SSE, whose defaults suit short vectors.
    Raises UsageError for another value of the variable.
    """
    given = os.environ.get(VARIABLE, "").strip().lower()
    return named(given, VARIABLE) if given else class_of(flags())


def named(name: str, where: str = "processor") -> Processor:
    """Return the class of that name; ``where`` is the source of the name.  Raises UsageError."""
    for p in Processor:
        if p.value == name:
            return p
    known = ", ".join(p.value for p in Processor)
    message = f"{where}: there is no class of processors `{name}`; there is {known}"
    raise UsageError(Diagnostic(NOWHERE, "processor", message))
