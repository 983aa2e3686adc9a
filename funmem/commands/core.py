"""``funmem core``: print a source program as Core, before and after the passes on Core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from funmem.commands import command, language_option, load, usage_error
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, UsageError

if TYPE_CHECKING:
    from funmem.ir.core import CoreProgram

HELP = """Print a program (.fut, .nova, .kfc, .core) as Core, the common language of all front ends.

By default this is the front end's output: polymorphic and higher-order Core.  With --after PASS,
the passes up to and including PASS have run.  With --all, the program is printed after every pass,
as far as the passes go; `funmem opt` runs other sequences of passes.  With --to fut, the program
is printed in the Futhark subset, for example one of Python functions (.py); what the language
lacks is an error.
"""
EXAMPLE = """\
$ funmem core papers/applications/matmul/matmul.fut --after defunctionalise
$ funmem core examples/jit/radix_sort.py --to fut"""


@command("core", HELP, EXAMPLE)
@click.argument("program", metavar="PROGRAM")
@language_option
@click.option("--after", "pass_name", metavar="PASS", help="The last pass to run.")
@click.option("--all", "everything", is_flag=True, help="Print after every pass.")
@click.option(
    "--to",
    "target",
    type=click.Choice(("core", "fut")),
    default="core",
    help="The language to print.  Default: core.",
)
def core(
    program: str, language: str | None, pass_name: str | None, everything: bool, target: str
) -> None:
    """Run ``funmem core``."""
    from funmem.ir.core import CoreProgram
    from funmem.ir.text.print_core import show_core
    from funmem.passes.runner import check_types

    source = load(program, language)
    tree = source.tree()
    if not isinstance(tree, CoreProgram):
        message = f"`{source.name}` has no Core: its language is {source.language}"
        raise UsageError(Diagnostic(NOWHERE, "level", message, "print it with `funmem opt`"))
    if not source.front_end.typed:
        check_types(tree)
    if target == "fut":
        from funmem.frontends.futhark.export import show_fut

        if pass_name or everything:
            raise usage_error("--to fut cannot be combined with --after or --all")
        click.echo(show_fut(tree), nl=False)
        return
    stages, refused = _stages(tree)
    if everything:
        for name, stage in stages.items():
            click.echo(f"-- {name}\n{show_core(stage)}")
        if refused is not None:
            raise refused
        return
    wanted = pass_name or "core"
    if wanted not in stages:
        if refused is not None:
            raise refused
        known = ", ".join(name for name in stages if name != "core")
        message = f"there is no pass `{wanted}` on Core; the passes are {known}"
        raise UsageError(Diagnostic(NOWHERE, "unknown-pass", message))
    click.echo(show_core(stages[wanted]))


def _stages(program: CoreProgram) -> tuple[dict[str, CoreProgram], SourceError | None]:
    """Return the program from the front end (``core``) and after each pass, and the error that
    ended the passes, if any.
    """
    from funmem.passes.core import to_fun_by

    found: dict[str, CoreProgram] = {}
    try:
        to_fun_by(program, found.__setitem__)
    except SourceError as e:
        return found, e
    return found, None
