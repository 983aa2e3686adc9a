"""Run a program of a language whose programs are processes: it prints, and has an exit status."""

from collections.abc import Sequence
from typing import IO

from funmem.driver.source import Source
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError

MAIN = "main"


def run_process(source: Source, arguments: Sequence[str], out: IO[bytes] | None = None) -> int:
    """Run a program by Core's interpreter; return its exit status, 0 … 255.

    ``out``: the standard output; None: that of this process.  What is printed is written even if
    the program traps.  Raises SourceError, UsageError, InputError, Trap.
    """
    from funmem.interp.core import run_core

    make = source.front_end.process
    program = source.tree()
    if make is None or not isinstance(program, CoreProgram):
        message = f"a program in {source.language} is no process: it has inputs and results"
        raise UsageError(Diagnostic(NOWHERE, "language", message))
    process = make([source.name, *arguments])
    process.out = out
    try:
        (status,) = run_core(program, MAIN, (), foreign=process.functions(program))
    finally:
        process.close()
    assert isinstance(status, int)
    return status & 255
