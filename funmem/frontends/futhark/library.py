"""The prelude: definitions in scope in every program, each parsed when a program reaches it.

A program reaches few of them.  So a prelude file is only split at the beginnings of definitions,
``def`` in the first column, and the name of each definition is read.
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
    """An unparsed definition; ``line`` is the line of ``file`` on which ``text`` begins."""

    name: str
    text: str
    file: str
    line: int
    read: ast.ValDec | None = None

    @property
    def dec(self) -> ast.ValDec:
        """The parsed definition.  Raises SourceError, which the shipped prelude never causes."""
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
    """Split a prelude file, which contains only definitions."""
    starts = list(_BEGIN.finditer(text))
    ends = [m.start() for m in starts[1:]] + [len(text)]
    line, last = 1, 0
    for m, end in zip(starts, ends, strict=True):
        line += text.count("\n", last, m.start())
        last = m.start()
        yield Stated(m[1] or m[2], text[last:end], file, line)


@cache
def load_prelude() -> tuple[Stated, ...]:
    """Return the prelude, in the order of its file names; read once per process."""
    return tuple(
        definition
        for path in sorted(PRELUDE.glob("*.fut"))
        for definition in stated(path.read_text("utf-8"), f"prelude/{path.name}")
    )
