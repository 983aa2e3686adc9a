"""``funmem verify``: verify a program's memory annotations for all inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from funmem.commands import (
    command,
    echo_json,
    json_option,
    load,
    pipeline_option,
    program_argument,
    usage_error,
)
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, InputError

if TYPE_CHECKING:
    from funmem.ir.fun import Ann, Program
    from funmem.ir.verify.certificate import Certificate
    from funmem.ir.verify.ladder import Oracle
    from funmem.passes.framework import AnyProgram
    from funmem.passes.runner import Pipeline

HELP = """Verify a program's memory annotations for all inputs, without running the program.

A FUNMEM program is verified as it is.  Any other program is verified after the default passes to
FUNMEM, or after the passes given with -p.  The obligations O1 to O8 are the properties that the
heap interpreter checks of one run.  Each obligation that is not proved is tested on small inputs,
in the order of their total size, and on inputs with large numbers.  A counterexample makes it
REFUTED, or TRAPS if the program itself reads an element that was never written.  Without a
counterexample among k inputs it is BOUNDED(k).  The exit code is 3 if an obligation is refuted.

--json prints the certificate, which records every condition that was proved.  --recheck checks a
certificate: it proves the certificate's program again, and it tests every condition for small
values, which does not depend on the search that found the proofs.
"""
EXAMPLE = """\
$ funmem verify examples/matmul.fun
$ funmem verify examples/matmul.fun -p allocate,hoist,merge --json > matmul.json
$ funmem verify --recheck matmul.json"""


@command("verify", HELP, EXAMPLE)
@program_argument(required=False)
@pipeline_option
@click.option(
    "--inputs",
    type=click.IntRange(min=0),
    default=20_000,
    metavar="K",
    help="Number of inputs, by total size, on which unproved obligations are tested.  0: none.  "
    "Default: 20000.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=10.0,
    metavar="S",
    help="Time limit of these tests, for each entry point; some samples follow.  Default: 10.",
)
@click.option(
    "--oracle",
    "names",
    type=click.Choice(("islpy", "z3")),
    multiple=True,
    help="Also use this solver where footprints are not proved disjoint.  May be repeated.",
)
@click.option(
    "--checks", is_flag=True, help="Also report the dynamic checks that never fail (`run --trust`)."
)
@click.option("--all", "everything", is_flag=True, help="List the proved obligations, too.")
@click.option("--strict", is_flag=True, help="Exit with 1 unless every obligation is proved.")
@click.option("--recheck", "certificate", metavar="FILE", help="Check a certificate.")
@json_option
def verify(
    program: str | None,
    language: str | None,
    pipeline: str | None,
    inputs: int,
    seconds: float,
    names: Sequence[str],
    checks: bool,
    everything: bool,
    strict: bool,
    certificate: str | None,
    as_json: bool,
) -> int | None:
    """Run ``funmem verify``."""
    if (program is None) == (certificate is None):
        raise usage_error("give a program, or --recheck and a certificate")
    from funmem.verify.oracles import oracles

    rungs = oracles(names)
    if certificate is not None:
        return _recheck(certificate, names, rungs, as_json=as_json)
    assert program is not None
    from funmem.ir.functions import foreign_called
    from funmem.passes.runner import Pipeline
    from funmem.verify import judge

    passes = None if pipeline is None else Pipeline.parse(pipeline)
    before, after, rounded = _in_memory(*load(program, language).through(passes))
    trusted = foreign_called(after)
    found = judge(
        after,
        before,
        inputs=0 if trusted else inputs,
        seconds=seconds,
        oracles=rungs,
        checks=checks,
        rounded=rounded,
    )
    if as_json:
        from funmem.verify.as_json import to_json

        echo_json({**to_json(found), **({"trusted": trusted} if trusted else {})})
    else:
        from funmem.verify.as_text import to_text

        click.echo(to_text(found, everything=everything), nl=False)
        if trusted:
            click.echo(f"trusted: {', '.join(trusted)} (foreign, so nothing was run)")
    return _exit_code(found, strict=strict)


def _in_memory(
    program: AnyProgram, pipeline: Pipeline | None
) -> tuple[Program[Ann] | None, Program[Ann], bool]:
    """Return the program before the passes (None if none run), the FUNMEM program to verify, and
    True if the passes may change the rounding of floats.
    """
    from funmem.driver.stages import complete, default_pipeline, language, reorders
    from funmem.passes.framework import Level, as_tree
    from funmem.passes.runner import Pipeline, check_types

    tree = as_tree(program)
    check_types(tree)
    start = language(tree)
    if pipeline is not None:
        passes = complete(pipeline, start, Level.FUNMEM)
    elif start is Level.FUNMEM:
        passes = Pipeline(())
    else:
        passes = default_pipeline(start, Level.FUNMEM)
    if not passes.steps:
        return None, tree, False
    return tree, as_tree(passes.run(tree)), reorders(passes.steps)


def _exit_code(c: Certificate, *, strict: bool) -> int:
    from funmem.ir.verify.certificate import Verdict

    if c.verdict is Verdict.REFUTED:
        return ExitCode.DISAGREEMENT.value
    proved = all(o.verdict is Verdict.PROVED for o in c.obligations if o.kind.of_memory)
    return ExitCode.WRONG.value if strict and not proved else ExitCode.OK.value


def _recheck(path: str, names: Sequence[str], rungs: Sequence[Oracle], *, as_json: bool) -> int:
    import json
    from pathlib import Path

    from funmem.verify.oracles import asked
    from funmem.verify.recheck import recheck

    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as e:
        message = f"`{path}` is not a certificate: {e}"
        raise InputError(Diagnostic(NOWHERE, "certificate", message)) from None
    wrong = recheck(data, asked(names), rungs)
    if as_json:
        echo_json({"wrong": wrong})
    else:
        for line in wrong:
            click.echo(line)
        if not wrong:
            conditions = sum(len(o["conditions"]) for o in data["obligations"])
            click.echo(f"{len(data['obligations'])} obligations, {conditions} conditions: correct")
    return ExitCode.DISAGREEMENT.value if wrong else ExitCode.OK.value
