"""``funmem test``: run programs and compare the results with their test comments."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import click

from funmem.commands import (
    command,
    device_option,
    echo_json,
    json_option,
    require_device_engine,
    verify_each_options,
)
from funmem.commands.run import ENGINES
from funmem.ir.diagnostics import ExitCode

if TYPE_CHECKING:
    from funmem.suite.verdict import Verdict

HELP = """Run programs and compare the results with their test comments.

PATH is a program, or a folder, in which all programs are tested.  A test comment:

\b
  -- ==
  -- entry: sum
  -- input { [1, 2] } output { 3 }
  -- input @ large.in.gz output @ large.out.gz
  -- random input { [1000]i32 } auto output
  -- input { empty([0]i32) } error: at least one

In comments, numbers without a suffix are i32 or f64; in files, they have the parameter's type.
`auto output` expects the program's meaning: the result of `--via value`, or, if that takes too
long, the result of C compiled with as few passes as possible, plus a check by `value` on a small
random input.  A program that must not compile has `-- error: REGEX`; a program without a test
comment must only compile.  Tags before `input` exclude a case, and in `-- tags { … }` a program:
`disable`, `notest`, `no_opencl` and similar ones, and those that --exclude names; interpreters
also exclude `compiled`.

Programs that are not translated to Core are not run via core.

With --verify-each, each program also runs through the default pipeline (for a CPU) and is checked
after each pass; `values` uses the inputs of its cases, or small ones if it has no cases.
"""
EXAMPLE = """\
$ funmem test examples tests/programs --via heap --via opencl
$ funmem test examples --filter matmul --json"""


@command("test", HELP, EXAMPLE)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--via",
    "vias",
    type=click.Choice(ENGINES),
    multiple=True,
    help="The engine that runs the programs.  May be repeated.  Default: value.",
)
@click.option(
    "-s", "--structure", is_flag=True, help="Also check the counts in `structure` comments."
)
@click.option(
    "--exclude",
    metavar="TAG",
    multiple=True,
    help="Exclude programs and cases with this tag.  May be repeated.",
)
@click.option(
    "--filter",
    "pattern",
    metavar="TEXT",
    default="",
    help="Only programs whose path contains TEXT.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    default=60.0,
    help="Time limit of one program, with all its cases and engines.  Default: 60.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of programs run in parallel.  Default: the number of cores.",
)
@verify_each_options("none")
@device_option
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each case and engine.")
@json_option
def test(
    paths: Sequence[str],
    vias: Sequence[str],
    structure: bool,
    exclude: Sequence[str],
    pattern: str,
    timeout: float,
    jobs: int | None,
    verify_each: str,
    verify_out: str,
    device: str | None,
    verbose: bool,
    as_json: bool,
) -> int:
    """Run ``funmem test``."""
    require_device_engine(device, vias)
    from funmem.codegen.folders import settle_home
    from funmem.suite.check import Plan, Verifier
    from funmem.suite.files import find_programs
    from funmem.suite.pool import check_files
    from funmem.suite.report import lines, summary, to_json
    from funmem.suite.verdict import Status

    files = find_programs(paths, pattern)
    engines = tuple(dict.fromkeys(vias)) or ("value",)
    verify: Verifier | None = None
    if verify_each != "none":
        from funmem.testing.judge.after_each_pass import verify_types, verify_values

        verify = verify_values if verify_each == "values" else verify_types
    plan = Plan(engines, tuple(exclude), structure, device, verify, verify_out)
    settle_home()  # here, so that its warning appears once and not in every process
    verdicts: list[Verdict] = []
    with closing(check_files(files, plan, jobs=jobs or cores(), timeout=timeout)) as found:
        for verdict in _in_order(_watched(found, len(files))):
            verdicts.append(verdict)
            if not as_json:
                for line in lines(verdict, verbose=verbose):
                    click.echo(line)
    if as_json:
        echo_json(to_json(verdicts))
    else:
        for line in summary(verdicts):
            click.echo(line)
    fine = all(v.status in (Status.PASS, Status.EXCLUDED) for v in verdicts)
    broken = any(f.kind == "pass-failed" for v in verdicts for f in v.findings)
    bad = ExitCode.DISAGREEMENT if broken else ExitCode.WRONG
    return int((ExitCode.OK if fine else bad).value)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _watched(found: Iterator[tuple[int, Verdict]], total: int) -> Iterator[tuple[int, Verdict]]:
    """Yield all of ``found``, with a progress bar on a terminal."""
    if not sys.stderr.isatty():
        yield from found
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from funmem.suite.verdict import Status

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(
        *columns,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # lines for a terminal go above the bar
    ) as bar:
        task = bar.add_task("", total=total)
        bad = 0
        for k, verdict in found:
            bad += verdict.status not in (Status.PASS, Status.EXCLUDED)
            bar.update(task, advance=1, description=f"{bad} failed" if bad else "")
            yield k, verdict


def _in_order(found: Iterator[tuple[int, Verdict]]) -> Iterator[Verdict]:
    """Yield the verdicts in the order of their files, so that the output is deterministic."""
    waiting: dict[int, Verdict] = {}
    due = 0
    for k, verdict in found:
        waiting[k] = verdict
        while due in waiting:
            yield waiting.pop(due)
            due += 1
