"""The commands, one module each.  This module has the options and helpers that several share.

A module is imported when its command is called, so its imports add to the command's start-up time.
Modules that are slow to import are imported inside the functions that use them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

import click
from click.shell_completion import CompletionItem

from funmem.driver.source import Source, read
from funmem.frontends.registry import FRONT_ENDS
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, UsageError
from funmem.ir.messages import suggestion

if TYPE_CHECKING:
    from funmem.driver.stored_tunings import Tunings
    from funmem.ir.plugins import Plugins
    from funmem.passes.framework import AnyProgram, Report, StageProgram
    from funmem.passes.runner import After, AfterAny, Pipeline

F = TypeVar("F", bound=Callable[..., object])


def command(
    name: str, help: str, example: str
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Declare a command.  Its help ends with the example, and it has ``--traceback``."""

    def declare(f: Callable[..., int | None]) -> click.Command:
        epilog = "\b\nExample:\n" + "\n".join(f"  {line}" for line in example.splitlines())
        declared = click.command(name, help=help, epilog=epilog)(f)
        declared.params.append(TRACEBACK)
        for p in declared.params:
            if p.metavar in _FILES and p.type is click.STRING:
                p.type = _FILE
        return declared

    return declare


class _FileName(click.ParamType[str]):
    """A file name, which a shell can complete.  It is not checked that the file exists."""

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
"""The metavariables of a command's help that stand for file names."""

TRACEBACK = click.Option(
    ["--traceback"],
    is_flag=True,
    expose_value=False,
    help="Print the Python traceback of an error.",
)
"""``--traceback``, evaluated by :mod:`funmem.cli`."""


class Registered(click.ParamType[str]):
    """The name of a registered object: of a language, or of a target."""

    def __init__(self, known: Plugins[Any]) -> None:
        self.name = known.what
        self._known = known

    def convert(
        self,
        value: str,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        if value not in self._known.table and value not in self._known.names():
            names = self._known.names()
            said = suggestion(value, names) or f"there is {', '.join(names)}"
            self.fail(f"there is no {self.name} `{value}`; {said}", param, ctx)
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        return f"[{'|'.join(self._known.table)}|…]"

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        return [CompletionItem(x) for x in self._known.names() if x.startswith(incomplete)]


def program_argument(*, required: bool = True) -> Callable[[F], F]:
    """Declare the argument PROGRAM and ``--language``."""

    def declare(f: F) -> F:
        metavar = "PROGRAM" if required else "[PROGRAM]"
        return language_option(click.argument("program", metavar=metavar, required=required)(f))

    return declare


def language_option(f: F) -> F:
    """Declare ``--language``."""
    return click.option(
        "--language",
        type=Registered(FRONT_ENDS),
        help="The program's language.  Default: by the file name's suffix, else by the text.",
    )(f)


def json_option(f: F) -> F:
    """Declare ``--json``.  :mod:`funmem.cli` evaluates it too: errors are then JSON."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(f)


def foreign_option(f: F) -> F:
    """Declare ``--foreign``, read by :func:`funmem.driver.foreign_files.foreign_code`."""
    return click.option(
        "--foreign",
        "foreign",
        metavar="FILE",
        multiple=True,
        help="C (.c) or OpenCL C (.cl) of foreign functions; it is trusted.  May be repeated.  "
        "Default: PROGRAM's name with .foreign.c, .foreign.cl.",
    )(f)


def safe_option(f: F) -> F:
    """Declare ``--safe`` and ``--fast``: kernels with and without bounds checks."""
    return click.option(
        "--safe/--fast",
        "safe",
        default=True,
        help="Keep the bounds checks in kernels, or leave them out.  Default: --safe.",
    )(f)


def pipeline_option(f: F) -> F:
    """Declare ``-p``."""
    return click.option(
        "-p",
        "--pipeline",
        metavar="PASSES",
        help="Passes, such as 'allocate,expand{layout=interleaved}'; see `funmem passes`.  "
        "Default: the default pipeline.",
    )(f)


def no_cache_option(help: str) -> Callable[[F], F]:
    """Declare ``--no-cache``."""
    return click.option("--no-cache", is_flag=True, help=help)


def processor_option(default: str) -> Callable[[F], F]:
    """Declare ``--processor``, a class of processors (:mod:`funmem.passes.tuning`).

    ``default`` states what is used without it.
    """
    return click.option(
        "--processor",
        type=click.Choice(("sse", "avx2", "avx512")),
        help="The class of processors whose default chunk, tile and group sizes are used, for the "
        f"same code on every machine.  Default: {default}.",
    )


THIS_PROCESSOR = "that of this machine, with the results of `funmem tune`"


def checks_of(report: Report | None) -> dict[str, int]:
    """Return the numbers of checks that --trust proved and that stay; {} without --trust."""
    if report is None:
        return {}
    from funmem.passes.pipeline import VERIFIED

    checks = [r for r in report.remarks if r.pass_name == VERIFIED]
    proved = sum(r.done for r in checks)
    return {"proved": proved, "stay": len(checks) - proved}


def say_checks(checks: Mapping[str, int]) -> None:
    """Print the result of :func:`checks_of` on stderr."""
    if checks:
        total = sum(checks.values())
        proved = f"{checks['proved']} of {total} checks are proved and left out"
        click.echo(f"{proved}, {checks['stay']} stay", err=True)


def tuned_json(tunings: Tunings) -> dict[str, Any]:
    """Return the JSON member that names the tunings used; {} if there are none."""
    return {"tuned": {x: t.changes() for x, t in tunings.items()}} if tunings else {}


def entry_option(f: F) -> F:
    """Declare ``--entry``."""
    return click.option(
        "--entry", metavar="NAME", help="The entry point.  Default: the only one, or main."
    )(f)


def inputs_option(help: str = "Arguments") -> Callable[[F], F]:
    """Declare ``-i``, read by :func:`funmem.values.arguments.read_arguments`.  ``help`` states the
    purpose of the values.
    """
    return click.option(
        "-i",
        "--input",
        "inputs",
        metavar="VALUES",
        multiple=True,
        help=f"{help}: values, a file of values (text, binary, .npy, or .npz with "
        "the parameters' names), or - for standard input.  "
        "May be repeated.",
    )


def read_once(program: str | None, inputs: Sequence[str]) -> None:
    """Raise UsageError if standard input is named more than once."""
    if [program, *inputs].count("-") > 1:
        raise usage_error("standard input can be read only once")


def random_option(f: F) -> F:
    """Declare ``--random``, with or without sizes (:mod:`funmem.values.random_arguments`)."""
    return click.option(
        "--random",
        "sizes",
        metavar="SIZES",
        is_flag=False,
        flag_value="",
        help="Random arguments with these sizes and scalars: n=4,m=5.",
    )(f)


def seed_option(f: F) -> F:
    """Declare ``--seed`` for random arguments."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        help="The seed of --random.  Default: 0.",
    )(f)


def scale_option(f: F) -> F:
    """Declare ``--scale`` for the size given by a ``reference.py``."""
    return click.option(
        "--scale",
        type=click.FloatRange(min=0, min_open=True),
        default=1.0,
        metavar="X",
        help="Factor by which the size in a reference.py is multiplied.  Default: 1.",
    )(f)


def device_option(f: F) -> F:
    """Declare ``--device``, resolved by :func:`funmem.codegen.device.choose`."""
    return click.option(
        "--device",
        metavar="D",
        help="The OpenCL device: a number or name from `funmem doctor`.",
    )(f)


def require_device_engine(device: str | None, engines: Collection[str | None]) -> None:
    """Raise UsageError if a device is given but no engine uses OpenCL."""
    if device is not None and "opencl" not in engines:
        raise usage_error("--device needs --via opencl")


def orders_option(help: str) -> Callable[[F], F]:
    """Declare ``--orders`` for generated programs."""
    return click.option(
        "--orders",
        type=click.Choice(("fixed", "random", "mixed")),
        default="mixed",
        help=f"{help}  Default: mixed.",
    )


def variants_option(f: F) -> F:
    """Declare ``--variants`` for generated programs."""
    return click.option(
        "--variants",
        type=click.IntRange(min=0),
        default=3,
        metavar="K",
        help="About one program in K is a variant of the seed's program: dead branches are added, "
        "and the results must stay the same.  0: none.  Default: 3.",
    )(f)


def verify_each_options(default: str) -> Callable[[F], F]:
    """Declare ``--verify-each``, ``--verify-out`` (:mod:`funmem.testing.judge.after_each_pass`)."""

    def declare(f: F) -> F:
        each = click.option(
            "--verify-each",
            type=click.Choice(("none", "types", "values")),
            default=default,
            help="Check after every pass: types and the passes' conditions, or also that the "
            f"value, heap and IMP interpreters agree.  Default: {default}.",
        )
        out = click.option(
            "--verify-out",
            metavar="FOLDER",
            default="verify-out",
            help="The folder for reproducers of disagreements.  Default: verify-out.",
        )
        return each(out(f))

    return declare


@overload
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
) -> AnyProgram: ...


@overload
def run_passes(
    program: StageProgram,
    source: Source,
    passes: Pipeline,
    each: str,
    out: str,
    entry: str | None,
    inputs: Sequence[str],
    report: Report | None = None,
    after: AfterAny | None = None,
) -> StageProgram: ...


def run_passes(
    program: StageProgram,
    source: Source,
    passes: Pipeline,
    each: str,
    out: str,
    entry: str | None,
    inputs: Sequence[str],
    report: Report | None = None,
    after: After | AfterAny | None = None,
) -> StageProgram:
    """Return the program after all passes, checked as ``--verify-each`` says.

    Raises :class:`funmem.testing.judge.after_each_pass.Broken` if a pass breaks the program, and
    UsageError for inputs that would not be used.
    """
    if each != "values" and (inputs or entry is not None):
        raise usage_error("--entry and -i are for --verify-each=values")
    from funmem.driver.stages import split
    from funmem.ir.core import CoreProgram

    if isinstance(program, CoreProgram):
        from funmem.testing.judge.core_passes import run_core_passes

        on_core, passes = split(passes, finish=False)
        program = run_core_passes(
            program, source, on_core, each, entry, inputs, report, cast("AfterAny", after)
        )
        if isinstance(program, CoreProgram):
            return program
    if each == "none":
        return passes.run(program, verify=False, report=report, after=after)
    if each == "types":
        try:
            return passes.run(program, report=report, after=after)
        except (SourceError, UsageError, OSError, RecursionError, MemoryError):
            raise
        except Exception:  # run_each below repeats the failure and writes a reproducer
            report = after = None
    from pathlib import Path

    from funmem.driver.entry_points import signature_of
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
    """Return a UsageError whose hint is the command's help."""
    command = click.get_current_context().command_path
    return UsageError(Diagnostic(NOWHERE, "usage", message, f"see `{command} --help`"))


def load(path: str, language: str | None = None) -> Source:
    """Return a program's text, and keep it so that messages can show its lines."""
    source = read(path, language)
    texts = click.get_current_context().find_root().obj
    if texts is not None:
        texts[source.name] = source.text
    return source


def say_on_terminal(name: str, what: str) -> None:
    """Show progress in one line, on a terminal only.  An empty message clears the line."""
    import sys

    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{name}{': ' if name else ''}{what}", err=True, nl=False)


def echo_json(value: Mapping[str, Any]) -> None:
    """Print one line of JSON on stdout."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))
