"""``funmem passes``: list the passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from funmem.commands import command, echo_json, json_option

if TYPE_CHECKING:
    from funmem.passes.framework import Option, Pass

HELP = """List the passes with a summary, their input and output languages, and their options.

The list includes passes that other packages register in the entry-point group funmem.passes, and
passes in the Python files that the environment variable FUNMEM_PASSES names.  These files are
executed.
"""
EXAMPLE = "$ funmem passes"


@command("passes", HELP, EXAMPLE)
@json_option
def passes(as_json: bool) -> None:
    """Run ``funmem passes``."""
    from funmem.passes.registry import find, names

    for name in names():
        p = find(name)
        if as_json:
            echo_json(_as_json(p))
        else:
            _show(p)


def levels(p: Pass) -> str:
    """Return a pass's input languages, and its output language if different: ``FUN -> FUNMEM``."""
    inputs = ", ".join(level.value for level in p.inputs)
    if p.output is None or (p.output,) == p.inputs:
        return inputs
    return f"{inputs} -> {p.output.value}"


def _show(p: Pass) -> None:
    click.echo(f"{p.name} ({levels(p)})")
    click.echo(f"    {p.summary}")
    for o in p.options:
        click.echo(f"    {o.name}={_values(o)}  {o.help}".rstrip())
    for verb, names in (("requires", [c.name for c in p.pre]), ("ensures", p.ensures)):
        if names:
            click.echo(f"    {verb} {', '.join(names)}")


def _values(o: Option) -> str:
    """Return an option's default, then its other choices: ``contiguous|interleaved``."""
    default = str(o.default).lower() if isinstance(o.default, bool) else str(o.default)
    return "|".join([default, *(c for c in o.choices if c != default)])


def _as_json(p: Pass) -> dict[str, object]:
    return {
        "name": p.name,
        "summary": p.summary,
        "inputs": [level.value for level in p.inputs],
        "output": None if p.output is None else p.output.value,
        "options": [
            {"name": o.name, "default": o.default, "choices": list(o.choices), "help": o.help}
            for o in p.options
        ],
        "requires": [c.name for c in p.pre],
        "ensures": list(p.ensures),
    }
