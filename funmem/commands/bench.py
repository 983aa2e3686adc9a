"""``funmem bench``: programs in turns with their peers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

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

HELP = """Measure programs, in turns with the same in other languages.

PATH is a program or a folder.  What is called with what: a `reference.py` beside the program says,
else its test comments do, else --random.  Every result is compared with what is right before
anything is measured; a wrong one of funmem's ends in exit code 3.

Times are medians of rounds in which everybody runs once.  Only ratios mean something on a machine
that is used for other things too.  `of triad` and `of f32` say how close a run comes to what this
machine moves and computes at most, which is measured first.  The triad's arrays are larger than
the caches: a program whose data stays in the caches can reach more than 100%.  `kernels` says what
was measured: safe ones check bounds, fast ones (--fast) do not.

\b
Peers, from files beside the program:
  numpy, numba, jax   peers.py
  gcc                 plain.c, with and without -ffast-math, and tuned.c
  futhark             the program itself, by the real compiler: its c, multicore, ispc and opencl
                      back ends
One that is not installed is left out and named; so is one that takes too long (--limit), whose
process is killed.
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
    help="Who runs the programs.  May be repeated.  Default: c.",
)
@click.option("--peers", metavar="NAMES", default="", help="With whom to compare: numpy,gcc,…")
@click.option("--entry", metavar="NAME", help="The entry point.  Default: main, or all with tests.")
@click.option(
    "--random",
    "sizes",
    metavar="SIZES",
    help="Random arguments of these sizes and scalars: n=4,m=5.",
)
@scale_option
@seed_option
@click.option("--filter", "pattern", metavar="TEXT", default="", help="Only paths that contain it.")
@click.option(
    "--rounds", type=click.IntRange(min=1), metavar="N", default=5, help="Rounds.  Default: 5."
)
@click.option(
    "--warm-up",
    type=click.IntRange(min=0),
    metavar="N",
    default=1,
    help="Runs before.  Default: 1.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="For everybody.  Default: what each takes, mostly all cores.",
)
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    default=60.0,
    help="Stop a peer that takes longer to build, or for a run.  Default: 60.",
)
@click.option("--json", "output", metavar="FILE", help="Write the rows as JSON.")
@click.option("--compare", "old", metavar="FILE", help="Compare with rows written before.")
@click.option("--plot", "picture", metavar="FILE", help="Draw the ratios: .svg or .png.")
@click.option(
    "--futhark", metavar="FILE", help="The real compiler.  Default: $FUTHARK, or on PATH."
)
@click.option("--no-limits", is_flag=True, help="Do not measure the machine's limits.")
@device_option
@safe_option
@no_cache_option("Do not look for what `funmem tune` has found.")
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
    old: str | None,
    picture: str | None,
    futhark: str | None,
    no_limits: bool,
    device: str | None,
    safe: bool,
    no_cache: bool,
    pipeline: str | None,
) -> int:
    """The command."""
    require_device_engine(device, vias)
    from funmem.bench.threads import limit_threads

    if threads is not None:
        limit_threads(threads)
    from funmem.bench import limits
    from funmem.bench.measure import Plan, measure
    from funmem.bench.peers import named
    from funmem.bench.plot import plot, require_plot
    from funmem.bench.rows import Row, compare, read, write
    from funmem.bench.table import changes, table
    from funmem.bench.tasks import Choice, tasks
    from funmem.driver.engines import Options
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
    machine = None if no_limits else limits.measure()
    found: list[Row] = []
    for file in files:
        source = load(file)
        options = Options(passes, device, safe, not no_cache, tuned=True)
        engines = tuple(dict.fromkeys(vias)) or ("c",)
        plan = Plan(engines, chosen, rounds, warm_up, options, machine, futhark, threads, limit)
        for task in tasks(source, choice):
            found += measure(task, plan, partial(say_on_terminal, task.name))
    say_on_terminal("", "")
    for line in table(found, machine):
        click.echo(line)
    if output is not None:
        write(Path(output), found, machine)
    if before is not None:
        click.echo()
        for line in changes(compare(found, before)):
            click.echo(line)
    if picture is not None:
        plot(found, Path(picture))
    fine = all(r.verified for r in found)
    return int((ExitCode.OK if fine else ExitCode.DISAGREEMENT).value)
