"""The traps of well-typed programs: the table of the language page, one function per row.

The interpreters of FUN and FUNMEM call these functions before they access an array, so a program
traps in the same way with and without memory annotations (errata 20).  All sizes here are integers.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple, TypeAlias

from funmem.ir.diagnostics import Span, Trap, TrapKind
from funmem.ir.lmad import Dim
from funmem.ir.messages import (
    OFFSETS,
    SizedMessage,
    fill,
    flat_message,
    index_message,
    reshape_message,
)
from funmem.ir.sizes import Size, const

Shape: TypeAlias = tuple[int, ...]


GetText: TypeAlias = Callable[[], str]
"""Computes the message of a trap."""


class Range(NamedTuple):
    """``start : length : stride`` of a slice; a tuple, for speed in inner loops."""

    start: int
    len: int
    stride: int


SliceIndex: TypeAlias = int | Range


def show_shape(shape: Sequence[int]) -> str:
    """Return a shape as text: ``[3][4]``."""
    return "".join(f"[{n}]" for n in shape)


def show_index(index: Sequence[int]) -> str:
    """Return an index as text: ``[3, 4]``."""
    return f"[{', '.join(map(str, index))}]"


def _filled(said: SizedMessage) -> str:
    """Return a message about constant sizes, filled in."""
    return fill(said.message, map(str, said.args))


def _sizes(numbers: Iterable[int]) -> list[Size]:
    return [const(k) for k in numbers]


def nonnegative(sizes: Sequence[int], at: Span) -> None:
    """Raise Trap unless every size of a new array is at least 0 (errata 13)."""
    for n in sizes:
        if n < 0:
            raise Trap(TrapKind.NEGATIVE_SIZE, f"Size {n} is negative.", at)


def offsets_of_rows(ends: Sequence[int], total: int, at: Span) -> None:
    """Raise Trap unless offsets rise from 0 to the number of elements."""
    rises = all(a <= b for a, b in pairwise(ends))
    if ends[0] != 0 or ends[-1] != total or not rises:
        raise Trap(TrapKind.ASSERTION, fill(OFFSETS, (str(total),)), at)


def index_in_bounds(index: Sequence[int], shape: Shape, at: Span) -> None:
    """Raise Trap unless every index is in [0, n)."""
    for i, n in zip(index, shape, strict=True):
        if not 0 <= i < n:
            message = index_message(_sizes(index), _sizes(shape))
            raise Trap(TrapKind.INDEX, _filled(message), at)


def slice_in_bounds(dims: Sequence[SliceIndex], shape: Shape, text: GetText, at: Span) -> None:
    """Raise Trap unless fixed indices and the first and last element of ranges are in bounds.

    Empty ranges are always in bounds.
    """
    for d, n in zip(dims, shape, strict=True):
        match d:
            case Range(start, length, stride):
                last = start + (length - 1) * stride
                inside = length == 0 or (length > 0 and 0 <= start < n and 0 <= last < n)
            case i:
                inside = 0 <= i < n
        if not inside:
            raise Trap(TrapKind.SLICE, text(), at)


def update_in_bounds(dims: Sequence[SliceIndex], shape: Shape, text: GetText, at: Span) -> None:
    """Raise Trap unless a slice is in bounds and contains no element twice."""
    slice_in_bounds(dims, shape, text, at)
    if any(isinstance(d, Range) and d.stride == 0 and d.len > 1 for d in dims):
        raise Trap(TrapKind.OVERLAP, "Update writes an element twice.", at)


def flat_in_bounds(offset: int, dims: Sequence[tuple[int, int]], n: int, at: Span) -> None:
    """Raise Trap unless no length is negative and all points of the LMAD are in [0, n)."""
    low = offset + sum(min(0, (k - 1) * s) for k, s in dims)
    high = offset + sum(max(0, (k - 1) * s) for k, s in dims)
    lens = [k for k, _ in dims]
    if min(lens, default=0) < 0 or (0 not in lens and not 0 <= low <= high < n):
        message = flat_message(const(offset), [Dim(const(k), const(s)) for k, s in dims], const(n))
        raise Trap(TrapKind.SLICE, _filled(message), at)


def flat_update_in_bounds(offset: int, dims: Sequence[tuple[int, int]], n: int, at: Span) -> None:
    """Raise Trap unless a flat slice is in bounds and contains no element twice.

    A slice with more elements than the array certainly does.
    """
    flat_in_bounds(offset, dims, n, at)
    count = prod(k for k, _ in dims)
    points = {offset}
    for k, s in dims if 0 < count <= n else ():
        points = {p + i * s for p in points for i in range(k)}
    if len(points) < count:
        raise Trap(TrapKind.OVERLAP, "Update writes an element twice.", at)


def same_count(old: Shape, new: Shape, at: Span) -> None:
    """Raise Trap unless a reshape keeps the number of elements and has no negative size."""
    negative = any(n < 0 for n in new)
    if negative or prod(old) != prod(new):
        message = reshape_message(_sizes(old), _sizes(new))
        kind = TrapKind.NEGATIVE_SIZE if negative else TrapKind.SHAPE
        raise Trap(kind, _filled(message), at)


def defined(is_defined: bool, index: Sequence[int], at: Span) -> None:
    """Raise Trap if a used element is undefined."""
    if not is_defined:
        message = f"Element {show_index(index)} was never given a value."
        raise Trap(TrapKind.UNINITIALISED, message, at)
