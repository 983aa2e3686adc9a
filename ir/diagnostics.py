"""Positions in source text, diagnostics and the kinds of failure.

Failures are of different kinds because users react to them differently:

* :class:`SourceError`: the program is wrong; ``code`` names the type rule or the syntax error.
* :class:`Trap`: the program is well typed, but its *value* semantics has no result (index out of
  bounds, assertion, division by zero, …).
* :class:`MemoryFault`: the heap or IMP interpreter found a fault that does not exist in the value
  semantics: a race, a read of uninitialised memory, an access outside its block, an incoherent
  annotation.  In a program that the compiler produced, this is a compiler bug.
* :class:`DeviceError`: the device or its driver failed or is too small.
* :class:`Stuck`: an interpreter reached a state that no well-typed program reaches.  It means that
  the checker is unsound; it is never caught.
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
    """A half-open range in one line of a source text; lines and columns count from 1."""

    file: str
    line: int
    col: int
    end: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"


NOWHERE = Span("<generated>", 0, 0, 0)
"""The position of a node without source text."""


@frozen
class Diagnostic:
    """``file:line:col: error[code]: message``, with an optional hint on what to do next.

    ``command``: the hint on the command line, if that differs from the one for Python.
    """

    at: Span
    code: str
    message: str
    hint: str = ""
    severity: str = "error"
    command: str | None = None

    def on_command_line(self) -> "Diagnostic":
        """Return the diagnostic with the hint for the command line."""
        return self if self.command is None else evolve(self, hint=self.command, command=None)

    def render(self, source: str | None = None) -> str:
        """Return the message as text; with ``source``, also its line and a caret.

        Control characters are replaced, so that no program, name or message can control a terminal.
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
        """Return the diagnostic as a dictionary."""
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
        """Return the diagnostic as one line of JSON."""
        import json  # imported late: it costs 5 ms and is rarely used

        return json.dumps(self.to_dict())


# ---------------------------------------------------------------------- safe for terminals

BREAKS = "\n\t"
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_WIDTH = 160
"""Cap on the characters of a source line that are shown; a longer one is cut around the span."""
_TAB = 4


def _printable(text: str, *, keep: str = "") -> str:
    """Return text with each non-printable character replaced by a visible one."""
    return "".join(c if c.isprintable() or c in keep else _sign(c) for c in text)


def _sign(c: str) -> str:
    """Return the symbol of an ASCII control character; for others the replacement character."""
    code = ord(c)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"


def _columns(c: str) -> int:
    """Return the width of a printable character in terminal columns."""
    if c.isascii():
        return 1
    import unicodedata  # imported late: it is rarely used

    if unicodedata.east_asian_width(c) in "WF":
        return 2
    return 0 if unicodedata.category(c) in ("Mn", "Me") else 1


def _excerpt(row: str, at: Span) -> tuple[str, str]:
    """Return a line of source text as it is shown, and the carets under the span."""
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
    """A failure reported to users: it has a :class:`Diagnostic` and an exit code."""

    exit_code = ExitCode.INTERNAL

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.render())
        self.diagnostic = diagnostic


class FunmemWarning(UserWarning):
    """A warning to users about something that works nevertheless."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.render())
        self.diagnostic = diagnostic


class SourceError(FunmemError):
    """The program is wrong: syntax, names or types."""

    exit_code = ExitCode.WRONG


class InputError(FunmemError):
    """The arguments of a program do not fit its parameters."""

    exit_code = ExitCode.WRONG


class UsageError(FunmemError):
    """The command line or the API was used wrongly."""

    exit_code = ExitCode.USAGE


class TrapKind(Enum):
    """The reasons for which the value semantics has no result; engines must agree on the kind."""

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
    """A well-typed program has no result in the value semantics."""

    exit_code = ExitCode.WRONG

    def __init__(self, kind: TrapKind, message: str, at: Span = NOWHERE) -> None:
        super().__init__(Diagnostic(at, kind.value, message))
        self.kind = kind


class FaultKind(Enum):
    """The faults of the memory semantics that do not exist in the value semantics."""

    RACE = "data race"
    POISON = "read of what was never written"
    OUTSIDE = "access outside its block"
    INCOHERENT = "annotation differs from the array's real place"
    COPY_OVERLAP = "copy source and destination overlap partly"
    CLOBBERED = "live array overwritten"
    REGION_ENDED = "use of a region after its end"
    REGION_ESCAPE = "value leaves the region that ends"
    REGION_FOREIGN = "value in another region than its type says"


class MemoryFault(FunmemError):
    """The annotations of a program are wrong, even though it may be well typed."""

    exit_code = ExitCode.DISAGREEMENT

    def __init__(self, kind: FaultKind, message: str, at: Span = NOWHERE, hint: str = "") -> None:
        super().__init__(Diagnostic(at, kind.value, message, hint))
        self.kind = kind


class DeviceError(FunmemError):
    """The device failed, is missing, or is too small."""

    exit_code = ExitCode.DEVICE


class Stuck(Exception):
    """An interpreter reached a state that no well-typed program reaches."""
