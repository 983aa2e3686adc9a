"""``funmem fuzz``: run generated programs and mutants through all passes and engines."""

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
    device_option,
    echo_json,
    json_option,
    orders_option,
    usage_error,
    variants_option,
)
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, UsageError

if TYPE_CHECKING:
    from funmem.testing.campaign.batch import Settings, Task
    from funmem.testing.campaign.on_processes import Batches, Runner
    from funmem.testing.campaign.stopping import Stop
    from funmem.testing.campaign.trial import Trial
    from funmem.testing.jit_generator.campaign import Campaign

HELP = """Run generated programs and mutants of given programs through all passes and engines.

Each seed determines a well-typed program with arguments, or a variant of it with the same meaning,
and pipelines: fixed ones, or random sequences of passes, which may repeat a pass.  The campaign
checks the types after each pass.  In memory and at the end of the pipeline (for every eighth seed,
or with --thorough, after each pass), it compares the heap and IMP interpreters with the program's
meaning; the IMP interpreter runs iterations in three orders.  At the end of the pipeline, it
compares the predicted peak memory with the measured one, and the results for further inputs, on
many of which the program traps, with those before the passes.

With PATHs (files or folders of programs), three programs in four are mutants of these programs.
Only entry points that are short and have a small input are used.  A mutant joins several of them
into one program, with changed statements, operands, sizes and inputs.

With --jit, the programs are Python functions for @funmem.jit.  numpy runs them as well: its results
are compared with those of the interpreter of Core, and the program then goes through the default
pipeline as above.  Only -n, --seed, --opencl, --c and --out can be given with it.

With --harlan, the programs are Harlan's (.kfc), with datatypes, recursion, closures in vectors,
rows of different lengths, assignments, macros and output.  What they print is compared with an
evaluation of their syntax trees, in which vectors are references.  A program that a pass refuses
by name is counted, but it is no failure.  --reduce-seconds can be given besides the options above.

With --device, every program, or each K-th one of --opencl, runs on that OpenCL device.  One process
runs them one after another; it is killed when a program takes more than 60 s, which is a
disagreement.  At first probes find out how the device computes floats, and the campaign states what
it compares bit by bit.  On a device that contracts or flushes subnormal numbers, floats may differ
by 64 units in the last place; a program with a larger difference is counted as undecided.

A disagreement is reduced to a small program that fails alike (`funmem reduce`) and written to
--out.  SIGINT (Ctrl-C) and SIGTERM end a campaign, which then prints its totals so far; with
--state, it resumes the next time.
"""
EXAMPLE = """\
$ funmem fuzz -n 200
$ funmem fuzz -n 1000 examples mine.fut
$ funmem fuzz -n 500 --jit --c 10
$ funmem fuzz -n 20000 --device 0 --state fuzz.state
$ funmem fuzz -n 2000 --harlan --c 20 --opencl 50
$ funmem fuzz -n 100000 --orders random --state fuzz.state --shard 1/4
$ funmem fuzz -n 100000 --scheduler tcp://host:8786 --state fuzz.state"""


def each_option(name: str, what: str, default: str = "0, none") -> Callable[[F], F]:
    """Declare ``--opencl K`` or a similar option: run each K-th program on one more engine."""
    return click.option(
        f"--{name}",
        f"each_{name}",
        type=click.IntRange(min=0),
        default=None if name == "opencl" else 0,
        metavar="K",
        help=f"Also run each K-th program {what}.  Default: {default}.",
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
    help="The number of programs.  Default: 1000.",
)
@click.option(
    "--seed",
    "first",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="The seed of the first program; seeds are consecutive.  Default: 0.",
)
@click.option(
    "--shard",
    default="1/1",
    metavar="I/N",
    help="Run only the I-th of N parts, which have disjoint seeds.  Default: 1/1.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of processes on this machine; not with --scheduler.  Default: one per core.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the workers of this Dask scheduler (tcp://host:8786), one process per thread of "
    "a worker.  The workers need the same version of funmem.  Files are written on this machine.  "
    "Needs pip install 'funmem[dask]'.",
)
@click.option("--jit", is_flag=True, help="Generate Python functions for @funmem.jit.")
@click.option("--harlan", is_flag=True, help="Generate Harlan programs.")
@orders_option("The pipelines of a program: fixed, random, or both in turn.")
@variants_option
@each_option("opencl", "on --device, or else on PoCL", "0, none; 1 with --device")
@device_option
@each_option("oclgrind", "on Oclgrind, which reports races")
@each_option("c", "as C")
@click.option(
    "--sanitize/--no-sanitize",
    default=True,
    help="Build C with checks of addresses and undefined behaviour.  Default: yes.",
)
@click.option("--thorough", is_flag=True, help="Run all engines after each pass.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Record finished programs in this file, and skip those that it already records.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("fuzz-out"),
    metavar="FOLDER",
    help="The folder for disagreements.  Default: fuzz-out.",
)
@click.option(
    "--reduce-seconds",
    "seconds",
    type=click.FloatRange(min=0),
    default=60.0,
    metavar="S",
    help="Time limit for reducing each disagreement; 0: do not reduce.  Default: 60.",
)
@json_option
def fuzz(
    paths: tuple[str, ...],
    count: int,
    first: int,
    shard: str,
    jobs: int | None,
    scheduler: str | None,
    jit: bool,
    harlan: bool,
    orders: str,
    variants: int,
    each_opencl: int | None,
    device: str | None,
    each_oclgrind: int,
    each_c: int,
    sanitize: bool,
    thorough: bool,
    state: Path | None,
    out: Path,
    seconds: float,
    as_json: bool,
) -> int:
    """Run ``funmem fuzz``; its exit code is 3 if there was a disagreement."""
    if jit or harlan:
        others = (paths, shard != "1/1", jobs, scheduler, each_oclgrind, thorough, state, as_json)
        if any(others) or device is not None or (jit and harlan):
            flag = "--jit" if jit else "--harlan"
            raise usage_error(f"{flag} takes -n, --seed, --opencl, --c and --out only")
        if jit:
            return _jit(count, first, each_opencl or 0, each_c, out)
        return _harlan(count, first, each_opencl or 0, each_c, out, seconds)
    if device is not None and scheduler is not None:
        raise usage_error("--device is for this machine: it cannot be combined with --scheduler")
    from funmem.testing.campaign.batch import Settings
    from funmem.testing.campaign.orders import Orders
    from funmem.testing.campaign.run import batches, figures, summary
    from funmem.testing.corpus.samples import read_corpus

    settings = Settings(
        Orders(orders),
        variants,
        int(device is not None) if each_opencl is None else each_opencl,
        each_oclgrind,
        each_c,
        sanitize,
        thorough,
        seconds,
        read_corpus(paths) if paths else None,
        device,
    )
    for line in () if device is None else _policy(device):
        click.echo(line, err=True)
    start = time.perf_counter()
    todo = batches(first, count, _shard(shard))
    t, before, stop = _run(settings, todo, _runner(jobs, scheduler), state, out)
    took = time.perf_counter() - start
    if as_json:
        echo_json(figures(t, took, before))
    else:
        click.echo(summary(t, took, before))
    return stop.exit_code((ExitCode.DISAGREEMENT if t.disagreements else ExitCode.OK).value)


def _policy(device: str) -> Sequence[str]:
    """Return lines that tell what is compared on a device, after probes on it.

    Raises DeviceError if there is no such device, or if it fails.
    """
    from funmem.codegen.device import choose
    from funmem.ir.diagnostics import DeviceError
    from funmem.testing.judge.devices import NamedDevice
    from funmem.testing.judge.isolated import policy_of
    from funmem.testing.judge.program import Disagrees

    info = choose(device)
    try:
        policy = policy_of(NamedDevice(device))
    except Disagrees as e:
        message = f"{info.name} does not run a small program: {e}"
        raise DeviceError(Diagnostic(NOWHERE, "device", message)) from None
    return (
        f"device {info.name}, driver {info.driver}; compared with the meaning:",
        *policy.lines(),
    )


def _jit(count: int, first: int, each_opencl: int, each_c: int, out: Path) -> int:
    """Run ``funmem fuzz --jit``: write a script for each failure."""
    from funmem.testing.jit_generator.campaign import campaign
    from funmem.testing.judge.devices import Device

    each = {Device.OPENCL: each_opencl, Device.C: each_c}
    return _told(partial(campaign, count, first, each, after=_writer(out, "jit_{}.py")))


def _harlan(
    count: int, first: int, each_opencl: int, each_c: int, out: Path, seconds: float
) -> int:
    """Run ``funmem fuzz --harlan``: write a program for each failure."""
    from funmem.testing.harlan_generator.campaign import harlan_campaign
    from funmem.testing.judge.devices import Device

    each = {Device.OPENCL: each_opencl, Device.C: each_c}
    after = _writer(out, "harlan_{}.kfc")
    return _told(partial(harlan_campaign, count, first, each, seconds=seconds, after=after))


def _writer(out: Path, file: str) -> Callable[[Campaign, str | None], None]:
    """Return what writes a program that has failed to a file, which is named after the seed."""
    from funmem.codegen.files import write_file

    def after(c: Campaign, text: str | None) -> None:
        if text is not None:
            seed = max(c.scripts)
            path = out / file.format(seed)
            out.mkdir(parents=True, exist_ok=True)
            write_file(path, text)
            click.echo(f"seed {seed}: {path}", err=True)

    return after


def _told(run: Callable[..., Campaign]) -> int:
    """Run a campaign, print what it found also if it is stopped, and return the exit code."""
    from funmem.testing.campaign.stopping import stoppable
    from funmem.testing.jit_generator.campaign import Campaign

    found = Campaign()
    with stoppable() as stop:
        run(found=found)
    click.echo(found.summary())
    return stop.exit_code((ExitCode.DISAGREEMENT if found.failures else ExitCode.OK).value)


def _shard(text: str) -> tuple[int, int]:
    """Return the part and the number of parts: ``1/4`` -> (1, 4).  Raises UsageError."""
    m = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    i, n = (int(m[1]), int(m[2])) if m else (0, 0)
    if not 1 <= i <= n:
        message = f"a shard is I/N with 1 <= I <= N, not `{text}`"
        raise UsageError(Diagnostic(NOWHERE, "usage", message, "--shard 1/4 is the first of four"))
    return i, n


def _runner(jobs: int | None, scheduler: str | None) -> Runner:
    """Return the runner of batches: local processes or the workers of a scheduler."""
    import os

    from funmem.codegen.folders import settle_home
    from funmem.testing.campaign.on_processes import on_processes

    settle_home()  # here, so that its warning appears once and not in every process

    if scheduler is None:
        return on_processes(jobs or os.cpu_count() or 1)
    if jobs is not None:
        raise usage_error("--jobs is not for --scheduler, which uses all threads of its workers")
    from funmem.testing.campaign.on_dask import on_dask

    return on_dask(scheduler, note=partial(click.echo, err=True))


def _run(
    settings: Settings, todo: Sequence[range], runner: Runner, state: Path | None, out: Path
) -> tuple[Trial, int, Stop]:
    """Run the campaign, with a progress bar on a terminal, else one line for 1000 programs.

    Return the totals, the number of programs that an earlier run had done, and if it was stopped.
    """
    from rich.console import Console
    from rich.progress import Progress

    from funmem.testing.campaign.run import campaign, file_of
    from funmem.testing.campaign.stopping import stoppable
    from funmem.testing.campaign.trial import Trial

    totals, before = Trial(), 0
    total = sum(map(len, todo))
    console = Console(stderr=True)
    done = wrong = 0
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("programs", total=total)

        def begin(task: Task, left: Sequence[range]) -> Batches:
            nonlocal before
            before = done
            return runner(task, left)

        def after(t: Trial) -> None:
            nonlocal done, wrong
            totals.add(t)
            last, done = done, done + t.programs
            wrong += len(t.disagreements)
            progress.update(task, completed=done, description=f"programs, {wrong} wrong")
            for d in t.disagreements:
                file = file_of(d, out)
                line = f"seed {d.seed}: {d.engine} disagrees ({d.code}) after {d.passes}: {file}"
                console.print(line, markup=False, soft_wrap=True)
            if not console.is_terminal and done // 1000 > last // 1000:
                console.print(f"{done} of {total} programs, {wrong} wrong")

        with stoppable() as stop:
            campaign(settings, todo, runner=begin, out=out, state=state, after=after)
    return totals, before, stop
