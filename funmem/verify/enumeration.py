"""Arguments for an entry point in the order of total size, so that all small ones occur.

The *weight* of an input is the sum of its sizes and of the weights of its scalars and elements.
The weight of a small number is its number of bits; extreme values of wide types weigh a few more.
All values of u8 and i8 occur.  Sizes go up to four; samples follow.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from math import inf, nan, prod
from time import monotonic

import numpy as np

from funmem.ir.fun import Ann, ArrayType, Entry
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.signature import Signature, signature
from funmem.ir.values import ArgValue, dtype

LARGEST_SIZE = 4
LARGEST_ARRAY = LARGEST_SIZE**3
"""Cap on the elements of one array."""
NUMBERS = 9
"""For wide integers, numbers of smaller absolute value occur, and extreme values."""
CORNER = 5
"""The weight of the largest and the smallest number of a type, and of their neighbours."""
WORST = 9
"""The weight of -128."""
FLOATS = (0.0, 1.0, -1.0, 2.0, 0.5, -0.0, inf, -inf, nan, 3.0, 1e30, 1e-30)
SAMPLES, SAMPLE_SIZE = 200, 12
"""Number of samples at the end, and the cap on their sizes."""

Weighted = Sequence[Sequence[float]]
"""The values of each weight: a sequence indexed by weight."""


def searched(
    e: Entry[Ann], count: int, seconds: float | None = None
) -> Iterator[tuple[ArgValue, ...]]:
    """Yield the first ``count`` inputs by weight, or those requested in time, then samples.

    Time is limited to ``seconds``.  Yield nothing if ``count`` is not positive.
    """
    if count <= 0:
        return
    end = None if seconds is None else monotonic() + seconds
    for args in islice(enumerated(e), count):
        yield args
        if end is not None and monotonic() > end:
            break
    yield from islice(samples(e), count)


def enumerated(e: Entry[Ann]) -> Iterator[tuple[ArgValue, ...]]:
    """Yield all inputs with sizes up to four and values from :func:`domain`, lightest first."""
    sig = signature(e)
    domains: dict[Name, Weighted] = {x: [(k,) for k in range(LARGEST_SIZE + 1)] for x in sig.sizes}
    arrays: list[ArrayType] = []
    for p in sig.params:
        if isinstance(p.type, ArrayType):
            arrays.append(p.type)
        else:
            domains[p.name] = domain(p.type)
    most = _most(domains.values())
    heaviest = most + _most(domain(t.elem) for t in arrays) * LARGEST_ARRAY
    for weight in range(heaviest + 1):
        for own in range(min(weight, most) + 1):
            for way in _ways((*domains.values(),), own):
                chosen = dict(zip(domains, way, strict=True))
                shapes = _shapes(sig, chosen)
                if shapes is not None:
                    rest = [d for t, shape in shapes for d in [domain(t.elem)] * prod(shape)]
                    for elements in _ways(rest, weight - own):
                        yield _arguments(sig, chosen, elements)


def _most(domains: Iterable[Weighted]) -> int:
    return sum(len(d) - 1 for d in domains)


@cache
def domain(t: ScalarType) -> Weighted:
    """Return the values of a type that occur, by weight; no weight up to the largest is empty."""
    if t is ScalarType.BOOL:
        return ((0,), (1,))
    if t.is_float:
        return tuple((x,) for x in FLOATS)
    near = range(t.min, t.max + 1) if t.bytes == 1 else range(-NUMBERS + 1, NUMBERS)
    found: list[list[float]] = [[] for _ in range(WORST + 1)]
    for k in near:
        if t.min <= k <= t.max:
            found[abs(k).bit_length() + (k < 0)].append(k)
    if t.bytes > 1:
        half = 1 << (4 * t.bytes)
        corners = (t.max, t.min, t.max - 1, t.min + 1, half, t.max // 2 + 1, t.min // 2)
        found[CORNER] += [k for k in dict.fromkeys(corners) if k not in near]
    while not found[-1]:
        found.pop()
    return found


def samples(e: Entry[Ann]) -> Iterator[tuple[ArgValue, ...]]:
    """Yield larger inputs, always the same ones."""
    sig = signature(e)
    rng = random.Random(0)
    for _ in range(SAMPLES):
        chosen: dict[Name, float] = {x: rng.randint(0, SAMPLE_SIZE) for x in sig.sizes}
        for p in sig.params:
            if isinstance(p.type, ScalarType):
                chosen[p.name] = _any(p.type, rng)
        shapes = _shapes(sig, chosen)
        if shapes is not None:
            elements = [_any(t.elem, rng) for t, shape in shapes for _ in range(prod(shape))]
            yield _arguments(sig, chosen, elements)


def _any(t: ScalarType, rng: random.Random) -> float:
    return rng.choice(rng.choice([values for values in domain(t) if values]))


def _ways(domains: Sequence[Weighted], weight: int) -> Iterator[tuple[float, ...]]:
    """Yield all choices of one value per domain with a given total weight."""
    if not domains:
        if weight == 0:
            yield ()
        return
    first, rest = domains[0], domains[1:]
    most = _most(rest)
    for own in range(max(0, weight - most), min(weight, len(first) - 1) + 1):
        for value in first[own]:
            for others in _ways(rest, weight - own):
                yield (value, *others)


Shapes = list[tuple[ArrayType, tuple[int, ...]]]


def _shapes(sig: Signature, chosen: Mapping[Name, float]) -> Shapes | None:
    """Return the shapes of the arrays; None if one is negative or too large."""
    values = {x: int(k) for x, k in chosen.items() if k == k and abs(k) != inf}
    found: Shapes = []
    for p in sig.params:
        if isinstance(p.type, ArrayType):
            shape = tuple(d.eval(values.__getitem__) for d in p.type.shape)
            if min(shape) < 0 or prod(shape) > LARGEST_ARRAY:
                return None
            found.append((p.type, shape))
    return found


def _arguments(
    sig: Signature, chosen: Mapping[Name, float], elements: Sequence[float]
) -> tuple[ArgValue, ...]:
    left = iter(elements)
    shapes = iter(_shapes(sig, chosen) or ())
    args: list[ArgValue] = []
    for p in sig.params:
        if isinstance(p.type, ScalarType):
            args.append(dtype(p.type).type(chosen[p.name]))
        else:
            t, shape = next(shapes)
            values = [next(left) for _ in range(prod(shape))]
            args.append(np.array(values, dtype(t.elem)).reshape(shape))
    return tuple(args)
