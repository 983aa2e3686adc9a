"""``funmem tune``: which sizes of chunks, tiles and groups make a program fast here."""

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

HELP = """Find the sizes of chunks, tiles and groups with which a program is fastest here.

The parameters are those of `funmem passes` for schedule (threads, strip), tiles (side), lanes
(width, rounds) and jam (rows), and how many work-items a group has in OpenCL (group).  One after
the other is changed, and what is best so far stays.  A candidate's results are compared with the
default's, and these with what is right; then it takes turns with the best so far, and wins if it
gains more than what the default is off from itself.

What is found is kept for this entry point on this device, with its driver or compiler, and used by
`run`, `compile`, `bench` and the Python API, which say so.  It changes how fast a program is, and
nothing else.  Tune with arguments like those that matter: -i or --random give them, else a
`reference.py` beside the program, else the largest of its test comments.

--list shows what is kept, of all programs or of PROGRAM, and --forget removes it.

A candidate with wrong results is a bug of funmem, and ends in exit code 3.
"""
EXAMPLE = """\
$ funmem tune papers/benchmarks/dot/dot.fut --via c
$ funmem tune examples/matmul.fun --random n=512,m=512,k=512 --via opencl --budget 120
$ funmem tune --list"""


@command("tune", HELP, EXAMPLE)
@program_argument(required=False)
@click.option("--entry", metavar="NAME", help="The entry point.  Default: main, or all with tests.")
@click.option(
    "--via",
    type=click.Choice(("c", "opencl")),
    default="c",
    help="Who runs the program.  Default: c.",
)
@inputs_option()
@random_option
@scale_option
@seed_option
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    default=60.0,
    help="For the search, of each entry point.  A candidate that was begun is finished.  "
    "Default: 60.",
)
@device_option
@safe_option
@no_cache_option("Neither begin with what was found before nor keep what is found.")
@click.option("--list", "listed", is_flag=True, help="Only show what is kept.")
@click.option("--forget", "forgotten", is_flag=True, help="Only remove what is kept.")
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
    budget: float,
    device: str | None,
    safe: bool,
    no_cache: bool,
    listed: bool,
    forgotten: bool,
    as_json: bool,
) -> int:
    """The command."""
    if listed or forgotten:
        _kept(program, language, forgotten, as_json)
        return int(ExitCode.OK.value)
    if program is None:
        raise usage_error("give a program, or --list, or --forget")
    not_both(inputs, sizes)
    read_once(program, inputs)
    require_device_engine(device, (via,))
    from funmem.bench.tasks import Choice
    from funmem.driver.engines import Options
    from funmem.tune.report import lines, to_json
    from funmem.tune.subject import tune as search
    from funmem.values.random_arguments import parse_sizes

    source = load(program, language)
    options = Options(None, device, safe, not no_cache)
    given = None if sizes is None else parse_sizes(sizes)
    answers = []
    for task in _tasks(source, Choice(entry, given, scale, seed), inputs):
        say = partial(say_on_terminal, task.name)
        answers.append(search(task, via, options, budget, say))
        say_on_terminal("", "")
        if not as_json:
            for line in lines(answers[-1]):
                click.echo(line)
    if as_json:
        echo_json(to_json(answers))
    wrong = any(a.wrong for a in answers)
    return int((ExitCode.DISAGREEMENT if wrong else ExitCode.OK).value)


def _kept(program: str | None, language: str | None, forgotten: bool, as_json: bool) -> None:
    """Shows what is kept, or what was until it is removed here."""
    from funmem.driver.stored_tunings import forget, kept

    found = kept(None if program is None else load(program, language).parse())
    if forgotten:
        forget(found)
    if as_json:
        echo_json({"forgotten": forgotten, "kept": [k.to_json() for k in found]})
        return
    for k in found:
        click.echo(f"forgotten: {k}" if forgotten else str(k))
    if not found:
        click.echo("nothing is kept" if program is None else f"nothing is kept for {program}")


def _tasks(source: Source, choice: Choice, inputs: Sequence[str]) -> Sequence[Task]:
    """One call of each entry point that there are arguments for: the one with the largest."""
    from funmem.bench.tasks import defined, tasks
    from funmem.driver.engines import signature_of
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
    """Of arguments."""
    import numpy as np

    return sum(np.asarray(a).nbytes for a in task.args)
