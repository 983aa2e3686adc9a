"""``funmem core``: print a source program as Core, before and after the passes on Core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from funmem.commands import command, language_option, load
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, UsageError

if TYPE_CHECKING:
    from funmem.driver.source import Source
    from funmem.frontends.front_end import ToCore
    from funmem.ir.core import CoreProgram

HELP = """Print a source program (.fut, .nova) as Core, the common language of all front ends.

By default this is the front end's output: polymorphic and higher-order Core.  With --after PASS,
the passes up to and including PASS have run.  With --all, the program is printed after every pass.
"""
EXAMPLE = "$ funmem core papers/applications/matmul/matmul.fut --after defunctionalise"


@command("core", HELP, EXAMPLE)
@click.argument("program", metavar="PROGRAM")
@language_option
@click.option("--after", "pass_name", metavar="PASS", help="The last pass to run.")
@click.option("--all", "everything", is_flag=True, help="Print after every pass.")
def core(program: str, language: str | None, pass_name: str | None, everything: bool) -> None:
    """Run ``funmem core``."""
    source = load(program, language)
    front_end = source.front_end
    if front_end.core is None:
        message = f"`{source.name}` has no Core: its language is {source.language}"
        raise UsageError(Diagnostic(NOWHERE, "level", message, "print it with `funmem opt`"))
    from funmem.ir.text.print_core import show_core

    stages, refused = _stages(front_end.core, source)
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


def _stages(to_core: ToCore, source: Source) -> tuple[dict[str, CoreProgram], SourceError | None]:
    """Return the program from the front end (``core``) and after each pass, and the error that
    ended the passes, if any.
    """
    from funmem.passes.core import to_fun_by

    found: dict[str, CoreProgram] = {}
    try:
        to_fun_by(to_core(source.text, source.name), found.__setitem__)
    except SourceError as e:
        return found, e
    return found, None
