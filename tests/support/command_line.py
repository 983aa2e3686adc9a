"""Calling the command line in this process, and what it said as one text."""

import json
import re
import shlex
from typing import Any

from attrs import frozen
from click.testing import CliRunner

from funmem.cli import main


@frozen
class Said:
    """What a command printed, and its exit code."""

    command: str
    out: str
    err: str
    code: int

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def __str__(self) -> str:
        """As in a terminal that tells the two streams apart; times vary and are left out."""
        text = f"$ {self.command}\n{self.out}"
        if self.err:
            text += f"[stderr]\n{self.err}"
        return re.sub(r'("(?:\w+_)?seconds": )[\d.e-]+', r"\1…", f"{text}[exit {self.code}]\n")


def say(command: str, *, stdin: str | bytes = "") -> Said:
    """Runs a command line, spelt as in a shell."""
    words = shlex.split(command)
    assert words[0] == "funmem"
    result = CliRunner().invoke(main, words[1:], input=stdin, prog_name="funmem")
    if not isinstance(result.exception, SystemExit | None):
        raise result.exception
    return Said(command, result.stdout, result.stderr, result.exit_code)
