"""Random questions with unknown sizes, and their answers for all small sizes.

The LMADs are what passes ask about: slices of a row-major array, transposed, reversed, interleaved
by thread, next to each other in one block; some are off by one.  The variables are two sizes and
two indices, of which the second may depend on the first.
"""

import random
from collections.abc import Iterator, Mapping
from itertools import product

from attrs import frozen

from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, SliceDim, row_major
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.sizes import ONE, ZERO, Size, const, var

N, M, I0, J = Name("n"), Name("m"), Name("i"), Name("j")
n, m, i, j = var(N), var(M), var(I0), var(J)

SHAPES: tuple[tuple[Size | int, ...], ...] = (
    (n, m), (n, m), (m, n), (n * m,), (n, n), (n, m, 2), (2, n, m), (n * 2, m + 1), (n + 1, n + 1),
    (n, 3), (2, 2, n),
)  # fmt: skip
STARTS = (ZERO, ONE, i, j, i + 1, j + 1, n - 1, i * m, i * 2, m)
COUNTS = (ONE, const(2), n, m, i, j, n - i, n - 1, n - i - 1, i - j, m - j, m - 1, i + 1)
SHIFTS = (ZERO, ZERO, ZERO, ONE, n, m, n * m, n * m * 2, i * m, j * n, const(-1))


@frozen
class Query:
    """Two LMADs and the facts about their variables."""

    a: Lmad
    b: Lmad
    facts: Facts

    def __str__(self) -> str:
        return f"{self.a}\n{self.b}\n{self.facts}"


def queries(count: int, seed: int) -> Iterator[Query]:
    rng = random.Random(seed)
    for _ in range(count):
        shape = row_major(rng.choice(SHAPES))
        yield Query(_part(shape, rng), _part(shape, rng), _facts(rng))


def affine_queries(count: int, seed: int) -> Iterator[Query]:
    """The same where strides are numbers and no variables are multiplied."""
    rng = random.Random(seed)
    shapes: tuple[tuple[Size | int, ...], ...] = ((n,), (n, 8), (n, 3, 4), (n, 2), (n, 8))
    starts = (ZERO, ONE, i, j, i + 1, j + 1, const(2), const(3), n - 1, m)
    counts = (ONE, const(2), const(3), const(4), n, m, i, n - i, j + 1, n - 1, i - j)

    def part(x: Lmad) -> Lmad:
        dims: list[SliceDim] = []
        for at, d in enumerate(x.dims):
            inner = at > 0
            small = [c for c in counts if not inner or c.as_const is not None]
            start = rng.choice([c for c in starts if not inner or c.as_const is not None])
            match rng.randrange(4):
                case 0:
                    dims.append(DimRange(ZERO, d.len, ONE))
                case 1:
                    dims.append(DimFix(start))
                case _:
                    stride = const(rng.choice((1, 1, 1, 2, -1)))
                    dims.append(DimRange(start, rng.choice(small), stride))
        return x.slice_f(dims).shifted(rng.choice((ZERO, ZERO, ZERO, ONE, n, 8 * n, 2 * i, -j)))

    for _ in range(count):
        whole = row_major(rng.choice(shapes))
        facts = Facts().with_nonneg(n).with_nonneg(m - rng.choice((0, 1)))
        facts = facts.assuming(rng.choice((n - m, m - n, n - 2 * m, n)))
        facts = facts.with_index(I0, rng.choice((n, n, m)))
        yield Query(part(whole), part(whole), facts.with_index(J, rng.choice((i, i, n, n - i))))


def _part(x: Lmad, rng: random.Random) -> Lmad:
    if rng.random() < 0.15:  # thread i of n has every n-th element
        return Lmad(rng.choice((i, j, i + 1)), (Dim(rng.choice(COUNTS), n),)).shifted(
            rng.choice(SHIFTS)
        )
    x = x.slice_f([_slice(d.len, rng) for d in x.dims])
    for k in range(x.rank):
        if rng.random() < 0.2:
            x = x.reverse(k)
    order = list(range(x.rank))
    rng.shuffle(order)
    return x.permute(order).shifted(rng.choice(SHIFTS))


def _slice(length: Size, rng: random.Random) -> SliceDim:
    match rng.randrange(5):
        case 0:
            return DimRange(ZERO, length, ONE)
        case 1 | 2:
            return DimFix(rng.choice(STARTS))
        case 3:
            return DimRange(rng.choice(STARTS), rng.choice(COUNTS), ONE)
        case _:
            stride = rng.choice((const(2), const(-1), ZERO, n, n - i))
            return DimRange(rng.choice(STARTS), rng.choice(COUNTS), stride)


def _facts(rng: random.Random) -> Facts:
    facts = Facts()
    for size in (n, m):
        facts = facts.with_nonneg(size - rng.choice((0, 0, 1, 2)))
    for _ in range(rng.choice((0, 0, 1, 2))):
        facts = facts.assuming(rng.choice((n - m, m - n, n - m * 2, n * m - 4, n - m - 1)))
    facts = facts.with_index(I0, rng.choice((n, n, m, n * m)))
    return facts.with_index(J, rng.choice((i, n, m, n - i - 1, n - i, i + 1)))


def instances(
    facts: Facts, upto: int, sizes: tuple[Name, ...] = (N, M)
) -> Iterator[dict[Name, int]]:
    """All values of the variables, sizes up to a bound, that the facts allow."""
    least = dict(facts.least)
    for chosen in product(range(upto + 1), repeat=len(sizes)):
        values = dict(zip(sizes, chosen, strict=True))
        yield from (
            v
            for v in _indexed(values, list(facts.indices))
            if all(v[x] >= k for x, k in least.items())
            and all(p.eval(v.__getitem__) >= 0 for p in facts.assumed)
        )


def _indexed(values: dict[Name, int], left: list[tuple[Name, Size]]) -> Iterator[dict[Name, int]]:
    if not left:
        yield values
        return
    (x, bound), *rest = left
    for k in range(bound.eval(values.__getitem__)):
        yield from _indexed({**values, x: k}, rest)


def points(x: Lmad, values: Mapping[Name, int]) -> list[int]:
    """The elements at an instance, with repetition."""
    value = values.__getitem__
    places = [x.offset.eval(value)]
    for d in x.dims:
        stride = d.stride.eval(value)
        places = [p + k * stride for k in range(d.len.eval(value)) for p in places]
    return places


def overlap(q: Query, upto: int, sizes: tuple[Name, ...] = (N, M)) -> dict[Name, int] | None:
    """The first instance at which the two share an element; None: they never do, up to a size."""
    for values in instances(q.facts, upto, sizes):
        if set(points(q.a, values)) & set(points(q.b, values)):
            return values
    return None
