"""The non-overlap test against sets of points: ``python -m tests.support.disjoint_oracle``.

    pairs      every LMAD of rank 1 with every one of rank 0, 1 and 2; sizes 0 … 6, strides and
               offsets -6 … 6.  Only the difference of the offsets matters (tested), and it takes
               the values -12 … 12.
    symbolic   the same pairs, as the prover sees them when sizes are unknown: the sets of
               differences, every one once, without the shortcut for integers
    rank 3     random pairs of LMADs of rank 3, from a seed
    injective  every LMAD of rank 1 and 2, and random ones of rank 3

A set of points is an integer, one bit for each element.  Nothing here knows of dimensions that
match, of reversal, or of intervals.  Each part prints how many pairs are disjoint, how many of
these are proved, and how many are claimed and are not; the last number has to be 0.
"""

import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product

import click
from attrs import define, field, frozen

from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic.disjoint import disjoint, injective
from funmem.ir.logic.disjoint.separate import never_zero_symbolic
from funmem.ir.logic.disjoint.sums import Sums, difference, nonempty, normalised
from funmem.ir.logic.prove import Facts
from funmem.ir.sizes import Size, const

Dims = tuple[tuple[int, int], ...]
"""Lengths and strides."""

LENS = range(7)
STEPS = range(-6, 7)
APART = range(-12, 13)
BIAS = 128
"""The bit of element 0."""

CONSTANTS: dict[int, Size] = {k: const(k) for k in range(-40, 41)}


@frozen
class Shape:
    """Some LMADs that differ by their offset only."""

    dims: Dims
    at: dict[int, Lmad] = field(factory=dict, eq=False, repr=False)
    bits: int = field(init=False)
    """The elements of the one at offset 0."""

    @bits.default
    def _points(self) -> int:
        return bits(self.dims)

    def lmad(self, offset: int) -> Lmad:
        found = self.at.get(offset)
        if found is None:
            found = self.at[offset] = lmad(offset, self.dims)
        return found


def lmad(offset: int, dims: Dims) -> Lmad:
    return Lmad(CONSTANTS[offset], tuple(Dim(CONSTANTS[n], CONSTANTS[s]) for n, s in dims))


def bits(dims: Dims) -> int:
    """One bit for each element of the LMAD at offset 0."""
    found = 1 << BIAS
    for n, s in dims:
        before, found = found, 0
        for i in range(n):
            found |= before << i * s if s >= 0 else before >> -i * s
    return found


def meet(a: Shape, apart: int, b: Shape) -> bool:
    """Whether ``a`` at offset ``apart`` and ``b`` at offset 0 share an element."""
    moved = a.bits << apart if apart >= 0 else a.bits >> -apart
    return moved & b.bits != 0


def shapes(rank: int) -> list[Shape]:
    """All of a rank."""
    dims = list(product(LENS, STEPS))
    return [Shape(chosen) for chosen in product(dims, repeat=rank)]


@define
class Tally:
    """How the answers compare with the truth."""

    what: str
    asked: int = 0
    true: int = 0
    proved: int = 0
    wrong: list[str] = field(factory=list)

    def add(self, truth: bool, claimed: bool, what: Callable[[], str]) -> None:
        self.asked += 1
        self.true += truth
        if claimed:
            if truth:
                self.proved += 1
            else:
                self.wrong.append(what())

    def __str__(self) -> str:
        share = self.proved / self.true if self.true else 1.0
        return (
            f"{self.what}: {self.asked} asked, {self.true} hold, {self.proved} proved "
            f"({share:.4%}), {len(self.wrong)} wrong"
        )


Disjoint = Callable[[Lmad, Lmad], bool]


def ask(a: Lmad, b: Lmad) -> bool:
    return disjoint(a, b, Facts())


def ask_symbolically(a: Lmad, b: Lmad) -> bool:
    """The proof without the shortcut for integers."""
    sums = difference_of(a, b)
    return sums is None or never_zero_symbolic(sums, Facts())


def difference_of(a: Lmad, b: Lmad) -> Sums | None:
    if nonempty((*a.dims, *b.dims), Facts()) is None:
        return None
    x, y = normalised(a, Facts()), normalised(b, Facts())
    assert isinstance(x, Lmad)  # the sign of an integer is known
    assert isinstance(y, Lmad)
    return difference(x, y)


# ------------------------------------------------------------------------ the parts


def all_pairs() -> Iterator[tuple[Shape, int, Shape]]:
    ones = shapes(1)
    for others in ([Shape(())], ones, shapes(2)):
        yield from product(ones, APART, others)


def compare(what: str, pairs: Iterable[tuple[Shape, int, Shape]], answer: Disjoint) -> Tally:
    tally = Tally(what)
    for a, apart, b in pairs:
        x, y = a.lmad(apart), b.lmad(0)
        tally.add(not meet(a, apart, b), answer(x, y), lambda x=x, y=y: f"{x} and {y}")
    return tally


def sample(every: int) -> Iterator[tuple[Shape, int, Shape]]:
    """Every so many-th pair: the number should have no factor in common with 7, 13 and 25."""
    ones, twos = shapes(1), shapes(2)
    count = len(ones) * len(APART) * len(twos)
    for k in range(0, count, every):
        rest, b = divmod(k, len(twos))
        a, apart = divmod(rest, len(APART))
        yield ones[a], APART[apart], twos[b]


def once_each(pairs: Iterable[tuple[Shape, int, Shape]]) -> Iterator[tuple[Shape, int, Shape]]:
    """Only one pair of those with one set of differences in the prover's form."""
    seen: set[tuple[Size, frozenset[object]]] = set()
    bases: dict[tuple[Dims, Dims], tuple[Size, frozenset[object]] | None] = {}
    for a, apart, b in pairs:
        key = (a.dims, b.dims)
        if key not in bases:
            sums = difference_of(a.lmad(0), b.lmad(0))
            bases[key] = None if sums is None else (sums.offset, frozenset(sums.spans))
        base = bases[key]
        if base is not None and (form := (base[0] + apart, base[1])) not in seen:
            seen.add(form)
            yield a, apart, b


def random_pairs(count: int, seed: int, rank: int = 3) -> Iterator[tuple[Shape, int, Shape]]:
    """Pairs from a pool of random shapes; a third of the dimensions have unit or equal strides."""
    rng = random.Random(seed)
    pool = [Shape(tuple(_random_dim(rng) for _ in range(rank))) for _ in range(3000)]
    for _ in range(count):
        yield rng.choice(pool), rng.randint(-12, 12), rng.choice(pool)


def _random_dim(rng: random.Random) -> tuple[int, int]:
    stride = rng.choice((1, -1, 6, -6)) if rng.random() < 0.33 else rng.choice(STEPS)
    return rng.choice(LENS[1:]) if rng.random() < 0.97 else 0, stride


def compare_injective(what: str, dims: Iterable[Dims]) -> Tally:
    tally = Tally(what)
    for d in dims:
        places = [sum(i * s for i, (_, s) in zip(at, d, strict=True)) for at in _indices(d)]
        truth = len(set(places)) == len(places)
        tally.add(truth, injective(lmad(0, d), Facts()), lambda d=d: str(lmad(0, d)))
    return tally


def _indices(d: Dims) -> Iterator[Sequence[int]]:
    return product(*(range(n) for n, _ in d))


def random_dims(count: int, seed: int, rank: int = 3) -> Iterator[Dims]:
    rng = random.Random(seed)
    return (tuple(_random_dim(rng) for _ in range(rank)) for _ in range(count))


# ------------------------------------------------------------------------ the command


@click.command()
@click.option("--pairs", default=200_000, show_default=True, help="Random pairs of rank 3.")
@click.option("--seed", default=0, show_default=True)
@click.option("--every", default=1, show_default=True, help="Only every so many-th small pair.")
@click.option(
    "--part", "only", multiple=True, help="Only this part, as it is called in the output."
)
def main(pairs: int, seed: int, every: int, only: tuple[str, ...]) -> None:
    """Compare the non-overlap test with sets of points.

    Exhaustively, that is hours, nearly all of them for the part "symbolic".
    """
    small = [d for rank in (1, 2) for d in product(product(LENS, STEPS), repeat=rank)]

    def chosen() -> Iterator[tuple[Shape, int, Shape]]:
        return islice(all_pairs(), 0, None, every)

    parts: dict[str, Callable[[str], Tally]] = {
        "pairs": lambda x: compare(x, chosen(), ask),
        "symbolic": lambda x: compare(x, once_each(chosen()), ask_symbolically),
        "rank 3": lambda x: compare(x, random_pairs(pairs, seed), ask),
        "rank 3, symbolic": lambda x: compare(x, random_pairs(pairs // 10, seed), ask_symbolically),
        "injective": lambda x: compare_injective(x, small),
        "injective, rank 3": lambda x: compare_injective(x, random_dims(pairs // 10, seed)),
    }
    wrong = 0
    for name in only or parts:
        start = time.monotonic()
        tally = parts[name](name)
        wrong += len(tally.wrong)
        print(f"{tally}, {time.monotonic() - start:.0f} s", flush=True)
        for example in tally.wrong[:5]:
            print(f"    {example}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
