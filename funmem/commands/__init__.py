"""The commands, one module each; what several of them need is here.

A module is imported when its command is called, and its imports are what the command costs at
start-up: whatever is slow to import is imported by the function that uses it.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from funmem.source import LANGUAGES, Source, read

F = TypeVar("F", bound=Callable[..., object])


def command(
    name: str, help: str, example: str
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Declare a command: its help ends with an example, and it has ``--traceback``."""

    def declare(f: Callable[..., int | None]) -> click.Command:
        epilog = "\b\nExample:\n" + "\n".join(f"  {line}" for line in example.splitlines())
        made = click.command(name, help=help, epilog=epilog)(f)
        made.params.append(TRACEBACK)
        return made

    return declare


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
    """``--safe``, ``--fast``: True, False, or None where neither is given."""
    return click.option(
        "--safe/--fast",
        "safe",
        default=None,
        help="Keep the bounds checks in the kernels, or trust the program.  "
        "Default: --safe for .fut, else --fast.",
    )(f)


def is_safe(safe: bool | None, source: Source) -> bool:
    """Whether kernels check bounds: who programs in a source language expects it."""
    return source.language == "fut" if safe is None else safe


def pipeline_option(f: F) -> F:
    """``-p``."""
    return click.option(
        "-p",
        "--pipeline",
        metavar="PASSES",
        help="Passes, such as 'allocate,expand{layout=interleaved}'; see `funmem passes`.  "
        "Default: the default pipeline.",
    )(f)


def load(path: str, language: str | None = None) -> Source:
    """A program's text, remembered so that messages can show its lines."""
    source = read(path, language)
    texts = click.get_current_context().find_root().obj
    if texts is not None:
        texts[source.name] = source.text
    return source


def echo_json(value: Mapping[str, Any]) -> None:
    """One line of JSON on stdout."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))
