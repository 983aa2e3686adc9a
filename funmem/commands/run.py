"""``funmem run``: run a program and print its results."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from funmem.commands import (
    THIS_PROCESSOR,
    checks_of,
    command,
    device_option,
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
    random_option,
    read_once,
    require_device_engine,
    safe_option,
    say_checks,
    seed_option,
    tuned_json,
    usage_error,
)
from funmem.commands.arguments import arguments, not_both

if TYPE_CHECKING:
    from funmem.driver.engines import Outcome, Runner
    from funmem.driver.options import Engine, Options
    from funmem.driver.source import Source
    from funmem.ir.names import Name
    from funmem.ir.signature import Signature
    from funmem.ir.values import ArgValue
    from funmem.passes.framework import StageProgram

ENGINES = ("core", "value", "heap", "imp", "c", "opencl")

HELP = """Run an entry point of a program and print its results, one per line.

\b
  --via core     interpret Core: the meaning of a program in a source language
  --via value    interpret FUN, the program's meaning (memory annotations are erased)
  --via heap     interpret FUNMEM; check bounds, races and the coherence of annotations
  --via imp      interpret IMP; check bounds and races
  --via c        compile to a C library with OpenMP
  --via opencl   compile to OpenCL kernels and run them on a device

With --trust, the compiled program omits the checks that the verifier proves; the number of checks
proved and of checks that stay is printed.  All other checks are made as with --safe, on the host
and in kernels.

A program in another language than the engine's is first compiled to that language by the default
pipeline.  A program that is a process (.kfc) prints for itself: the words after `--` are its
command line, its exit status is the command's, and it runs via core by default.

Values are in the Futhark data format; a number without a suffix gets the parameter's type.  Values
of records, tuples and sums can be given by name, as '#some 3', '(1, 2)', '{x = 1}', or in a .json
file; a result with recursive data is printed so.
"""
EXAMPLE = """\
$ funmem run examples/dot.fun -i '[1, 2, 3]' -i '[4, 5, 6]'
32.0f32
$ funmem run examples/dot.fun --random n=1000 --via opencl --against value"""


@command("run", HELP, EXAMPLE)
@program_argument()
@click.argument("words", metavar="[-- ARGS]", nargs=-1)
@entry_option
@click.option(
    "--via",
    type=click.Choice(ENGINES),
    help="The engine.  Default: value; core for a program that is a process.",
)
@click.option(
    "--against",
    type=click.Choice(ENGINES),
    metavar="ENGINE",
    help="Run on this engine too; exit with 3 if the results differ.",
)
@inputs_option()
@random_option
@seed_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the results: .npy, .npz (with their names), else Futhark's binary format.",
)
@click.option("--summary", is_flag=True, help="Print types and extremes instead of values.")
@device_option
@safe_option
@click.option("--trust", is_flag=True, help="Omit the checks that are proved (imp, c, opencl).")
@click.option(
    "--max-bytes",
    type=click.IntRange(min=0),
    metavar="N",
    help="Refuse to run a program that needs more memory.  Default: that of the machine or device.",
)
@click.option(
    "--device-bytes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep at most N bytes on the device; other blocks lie on the host until a kernel needs "
    "them.  Default: what does not fit on the device is refused.",
)
@foreign_option
@no_cache_option("Do not use kernels built before, nor the results of `funmem tune`.")
@processor_option(THIS_PROCESSOR)
@pipeline_option
@json_option
def run(
    program: str,
    words: Sequence[str],
    language: str | None,
    entry: str | None,
    via: str | None,
    against: str | None,
    inputs: Sequence[str],
    sizes: str | None,
    seed: int,
    output: str | None,
    summary: bool,
    device: str | None,
    safe: bool,
    trust: bool,
    max_bytes: int | None,
    device_bytes: int | None,
    foreign: Sequence[str],
    no_cache: bool,
    processor: str | None,
    pipeline: str | None,
    as_json: bool,
) -> int | None:
    """Run ``funmem run``."""
    source = load(program, language)
    if device_bytes is not None:
        _keep_within(device_bytes, device, (via, against))
    if source.front_end.process is not None:
        from funmem.driver.process import is_process

        if is_process(source):
            return _process(source, words, via, device, inputs, sizes)
    if words:
        raise usage_error(f"unexpected argument `{words[0]}`: inputs are given by -i")
    via = via or "value"
    not_both(inputs, sizes)
    if trust and (not safe or via in ("core", "value", "heap")):
        raise usage_error("--trust is for imp, c and opencl, and cannot be combined with --fast")
    read_once(program, inputs)
    require_device_engine(device, (via, against))
    from funmem.driver.compile_cache import text_of
    from funmem.driver.entry_points import signature_of
    from funmem.driver.foreign_files import foreign_code
    from funmem.driver.options import Engine, Options
    from funmem.driver.stages import split, to_fun
    from funmem.passes.framework import Report
    from funmem.passes.runner import Pipeline
    from funmem.passes.tuning import Processor

    passes = None if pipeline is None else Pipeline.parse(pipeline)
    report = Report() if trust else None
    text = text_of(source) if against is None else ""
    cache_it = not no_cache
    code = foreign_code(source, foreign)
    options = Options(
        *(passes, device, safe, cache_it, report),
        tuned=True,
        max_bytes=max_bytes,
        text=text,
        processor=None if processor is None else Processor(processor),
        foreign=code,
    )
    tree = cache(source.tree)
    below = cache(lambda: to_fun(tree(), typed=source.front_end.typed))
    on_core = passes is not None and bool(split(passes)[0].steps)

    def parsed(engine: Engine) -> StageProgram:
        return tree() if on_core or engine is Engine.CORE else below()

    signature, ready = _entry_point(parsed, Engine(via), options, entry)
    if Engine.CORE.value in (via, against) and against not in (None, via):
        signature = signature_of(below(), entry)  # Core gives rows as the other engine has them
    flat = (lambda: signature_of(below(), entry)) if via == Engine.CORE.value else None
    args = arguments(signature, inputs, sizes, seed, flat)
    start = time.perf_counter()
    runner = ready((signature.name, args))
    prepared = time.perf_counter() - start
    checks = checks_of(report)
    if not as_json:
        say_checks(checks)
        if (tuning := runner.tunings.get(signature.name)) is not None:
            click.echo(f"tuned: {tuning}", err=True)
    if against is None:
        outcome = runner.run(signature.name, args)
    else:
        plain = Options(None, device, safe, cache_it, max_bytes=max_bytes, foreign=code)
        reference = below() if Engine(against) is not Engine.CORE else tree()
        outcome = _compared(runner, reference, Engine(against), plain, signature, args)
    _answer(
        signature,
        runner,
        outcome,
        output,
        summary=summary,
        seconds=prepared,
        checks=checks,
        as_json=as_json,
    )
    return None


def _keep_within(budget: int, device: str | None, engines: Sequence[str | None]) -> None:
    """Limit the bytes on the device that a run uses."""
    if "opencl" not in engines:
        raise usage_error("--device-bytes is for --via opencl")
    from funmem.codegen.device import open_device

    open_device(device).keep_within(budget)


def _process(
    source: Source,
    words: Sequence[str],
    via: str | None,
    device: str | None,
    inputs: Sequence[str],
    sizes: str | None,
) -> int:
    """Run a program that prints for itself; return its exit status."""
    if inputs or sizes is not None:
        raise usage_error("the program has no inputs: its command line follows `--`")
    from funmem.driver.options import Engine
    from funmem.driver.process import run_process

    return run_process(source, words, engine=Engine(via or "core"), device=device)


def _entry_point(
    parsed: Callable[[Engine], StageProgram], engine: Engine, options: Options, name: str | None
) -> tuple[Signature, Callable[[tuple[Name, Sequence[ArgValue]]], Runner]]:
    """Return an entry point's signature, and a function that prepares it for a run.  A program
    that an earlier process prepared is recalled from the cache and not parsed.
    """
    from funmem.driver.engines import prepare, recalled
    from funmem.driver.entry_points import chosen, signature_of
    from funmem.ir.record import evolve
    from funmem.passes.runner import check_types

    known = recalled(engine, options)
    if known is not None:
        from funmem.codegen.plan import signature_of as of_plan

        runner, plan = known
        return of_plan(chosen(plan.entries, name)), lambda _: runner
    program = parsed(engine)
    check_types(program)
    return (
        signature_of(program, name),
        lambda run: prepare(program, engine, evolve(options, run=run)),
    )


def _compared(
    runner: Runner,
    program: StageProgram,
    against: Engine,
    options: Options,
    s: Signature,
    args: Sequence[ArgValue],
) -> Outcome:
    """Return the outcome of ``runner``.  Raises Disagreement if the engine ``against`` differs."""
    from funmem.driver.comparison import compare
    from funmem.driver.engines import prepare

    outcome, _ = compare(runner, prepare(program, against, options), s, args)
    return outcome


def _answer(
    s: Signature,
    runner: Runner,
    outcome: Outcome,
    output: str | None,
    *,
    summary: bool,
    seconds: float,
    checks: Mapping[str, int],
    as_json: bool,
) -> None:
    from pathlib import Path

    from funmem.ir.ragged_values import nested
    from funmem.values.arguments import (
        has_rows,
        json_by_name,
        save,
        show_by_name,
        show_value,
        summarise,
        to_json,
    )

    results = outcome.spelled(s)
    shown = list(nested(results))
    files = [] if output is None else [str(p) for p in save(results, Path(output))]
    if as_json:
        found: dict[str, Any] = {
            "entry": s.name,
            "via": runner.engine.value,
            "pipeline": str(runner.pipeline),
            "device": runner.device,
            "prepare_seconds": round(seconds, 6),
            "seconds": round(outcome.seconds, 6),
            **outcome.costs,
            **({"checks": checks} if checks else {}),
            **tuned_json(runner.tunings),
            "results": [json_by_name(s, [v for v, _ in results])]
            if has_rows(s)
            else [to_json(v, p) for v, p in shown],
            "files": files,
        }
        echo_json(found)
        return
    if summary:
        for v, p in results:
            click.echo(summarise(v, p))
    elif output is None and has_rows(s):
        click.echo(show_by_name(s, [v for v, _ in results]))
    elif output is None:
        for result, p in shown:
            click.echo(show_value(result, p))
