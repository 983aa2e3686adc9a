"""Huge inputs: numbers beyond any array size, whose arithmetic wraps around.

The sizes of the program show where it does: 4*n reaches 2^64 at n = 2^62, and a*b where both are
2^32.  The most negative number overflows comparisons and subtractions of sizes.
"""

import random
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from funmem.ir.fun import ArrayType, MemProgram
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, normalise
from funmem.ir.signature import Signature, signature
from funmem.ir.traverse import sizes_in
from funmem.ir.values import ArgValue, bind
from funmem.testing.corpus.inputs import as_int, fits, with_sizes
from funmem.testing.judge.program import Case
from funmem.testing.reduce.inputs import entry_of

Products: TypeAlias = Mapping[tuple[Name, ...], Sequence[int]]
"""Products in sizes: their names, and the bits of each factor for which the product is 2^BITS."""

BITS = (60, 61, 63, 64)
"""Bits at which a number of 8-byte elements, or a number of bytes, wraps around."""

FEWEST = 19
"""Bits of the smallest huge number: no array in an input has that many elements."""

ANY = (31, 32, 33, 60, 62, 63)
"""Bits of numbers that occur in no product."""

NEAR = 3
"""Largest distance between parameters that are huge together.  Composed programs have their
parameters one after another.
"""

NEGATIVE, LEAST = 0.4, 0.3
"""Fraction of negative huge scalars, and fraction of -2^63 among these."""


def products(p: MemProgram) -> Products:
    """Return the products in a program's sizes, with their largest factors."""
    found: dict[tuple[Name, ...], tuple[int, ...]] = {}
    terms = {t for size in sizes_in(p) for t in size.terms if t[0]}
    for monomial, factor in sorted(terms, key=lambda t: (t[0], -abs(t[1]))):
        more = (bits + 1 - abs(factor).bit_length() for bits in BITS)
        digits = (max(FEWEST, min(-(-n // len(monomial)), 63)) for n in more)
        found.setdefault(monomial, tuple(digits))
    return found


def huge_input(
    case: Case, rng: random.Random, fixed: frozenset[Name], wraps: Products
) -> Case | None:
    """Return the case with huge numbers in neighbouring parameters, which make products wrap
    around.

    They are scalars, or lengths of arrays that another length makes empty.  Other numbers near them
    are 0, 1, -1, or unchanged.  None if there are none; ``fixed`` parameters are unchanged.
    """
    s = signature(entry_of(case))
    sizes, values = bind(s, case.args)
    scalars = {p.name: k for k, p in enumerate(s.params) if p.type is I64}
    where = {x: k for x, k in {**_lengths(s), **scalars}.items() if x not in fixed}
    if not where:
        return None
    at = rng.choice(list(where.values()))
    near = {x for x, k in where.items() if abs(k - at) <= NEAR}
    drawn = _drawn(near, scalars, rng, wraps)
    known, args = dict(sizes), list[ArgValue](values)
    known |= {x: min(k, I64.max) for x, k in drawn.items() if x in sizes}
    for xs in (xs for xs in _shapes(s) if not xs.isdisjoint(drawn)):
        if not (others := sorted(xs - drawn.keys())):
            return None
        known[rng.choice(others)] = 0
    for x in sorted(near & scalars.keys()):
        beside = rng.choice((0, 0, 0, 1, -1, *[as_int(values[scalars[x]])] * 2))
        args[scalars[x]] = normalise(drawn.get(x, beside), I64)
    changed = with_sizes(s, args, known, rng, fixed)
    return None if changed is None else fits(s, evolve(case, args=tuple(changed)))


def _drawn(
    near: set[Name], scalars: Mapping[Name, int], rng: random.Random, wraps: Products
) -> dict[Name, int]:
    """Return the huge numbers: factors of one to three products, which wrap around alike."""
    chosen = [xs for xs in wraps if near.issuperset(xs)] or [(x,) for x in sorted(near)]
    column, less = rng.randrange(len(BITS)), rng.choice((0, 0, 0, 1, 4))
    drawn: dict[Name, int] = {}
    for xs in rng.sample(chosen, min(len(chosen), rng.choice((1, 1, 2, 3)))):
        digits = wraps[xs][column] if xs in wraps else rng.choice(ANY)
        for x in xs:
            number = (1 << digits) - less
            if x in scalars and rng.random() < NEGATIVE:
                number = I64.min if rng.random() < LEAST else -number
            drawn.setdefault(x, number)
    return drawn


def _shapes(s: Signature) -> list[frozenset[Name]]:
    """Return the size names of each array that may have elements."""
    shapes = [p.type.shape for p in s.params if isinstance(p.type, ArrayType)]
    return [
        frozenset[Name]().union(*(d.free() for d in shape)) & frozenset(s.sizes)
        for shape in shapes
        if all(d.as_const != 0 for d in shape)
    ]


def _lengths(s: Signature) -> dict[Name, int]:
    """Return the sizes that may be huge, since another size can make their arrays empty, and the
    parameters at which they stand.
    """
    shapes = _shapes(s)
    return {
        x: k
        for k, p in enumerate(s.params)
        if isinstance(p.type, ArrayType)
        for d in p.type.shape
        for x in sorted(d.free())
        if x in s.sizes and all(len(xs) > 1 for xs in shapes if x in xs)
    }
