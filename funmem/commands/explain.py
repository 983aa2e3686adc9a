"""``funmem explain``: where a program's memory goes, and why."""

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
    safe_option,
    usage_error,
)

if TYPE_CHECKING:
    from funmem.explain.report import Explanation

HELP = """Explain a program's memory: blocks, copies, and the peak as a formula.

For every block: how large it is, which arrays lie in it, and from when to when it is held.  For
every copy that stays: the condition under which it could go that fails, and why.  The peak is
what `funmem run --via opencl --json` measures as `peak_bytes`: the most bytes that arguments,
intermediate arrays and results take at any one time.

With --sizes or -i also in numbers.  Where a size depends on the data, only -i can tell: the
program is then interpreted.
"""
EXAMPLE = """\
$ funmem explain examples/matmul.fun --sizes n=100,k=100,m=100
$ funmem explain examples/lu.fun --html lu.html"""


@command("explain", HELP, EXAMPLE)
@program_argument()
@click.option(
    "--entry",
    metavar="NAME",
    help="The entry point.  Default: all; with --sizes or -i the only one, or main.",
)
@click.option(
    "-i",
    "--input",
    "inputs",
    metavar="VALUES",
    multiple=True,
    help="Arguments, as of `funmem run`.  May be repeated.",
)
@click.option(
    "--sizes", metavar="SIZES", help="Sizes and scalar arguments in place of arguments: n=4,m=5."
)
@click.option("--html", metavar="FILE", help="Write a page for the browser.")
@click.option(
    "--max-bytes",
    type=click.IntRange(min=0),
    metavar="N",
    help="Find a pipeline whose peak is at most this, or say what the least one is.",
)
@click.option(
    "--for",
    "kind",
    type=click.Choice(("cpu", "gpu")),
    default="cpu",
    help="For which devices the default pipeline is.  Default: cpu.",
)
@safe_option
@pipeline_option
@json_option
def explain(
    program: str,
    language: str | None,
    entry: str | None,
    inputs: Sequence[str],
    sizes: str | None,
    html: str | None,
    max_bytes: int | None,
    kind: str,
    safe: bool,
    pipeline: str | None,
    as_json: bool,
) -> None:
    """The command."""
    if inputs and sizes is not None:
        raise usage_error("either -i or --sizes, not both")
    from funmem.explain.budget import Given, within
    from funmem.passes.runner import Pipeline, check_types

    passes = None if pipeline is None else Pipeline.parse(pipeline)
    source = load(program, language)
    parsed = source.parse()
    check_types(parsed)
    given = Given.read(parsed, entry, inputs, sizes)
    found = within(
        parsed,
        source,
        given,
        max_bytes,
        pipeline=passes,
        gpu=kind == "gpu",
        safe=safe,
    )
    if html is not None:
        _write(found, html)
    if as_json:
        from funmem.explain.as_json import to_json

        echo_json(to_json(found))
    elif html is None:
        from funmem.explain.as_text import to_text

        click.echo(to_text(found), nl=False)
    else:
        click.echo(f"wrote {html}")


def _write(found: Explanation, path: str) -> None:
    from pathlib import Path

    from funmem.codegen.files import write_file
    from funmem.explain.as_html import to_html

    write_file(Path(path), to_html(found))
