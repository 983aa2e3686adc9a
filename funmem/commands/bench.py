"""``funmem bench``: measure programs and their peers in turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from funmem.commands import (
    command,
    device_option,
    load,
    no_cache_option,
    pipeline_option,
    require_device_engine,
    safe_option,
    say_on_terminal,
    scale_option,
    seed_option,
)
from funmem.ir.diagnostics import ExitCode

if TYPE_CHECKING:
    from funmem.bench.limits import Limits
    from funmem.bench.rows import Old, Row

HELP = """Measure programs, interleaved with versions in other languages.

PATH is a program or a folder.  The arguments come from --random if it is given, else from a
`reference.py` beside the program, else from its test comments.  Every result is checked before
anything is measured.  A wrong result of funmem's makes the exit code 3.

Times are medians of rounds; in a round every contender runs in turn.  On a machine that also does
other work, only the ratios are meaningful.  `of triad` and `of f32` are percentages of the memory
bandwidth and the f32 operations per second of this machine, which are measured first.  The triad's
arrays are larger than the caches, so a program whose data stays in the caches can exceed 100%.
`kernels` says whether kernels check bounds (safe) or not (fast, with --fast).

\b
Peers, from files beside the program:
  numpy, numba, jax   peers.py
  gcc                 plain.c, with and without -ffast-math, and tuned.c
  futhark             the program itself, compiled by Futhark's compiler: back ends c, multicore,
                      ispc and opencl

A peer that is not installed or that exceeds --limit is skipped; the report lists it.  The process
of a peer that exceeds --limit is killed.

A row is printed on stderr as soon as it is measured, and the files of --json and --markdown are
written anew, so a run that is stopped keeps its rows.  --resume continues it.
"""
EXAMPLE = """\
$ funmem bench papers/benchmarks --peers numpy,numba,jax,gcc,futhark --json table.json
$ funmem bench examples/dot.fun --random n=1000000 --via c --via opencl"""


@command("bench", HELP, EXAMPLE)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--via",
    "vias",
    type=click.Choice(("c", "opencl")),
    multiple=True,
    help="The engine that runs the programs.  May be repeated.  Default: c.",
)
@click.option("--peers", metavar="NAMES", default="", help="The peers to compare with: numpy,gcc,…")
@click.option("--entry", metavar="NAME", help="The entry point.  Default: main, or all with tests.")
@click.option(
    "--random",
    "sizes",
    metavar="SIZES",
    help="Random arguments with these sizes and scalars: n=4,m=5.",
)
@scale_option
@seed_option
@click.option(
    "--filter",
    "pattern",
    metavar="TEXT",
    default="",
    help="Only programs whose path contains TEXT.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    metavar="N",
    default=5,
    help="The number of measured rounds.  Default: 5.",
)
@click.option(
    "--warm-up",
    type=click.IntRange(min=0),
    metavar="N",
    default=1,
    help="The number of runs before the rounds.  Default: 1.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="The number of threads of every contender.  Default: its own, mostly all cores.",
)
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    default=60.0,
    help="Time limit for building a peer and for each of its runs.  Default: 60.",
)
@click.option("--json", "output", metavar="FILE", help="Write the rows as JSON.")
@click.option(
    "--resume",
    is_flag=True,
    help="Keep the rows of the --json file, and measure the other programs only.",
)
@click.option("--compare", "old", metavar="FILE", help="Compare with rows written by --json.")
@click.option("--markdown", "document", metavar="FILE", help="Write the tables as Markdown.")
@click.option("--plot", "picture", metavar="FILE", help="Draw the ratios: .svg or .png.")
@click.option(
    "--futhark", metavar="FILE", help="Futhark's compiler.  Default: $FUTHARK, or on PATH."
)
@click.option("--no-limits", is_flag=True, help="Do not measure the machine's limits.")
@device_option
@safe_option
@no_cache_option("Do not use the results of `funmem tune`.")
@pipeline_option
def bench(
    paths: Sequence[str],
    vias: Sequence[str],
    peers: str,
    entry: str | None,
    sizes: str | None,
    scale: float,
    seed: int,
    pattern: str,
    rounds: int,
    warm_up: int,
    threads: int | None,
    limit: float,
    output: str | None,
    resume: bool,
    old: str | None,
    document: str | None,
    picture: str | None,
    futhark: str | None,
    no_limits: bool,
    device: str | None,
    safe: bool,
    no_cache: bool,
    pipeline: str | None,
) -> int:
    """Run ``funmem bench``."""
    require_device_engine(device, vias)
    from funmem.bench.threads import limit_threads

    if threads is not None:
        limit_threads(threads)
    from funmem.bench import limits
    from funmem.bench.measure import Plan, measure
    from funmem.bench.peers import named
    from funmem.bench.plot import require_plot
    from funmem.bench.progress import Progress, settings
    from funmem.bench.rows import read
    from funmem.bench.tasks import Choice, tasks
    from funmem.driver.foreign_files import foreign_code
    from funmem.driver.options import Options
    from funmem.passes.runner import Pipeline
    from funmem.suite.files import find_programs
    from funmem.values.random_arguments import parse_sizes

    files = find_programs(paths, pattern)
    chosen = named(peers)
    passes = None if pipeline is None else Pipeline.parse(pipeline)
    choice = Choice(entry, None if sizes is None else parse_sizes(sizes), scale, seed)
    before = None if old is None else read(Path(old))
    if picture is not None:
        require_plot(Path(picture), chosen)
    engines = tuple(dict.fromkeys(vias)) or ("c",)
    same = settings(engines, chosen, rounds, threads, sizes, scale, safe=safe)
    progress = Progress.begun(output, document, same, resume=resume)
    machine = None if no_limits else limits.measure()
    for file in files:
        source = load(file)
        foreign = foreign_code(source)
        options = Options(passes, device, safe, not no_cache, tuned=True, foreign=foreign)
        plan = Plan(engines, chosen, rounds, warm_up, options, machine, futhark, threads, limit)
        for task in tasks(source, choice):
            if progress.measured(task.name, engines):
                continue
            rows = measure(task, plan, partial(say_on_terminal, task.name))
            say_on_terminal("", "")
            for line in progress.add(rows, machine):
                click.echo(line, err=True)
    _report(progress.rows, machine, before, picture)
    verified = all(r.verified for r in progress.rows)
    return int((ExitCode.OK if verified else ExitCode.DISAGREEMENT).value)


def _report(
    rows: Sequence[Row],
    machine: Limits | None,
    before: Mapping[tuple[str, str], Old] | None,
    picture: str | None,
) -> None:
    """Print the tables, and draw the plot."""
    from funmem.bench import table as tables
    from funmem.bench.plot import plot
    from funmem.bench.rows import compare

    for line in tables.table(rows, machine):
        click.echo(line)
    if before is not None:
        click.echo()
        for line in tables.changes(compare(rows, before)):
            click.echo(line)
    if picture is not None:
        plot(rows, Path(picture))
