"""The commands, one module each; what several of them need is here.

A module is imported when its command is called, and its imports are what the command costs at
start-up: whatever is slow to import is imported by the function that uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from funmem.driver.source import LANGUAGES, Source, read
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, UsageError

if TYPE_CHECKING:
    from funmem.driver.stored_tunings import Tunings
    from funmem.passes.framework import AnyProgram, Report
    from funmem.passes.runner import After, Pipeline

F = TypeVar("F", bound=Callable[..., object])


def command(
    name: str, help: str, example: str
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Declare a command: its help ends with an example, and it has ``--traceback``."""

    def declare(f: Callable[..., int | None]) -> click.Command:
        epilog = "\b\nExample:\n" + "\n".join(f"  {line}" for line in example.splitlines())
        made = click.command(name, help=help, epilog=epilog)(f)
        made.params.append(TRACEBACK)
        for p in made.params:
            if p.metavar in _FILES and p.type is click.STRING:
                p.type = _FILE
        return made

    return declare


class _FileName(click.ParamType[str]):
    """A name that a shell completes; whether there is such a file is said by who opens it."""

    name = "file"

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


_FILE = _FileName()
_FILES = frozenset(
    ["PROGRAM", "[PROGRAM]", "PROGRAM...", "PATH", "PATH...", "FILE", "FOLDER", "DIR", "VALUES"]
)
"""The words that stand for names of files in a command's help."""

TRACEBACK = click.Option(
    ["--traceback"],
    is_flag=True,
    expose_value=False,
    help="Show where in funmem an error was raised.",
)
""":mod:`funmem.cli` looks for it."""


def program_argument(*, required: bool = True) -> Callable[[F], F]:
    """PROGRAM, and ``--language``."""

    def declare(f: F) -> F:
        metavar = "PROGRAM" if required else "[PROGRAM]"
        return language_option(click.argument("program", metavar=metavar, required=required)(f))

    return declare


def language_option(f: F) -> F:
    """``--language``."""
    return click.option(
        "--language",
        type=click.Choice(LANGUAGES),
        help="What the program is written in.  Default: what its name or else its text says.",
    )(f)


def json_option(f: F) -> F:
    """``--json``; :mod:`funmem.cli` looks for it too, and then reports errors in JSON."""
    return click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")(f)


def safe_option(f: F) -> F:
    """``--safe``, ``--fast``: whether kernels check bounds."""
    return click.option(
        "--safe/--fast",
        "safe",
        default=True,
        help="Keep the bounds checks in the kernels, or trust the program.  Default: --safe.",
    )(f)


def pipeline_option(f: F) -> F:
    """``-p``."""
    return click.option(
        "-p",
        "--pipeline",
        metavar="PASSES",
        help="Passes, such as 'allocate,expand{layout=interleaved}'; see `funmem passes`.  "
        "Default: the default pipeline.",
    )(f)


def no_cache_option(help: str) -> Callable[[F], F]:
    """``--no-cache``."""
    return click.option("--no-cache", is_flag=True, help=help)


def checks_of(report: Report | None) -> dict[str, int]:
    """What --trust has done: how many checks were proved, and how many stay; nothing without it."""
    if report is None:
        return {}
    from funmem.passes.pipeline import VERIFIED

    made = [r for r in report.remarks if r.pass_name == VERIFIED]
    proved = sum(r.done for r in made)
    return {"proved": proved, "stay": len(made) - proved}


def say_checks(checks: Mapping[str, int]) -> None:
    """The same for people, on stderr."""
    if checks:
        total = sum(checks.values())
        said = f"{checks['proved']} of {total} checks are proved and left out"
        click.echo(f"{said}, {checks['stay']} stay", err=True)


def tuned_json(tunings: Tunings) -> dict[str, Any]:
    """What of an answer in JSON says that tunings were used; nothing where none was."""
    return {"tuned": {x: t.changes() for x, t in tunings.items()}} if tunings else {}


def entry_option(f: F) -> F:
    """``--entry``."""
    return click.option(
        "--entry", metavar="NAME", help="The entry point.  Default: the only one, or main."
    )(f)


def inputs_option(help: str = "Arguments") -> Callable[[F], F]:
    """``-i``: what :func:`funmem.values.arguments.read_arguments` reads; ``help`` says what they
    are for.
    """
    return click.option(
        "-i",
        "--input",
        "inputs",
        metavar="VALUES",
        multiple=True,
        help=f"{help}: values, a file of them (text, binary, .npy, or .npz with "
        "the parameters' names), or - for standard input.  "
        "May be repeated.",
    )


def read_once(program: str | None, inputs: Sequence[str]) -> None:
    """Raises UsageError if the program and its arguments are all to come from standard input."""
    if [program, *inputs].count("-") > 1:
        raise usage_error("standard input can be read only once")


def random_option(f: F) -> F:
    """``--random``, with or without sizes (:mod:`funmem.values.random_arguments`)."""
    return click.option(
        "--random",
        "sizes",
        metavar="SIZES",
        is_flag=False,
        flag_value="",
        help="Random arguments of these sizes and scalars: n=4,m=5.",
    )(f)


def seed_option(f: F) -> F:
    """``--seed``, of random arguments."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        help="For --random.  Default: 0.",
    )(f)


def scale_option(f: F) -> F:
    """``--scale``, of what a ``reference.py`` measures."""
    return click.option(
        "--scale",
        type=click.FloatRange(min=0, min_open=True),
        default=1.0,
        metavar="X",
        help="Times the size that a reference.py measures.  Default: 1.",
    )(f)


def device_option(f: F) -> F:
    """``--device``; :func:`funmem.codegen.device.choose` knows what it names."""
    return click.option(
        "--device", metavar="D", help="A number or name that `funmem doctor` lists."
    )(f)


def require_device_engine(device: str | None, engines: Collection[str | None]) -> None:
    """Raises UsageError for a device on which nothing would run."""
    if device is not None and "opencl" not in engines:
        raise usage_error("--device says where --via opencl runs, and nothing runs via opencl")


def orders_option(help: str) -> Callable[[F], F]:
    """``--orders``, of generated programs."""
    return click.option(
        "--orders",
        type=click.Choice(("fixed", "random", "mixed")),
        default="mixed",
        help=f"{help}  Default: mixed.",
    )


def variants_option(f: F) -> F:
    """``--variants``, of generated programs."""
    return click.option(
        "--variants",
        type=click.IntRange(min=0),
        default=3,
        metavar="K",
        help="About one program in K is a variant of the seed's: with dead branches in it, it has "
        "to answer the same.  0: none.  Default: 3.",
    )(f)


def verify_each_options(default: str) -> Callable[[F], F]:
    """Add ``--verify-each`` and ``--verify-out`` (:mod:`funmem.testing.judge.after_each_pass`)."""

    def declare(f: F) -> F:
        each = click.option(
            "--verify-each",
            type=click.Choice(("none", "types", "values")),
            default=default,
            help="Check after every pass: types and the passes' conditions, or also that value, "
            f"heap and IMP answer the same.  Default: {default}.",
        )
        out = click.option(
            "--verify-out",
            metavar="FOLDER",
            default="verify-out",
            help="Where --verify-each writes what repeats a disagreement.  Default: verify-out.",
        )
        return each(out(f))

    return declare


def run_passes(
    program: AnyProgram,
    source: Source,
    passes: Pipeline,
    each: str,
    out: str,
    entry: str | None,
    inputs: Sequence[str],
    report: Report | None = None,
    after: After | None = None,
) -> AnyProgram:
    """The program after all passes, checked as ``--verify-each`` says.

    Raises :class:`funmem.testing.judge.after_each_pass.Broken` for a pass that breaks it;
    UsageError for inputs that nothing would use.
    """
    if each != "values" and (inputs or entry is not None):
        raise usage_error("--entry and -i are for --verify-each=values")
    if each == "none":
        return passes.run(program, verify=False, report=report, after=after)
    if each == "types":
        try:
            return passes.run(program, report=report, after=after)
        except (SourceError, UsageError, OSError, RecursionError, MemoryError):
            raise
        except Exception:  # below it is done again, to write down what repeats it
            report = after = None
    from pathlib import Path

    from funmem.driver.engines import signature_of
    from funmem.testing.judge.after_each_pass import (
        KnownOutcome,
        ReproducerFolder,
        known_of,
        run_each,
    )
    from funmem.values.arguments import read_arguments

    known: tuple[KnownOutcome, ...] = ()
    if each == "values":
        from funmem.passes.runner import check_types

        check_types(program)
        given = read_arguments(signature_of(program, entry), inputs) if inputs else None
        known = known_of(program, source, entry, given)
    place = ReproducerFolder.of(source, Path(out))
    return run_each(program, passes, known, place, report=report, after=after)


def usage_error(message: str) -> UsageError:
    """The command line is wrong; the hint is the command's help."""
    command = click.get_current_context().command_path
    return UsageError(Diagnostic(NOWHERE, "usage", message, f"see `{command} --help`"))


def load(path: str, language: str | None = None) -> Source:
    """A program's text, remembered so that messages can show its lines."""
    source = read(path, language)
    texts = click.get_current_context().find_root().obj
    if texts is not None:
        texts[source.name] = source.text
    return source


def say_on_terminal(name: str, what: str) -> None:
    """What is being done, on a terminal, in one line; nothing clears the line."""
    import sys

    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{name}{': ' if name else ''}{what}", err=True, nl=False)


def echo_json(value: Mapping[str, Any]) -> None:
    """One line of JSON on stdout."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))
