"""Ragged arrays: rows of different lengths, stored end to end.

A ragged value of n rows is its *offsets*, n + 1 numbers that begin at 0 and do not descend, and
arrays of as many elements as the last offset says.  Row i has the elements
``offsets[i] <= k < offsets[i+1]`` of each.
"""

from funmem.ir.diagnostics import Stuck
from funmem.ir.names import Name


def offsets_of(x: str) -> Name:
    """Return the name of the offsets of a ragged parameter or result.

    At the entry of a program, ``x'offsets : [n]i64`` before ``x : [m]…t`` are the offsets of its
    rows; callers pass and receive one nested value.
    """
    return Name(f"{x}'offsets")


def unscheduled() -> Stuck:
    """Return the error of a pass that meets a kernel over rows below FUN."""
    return Stuck("a kernel over rows is left: `schedule` replaces it, and comes before `allocate`")
