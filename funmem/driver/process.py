"""Run a program of a language whose programs are processes: it prints, and has an exit status."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from funmem.driver.engines import prepare
from funmem.driver.options import Engine, Options
from funmem.driver.source import Source
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, UsageError
from funmem.ir.names import Name

MAIN = Name("main")


def is_process(source: Source) -> bool:
    """True if a program prints and has an exit status; False if it has entry points to call.

    Raises SourceError.
    """
    if source.front_end.process is None:
        return False
    program = source.tree()
    return isinstance(program, CoreProgram) and any(e.name == MAIN for e in program.entries)


def require_entry_points(source: Source, what: str) -> None:
    """Raise UsageError if a program has no entry points to call; ``what`` then cannot be done."""
    if is_process(source):
        hint = "leave `main` out: then the definitions are entry points"
        message = f"the program prints, and has no results to compare: {what}"
        raise UsageError(Diagnostic(NOWHERE, "process", message, hint))


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
        with redirected(out if engine is Engine.C else None):
            (status,) = runner.run(MAIN, ()).values
    finally:
        process.close()
    assert isinstance(status, int)
    return status & 255


EXECUTABLE = """\
/* The program as an executable: main, its command line and its exit status. */
#include "{name}.c"
#include <stdio.h>

int main(int argc, char **argv)
{{
    int32_t status = 0;
    struct {name}_context *context = {name}_new();
    harlan_count = argc;
    harlan_arguments = (const char **)argv;
    if (context == NULL || {name}_main(context, &status) != 0) {{
        fflush(NULL);
        fprintf(stderr, "%s\\n", context ? {name}_message(context) : "memory is exhausted");
        return 1;
    }}
    {name}_free(context);
    return status & 255;
}}
"""


def build_executable(folder: Path, name: str) -> Path:
    """Build the executable of a program whose C library ``name`` is in a folder; return its path.

    Raises DeviceError without a C compiler, or with the compiler's messages.
    """
    from funmem.codegen.c_library import COptions, find_compiler
    from funmem.codegen.files import write_file

    source, target = folder / f"{name}_main.c", folder / name
    write_file(source, EXECUTABLE.format(name=name))
    command = find_compiler()
    flags = [f for f in COptions().flags if f not in ("-shared", "-fPIC")]
    call = [*command, *flags, "-o", str(target), str(source), "-lm"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        log = "\n".join(done.stderr.strip().splitlines()[:20])
        message = f"{command[0]} does not compile the program: {log}"
        raise DeviceError(Diagnostic(NOWHERE, "build", message))
    return target


@contextmanager
def redirected(out: IO[bytes] | None) -> Iterator[None]:
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
