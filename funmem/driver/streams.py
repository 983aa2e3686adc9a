"""The standard streams of a command, which may be closed, full, or limited to ASCII."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def settle() -> None:
    """Make the standard streams safe to use.

    Characters that a stream cannot encode are escaped.  A failing write to standard output raises
    UsageError.  A standard stream that the shell has closed is None in Python, and its file
    descriptor is free for the next file that is opened; the null device takes it.
    """
    for fd, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            _occupy(fd)
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Output("it is closed"), encoding="utf-8", write_through=True)
    elif sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper):
        old = sys.stdout
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Output()),
            old.encoding,
            line_buffering=old.line_buffering,
            write_through=old.write_through,
        )
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(errors="backslashreplace")


def _occupy(fd: int) -> None:
    try:
        os.fstat(fd)
    except OSError:
        null = os.open(os.devnull, os.O_RDWR)
        if null != fd:
            os.dup2(null, fd)
            os.close(null)
        os.set_inheritable(fd, True)


class _Output(io.FileIO):
    """Standard output: the first failing write raises UsageError, later ones are dropped."""

    def __init__(self, closed: str = "") -> None:
        super().__init__(1, "w", closefd=False)
        self._why, self._said = closed, False

    def write(self, content: ReadableBuffer) -> int:
        size = memoryview(content).nbytes
        if self._said or not size:
            return size
        try:
            if not self._why:
                return super().write(content)
        except BrokenPipeError:
            raise
        except OSError as error:
            self._why = error.strerror or str(error)
        self._said = True
        raise _wrong("write to standard output", self._why)


def read_stdin(most: int = -1) -> bytes:
    """Return the content of standard input, at most ``most`` bytes.  Raises UsageError."""
    if sys.stdin is None:
        raise _wrong("read standard input", "it is closed", "name a file, or give one with `<`")
    try:
        return sys.stdin.buffer.read(most)
    except OSError as error:
        raise _wrong("read standard input", error.strerror or str(error)) from None


def silence(stream: IO[str]) -> None:
    """Redirect a stream to the null device, so that its buffered output is dropped."""
    with suppress(OSError, ValueError):  # a stream without a file needs no silencing
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _wrong(what: str, why: str, hint: str = "") -> UsageError:
    return UsageError(Diagnostic(NOWHERE, "stream", f"cannot {what}: {why}", hint))
