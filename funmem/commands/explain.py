"""``funmem explain``: explain a program's use of memory."""

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

For every block: its size, the arrays that lie in it, and its live range.  For every copy that
stays: the condition for its removal that fails, and why.  The peak is the largest number of bytes
that arguments, intermediate arrays and results take at any one time; `funmem run --via opencl
--json` measures it as `peak_bytes`.

With --sizes or -i, numbers are shown as well.  A size that depends on the data is known only with
-i: the program is then interpreted.
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
    help="Arguments, as for `funmem run`.  May be repeated.",
)
@click.option(
    "--sizes", metavar="SIZES", help="Sizes and scalar arguments, instead of -i: n=4,m=5."
)
@click.option("--html", metavar="FILE", help="Write an HTML page.")
@click.option(
    "--max-bytes",
    type=click.IntRange(min=0),
    metavar="N",
    help="Find a pipeline whose peak is at most N bytes, or report the smallest peak found.",
)
@click.option(
    "--for",
    "kind",
    type=click.Choice(("cpu", "gpu")),
    default="cpu",
    help="The kind of device that the default pipeline is for.  Default: cpu.",
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
    """Run ``funmem explain``."""
    if inputs and sizes is not None:
        raise usage_error("give -i or --sizes, not both")
    from funmem.explain.budget import Given, within
    from funmem.explain.report import with_operations
    from funmem.passes.context import Report
    from funmem.passes.runner import Pipeline, check_types

    passes = None if pipeline is None else Pipeline.parse(pipeline)
    source = load(program, language)
    on_core = Report()
    parsed, passes = source.through(passes, on_core)
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
    found = with_operations(found, on_core.remarks)
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
