"""``funmem fuzz``: generated programs and mutants through all passes and engines."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from funmem.commands import (
    F,
    command,
    echo_json,
    json_option,
    orders_option,
    usage_error,
    variants_option,
)
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, UsageError

if TYPE_CHECKING:
    from funmem.testing.campaign.batch import Settings
    from funmem.testing.campaign.on_processes import Runner
    from funmem.testing.campaign.trial import Trial

HELP = """Run generated programs and mutants of given ones through all passes; compare all engines.

Each seed gives a well-typed program with arguments, or a variant of it that means the same, and
passes: fixed pipelines, or passes drawn at random, in any order, some several times.  After each
pass the program type-checks; at the ends of levels (with --thorough after each pass) the value,
heap and IMP interpreters agree with what it means, the last one in three orders of iterations; in
the end the predicted peak of memory is the measured one, and other inputs, on many of which the
program traps, give what they gave.

With PATHs, files and folders of programs, three programs in four are mutants of these, of entry
points that are not long and have a small input: several of them, one after the other, with other
statements, operands, sizes and inputs.

A disagreement is written to --out, reduced to a small program that fails alike (`funmem reduce`).
With --state a campaign that was stopped goes on where it was.
"""
EXAMPLE = """\
$ funmem fuzz -n 200
$ funmem fuzz -n 1000 examples mine.fut
$ funmem fuzz -n 100000 --orders random --state fuzz.state --shard 1/4
$ funmem fuzz -n 100000 --scheduler tcp://host:8786 --state fuzz.state"""


def device_option(name: str, what: str) -> Callable[[F], F]:
    """``--opencl K`` and its like: run each K-th program in one more way."""
    return click.option(
        f"--{name}",
        f"each_{name}",
        type=click.IntRange(min=0),
        default=0,
        metavar="K",
        help=f"Run each K-th program {what}, too.  Default: 0, none.",
    )


@command("fuzz", HELP, EXAMPLE)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "-n",
    "--programs",
    "count",
    type=click.IntRange(min=0),
    default=1000,
    metavar="N",
    help="How many programs.  Default: 1000.",
)
@click.option(
    "--seed",
    "first",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="The first one's seed; the others follow.  Default: 0.",
)
@click.option(
    "--shard",
    default="1/1",
    metavar="I/N",
    help="Only the I-th of N parts, of which each has other seeds.  Default: 1/1.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes on this machine; not with --scheduler.  Default: all processors.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the workers of this Dask scheduler, a process for each of their threads: "
    "tcp://host:8786.  They have the same funmem; files are written here.  "
    "Needs pip install 'funmem[dask]'.",
)
@orders_option("The passes of a program: a fixed pipeline, a random one, or one after the other.")
@variants_option
@device_option("opencl", "on PoCL")
@device_option("oclgrind", "on Oclgrind, which reports races")
@device_option("c", "as C")
@click.option(
    "--sanitize/--no-sanitize",
    default=True,
    help="C checks addresses and undefined behaviour.  Default: yes.",
)
@click.option("--thorough", is_flag=True, help="All engines after each pass, for all programs.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Remember there what is done, and do not do it again.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("fuzz-out"),
    metavar="FOLDER",
    help="For disagreements.  Default: fuzz-out.",
)
@click.option(
    "--reduce-seconds",
    "seconds",
    type=click.FloatRange(min=0),
    default=60.0,
    metavar="S",
    help="How long to make each of them smaller; 0: not at all.  Default: 60.",
)
@json_option
def fuzz(
    paths: tuple[str, ...],
    count: int,
    first: int,
    shard: str,
    jobs: int | None,
    scheduler: str | None,
    orders: str,
    variants: int,
    each_opencl: int,
    each_oclgrind: int,
    each_c: int,
    sanitize: bool,
    thorough: bool,
    state: Path | None,
    out: Path,
    seconds: float,
    as_json: bool,
) -> int:
    """The command; its exit code is 3 if anything disagreed."""
    from funmem.testing.campaign.batch import Settings
    from funmem.testing.campaign.orders import Orders
    from funmem.testing.campaign.run import figures, portions, summary
    from funmem.testing.corpus.samples import read_corpus

    settings = Settings(
        Orders(orders),
        variants,
        each_opencl,
        each_oclgrind,
        each_c,
        sanitize,
        thorough,
        seconds,
        read_corpus(paths) if paths else None,
    )
    start = time.perf_counter()
    todo = portions(first, count, _shard(shard))
    t, before = _run(settings, todo, _place(jobs, scheduler), state, out)
    took = time.perf_counter() - start
    if as_json:
        echo_json(figures(t, took, before))
    else:
        click.echo(summary(t, took, before))
    code: int = (ExitCode.DISAGREEMENT if t.disagreements else ExitCode.OK).value
    return code


def _shard(text: str) -> tuple[int, int]:
    """The part and the number of parts of ``1/4``."""
    m = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    i, n = (int(m[1]), int(m[2])) if m else (0, 0)
    if not 1 <= i <= n:
        message = f"a shard is I/N with 1 <= I <= N, not `{text}`"
        raise UsageError(Diagnostic(NOWHERE, "usage", message, "--shard 1/4 is the first of four"))
    return i, n


def _place(jobs: int | None, scheduler: str | None) -> Runner:
    """Where portions are done."""
    import os

    from funmem.codegen.folders import settle_home
    from funmem.testing.campaign.on_processes import on_processes

    settle_home()  # here, so that not every process says so

    if scheduler is None:
        return on_processes(jobs or os.cpu_count() or 1)
    if jobs is not None:
        raise usage_error("--jobs is for this machine; with --scheduler the workers' threads count")
    from funmem.testing.campaign.on_dask import on_dask

    return on_dask(scheduler, note=partial(click.echo, err=True))


def _run(
    settings: Settings, todo: Sequence[range], place: Runner, state: Path | None, out: Path
) -> tuple[Trial, int]:
    """The campaign, with a progress bar on a terminal, else a line for each thousand."""
    from rich.console import Console
    from rich.progress import Progress

    from funmem.testing.campaign.run import campaign, file_of

    total = sum(map(len, todo))
    console = Console(stderr=True)
    done = wrong = 0
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("programs", total=total)

        def after(t: Trial) -> None:
            nonlocal done, wrong
            before, done = done, done + t.programs
            wrong += len(t.disagreements)
            progress.update(task, completed=done, description=f"programs, {wrong} wrong")
            for d in t.disagreements:
                where = file_of(d, out)
                said = f"seed {d.seed}: {d.engine} disagrees ({d.code}) after {d.passes}: {where}"
                console.print(said, markup=False, soft_wrap=True)
            if not console.is_terminal and done // 1000 > before // 1000:
                console.print(f"{done} of {total} programs, {wrong} wrong")

        return campaign(settings, todo, runner=place, out=out, state=state, after=after)
