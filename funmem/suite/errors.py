"""Errors in tests: the status each one has, and the text in which an expected error is searched."""

import traceback
from pathlib import Path
from typing import NamedTuple

from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    Diagnostic,
    FunmemError,
    InputError,
    MemoryFault,
    SourceError,
    Span,
    Trap,
    UsageError,
)
from funmem.passes.runner import PassFailed
from funmem.suite.futhark_messages import futhark_wording
from funmem.suite.verdict import Status


class ErrorClass(NamedTuple):
    """The status of an error, its kind, its message, and its place or NOWHERE."""

    status: Status
    kind: str
    message: str
    at: Span = NOWHERE


def classify(error: Exception) -> ErrorClass:
    """Classify an error that no test expected."""
    match error:
        case FunmemError():
            d = error.diagnostic
            if (what := unsupported(error)) is not None:
                return ErrorClass(Status.UNSUPPORTED, what, what, d.at)
            status, kind = _kind(error)
            return ErrorClass(status, kind, d.message.split("\n")[0], d.at)
        case MemoryError():
            return ErrorClass(
                Status.ERROR, "out of memory", _said(error, "this machine is too small")
            )
        case RecursionError():
            return ErrorClass(
                Status.ERROR, "nested too deeply", f"nested too deeply{_place(error)}"
            )
        case _:
            message = f"{type(error).__name__}: {error}{_place(error)}"
            return ErrorClass(Status.ERROR, "internal error", message)


def unsupported(error: FunmemError) -> str | None:
    """Return the message ``not supported: …`` of an error, or None for other errors."""
    d = error.diagnostic
    if d.code == "not-supported":
        return d.message.split("\n")[0]
    if d.code == "level" and isinstance(error, UsageError):  # IMP on an engine for FUN
        return f"not supported: {d.message}"
    return None


def _kind(error: FunmemError) -> tuple[Status, str]:
    match error:
        case SourceError():
            return Status.FAIL, "does not compile"
        case Trap():
            return Status.FAIL, "run-time error"
        case InputError():
            return Status.FAIL, "input of the wrong shape or type"
        case MemoryFault():
            return Status.FAIL, f"memory: {error.kind.value}"
        case PassFailed():
            return Status.ERROR, "internal error"
        case DeviceError():
            return Status.ERROR, "device"
        case _:
            return Status.ERROR, error.diagnostic.code


def _said(error: Exception, otherwise: str) -> str:
    return str(error) or otherwise


def _place(error: Exception) -> str:
    """Return the line of funmem that raised an error, as ``" (folder/file.py:line)"``."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    return f" ({'/'.join(Path(frames[-1].filename).parts[-2:])}:{frames[-1].lineno})"


# ---------------------------------------------------------------------- expected errors


def run_time_error(d: Diagnostic) -> str:
    """Return the text in which an expected run-time error is searched: the form that Futhark
    prints.
    """
    place = "" if d.at == NOWHERE else f"\n\nBacktrace:\n-> #0  {d.at}-{d.at.end}"
    return f"Error: {d.message}{place}\n{d.render()}\n"


def compile_error(d: Diagnostic) -> str:
    """Return the text in which an expected compile error is searched: our wording and Futhark's."""
    place = "" if d.at == NOWHERE else f" at {d.at}"
    return f"Error{place}:\n{d.message}\n{d.hint}\n{futhark_wording(d)}\n{d.render()}\n"
