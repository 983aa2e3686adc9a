"""A front end: the functions that read the programs of a language.

A complete front end, for a language whose programs are sums of numbers:

    def parse(text: str, name: str) -> CoreProgram:
        numbers = [Const(int(word), I64) for word in text.split("+")]
        total = reduce(lambda a, b: Bin(BinOp.ADD, a, b), numbers)
        return CoreProgram((Entry(Name("main"), (), (), I64, total),))

    FRONT_END = FrontEnd("sum", "Sums of numbers.", parse)

``parse`` raises SourceError for a wrong text.  The types of its result are checked by its caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Protocol, TypeAlias

from attrs import field

from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.record import frozen

if TYPE_CHECKING:  # the trees of a language are loaded by the first program written in it
    from funmem.codegen.python_trees import Function
    from funmem.frontends.foreign import Implement
    from funmem.ir.core import CoreProgram
    from funmem.ir.foreign import ForeignCode
    from funmem.passes.framework import StageProgram

Parse: TypeAlias = "Callable[[str, str], StageProgram]"
"""From a text, and its name in messages, to a program: Core for a source language."""

Noting: TypeAlias = "Callable[[str, str, list[Diagnostic]], StageProgram]"
"""The same; remarks about the program are appended to the list."""

Said: TypeAlias = Callable[[str, str], list[Diagnostic]]
"""From a text and its name to what is said about it."""

Regions: TypeAlias = "Callable[[str, str], Mapping[Span, str]]"
"""From a text and its name to the regions that forms name, by the places of the forms."""

Exported: TypeAlias = "Callable[[str, str], tuple[StageProgram, tuple[Function, ...]]]"
"""From a text and its name to a program, and to how Python calls its entry points."""


class Process(Protocol):
    """What a program that runs as a process sees and changes; ``out`` is its standard output."""

    out: IO[bytes] | None

    def code(self, program: CoreProgram) -> ForeignCode:
        """Return the program's foreign functions in Python."""

    def compiled(self, program: CoreProgram) -> ForeignCode:
        """Return the same functions in C."""

    def close(self) -> None:
        """Write what is still buffered."""


@frozen
class FrontEnd:
    """A language in which programs are written; ``name`` is also the suffix of its files."""

    name: str
    summary: str
    parse: Parse = field(repr=False)
    comment: str = "--"
    """How a comment begins that extends to the end of the line; test comments are made of them."""
    noting: Noting | None = field(default=None, repr=False)
    """Like ``parse``, with remarks."""
    problems: Said | None = field(default=None, repr=False)
    """Returns all errors of a wrong program; None: ``parse`` raises the only one."""
    warnings: Said | None = field(default=None, repr=False)
    """Returns the warnings about a valid program; None: there are none."""
    typed: bool = False
    """True if ``parse`` returns well-typed Core only, so that it need not be checked again."""
    exported: Exported | None = field(default=None, repr=False)
    """Like ``parse``, where entry points take or return tuples, dicts or classes of Python's."""
    process: Callable[[list[str]], Process] | None = field(default=None, repr=False)
    """Programs of the language run as processes: they print, and the result of ``main`` is their
    exit status.  Takes the command line.  None: a program has inputs and results."""
    provided: Callable[[str, str], ForeignCode] | None = field(default=None, repr=False)
    """Returns the foreign functions that a text itself has."""
    foreign: Implement | None = field(default=None, repr=False)
    """Returns foreign functions whose sources follow a convention of the language; None: they
    follow Core's (ir/foreign.py)."""
    regions: Regions | None = field(default=None, repr=False)
    """Returns the regions in which a program says that arrays lie; None: it cannot say so."""
    importing: str = ""
    """A word of each text that reads other files; empty: no text does."""

    def read(self, text: str, name: str, remarks: list[Diagnostic] | None = None) -> StageProgram:
        """Return the program.  Remarks are appended to ``remarks``.  Raises SourceError."""
        if self.noting is None or remarks is None:
            return self.parse(text, name)
        return self.noting(text, name, remarks)

    def imports(self, text: str) -> bool:
        """True if a text may read other files."""
        return bool(self.importing) and self.importing in text
