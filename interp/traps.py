"""When a well-typed program traps: the table of the language page, one function per row.

Both interpreters of FUN and FUNMEM ask these functions before they touch an array, so a program
traps alike with and without its memory (errata 20).  All numbers here are the integers that sizes
have come to.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple, TypeAlias

from funmem.ir.diagnostics import Span, Trap, TrapKind

Shape: TypeAlias = tuple[int, ...]


class Range(NamedTuple):
    """``start : length : stride`` of a slice.  A tuple: slices are made in inner loops."""

    start: int
    len: int
    stride: int

    def __str__(self) -> str:
        return f"{self.start}:{self.len}:{self.stride}"


SliceIndex: TypeAlias = int | Range


def show_shape(shape: Sequence[int]) -> str:
    """``[3][4]``."""
    return "".join(f"[{n}]" for n in shape)


def show_index(index: Sequence[SliceIndex]) -> str:
    """``[3, 4]``."""
    return f"[{', '.join(map(str, index))}]"


def nonnegative(sizes: Sequence[int], at: Span) -> None:
    """Every size of something new is at least 0 (errata 13)."""
    for n in sizes:
        if n < 0:
            raise Trap(TrapKind.NEGATIVE_SIZE, f"Size {n} is negative.", at)


def index_in_bounds(index: Sequence[int], shape: Shape, at: Span) -> None:
    """Every index is in [0, n)."""
    for i, n in zip(index, shape, strict=True):
        if not 0 <= i < n:
            message = f"Index {show_index(index)} out of bounds for array of shape "
            raise Trap(TrapKind.INDEX, f"{message}{show_shape(shape)}.", at)


def slice_in_bounds(dims: Sequence[SliceIndex], shape: Shape, at: Span) -> None:
    """Fixed indices are inside; ranges are empty, or their first and last element are inside."""
    for d, n in zip(dims, shape, strict=True):
        match d:
            case Range(start, length, stride):
                last = start + (length - 1) * stride
                inside = length == 0 or (length > 0 and 0 <= start < n and 0 <= last < n)
            case i:
                inside = 0 <= i < n
        if not inside:
            message = f"Slice {show_index(dims)} out of bounds for array of shape "
            raise Trap(TrapKind.SLICE, f"{message}{show_shape(shape)}.", at)


def update_in_bounds(dims: Sequence[SliceIndex], shape: Shape, at: Span) -> None:
    """As for a slice; and no element is named twice."""
    slice_in_bounds(dims, shape, at)
    if any(isinstance(d, Range) and d.stride == 0 and d.len > 1 for d in dims):
        raise Trap(TrapKind.OVERLAP, "Update writes an element twice.", at)


def flat_in_bounds(offset: int, dims: Sequence[tuple[int, int]], n: int, at: Span) -> None:
    """No length is negative; and the LMAD is empty, or all its points are in [0, n)."""
    low = offset + sum(min(0, (k - 1) * s) for k, s in dims)
    high = offset + sum(max(0, (k - 1) * s) for k, s in dims)
    lens = [k for k, _ in dims]
    if min(lens, default=0) < 0 or (0 not in lens and not 0 <= low <= high < n):
        text = f"{offset} + {{{' '.join(f'({k} : {s})' for k, s in dims)}}}"
        message = f"Slice [{text}] out of bounds for array of shape [{n}]."
        raise Trap(TrapKind.SLICE, message, at)


def same_count(old: Shape, new: Shape, at: Span) -> None:
    """A reshaped array has as many elements as before."""
    nonnegative(new, at)
    if prod(old) != prod(new):
        message = f"Cannot reshape array of shape {show_shape(old)} to array of shape "
        raise Trap(TrapKind.SHAPE, f"{message}{show_shape(new)}.", at)


def defined(is_defined: bool, index: Sequence[int], at: Span) -> None:
    """An element that is used has been given a value."""
    if not is_defined:
        message = f"Element {show_index(index)} was never given a value."
        raise Trap(TrapKind.UNINITIALISED, message, at)
