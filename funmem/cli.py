"""The command line: the list of commands, and the translation of errors.

A command is a module of :mod:`funmem.commands`, imported when it is called.  It returns its exit
code (None: 0) and raises exceptions; only this module turns exceptions into messages and exit
codes.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from importlib import import_module
from typing import Any, NoReturn, TextIO

import click

from funmem import __version__
from funmem.driver import streams
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, FunmemError, FunmemWarning
from funmem.ir.messages import suggestion

SUMMARIES: Mapping[str, str] = {
    "check": "Check the types of programs.",
    "run": "Run a program by an interpreter or on a device.",
    "core": "Print a source program as Core.",
    "regions": "Print a program as Core with regions, or measure them.",
    "opt": "Run passes over a program and print it.",
    "compile": "Compile a program to OpenCL kernels and a Python module.",
    "explain": "Explain a program's memory: blocks, copies, the peak.",
    "verify": "Verify a program's memory annotations for all inputs.",
    "test": "Test programs against the results in their comments.",
    "bench": "Measure programs, interleaved with versions in other languages.",
    "tune": "Find the fastest chunk, tile and group sizes on this machine.",
    "fuzz": "Run generated programs through all passes and engines.",
    "reduce": "Shrink a failing program to a small one that fails alike.",
    "passes": "List the passes and their options.",
    "doctor": "List devices and versions; report what is missing.",
}
"""Command -> its summary.  The command's module, and the function in it, have the same name."""

EPILOG = """\b
Exit codes:
  0  success
  1  the program or its input is wrong, or the program trapped
  2  the command line is wrong
  3  two levels disagree, or there is a race or another memory fault
  4  the device failed, is missing or is too small
  70 an internal error of funmem

Completion in bash (or zsh, fish): eval "$(_FUNMEM_COMPLETE=bash_source funmem)"
"""

SIGINT, SIGPIPE = 128 + 2, 128 + 13
"""The exit codes that a shell reports for processes ended by these signals."""

COMPLETE = "_FUNMEM_COMPLETE"
"""The environment variable by which a shell requests completions of a command line."""

FEW_COLLECTIONS = (200_000, 20, 100)
"""Thresholds of the garbage collector.  Programs are trees, which reference counts free: there are
few cycles to collect.
"""

Texts = MutableMapping[str, str]
"""The programs read so far, by their name in messages."""


class Commands(click.Group):
    """The group of all commands; it translates their errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(SUMMARIES)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name not in SUMMARIES:
            return None
        command: click.Command = getattr(import_module(f"funmem.commands.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in SUMMARIES and not args[0].startswith("-"):
            known = ", ".join(SUMMARIES)
            message = f"there is no command `{args[0]}`; the commands are {known}"
            near = suggestion(args[0], SUMMARIES)
            raise click.UsageError(f"{message}; {near}" if near else message, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *_: Any,
        **__: Any,
    ) -> NoReturn:
        """Run a command line and end the process.  Errors become messages and exit codes."""
        if COMPLETE in os.environ:
            self._main_shell_completion({"obj": {}}, "funmem", COMPLETE)
        gc.set_threshold(*FEW_COLLECTIONS)
        given = list(sys.argv[1:] if args is None else args) or ["--help"]
        texts: Texts = {}

        def run() -> int | None:  # instead of click's main, which has other exit codes
            try:
                with self.make_context(prog_name or "funmem", given, obj=texts) as ctx:
                    code: int | None = self.invoke(ctx)
                    return code
            except click.exceptions.Exit as end:
                return end.exit_code

        sys.exit(guarded(run, texts, as_json="--json" in given, trace="--traceback" in given))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.version_option(__version__, prog_name="funmem")
def main() -> None:
    """Compile functional array programs in which memory is an annotation.

    Programs are written in Python (.py), Futhark's language (.fut), NOVA (.nova), Harlan (.kfc) or
    in one of the compiler's intermediate languages Core, FUN, FUNMEM and IMP (.core, .fun, .funmem,
    .imp).
    `-` stands for standard input.
    """


# ---------------------------------------------------------------------- errors


def guarded(run: Callable[[], int | None], texts: Texts, *, as_json: bool, trace: bool) -> int:
    """Return the exit code of ``run``, or that of its error, which is reported on stderr."""

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if isinstance(message, FunmemWarning):
            report(message.diagnostic, texts, as_json=as_json)
        else:
            usual(message, category, filename, lineno, file, line)

    usual = warnings.showwarning
    try:
        streams.settle()
        with warnings.catch_warnings():
            warnings.showwarning = show
            code = run()
        sys.stdout.flush()
        return code or 0
    except BrokenPipeError:
        streams.silence(sys.stdout)
        return SIGPIPE
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        return SIGINT
    except Exception as error:
        if trace:
            import traceback

            traceback.print_exc()
        diagnostic, exit_code = explain(error)
        report(diagnostic, texts, as_json=as_json)
        return exit_code.value


def explain(error: Exception) -> tuple[Diagnostic, ExitCode]:
    """Return the diagnostic that reports an error, and the exit code."""
    match error:
        case FunmemError():
            return error.diagnostic, error.exit_code
        case click.ClickException():
            near = _closest_choice(error)
            hint = f"{near} See" if near else "see"
            hint = f"{hint} `{_command(error)} --help`"
            return Diagnostic(NOWHERE, "usage", error.format_message(), hint), ExitCode.USAGE
        case RecursionError():
            message = "the program is nested too deeply"
            return Diagnostic(NOWHERE, "limit", message, "split it up"), ExitCode.WRONG
        case MemoryError():
            message = f"this machine has too little memory. {error}".strip()
            return Diagnostic(NOWHERE, "memory", message, "try smaller sizes"), ExitCode.WRONG
        case OSError():
            file = f"`{error.filename}`: " if error.filename else ""
            message = f"{file}{error.strerror or error}"
            return Diagnostic(NOWHERE, "system", message), ExitCode.USAGE
        case _:
            message = f"{type(error).__name__}: {error}"
            hint = "this is a bug in funmem; the same command with --traceback locates it"
            return Diagnostic(NOWHERE, "internal", message, hint), ExitCode.INTERNAL


def _closest_choice(error: click.ClickException) -> str:
    """Return a suggestion for a misspelt value of an option that has a list of choices."""
    match error:
        case click.BadParameter(message=text, param=click.Parameter(type=click.Choice() as kind)):
            given = re.match(r"'(.*)' is not one of", text)
            return suggestion(given[1], map(str, kind.choices)) if given else ""
        case _:
            return ""


def _command(error: click.ClickException) -> str:
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    return ctx.command_path if ctx is not None else "funmem"


def report(diagnostic: Diagnostic, texts: Mapping[str, str], *, as_json: bool) -> None:
    """Print a diagnostic on stderr, with the line of the program it is about."""
    d = diagnostic.on_command_line()
    text = d.to_json() if as_json else d.render(texts.get(d.at.file))
    click.echo(text, err=True)
