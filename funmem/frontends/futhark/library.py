"""The prelude: definitions that every program sees, each parsed when a program reaches it.

A program reaches few of them.  So a prelude file is only cut where definitions begin, at ``def``
in the first column, and the name of each is read.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail
from funmem.frontends.futhark.parser import parse
from funmem.ir.diagnostics import Span
from funmem.ir.record import define

PRELUDE = Path(__file__).parent / "prelude"

_BEGIN = re.compile(r"^def\s+(?:\(([^\s()]+)\)|([^\s()]+))", re.MULTILINE)


@define(eq=False)
class Stated:
    """A definition that was not read yet; ``line``: where its ``text`` begins in ``file``."""

    name: str
    text: str
    file: str
    line: int
    read: ast.ValDec | None = None

    @property
    def dec(self) -> ast.ValDec:
        """The tree.  Raises SourceError; the prelude's own definitions are right."""
        if self.read is None:
            decs = parse(self.text, self.file, self.line).decs
            match decs:
                case (ast.ValDec(self.name) as dec,):
                    self.read = dec
                case _:
                    at = Span(self.file, self.line, 1, 4)
                    fail(at, "not-supported", f"not one definition of `{self.name}`")
        return self.read


def stated(text: str, file: str) -> Iterator[Stated]:
    """The definitions of a prelude file, which has nothing else."""
    starts = list(_BEGIN.finditer(text))
    ends = [m.start() for m in starts[1:]] + [len(text)]
    line, last = 1, 0
    for m, end in zip(starts, ends, strict=True):
        line += text.count("\n", last, m.start())
        last = m.start()
        yield Stated(m[1] or m[2], text[last:end], file, line)


@cache
def load_prelude() -> tuple[Stated, ...]:
    """What every program sees, in the order of the files' names; read once in a process."""
    return tuple(
        definition
        for path in sorted(PRELUDE.glob("*.fut"))
        for definition in stated(path.read_text("utf-8"), f"prelude/{path.name}")
    )
