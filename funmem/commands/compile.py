"""``funmem compile``: write kernels or C, a host plan, and a Python module that calls them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from funmem.commands import (
    THIS_PROCESSOR,
    Registered,
    checks_of,
    command,
    echo_json,
    entry_option,
    foreign_option,
    inputs_option,
    json_option,
    load,
    no_cache_option,
    pipeline_option,
    processor_option,
    program_argument,
    read_once,
    run_passes,
    safe_option,
    say_checks,
    tuned_json,
    usage_error,
    verify_each_options,
)
from funmem.driver.source import STDIN
from funmem.driver.targets import TARGETS, find
from funmem.values.signatures import Head, heads

if TYPE_CHECKING:
    from pathlib import Path

    from funmem.driver.source import Source
    from funmem.driver.stored_tunings import Tunings
    from funmem.passes.framework import AnyProgram, Report
    from funmem.passes.lower.fill import Filled
    from funmem.passes.runner import Pipeline

HELP = """Compile a program to files that can be called without compiling it again.

This writes the kernels (NAME.cl), the host plan (NAME.plan.json) and an importable Python module
(NAME.py) with a function for each entry point, and its types (NAME.pyi).  No device is needed.

With --host c, the kernels, a C program that calls OpenCL to run them (NAME.c), and its header
(NAME.h) are written instead, for use without Python.  The header says how to build it, and has the
sizes of launches, which may be changed.

With --target c, this writes a C library instead: its source, a header, a shared library built with
OpenMP by this machine's C compiler, a manifest (JSON), and a Python module that calls the library.
Of a program that is a process (.kfc) there is an executable (NAME) as well.  With --host c there is
one for every program: it reads arguments and prints results in the data format of tests.
Other packages may add targets.

The entry points of a Python module are its functions under @funmem.jit; their parameters must be
annotated.  The module is executed.

Results of `funmem tune` are used: with --target c those for this machine, otherwise those for the
default device, if it is of the kind that --for names.  Code for processors is laid out for this
machine's class of processors; with --processor it is the same on every machine.
"""
EXAMPLE = """\
$ funmem compile examples/dot.fun -o build
wrote build/dot.py: main [n] (xs : [n]f32) (ys : [n]f32) -> (r : f32)
$ funmem compile examples/dot.fun --target c -o lib
wrote lib/dot.py: main [n] (xs : [n]f32) (ys : [n]f32) -> (r : f32)
$ cd build && python -c 'import dot, numpy; x = numpy.ones(9, "f4"); print(dot.main(x, x))'"""


@command("compile", HELP, EXAMPLE)
@program_argument()
@click.option("-o", "--output", metavar="DIR", required=True, help="The folder to write to.")
@click.option("--name", help="The Python module's name.  Default: the program's name.")
@click.option(
    "--target",
    type=Registered(TARGETS),
    default="opencl",
    help="What to write.  Default: opencl.",
)
@click.option(
    "--host",
    type=click.Choice(("python", "c")),
    default="python",
    help="The language of the host, which launches the kernels or calls the library.  "
    "Default: python.",
)
@click.option(
    "--for",
    "kind",
    type=click.Choice(("cpu", "gpu")),
    default="cpu",
    help="The kind of device that the default pipeline is for.  Default: cpu.",
)
@processor_option(THIS_PROCESSOR)
@click.option(
    "--max-bytes",
    type=click.IntRange(min=0),
    metavar="N",
    help="Choose passes with which the entry point (the only one, or main) takes at most N bytes "
    "of memory at --sizes, or report the smallest peak found; see `funmem explain`.",
)
@click.option("--sizes", metavar="SIZES", help="Sizes and scalars for --max-bytes: n=4,m=5.")
@verify_each_options("none")
@entry_option
@inputs_option("For --verify-each=values")
@foreign_option
@safe_option
@click.option("--trust", is_flag=True, help="Omit the checks that are proved; see `funmem run`.")
@no_cache_option("Do not use the results of `funmem tune`.")
@pipeline_option
@json_option
def compile(
    program: str,
    language: str | None,
    output: str,
    name: str | None,
    target: str,
    host: str,
    kind: str,
    processor: str | None,
    max_bytes: int | None,
    sizes: str | None,
    verify_each: str,
    verify_out: str,
    entry: str | None,
    inputs: Sequence[str],
    foreign: Sequence[str],
    safe: bool,
    trust: bool,
    no_cache: bool,
    pipeline: str | None,
    as_json: bool,
) -> None:
    """Run ``funmem compile``."""
    from pathlib import Path

    from funmem.codegen.python_by_name import functions_of
    from funmem.driver.compilation import for_this_processor
    from funmem.driver.foreign_files import foreign_code
    from funmem.driver.options import Host, Options
    from funmem.driver.stages import pipeline_for, trusting
    from funmem.driver.stored_tunings import NONE, look_up
    from funmem.passes.framework import Level, Report
    from funmem.passes.runner import Pipeline
    from funmem.passes.tuning import Processor

    read_once(program, inputs)
    if trust and not safe:
        raise usage_error("--trust cannot be combined with --fast")
    start = time.perf_counter()
    passes = None if pipeline is None else Pipeline.parse(pipeline)
    source = load(program, language)
    parsed, passes, functions = source.exported(passes)
    report = Report() if trust else None
    chosen = find(target)
    gpu = kind == "gpu" and chosen.gpu
    asked = None if processor is None else Processor(processor)
    compiled_for = for_this_processor(
        Options(gpu=gpu, processor=asked, compiler=chosen.compiler, tuned=True)
    )
    if Host(host) not in chosen.hosts:
        raise usage_error(f"--target {target} has no choice of hosts")
    if max_bytes is not None:
        from funmem.explain.budget import pipeline_within

        passes = pipeline_within(parsed, source, sizes, max_bytes, passes, gpu=gpu, safe=safe)
    elif sizes is not None:
        raise usage_error("--sizes is for --max-bytes")
    staged: AnyProgram | Filled = parsed
    ran, plain = None, compiled_for.defaults
    if verify_each != "none" or entry is not None or inputs:
        ran = pipeline_for(parsed, Level.IMP, passes, gpu=gpu, safe=safe, plain=plain)
        ran = ran if report is None else trusting(ran)
        staged = _lowered(parsed, source, ran, verify_each, verify_out, entry, inputs, report)
        passes = None
    tunings = NONE
    stored = not no_cache and asked is None and chosen.place is not None
    if passes is None and staged is parsed and stored and chosen.place is not None:
        tunings = look_up(parsed, partial(chosen.place, gpu), safe=safe, plain=plain)
    stem = name or ("program" if source.name == STDIN else Path(program).stem)
    # If the passes ran above, they have reported to --trust already.
    options = Options(
        passes,
        safe=safe,
        trust=report if ran is None else None,
        gpu=gpu,
        processor=compiled_for.processor,
        compiler=chosen.compiler,
        tunings=tunings,
        host=Host(host),
        functions=(*functions, *functions_of(parsed)),
        foreign=foreign_code(source, foreign),
    )
    module, whole = chosen.compile(staged, Path(output), stem, options)
    if target == "c" and source.front_end.process is not None:
        from funmem.driver.process import build_executable

        build_executable(Path(output), module.stem)
    entries, seconds = heads(parsed), time.perf_counter() - start
    _report(
        module, output, entries, ran or whole, seconds, checks_of(report), tunings, as_json=as_json
    )


def _lowered(
    program: AnyProgram,
    source: Source,
    passes: Pipeline,
    each: str,
    out: str,
    entry: str | None,
    inputs: Sequence[str],
    report: Report | None,
) -> Filled:
    """Return the program as IMP, checked after each pass as ``--verify-each`` says."""
    from funmem.driver.compilation import ready_to_fill
    from funmem.passes.framework import as_imp

    ready = ready_to_fill(program)
    imp = run_passes(ready.program, source, passes, each, out, entry, inputs, report)
    return ready.through(as_imp(imp))


def _report(
    module: Path,
    folder: str,
    entries: Sequence[Head],
    passes: Pipeline,
    seconds: float,
    checks: Mapping[str, int],
    tunings: Tunings,
    *,
    as_json: bool,
) -> None:
    """Print the module's path and signatures, the checks proved, and the tunings used."""
    if as_json:
        echo_json(
            {
                "module": str(module),
                "folder": folder,
                "pipeline": str(passes),
                "seconds": round(seconds, 6),
                "entries": [e.to_json() for e in entries],
                **({"checks": checks} if checks else {}),
                **tuned_json(tunings),
            }
        )
        return
    click.echo(f"wrote {module}: {'; '.join(map(str, entries))}")
    say_checks(checks)
    for x, tuning in tunings.items():
        click.echo(f"tuned: {x}: {tuning}", err=True)
