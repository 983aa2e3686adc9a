"""``funmem reduce``: shrink a failing program to a small one that fails alike."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from funmem.commands import (
    command,
    echo_json,
    entry_option,
    inputs_option,
    json_option,
    load,
    orders_option,
    pipeline_option,
    program_argument,
    read_once,
    usage_error,
    variants_option,
)
from funmem.commands.arguments import arguments
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, FunmemError

if TYPE_CHECKING:
    from funmem.driver.source import Source
    from funmem.passes.runner import Pipeline
    from funmem.testing.judge.devices import AnyDevice
    from funmem.testing.judge.program import Case
    from funmem.testing.reduce import Failure, Reduced

HELP = """Shrink a program that fails on its way through the passes.

A program fails if a pass raises an error, or if after a pass the program is ill typed, an
interpreter finds a race or another memory fault, or a result differs from the program's meaning.
Passes, statements, results and inputs are removed as long as the same engine reports the same kind
of failure.  The result is a reproducer: one file with the program, the passes, the input and the
versions.

PROGRAM may be a reproducer itself.  A reproducer of a failure on a device runs on that device.
Without -p, the reproducer's passes run, else the default pipeline.  The input comes from -i, from
--random, or from the program's test comment.  Instead of PROGRAM, --generated SEED takes the
program and the passes of a seed of `funmem fuzz`.

A program that prints (.kfc) fails if an engine prints something else than an evaluation of its
syntax tree.  Its text is reduced; of the options, -o, --seconds and --replay apply.
"""
EXAMPLE = """\
$ funmem reduce big.fun -p allocate,my-pass -i '[1, 2, 3]' -o small.fun
$ funmem reduce --replay small.fun"""


@command("reduce", HELP, EXAMPLE)
@program_argument(required=False)
@pipeline_option
@entry_option
@inputs_option()
@click.option("--random", "sizes", metavar="SIZES", help="Random arguments with these sizes: n=4.")
@click.option(
    "--generated", metavar="SEED", type=click.IntRange(min=0), help="A seed of `funmem fuzz`."
)
@click.option(
    "--corpus", "paths", metavar="PATH", multiple=True, help="For --generated: the PATHs of fuzz."
)
@orders_option("For --generated: the --orders of fuzz.")
@variants_option
@click.option(
    "--seconds", type=click.FloatRange(min=0), default=60.0, help="The time limit.  Default: 60."
)
@click.option("-o", "--output", metavar="FILE", help="Write the reproducer.  Default: print it.")
@click.option(
    "--replay", is_flag=True, help="Only test whether the program fails; exit with 3 if it does."
)
@json_option
def reduce(
    program: str | None,
    language: str | None,
    pipeline: str | None,
    entry: str | None,
    inputs: Sequence[str],
    sizes: str | None,
    generated: int | None,
    paths: tuple[str, ...],
    orders: str,
    variants: int,
    seconds: float,
    output: str | None,
    replay: bool,
    as_json: bool,
) -> int | None:
    """Run ``funmem reduce``."""
    from funmem.testing.reduce import failure
    from funmem.testing.reduce import reduce as smallest

    if (program is None) == (generated is None):
        raise usage_error("give a program, or a seed with --generated")
    read_once(program, inputs)
    if program is not None:
        from funmem.driver.process import is_process

        source = load(program, language)
        if is_process(source):
            return _process(source, seconds, output, replay=replay, as_json=as_json)
    if program is None:
        case, passes = _generated(generated or 0, orders, variants, paths)
        expected = None
    else:
        case, passes, expected = _given(program, language, entry, inputs, sizes)
    if pipeline is not None:
        from funmem.passes.runner import Pipeline

        passes = Pipeline.parse(pipeline)
    devices = _devices(expected)
    if replay:
        return _replayed(failure(case, passes, devices), expected, as_json=as_json)
    found = smallest(case, passes, seconds=seconds, devices=devices)
    if found is None:
        raise NothingFails(passes)
    _answer(found, case, output, as_json=as_json)
    return None


def _process(
    source: Source, seconds: float, output: str | None, *, replay: bool, as_json: bool
) -> int:
    """Reduce or replay a program that prints."""
    from funmem.codegen.files import write_file
    from funmem.testing.harlan_generator.campaign import reproducer, shrunk_alike
    from funmem.testing.harlan_generator.judge import judge
    from funmem.testing.judge.devices import Device

    if as_json:
        raise usage_error("--json is not for a program that prints")
    found = judge(source.text, tuple(d for d in Device if d is Device.C))
    if found is None:
        if replay:
            click.echo("does not fail")
            return ExitCode.OK.value
        raise NothingFails("all passes")
    if replay:
        click.echo(f"fails: {found.engine}: {found.code}\n{found.message}")
        return ExitCode.DISAGREEMENT.value
    text = reproducer(source.name, shrunk_alike(source.text, found, seconds), found)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_file(Path(output), text)
    return ExitCode.OK.value


class NothingFails(FunmemError):
    """Raised if the program does not fail, so that there is nothing to reduce."""

    exit_code = ExitCode.WRONG

    def __init__(self, passes: Pipeline | str) -> None:
        message = f"the program does not fail after {passes}"
        hint = "give the passes and the input with which it failed"
        super().__init__(Diagnostic(NOWHERE, "nothing-fails", message, hint))


def _devices(expected: tuple[str, str] | None) -> tuple[AnyDevice, ...]:
    """Return the device on which a reproducer fails, if it is a device."""
    from funmem.testing.judge.devices import device_of
    from funmem.testing.judge.isolated import require

    found = device_of(expected[0]) if expected is not None else None
    if found is None:
        return ()
    require((found,))
    return (found,)


def _generated(
    seed: int, orders: str, variants: int, paths: Sequence[str]
) -> tuple[Case, Pipeline]:
    """Return the first case and pipeline of a seed that fail, or else the seed's last pipeline."""
    from funmem.testing.campaign.orders import Orders
    from funmem.testing.campaign.selection import select
    from funmem.testing.corpus.samples import read_corpus
    from funmem.testing.reduce import failure

    s = select(seed, Orders(orders), variants, read_corpus(paths) if paths else None)
    cases = [s.on(k) for k in range(len(s.further) + 1)]
    wrong = ((c, p) for p in s.pipelines for c in cases if failure(c, p) is not None)
    return next(wrong, (s.case, s.pipelines[-1]))


def _given(
    path: str, language: str | None, entry: str | None, inputs: Sequence[str], sizes: str | None
) -> tuple[Case, Pipeline, tuple[str, str] | None]:
    """Return the case and passes of a file, and the kind of failure that it records, if any."""
    from funmem.driver.entry_points import signature_of
    from funmem.driver.stages import pipeline_for
    from funmem.ir.record import evolve
    from funmem.passes.framework import Level, as_tree
    from funmem.passes.runner import check_types
    from funmem.testing.campaign.reproducer import case_of, read_reproducer

    source = load(path, language)
    tree = as_tree(source.parse())
    check_types(tree)
    found = read_reproducer(source.text, source.name)
    s = signature_of(tree, entry or found.entry)
    args = found.args
    if inputs or sizes is not None or args is None:
        args = tuple(arguments(s, inputs, sizes, 0))
    passes = found.pipeline or pipeline_for(tree, Level.IMP)
    case = case_of(tree, s.name, args, found.seed, found.tolerance)
    return evolve(case, any_order=found.any_order), passes, found.kind


def _replayed(f: Failure | None, expected: tuple[str, str] | None, *, as_json: bool) -> int:
    """Report whether and how the program fails, and return the exit code."""
    if as_json:
        echo_json(
            {
                "fails": f is not None,
                "engine": None if f is None else f.engine,
                "code": None if f is None else f.code,
                "message": None if f is None else f.message,
                "as_before": f is not None and expected in (None, f.kind),
            }
        )
    elif f is None:
        click.echo("does not fail")
    else:
        before = "" if expected in (None, f.kind) else f"; it was {': '.join(expected or ())}"
        click.echo(f"fails: {f.engine}: {f.code}{before}\n{f.message}")
    return ExitCode.OK.value if f is None else ExitCode.DISAGREEMENT.value


def _answer(r: Reduced, before: Case, output: str | None, *, as_json: bool) -> None:
    from funmem.codegen.files import write_file
    from funmem.testing.campaign.reproducer import reproducer
    from funmem.testing.reduce.edit import statements

    text = reproducer(r, output or "FILE")
    if output is not None:
        write_file(Path(output), text)
    first = len(statements(before.program))
    if as_json:
        echo_json(
            {
                "statements_before": first,
                "statements": r.statements,
                "pipeline": str(r.pipeline),
                "engine": r.failure.engine,
                "code": r.failure.code,
                "message": r.failure.message,
                "tried": r.tried,
                "seconds": round(r.seconds, 3),
                "done": r.done,
                "file": output,
                "text": text,
            }
        )
        return
    if output is None:
        click.echo(text, nl=False)
    more = "" if r.done else "; more time may reduce it further (--seconds)"
    click.echo(
        f"reduced {first} statements to {r.statements}; "
        f"{r.tried} candidates in {r.seconds:.1f} s{more}",
        err=True,
    )
