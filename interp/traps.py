"""When a well-typed program traps: the table of the language page, one function per row.

Both interpreters of FUN and FUNMEM ask these functions before they touch an array, so a program
traps alike with and without its memory (errata 20).  All numbers here are the integers that sizes
have come to.
"""

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

from funmem.ir.diagnostics import Span, Trap, TrapKind
from funmem.ir.lmad import Dim
from funmem.ir.messages import Said, fill, flat_message, index_message, reshape_message
from funmem.ir.sizes import Size, const

Shape: TypeAlias = tuple[int, ...]


Say: TypeAlias = Callable[[], str]
"""What a trap says, made only if it is needed."""


class Range(NamedTuple):
    """``start : length : stride`` of a slice.  A tuple: slices are made in inner loops."""

    start: int
    len: int
    stride: int


SliceIndex: TypeAlias = int | Range


def show_shape(shape: Sequence[int]) -> str:
    """``[3][4]``."""
    return "".join(f"[{n}]" for n in shape)


def show_index(index: Sequence[int]) -> str:
    """``[3, 4]``."""
    return f"[{', '.join(map(str, index))}]"


def _filled(said: Said) -> str:
    """A message about constant sizes."""
    return fill(said.message, map(str, said.args))


def _sizes(numbers: Iterable[int]) -> list[Size]:
    return [const(k) for k in numbers]


def nonnegative(sizes: Sequence[int], at: Span) -> None:
    """Every size of something new is at least 0 (errata 13)."""
    for n in sizes:
        if n < 0:
            raise Trap(TrapKind.NEGATIVE_SIZE, f"Size {n} is negative.", at)


def index_in_bounds(index: Sequence[int], shape: Shape, at: Span) -> None:
    """Every index is in [0, n)."""
    for i, n in zip(index, shape, strict=True):
        if not 0 <= i < n:
            said = index_message(_sizes(index), _sizes(shape))
            raise Trap(TrapKind.INDEX, _filled(said), at)


def slice_in_bounds(dims: Sequence[SliceIndex], shape: Shape, say: Say, at: Span) -> None:
    """Fixed indices are inside; ranges are empty, or their first and last element are inside."""
    for d, n in zip(dims, shape, strict=True):
        match d:
            case Range(start, length, stride):
                last = start + (length - 1) * stride
                inside = length == 0 or (length > 0 and 0 <= start < n and 0 <= last < n)
            case i:
                inside = 0 <= i < n
        if not inside:
            raise Trap(TrapKind.SLICE, say(), at)


def update_in_bounds(dims: Sequence[SliceIndex], shape: Shape, say: Say, at: Span) -> None:
    """As for a slice; and no element is named twice."""
    slice_in_bounds(dims, shape, say, at)
    if any(isinstance(d, Range) and d.stride == 0 and d.len > 1 for d in dims):
        raise Trap(TrapKind.OVERLAP, "Update writes an element twice.", at)


def flat_in_bounds(offset: int, dims: Sequence[tuple[int, int]], n: int, at: Span) -> None:
    """No length is negative; and the LMAD is empty, or all its points are in [0, n)."""
    low = offset + sum(min(0, (k - 1) * s) for k, s in dims)
    high = offset + sum(max(0, (k - 1) * s) for k, s in dims)
    lens = [k for k, _ in dims]
    if min(lens, default=0) < 0 or (0 not in lens and not 0 <= low <= high < n):
        said = flat_message(const(offset), [Dim(const(k), const(s)) for k, s in dims], const(n))
        raise Trap(TrapKind.SLICE, _filled(said), at)


def flat_update_in_bounds(offset: int, dims: Sequence[tuple[int, int]], n: int, at: Span) -> None:
    """As for a flat slice; and no element is named twice, as is clear if there are too many."""
    flat_in_bounds(offset, dims, n, at)
    count = prod(k for k, _ in dims)
    points = {offset}
    for k, s in dims if 0 < count <= n else ():
        points = {p + i * s for p in points for i in range(k)}
    if len(points) < count:
        raise Trap(TrapKind.OVERLAP, "Update writes an element twice.", at)


def same_count(old: Shape, new: Shape, at: Span) -> None:
    """A reshaped array has as many elements as before, and no negative size."""
    negative = any(n < 0 for n in new)
    if negative or prod(old) != prod(new):
        said = reshape_message(_sizes(old), _sizes(new))
        kind = TrapKind.NEGATIVE_SIZE if negative else TrapKind.SHAPE
        raise Trap(kind, _filled(said), at)


def defined(is_defined: bool, index: Sequence[int], at: Span) -> None:
    """An element that is used has been given a value."""
    if not is_defined:
        message = f"Element {show_index(index)} was never given a value."
        raise Trap(TrapKind.UNINITIALISED, message, at)
