"""Detects forked processes, which lack the threads of OpenCL drivers and of OpenMP.

A fork copies only the thread that calls it.  PoCL and GPU drivers start threads at their first use,
OpenMP at the first parallel loop.  A child process would wait for these threads for ever.  So each
use claims the runtime first; a claim in a fork of a process that has claimed it raises an error.
"""

import os
from enum import Enum
from functools import cache

from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic


class Threads(Enum):
    """A runtime that keeps threads."""

    OPENCL = "OpenCL"
    C = "a compiled C library"


def claim(whose: Threads) -> None:
    """Record that this process uses a runtime.  Raises DeviceError in a fork of one that did."""
    if forked_from(whose):
        message = (
            f"this process was forked from one that had used {whose.value} "
            f"(process {_first(whose)}), and lacks its threads"
        )
        hint = 'start processes with `multiprocessing.get_context("spawn")`, or call funmem only'
        raise DeviceError(Diagnostic(NOWHERE, "fork", message, f"{hint} in child processes"))


def forked_from(whose: Threads) -> bool:
    """True if this process is a fork of one that has used a runtime; else claim the runtime."""
    return _first(whose) != os.getpid()


@cache
def _first(whose: Threads) -> int:  # noqa: ARG001
    """Return the process that claimed the runtime first; a fork inherits the cached result."""
    return os.getpid()
