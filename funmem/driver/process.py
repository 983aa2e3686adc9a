"""Run a program of a language whose programs are processes: it prints, and has an exit status."""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from funmem.driver.engines import prepare
from funmem.driver.options import Engine, Options
from funmem.driver.source import Source
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.names import Name

MAIN = Name("main")


def run_process(
    source: Source,
    arguments: Sequence[str],
    out: IO[bytes] | None = None,
    engine: Engine = Engine.CORE,
    device: str | None = None,
) -> int:
    """Run a program by an engine; return its exit status, 0 … 255.

    ``out``: the standard output; None: that of this process.  What is printed is written even if
    the program traps.  Raises what reading, compiling and running a program raises.
    """
    make = source.front_end.process
    program = source.tree()
    if make is None or not isinstance(program, CoreProgram):
        message = f"a program in {source.language} is no process: it has inputs and results"
        raise UsageError(Diagnostic(NOWHERE, "language", message))
    process = make([source.name, *arguments])
    process.out = out
    code = process.compiled(program) if engine is Engine.C else process.code(program)
    options = Options(device=device, safe=True, foreign=code)
    try:
        runner = prepare(program, engine, options)
        with _redirected(out if engine is Engine.C else None):
            (status,) = runner.run(MAIN, ()).values
    finally:
        process.close()
    assert isinstance(status, int)
    return status & 255


@contextmanager
def _redirected(out: IO[bytes] | None) -> Iterator[None]:
    """What compiled code prints goes to ``out``, unless that is None."""
    if out is None:
        yield
        return
    sys.stdout.flush()
    before = os.dup(1)
    with tempfile.TemporaryFile() as f:
        os.dup2(f.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(before, 1)
            os.close(before)
            f.seek(0)
            out.write(f.read())
