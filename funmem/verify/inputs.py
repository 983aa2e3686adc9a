"""Small arguments for an entry point: every small size, every kind of content, in a fixed order.

Faults of memory show at small sizes: one index too many, two threads, a block of one element.
Faults of arithmetic show for numbers of large magnitude, which wrap around or exceed every memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations
from itertools import product as cartesian
from math import prod

import numpy as np

from funmem.ir.diagnostics import DeviceError
from funmem.ir.fun import Ann, ArrayType, Entry
from funmem.ir.names import Name
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.signature import signature
from funmem.ir.values import ArgValue, Data, dtype, holdable

SIZES = (3, 2, 4, 1, 0, 5)
SCALARS = (2, 3, 1, 0, 4, -1)
MOST = 1 << 12
"""Cap on the elements of one argument."""

FAR = (1 << 60, -(1 << 63), 10**6, -(1 << 33), (1 << 63) - 1)
FAR_PAIRS = ((1 << 33, 1 << 31), (1 << 62, (1 << 62) - 4), (-(1 << 33), 1 << 33))
FAR_SIZE = 1 << 31
NEAR = (3, 1)
"""Numbers of large magnitude, and the values of all other parameters."""


def small_inputs(
    e: Entry[Ann], count: int, hints: Sequence[Mapping[Name, int]] = ()
) -> Iterator[tuple[ArgValue, ...]]:
    """Yield the first ``count`` inputs; those with hinted sizes come first."""
    yield from islice(_all(e, hints), count)


def far_inputs(e: Entry[Ann], count: int) -> Iterator[tuple[ArgValue, ...]]:
    """Yield the first ``count`` inputs with numbers of large magnitude.

    They are one or two i64 scalars, or a size of an array without elements.  A loop may have as
    many iterations, so the caller must limit the execution.
    """
    yield from islice(_far(e), count)


def _far(e: Entry[Ann]) -> Iterator[tuple[ArgValue, ...]]:
    sig = signature(e)
    scalars = {p.name: p.type for p in sig.params if isinstance(p.type, ScalarType)}
    wide = [x for x, t in scalars.items() if t is I64]
    shapes = [
        {x for d in p.type.shape for x in d.free()}
        for p in sig.params
        if isinstance(p.type, ArrayType)
    ]
    one = [{x: k} for x in wide for k in FAR]
    two = [{x: k, y: m} for x, y in permutations(wide, 2) for k, m in FAR_PAIRS]
    empty = [
        {**dict.fromkeys(others & {*sig.sizes}, 0), x: FAR_SIZE, **more}
        for x in sig.sizes
        if (others := {y for s in shapes if x in s for y in s} - {x})
        for more in ({}, *one)
    ]
    for at, (near, far) in enumerate(cartesian(NEAR, (*one, *two, *empty))):
        values = dict.fromkeys(sig.sizes, near)
        values |= {x: 1 if t is ScalarType.BOOL else near for x, t in scalars.items()}
        yield from _arguments(e, values | far, at % len(FILLS))


def _all(e: Entry[Ann], hints: Sequence[Mapping[Name, int]]) -> Iterator[tuple[ArgValue, ...]]:
    sig = signature(e)
    scalars = {p.name: p.type for p in sig.params if isinstance(p.type, ScalarType)}
    names = (*sig.sizes, *scalars)
    for hint in hints:
        values = {x: hint.get(x, 3) for x in names}
        for fill in range(len(FILLS)):
            yield from _arguments(e, values, fill)
    choices = [SIZES if x in sig.sizes else _choices(scalars[x]) for x in names]
    for at, way in enumerate(_ways([len(c) for c in choices])):
        values = {x: c[k] for x, c, k in zip(names, choices, way, strict=True)}
        yield from _arguments(e, values, at % len(FILLS))


def _ways(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all tuples of numbers below the counts, by the largest number in the tuple.

    There are very many tuples, so small numbers come first.
    """
    for most in range(max(counts, default=1)):
        ways = cartesian(*(range(min(n, most + 1)) for n in counts))
        yield from sorted((w for w in ways if max(w, default=0) == most), key=sum)


def _choices(t: ScalarType) -> tuple[int, ...]:
    if t is ScalarType.BOOL:
        return (1, 0)
    return tuple(k for k in SCALARS if k >= 0 or str(t)[0] != "u")


def _arguments(
    e: Entry[Ann], values: Mapping[Name, int], fill: int
) -> Iterator[tuple[ArgValue, ...]]:
    sig = signature(e)
    args: list[ArgValue] = []
    for k, p in enumerate(sig.params):
        if isinstance(p.type, ScalarType):
            args.append(_scalar(p.type, values[p.name]))
        else:
            shape = tuple(d.eval(values.__getitem__) for d in p.type.shape)
            if min(shape) < 0 or prod(shape) > MOST or not _holdable(shape, p.type):
                return
            args.append(_array(p.type, shape, FILLS[(fill + k) % len(FILLS)]))
    yield tuple(args)


def _holdable(shape: tuple[int, ...], t: ArrayType) -> bool:
    """True if an array of that shape can exist."""
    try:
        holdable(shape, t.elem)
    except DeviceError:
        return False
    return True


def _scalar(t: ScalarType, k: int) -> ArgValue:
    if t.is_float and k < 0:
        return dtype(t).type(-0.0)
    value: ArgValue = dtype(t).type(k)
    return value


def _array(t: ArrayType, shape: tuple[int, ...], fill: tuple[int, int, int]) -> Data:
    factor, start, modulus = fill
    n = prod(shape)
    values = (np.arange(n) * factor + start) % (modulus or max(n, 1))
    if factor < 0 and (t.elem.is_float or (modulus and t.elem.is_signed)):
        # includes negative numbers and a negative zero
        return (-values.astype(dtype(t.elem))).reshape(shape)
    return values.astype(dtype(t.elem)).reshape(shape)


FILLS = ((1, 0, 0), (7, 3, 5), (0, 1, 3), (-1, -1, 0), (3, 1, 4), (-1, 0, 4))
"""Element k is (factor * k + start) modulo a number; 0 stands for the number of elements."""
