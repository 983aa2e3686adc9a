"""Processes that were forked: they lack the threads that drivers and OpenMP rely on.

A fork copies the thread that forks and no other.  PoCL and a GPU's driver keep threads from the
first use on, OpenMP from the first parallel loop; in a child they are waited for and do not answer,
ever.  So whoever is about to use one of them claims it first: the process that does so first has
it, and a fork of that process is told so.
"""

import os
from enum import Enum
from functools import cache

from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic


class Threads(Enum):
    """Who keeps threads."""

    OPENCL = "OpenCL"
    C = "a compiled C library"


def claim(whose: Threads) -> None:
    """Notes that this process uses them.  Raises DeviceError in a fork of one that did."""
    if forked_from(whose):
        message = (
            f"this process was forked from one that had used {whose.value} "
            f"(process {_first(whose)}), and has none of its threads"
        )
        hint = 'start processes with `multiprocessing.get_context("spawn")`, or call funmem only'
        raise DeviceError(Diagnostic(NOWHERE, "fork", message, f"{hint} in the children"))


def forked_from(whose: Threads) -> bool:
    """Whether another process used them, of which this one is a fork; else it has them now."""
    return _first(whose) != os.getpid()


@cache
def _first(whose: Threads) -> int:  # noqa: ARG001
    """The process that used them first: what is remembered is copied by a fork as well."""
    return os.getpid()
