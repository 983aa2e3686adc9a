"""``funmem opt``: run passes over a program and print it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from funmem.commands import (
    command,
    echo_json,
    entry_option,
    inputs_option,
    json_option,
    load,
    pipeline_option,
    processor_option,
    program_argument,
    read_once,
    run_passes,
    safe_option,
    usage_error,
    verify_each_options,
)

if TYPE_CHECKING:
    from funmem.ir.diagnostics import Diagnostic
    from funmem.passes.framework import Level, Report, StageProgram
    from funmem.passes.runner import Pipeline, Step
    from funmem.passes.tuning import Tuning

EMIT = ("core", "fun", "funmem", "imp", "c", "opencl")

HELP = """Run passes over a program and print the program.

Without -p the default pipeline runs, from the program's language to the language of --emit
(default: imp).  A program in a source language begins as Core.  With -p the given passes run; the
default passes on Core precede the first one that does not work on Core, and if the passes stop
short of the language of --emit, the shortest sequence of passes that leads there follows.  FUNMEM
becomes FUN by erasing its memory annotations.

After each pass, types and the passes' conditions are checked.  With --verify-each=values the
interpreters of the program's level (the Core interpreter for Core) must also compute the same
results as before all passes.  They run on the given arguments, else on the inputs in the program's
test comments, else on small inputs.  If a pass breaks the program, the error names the pass, and a
reproducer is written to a file.
"""
EXAMPLE = """\
$ funmem opt examples/dot.fun -p schedule,allocate
$ funmem opt examples/dot.fun -p "$(funmem opt --print-pipeline)" --emit opencl
$ funmem opt examples/dot.fun --verify-each=values -i '[1, 2]' -i '[3, 4]' > dot.imp"""


@command("opt", HELP, EXAMPLE)
@program_argument(required=False)
@pipeline_option
@click.option("--emit", type=click.Choice(EMIT), help="The language to print.")
@click.option(
    "--for",
    "kind",
    type=click.Choice(("cpu", "gpu")),
    default="cpu",
    help="The kind of device that the default pipeline and OpenCL kernels are for.  Default: cpu.",
)
@processor_option("avx512, on every machine")
@safe_option
@click.option("--print-pipeline", is_flag=True, help="Print the passes instead of running them.")
@click.option("--print-ir-after-all", "after_all", is_flag=True, help="Print after every pass.")
@click.option(
    "--print-ir-after-change",
    "after_change",
    is_flag=True,
    help="Print after each pass that changes the program.",
)
@verify_each_options("types")
@entry_option
@inputs_option("For --verify-each=values")
@click.option("--time-passes", is_flag=True, help="Report the time of each pass on stderr.")
@click.option(
    "--remarks",
    is_flag=True,
    help="Report on stderr what passes did, and why they left the rest.",
)
@json_option
def opt(
    program: str | None,
    language: str | None,
    pipeline: str | None,
    emit: str | None,
    kind: str,
    processor: str | None,
    safe: bool,
    print_pipeline: bool,
    after_all: bool,
    after_change: bool,
    verify_each: str,
    verify_out: str,
    entry: str | None,
    inputs: Sequence[str],
    time_passes: bool,
    remarks: bool,
    as_json: bool,
) -> None:
    """Run ``funmem opt``."""
    from funmem.driver.stages import complete, split
    from funmem.passes.framework import Level, Report, as_imp, below_core
    from funmem.passes.runner import check_types
    from funmem.passes.tuning import REFERENCE, Compiler, Processor, defaults

    if program is None and not print_pipeline:
        raise usage_error("give a program")
    read_once(program, inputs)
    source = None if program is None else load(program, language)
    source_remarks: list[Diagnostic] = []
    parsed = None if source is None else source.tree(source_remarks)
    made_for = REFERENCE if processor is None else Processor(processor)
    plain = defaults(made_for, Compiler.LLVM if emit == "opencl" else Compiler.GCC)
    passes = _passes(parsed, pipeline, emit, gpu=kind == "gpu", safe=safe, plain=plain)
    if print_pipeline or source is None or parsed is None:
        click.echo(str(passes))
        return
    report = Report()
    printer = _Printer(always=after_all and not as_json, on_change=after_change and not as_json)
    ready = None
    if emit in ("c", "opencl"):
        from funmem.passes.lower.fill import filled

        on_core, passes = split(complete(passes, _language(parsed), Level.IMP))
        if on_core.steps:
            parsed = on_core.run(parsed, report=report, after=printer)
        check_types(parsed)
        ready = filled(below_core(parsed))
        parsed = ready.program
    result = run_passes(
        parsed, source, passes, verify_each, verify_out, entry, inputs, report, printer
    )
    last = ready.lowered(as_imp(result)) if ready else result
    text = _text(last, emit, gpu=kind == "gpu", safe=safe)
    if as_json:
        echo_json(_as_json(passes, text, report, source_remarks))
        return
    if text != printer.last:
        click.echo(text, nl=False)
    if time_passes:
        _print_times(report)
    if remarks:
        for diagnostic in source_remarks:
            click.echo(diagnostic.render(source.text), err=True)
        for remark in report.remarks:
            click.echo(str(remark), err=True)


def _passes(
    program: StageProgram | None,
    pipeline: str | None,
    emit: str | None,
    *,
    gpu: bool,
    safe: bool,
    plain: Tuning,
) -> Pipeline:
    """Return the passes to run: the default pipeline, or the given one completed up to ``emit``."""
    from funmem.driver.stages import complete, default_pipeline
    from funmem.passes.framework import Level
    from funmem.passes.runner import Pipeline

    start = Level.FUN if program is None else _language(program)
    ends = {"core": Level.CORE, "fun": Level.FUN, "funmem": Level.FUNMEM}
    end = ends.get(emit or "imp", Level.IMP)
    if pipeline is None:
        return default_pipeline(start, end, gpu=gpu, safe=safe, plain=plain)
    given = Pipeline.parse(pipeline)
    if emit is None and start is Level.CORE:
        end = Level.CORE
        for step in given.steps:
            below = end is Level.CORE and Level.CORE not in step.what.inputs
            end = step.what.output or (Level.FUN if below else end)
    return given if emit is None and start is not Level.CORE else complete(given, start, end)


def _language(program: StageProgram) -> Level:
    from funmem.driver.stages import language

    return language(program)


class _Printer:
    """Prints the program after passes; ``last`` is the last text printed."""

    def __init__(self, *, always: bool, on_change: bool) -> None:
        self._always, self._on_change = always, on_change
        self.last: str | None = None

    def __call__(self, step: Step, before: StageProgram, after: StageProgram) -> None:
        from funmem.ir.text import show

        if self._always or (self._on_change and before != after):
            self.last = show(after)
            click.echo(f"-- after {step}\n{self.last}")


def _text(program: StageProgram, emit: str | None, *, gpu: bool, safe: bool) -> str:
    """Return the program's text in the language ``emit``."""
    from funmem.ir.erase import erase
    from funmem.ir.text import show
    from funmem.passes.framework import as_imp, as_tree

    match emit:
        case "opencl":
            from funmem.codegen.opencl import compile_imp

            return compile_imp(as_imp(program), safe=safe, gpu=gpu).source
        case "c":
            from funmem.codegen.c import compile_c

            return compile_c(as_imp(program), "program", safe=safe).source
        case "fun":
            return show(erase(as_tree(program)))
        case _:
            return show(program)


def _print_times(report: Report) -> None:
    """Print on stderr, for each pass, the milliseconds of the pass and of checking its result."""
    rows = [(t.pass_name, t.seconds, t.check_seconds) for t in report.timings]
    rows.append(("total", sum(r[1] for r in rows), sum(r[2] for r in rows)))
    width = max(len(name) for name, _, _ in rows)
    click.echo(f"{'pass':{width}}        ms  check ms", err=True)
    for name, run, check in rows:
        click.echo(f"{name:{width}} {run * 1e3:9.1f} {check * 1e3:9.1f}", err=True)


def _as_json(
    passes: Pipeline, text: str, report: Report, source_remarks: Sequence[Diagnostic]
) -> dict[str, object]:
    return {
        "pipeline": str(passes),
        "text": text,
        "timings": [
            {"pass": t.pass_name, "seconds": t.seconds, "check_seconds": t.check_seconds}
            for t in report.timings
        ],
        "remarks": [
            {
                "pass": r.pass_name,
                "place": r.place,
                "at": str(r.at),
                "condition": r.condition,
                "reason": r.reason,
                "done": r.done,
            }
            for r in report.remarks
        ],
        "source_remarks": [d.to_dict() for d in source_remarks],
    }
