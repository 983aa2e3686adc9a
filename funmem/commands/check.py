"""``funmem check``: check the types of programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from funmem.commands import command, echo_json, json_option, language_option, load
from funmem.ir.diagnostics import Diagnostic, ExitCode, FunmemError
from funmem.ir.fun import Program
from funmem.values.signatures import Head, Named, heads

if TYPE_CHECKING:
    from funmem.driver.source import Source
    from funmem.passes.framework import AnyProgram

HELP = """Check the types of programs.

For a correct program, one line shows its language and its entry points.  For a wrong program, all
errors are reported.  Remarks name places in a correct program where rows run one after the other.
"""
EXAMPLE = """\
$ funmem check examples/dot.fun
examples/dot.fun: FUN: main [n] (xs : [n]f32) (ys : [n]f32) -> (r : f32)"""


class Verdict(NamedTuple):
    """The result for a file: a correct program's language and signatures, or the errors."""

    file: str
    text: str | None = None
    language: str | None = None
    entries: Sequence[Head] = ()
    errors: Sequence[Diagnostic] = ()
    remarks: Sequence[Diagnostic] = ()
    code: ExitCode = ExitCode.OK


@command("check", HELP, EXAMPLE)
@click.argument("programs", metavar="PROGRAM...", nargs=-1, required=True)
@language_option
@json_option
def check(programs: Sequence[str], language: str | None, as_json: bool) -> int:
    """Run ``funmem check``."""
    worst = ExitCode.OK
    for path in programs:
        verdict = judge(path, language)
        worst = max(worst, verdict.code, key=lambda c: c.value)
        if as_json:
            echo_json(_as_json(verdict))
        else:
            _show(verdict)
    return worst.value


def judge(path: str, language: str | None) -> Verdict:
    """Return the result of checking a file."""
    try:
        source = load(path, language)
    except FunmemError as error:
        return Verdict(path, errors=[error.diagnostic.on_command_line()], code=error.exit_code)
    try:
        remarks: list[Diagnostic] = []
        if source.front_end.process is not None:
            from funmem.driver.process import is_process

            if is_process(source):
                return _process(source)
        return _typed(source, source.parse(remarks))._replace(remarks=remarks)
    except FunmemError as error:
        errors = _all_errors(source, error)
        return Verdict(source.name, source.text, errors=errors, code=ExitCode.WRONG)


def _all_errors(source: Source, first: FunmemError) -> list[Diagnostic]:
    """Return all errors of a wrong program; ``first`` is the error that parsing raised."""
    from funmem.ir.diagnostics import SourceError

    problems = source.front_end.problems
    if problems is None or not isinstance(first, SourceError):
        return [first.diagnostic]
    return problems(source.text, source.name) or [first.diagnostic]


def _typed(source: Source, program: AnyProgram) -> Verdict:
    from funmem.ir.check import check_all, check_imp_all
    from funmem.ir.text.level import level_of

    errors = check_all(program) if isinstance(program, Program) else check_imp_all(program)
    if errors:
        return Verdict(source.name, source.text, errors=errors, code=ExitCode.WRONG)
    return Verdict(source.name, source.text, level_of(program).value, heads(program))


def _process(source: Source) -> Verdict:
    """Check a program that runs as a process: Core is all that it is translated to."""
    from funmem.passes.runner import check_types

    check_types(source.tree())
    return Verdict(
        source.name, source.text, "core", (Head("main", (), (), (Named("status", "i32"),)),)
    )


def _show(v: Verdict) -> None:
    if v.code is ExitCode.OK:
        entries = "; ".join(map(str, v.entries))
        click.echo(f"{v.file}: {v.language}: {entries}")
    for diagnostic in (*v.errors, *v.remarks):
        click.echo(diagnostic.render(v.text), err=True)


def _as_json(v: Verdict) -> dict[str, object]:
    return {
        "file": v.file,
        "ok": v.code is ExitCode.OK,
        "language": v.language,
        "entries": [e.to_json() for e in v.entries],
        "errors": [e.to_dict() for e in v.errors],
        "remarks": [r.to_dict() for r in v.remarks],
    }
