"""Places in source text, and everything that can be said about them.

Kinds of failure are kept apart because a user reacts differently to each:

* :class:`SourceError`: the program is wrong; ``code`` names the type rule or the syntax error.
* :class:`Trap`: the program is well typed and went wrong while running, as its *value* semantics
  says (index out of bounds, assertion, division by zero, …).
* :class:`MemoryFault`: the heap or IMP interpreter found what the value semantics cannot: a race,
  a read of what was never written, an access outside its block, an incoherent annotation.  In a
  program that the compiler produced this is a compiler bug.
* :class:`DeviceError`: the device or its driver failed or is too small.
* :class:`Stuck`: an interpreter met a state that no well-typed program reaches.  Raising it means
  that the checker is unsound; it is never caught.
"""

from enum import Enum

from funmem.ir.record import evolve, frozen


class ExitCode(Enum):
    """Exit codes of the command line (documented in its ``--help``)."""

    OK = 0
    WRONG = 1
    USAGE = 2
    DISAGREEMENT = 3
    DEVICE = 4
    INTERNAL = 70


@frozen
class Span:
    """Half-open range of one line of a source text; lines and columns count from 1."""

    file: str
    line: int
    col: int
    end: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"


NOWHERE = Span("<generated>", 0, 0, 0)
"""The place of a node that no source text spells."""


@frozen
class Diagnostic:
    """``file:line:col: error[code]: message``, with an optional hint on what to do next.

    ``command``: the hint for those who use the command line, where Python is told another one.
    """

    at: Span
    code: str
    message: str
    hint: str = ""
    severity: str = "error"
    command: str | None = None

    def on_command_line(self) -> "Diagnostic":
        """What the command line shows."""
        return self if self.command is None else evolve(self, hint=self.command, command=None)

    def render(self, source: str | None = None) -> str:
        """The message as a person reads it; with ``source``, its line and a caret.

        Nothing in it can act on a terminal, whatever the program, its name or a message contain.
        """
        head = "" if self.at == NOWHERE else f"{_printable(str(self.at))}: "
        lines = [f"{head}{self.severity}[{self.code}]: {_printable(self.message, keep=BREAKS)}"]
        text = source.split("\n") if source is not None else []
        if 1 <= self.at.line <= len(text):
            row = text[self.at.line - 1].rstrip("\r")
            gutter = str(self.at.line)
            shown, carets = _excerpt(row.removeprefix(_BOM), self.at)
            lines.append(f"{gutter} | {shown}")
            lines.append(f"{' ' * len(gutter)} | {carets}")
        if self.hint:
            lines.append(f"hint: {_printable(self.hint, keep=BREAKS)}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, str | int]:
        """The same object as data."""
        return {
            "file": self.at.file,
            "line": self.at.line,
            "col": self.at.col,
            "end": self.at.end,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
        }

    def to_json(self) -> str:
        """The same object as one line of JSON."""
        import json  # here: few need it, and it costs 5 ms

        return json.dumps(self.to_dict())


# ---------------------------------------------------------------------- what a terminal may see

BREAKS = "\n\t"
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_WIDTH = 160
"""Characters of a source line that are shown; a longer one is cut around the place."""
_TAB = 4


def _printable(text: str, *, keep: str = "") -> str:
    """Escape sequences, direction marks, lone surrogates and the like as one visible sign each."""
    return "".join(c if c.isprintable() or c in keep else _sign(c) for c in text)


def _sign(c: str) -> str:
    """A picture of an ASCII control character; for the others there is none."""
    code = ord(c)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"


def _columns(c: str) -> int:
    """How wide a terminal shows a printable character."""
    if c.isascii():
        return 1
    import unicodedata  # needed so rarely that a start need not wait for it

    if unicodedata.east_asian_width(c) in "WF":
        return 2
    return 0 if unicodedata.category(c) in ("Mn", "Me") else 1


def _excerpt(row: str, at: Span) -> tuple[str, str]:
    """A line of source text as it is shown, and the carets under the span."""
    first = min(max(at.col - 1, 0), len(row))
    past = min(max(at.end - 1, first + 1), len(row) + 1)
    start = max(0, first - _WIDTH // 2) if len(row) > _WIDTH else 0
    shown, pad, width = ("…", " ", 0) if start else ("", "", 0)
    for k, c in enumerate(row[start : start + _WIDTH], start):
        cell = " " * (_TAB - len(pad + "^" * width) % _TAB) if c == "\t" else _printable(c)
        columns = len(cell) if c == "\t" else _columns(cell)
        shown += cell
        if k < first:
            pad += " " * columns
        elif k < past:
            width += columns
    return shown + ("…" if start + _WIDTH < len(row) else ""), pad + "^" * max(1, width)


class FunmemError(Exception):
    """Every failure that a user can meet carries a :class:`Diagnostic` and an exit code."""

    exit_code = ExitCode.INTERNAL

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.render())
        self.diagnostic = diagnostic


class FunmemWarning(UserWarning):
    """What a user should know of something that works nevertheless."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.render())
        self.diagnostic = diagnostic


class SourceError(FunmemError):
    """The program is wrong: syntax, names, types."""

    exit_code = ExitCode.WRONG


class InputError(FunmemError):
    """The values given to a program do not fit its parameters."""

    exit_code = ExitCode.WRONG


class UsageError(FunmemError):
    """The command line or the API was used wrongly."""

    exit_code = ExitCode.USAGE


class TrapKind(Enum):
    """What the value semantics says went wrong.  Two engines agree on a trap if its kind agrees."""

    INDEX = "index out of bounds"
    SLICE = "slice out of bounds"
    SHAPE = "shape mismatch"
    NEGATIVE_SIZE = "negative size"
    OVERFLOW = "size overflow"
    DIVISION = "division by zero"
    EXPONENT = "negative exponent"
    ASSERTION = "assertion failed"
    OVERLAP = "overlapping update"
    UNINITIALISED = "uninitialised element"


class Trap(FunmemError):
    """A well-typed program went wrong while running."""

    exit_code = ExitCode.WRONG

    def __init__(self, kind: TrapKind, message: str, at: Span = NOWHERE) -> None:
        super().__init__(Diagnostic(at, kind.value, message))
        self.kind = kind


class FaultKind(Enum):
    """What the memory semantics can find beyond the value semantics."""

    RACE = "data race"
    POISON = "read of what was never written"
    OUTSIDE = "access outside its block"
    INCOHERENT = "annotation differs from the array's real place"
    COPY_OVERLAP = "copy source and destination overlap partly"
    CLOBBERED = "live array overwritten"


class MemoryFault(FunmemError):
    """The annotations of a program are wrong, though it may well be well typed."""

    exit_code = ExitCode.DISAGREEMENT

    def __init__(self, kind: FaultKind, message: str, at: Span = NOWHERE, hint: str = "") -> None:
        super().__init__(Diagnostic(at, kind.value, message, hint))
        self.kind = kind


class DeviceError(FunmemError):
    """The device failed, is missing, or is too small."""

    exit_code = ExitCode.DEVICE


class Stuck(Exception):
    """An interpreter reached a state that no well-typed program reaches."""
