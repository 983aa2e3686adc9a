"""Inputs with numbers that are far from being sizes: what is computed of them wraps around.

Where it does is seen in the sizes of the program: 4*n reaches 2^64 at 2^62, and a*b where both are
2^32.  And of what sizes compare, or take from each other, the most negative number is beyond.
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
"""Factors of sizes, by name, and with how many bits each of them the product has 2^BITS."""

BITS = (60, 61, 63, 64)
"""So many elements of 8 bytes wrap around, or so many bytes do."""

FEWEST = 19
"""Bits of a far number: no array of an input is as long, and has elements."""

ANY = (31, 32, 33, 60, 62, 63)
"""Bits of a number of which no size tells where it wraps around."""

NEAR = 3
"""How many parameters away from each other two numbers are far at once: programs that were joined
have theirs one after the other.
"""

NEGATIVE, LEAST = 0.4, 0.3
"""How many far scalars are negative, and how many of these are -2^63."""


def products(p: MemProgram) -> Products:
    """The products in a program's sizes, and where they reach 2^BITS, with the greatest
    factor that they have anywhere.
    """
    found: dict[tuple[Name, ...], tuple[int, ...]] = {}
    terms = {t for size in sizes_in(p) for t in size.terms if t[0]}
    for monomial, factor in sorted(terms, key=lambda t: (t[0], -abs(t[1]))):
        more = (bits + 1 - abs(factor).bit_length() for bits in BITS)
        digits = (max(FEWEST, min(-(-n // len(monomial)), 63)) for n in more)
        found.setdefault(monomial, tuple(digits))
    return found


def far(case: Case, rng: random.Random, fixed: frozenset[Name], wraps: Products) -> Case | None:
    """Some products of neighbouring numbers are far from being sizes of arrays that have elements,
    or wrap around; other numbers beside them are 0, 1, -1, or as they were.

    They are scalars, and lengths of arrays that have no elements then.  None if there are none;
    ``fixed`` parameters stay as they are.
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
    """The far numbers: the factors of one to three products, which wrap around alike."""
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
    """The sizes of each array, of those that may have elements."""
    shapes = [p.type.shape for p in s.params if isinstance(p.type, ArrayType)]
    return [
        frozenset[Name]().union(*(d.free() for d in shape)) & frozenset(s.sizes)
        for shape in shapes
        if all(d.as_const != 0 for d in shape)
    ]


def _lengths(s: Signature) -> dict[Name, int]:
    """The sizes that may be far, as no array has elements if another size is 0; and at which
    parameters.
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
