"""``funmem fuzz``: generated programs through all passes and engines."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from funmem.commands import command, echo_json, json_option, orders_option, variants_option
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, UsageError

if TYPE_CHECKING:
    from funmem.testing.campaign import Settings
    from funmem.testing.trial import Trial

HELP = """Run generated programs through all passes and compare all engines.

Each seed gives a well-typed program with arguments, or a variant of it that means the same, and
passes: fixed pipelines, or passes drawn at random, in any order, some several times.  After each
pass the program type-checks; at the ends of levels (with --thorough after each pass) the value,
heap and IMP interpreters agree with what it means, the last one in three orders of iterations; in
the end the predicted peak of memory is the measured one.

A disagreement is written to --out, reduced to a small program that fails alike (`funmem reduce`).
With --state a campaign that was stopped goes on where it was.
"""
EXAMPLE = """\
$ funmem fuzz -n 200
$ funmem fuzz -n 100000 --orders random --state fuzz.state --shard 1/4"""


@command("fuzz", HELP, EXAMPLE)
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
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes.  Default: all processors."
)
@orders_option("The passes: fixed pipelines, random ones, or both in turns.")
@variants_option
@click.option(
    "--opencl",
    type=click.IntRange(min=0),
    default=0,
    metavar="K",
    help="Run each K-th program on PoCL, too.  Default: 0, none.",
)
@click.option(
    "--oclgrind",
    type=click.IntRange(min=0),
    default=0,
    metavar="K",
    help="Run each K-th program on Oclgrind, which reports races, too.  Default: 0, none.",
)
@click.option(
    "--c",
    "as_c",
    type=click.IntRange(min=0),
    default=0,
    metavar="K",
    help="Run each K-th program as C, too.  Default: 0, none.",
)
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
    count: int,
    first: int,
    shard: str,
    jobs: int | None,
    orders: str,
    variants: int,
    opencl: int,
    oclgrind: int,
    as_c: int,
    sanitize: bool,
    thorough: bool,
    state: Path | None,
    out: Path,
    seconds: float,
    as_json: bool,
) -> int:
    """The command; its exit code is 3 if anything disagreed."""
    from funmem.testing.campaign import Settings, figures, summary
    from funmem.testing.orders import Orders

    settings = Settings(
        Orders(orders), variants, opencl, oclgrind, as_c, sanitize, thorough, seconds
    )
    start = time.perf_counter()
    t, before = _run(settings, first, count, _shard(shard), jobs, state, out)
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


def _run(
    settings: Settings,
    first: int,
    count: int,
    shard: tuple[int, int],
    jobs: int | None,
    state: Path | None,
    out: Path,
) -> tuple[Trial, int]:
    """The campaign, with a progress bar on a terminal, else a line for each thousand."""
    import os

    from rich.console import Console
    from rich.progress import Progress

    from funmem.testing.campaign import campaign, name_of, portions

    todo = portions(first, count, shard)
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
                where = out / name_of(d)
                said = f"seed {d.seed}: {d.engine} disagrees ({d.code}) after {d.passes}: {where}"
                console.print(said, markup=False, soft_wrap=True)
            if not console.is_terminal and done // 1000 > before // 1000:
                console.print(f"{done} of {total} programs, {wrong} wrong")

        workers = jobs or os.cpu_count() or 1
        return campaign(settings, todo, jobs=workers, out=out, state=state, after=after)
