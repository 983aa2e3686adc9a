"""``funmem tune``: find the chunk, tile and group sizes that make a program fast here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from funmem.commands import (
    command,
    device_option,
    echo_json,
    inputs_option,
    json_option,
    load,
    no_cache_option,
    program_argument,
    random_option,
    read_once,
    require_device_engine,
    safe_option,
    say_on_terminal,
    scale_option,
    seed_option,
    usage_error,
)
from funmem.commands.arguments import not_both
from funmem.ir.diagnostics import ExitCode

if TYPE_CHECKING:
    from funmem.bench.tasks import Choice, Task
    from funmem.driver.source import Source
    from funmem.tune.subject import Answer

BOTH = "--machine is for all programs: it takes no PROGRAM, --entry, -i or --random"

HELP = """Find the chunk, tile and group sizes with which a program is fastest on this machine.

The parameters are options of the passes (see `funmem passes`): threads and strip of schedule, tall
and wide of tile, width, kept and rounds of vectorise, rows of unroll-and-jam.  One more, group, is
the number of work-items in a work-group of a GPU.  The search changes one parameter at a time and
keeps the best value.  The default's results are compared with the expected ones, and each
candidate's results with the default's.  Then the candidate runs in turns with the best one so far.
It wins if its gain exceeds the noise, which is how much the default's times differ from each other.

The result is stored for this entry point and this device with its driver or compiler.  `run`,
`compile`, `bench` and the Python API use it and report that they do.  Tuning changes only a
program's speed.  Tune with arguments of realistic sizes, from -i or --random; by default they come
from a `reference.py` beside the program, else from the largest test case in its comments.

With --machine, instead of a program, five built-in kernels are tuned together in 15 seconds: an
inner product, a product of matrices, a stencil, a scan, and while-loops.  The result are the
defaults of this machine for --via and --device, in place of those of its class of processors
(`funmem compile --processor`).  All programs without a result of their own use them.

--list shows the stored results of all programs, of PROGRAM, or with --machine those for all
programs; --forget removes them.

A candidate with wrong results is a bug in funmem: the exit code is then 3.
"""
EXAMPLE = """\
$ funmem tune papers/benchmarks/dot/dot.fut --via c
$ funmem tune examples/matmul.fun --random n=512,m=512,k=512 --via opencl --budget 120
$ funmem tune --machine --via opencl
$ funmem tune --list"""


@command("tune", HELP, EXAMPLE)
@program_argument(required=False)
@click.option("--entry", metavar="NAME", help="The entry point.  Default: main, or all with tests.")
@click.option(
    "--via",
    type=click.Choice(("c", "opencl")),
    default="c",
    help="The engine that runs the program.  Default: c.",
)
@inputs_option()
@random_option
@scale_option
@seed_option
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Time limit of the search, for each entry point.  The current candidate is finished.  "
    "Default: 60; with --machine 15.",
)
@click.option("--machine", is_flag=True, help="Find this machine's defaults for all programs.")
@device_option
@safe_option
@no_cache_option("Do not start from the stored result, and do not store the new one.")
@click.option("--list", "listed", is_flag=True, help="Only show the stored results.")
@click.option("--forget", "forgotten", is_flag=True, help="Only remove the stored results.")
@json_option
def tune(
    program: str | None,
    language: str | None,
    entry: str | None,
    via: str,
    inputs: Sequence[str],
    sizes: str | None,
    scale: float,
    seed: int,
    budget: float | None,
    machine: bool,
    device: str | None,
    safe: bool,
    no_cache: bool,
    listed: bool,
    forgotten: bool,
    as_json: bool,
) -> int:
    """Run ``funmem tune``."""
    if listed or forgotten:
        if machine and program is not None:
            raise usage_error(BOTH)
        _stored(program, language, forgotten, as_json, machine=machine)
        return int(ExitCode.OK.value)
    if machine:
        if program is not None or entry is not None or inputs or sizes is not None:
            raise usage_error(BOTH)
        require_device_engine(device, (via,))
        return _machine(via, device, budget, safe, no_cache, as_json)
    if program is None:
        raise usage_error("give a program, or --machine, --list or --forget")
    not_both(inputs, sizes)
    read_once(program, inputs)
    require_device_engine(device, (via,))
    from funmem.bench.tasks import Choice
    from funmem.driver.options import Options
    from funmem.tune.report import lines, to_json
    from funmem.tune.subject import tune as search
    from funmem.values.random_arguments import parse_sizes

    source = load(program, language)
    options = Options(None, device, safe, not no_cache)
    given = None if sizes is None else parse_sizes(sizes)
    answers = []
    for task in _tasks(source, Choice(entry, given, scale, seed), inputs):
        say = partial(say_on_terminal, task.name)
        answers.append(search(task, via, options, 60.0 if budget is None else budget, say))
        say_on_terminal("", "")
        if not as_json:
            for line in lines(answers[-1]):
                click.echo(line)
    if as_json:
        echo_json(to_json(answers))
    return _code(answers)


def _code(answers: Sequence[Answer]) -> int:
    wrong = any(a.wrong for a in answers)
    return int((ExitCode.DISAGREEMENT if wrong else ExitCode.OK).value)


def _machine(
    via: str, device: str | None, budget: float | None, safe: bool, no_cache: bool, as_json: bool
) -> int:
    """Find the defaults of this machine, and print them."""
    from funmem.driver.options import Options
    from funmem.tune.machine import SECONDS, tune_machine
    from funmem.tune.report import lines, to_json

    options = Options(None, device, safe, not no_cache)
    say = partial(say_on_terminal, "this machine")
    answer = tune_machine(via, options, SECONDS if budget is None else budget, say)
    say_on_terminal("", "")
    if as_json:
        echo_json(to_json([answer]))
    else:
        for line in lines(answer):
            click.echo(line)
    return _code([answer])


def _stored(
    program: str | None, language: str | None, forgotten: bool, as_json: bool, *, machine: bool
) -> None:
    """Print the stored results; with ``forgotten``, remove them too."""
    from funmem.driver.stored_tunings import forget, kept

    found = kept(None if program is None else load(program, language).parse())
    if machine:
        found = [k for k in found if k.for_machine]
    if forgotten:
        forget(found)
    if as_json:
        echo_json({"forgotten": forgotten, "kept": [k.to_json() for k in found]})
        return
    for k in found:
        click.echo(f"forgotten: {k}" if forgotten else str(k))
    if not found:
        click.echo("nothing is stored" if program is None else f"nothing is stored for {program}")


def _tasks(source: Source, choice: Choice, inputs: Sequence[str]) -> Sequence[Task]:
    """Return one call of each entry point that has arguments: the call with the largest ones."""
    from funmem.bench.tasks import defined, tasks
    from funmem.driver.entry_points import signature_of
    from funmem.ir.values import bind
    from funmem.values.arguments import read_arguments

    if inputs:
        parsed = source.parse()
        s = signature_of(parsed, choice.entry)
        args = tuple(read_arguments(s, inputs))
        bind(s, args)
        return [defined(s.name, source, parsed, s, args)]
    largest: dict[str, Task] = {}
    for task in tasks(source, choice):
        name = task.signature.name
        if name not in largest or _bytes(task) > _bytes(largest[name]):
            largest[name] = task
    return tuple(largest.values())


def _bytes(task: Task) -> int:
    """Return the size of a task's arguments in bytes."""
    import numpy as np

    return sum(np.asarray(a).nbytes for a in task.args)
