"""The ladder: decide a question about places by the first rung that answers it.

    normal form     equal polynomials, or a constant polynomial
    blocks          the places lie in different blocks
    constants       no variable occurs: decided
    intervals       the least address of one exceeds the greatest of the other
    divisors        an integer divides all strides but not the distance
    dimensions      mixed-radix arithmetic with delinearisation (:mod:`~funmem.ir.logic.disjoint`)
    islpy, z3       only on request (``oracles``); they are given the definition of the question

Each question is tried as the program states it, and then with names replaced by the polynomials
that ``let`` binds them to.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from attrs import field

from funmem.ir.arith import expanded
from funmem.ir.lmad import Dim, Lmad
from funmem.ir.logic import disjoint as prover
from funmem.ir.logic.disjoint.instances import Domain, shared, witness
from funmem.ir.logic.disjoint.integers import apart as apart_integers
from funmem.ir.logic.disjoint.integers import constant
from funmem.ir.logic.disjoint.separate import (
    all_positive_or_negative,
    never_zero,
    not_divisible,
)
from funmem.ir.logic.disjoint.sums import (
    UnknownSign,
    difference,
    lifted,
    nonempty,
    normalised,
)
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, ZERO, Size
from funmem.ir.verify.certificate import (
    Answer,
    Apart,
    Argued,
    Nonneg,
    NoRepeat,
    Open,
    Proof,
    Step,
    Within,
)
from funmem.ir.verify.monotone import impossible, nonneg_by_ends
from funmem.ir.verify.origins import Origins
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.spot import Spot

Oracle: TypeAlias = Callable[[Apart], Step | None]
"""A second decision procedure for disjoint index functions: returns its rung, or None."""


@frozen
class Ladder:
    """The decision procedures for the questions about one entry point."""

    scene: Scene
    oracles: Sequence[Oracle] = ()
    origins: Origins = field(init=False)

    @origins.default
    def _the_origins(self) -> Origins:
        return Origins(self.scene)

    # ------------------------------------------------------------------ two places

    def apart(self, a: Spot, b: Spot, facts: Facts) -> Answer:
        """Decide if two places of one block have no byte in common."""
        if any((k := n.as_const) is not None and k <= 0 for _, n in facts.indices):
            return Proof(Step.NORMAL_FORM, Argued("an index has no values, so this never happens"))
        answer: Answer | None = None
        for x, y, known in self.spellings(*_comparable(a, b), facts):
            condition = Apart(x, y, known)
            step = separated(x, y, known)
            if step is not None:
                return Proof(step, condition)
            if answer is None:
                answer = Open("", condition)
        for x, y, known in self.spellings(*_comparable(a, b), facts):
            for oracle in self.oracles:
                if (step := oracle(Apart(x, y, known))) is not None:
                    return Proof(step, Apart(x, y, known))
        assert isinstance(answer, Open)
        x, y = _comparable(a, b)
        if impossible(facts):
            return Proof(Step.INTERVALS, Apart(x, y, facts))
        instance = witness(x, y, facts)
        if instance is not None:
            return Open(str(instance), answer.condition, instance.values)
        return Open(_undecided(x, y, facts), answer.condition)

    def same_or_apart(self, a: Spot, b: Spot, facts: Facts) -> Answer:
        """Decide if two places of one block are identical, or have no byte in common."""
        if a.bytes == b.bytes and (condition := self.same(a.ix, b.ix, facts)) is not None:
            return Proof(Step.NORMAL_FORM, condition)
        return self.apart(a, b, facts)

    def same(self, x: Lmad, y: Lmad, facts: Facts) -> Within | Argued | None:
        """Return the proof that two index functions are equal; None if there is none."""
        for a, b, known in self.spellings(x, y, facts):
            if a == b:
                return Within(a, b, known)
            if a.rank == b.rank and a.offset == b.offset:
                pairs = zip(a.dims, b.dims, strict=True)
                if all(d == e or _one(d, facts) or _one(e, facts) for d, e in pairs):
                    return Argued(f"{a} and {b} have one shape, and differ where it is 1")
        return None

    def within(self, a: Spot, b: Spot, facts: Facts) -> Answer:
        """Decide if one place is inside another one, dimension by dimension."""
        for x, y, known in self.spellings(*_comparable(a, b), facts):
            condition = Within(x, y, known)
            if x == y:
                return Proof(Step.NORMAL_FORM, condition)
            if _covered(x, y, known):
                return Proof(Step.DIMENSIONS, condition)
        x, y = _comparable(a, b)
        return Open(f"{x} may not be inside {y}", Within(x, y, facts))

    # ------------------------------------------------------------------ one place

    def no_repeat(self, ix: Lmad, facts: Facts) -> Answer:
        """Decide if distinct indices have distinct addresses."""
        for x, _, known in self.spellings(ix, ix, facts):
            condition = NoRepeat(x, known)
            if prover.injective(x, known):
                plain = x.rank <= 1 and all(ONE in (d.stride, d.len) for d in x.dims)
                return Proof(Step.NORMAL_FORM if plain else Step.DIMENSIONS, condition)
        return Open(f"two elements of {ix} may be one", NoRepeat(ix, facts))

    def nonneg(self, p: Size, facts: Facts) -> Answer:
        """Decide ``p >= 0``."""
        condition = Nonneg(p, facts)
        if (k := p.as_const) is not None:
            return (
                Proof(Step.NORMAL_FORM, condition)
                if k >= 0
                else Open(f"{p} is negative", condition)
            )
        if nonneg(p, facts):
            return Proof(Step.INTERVALS, condition)
        q, known = expanded(p, self.scene.exact), through(facts, self.scene)
        if nonneg_by_ends(q, known):
            return Proof(Step.INTERVALS, Nonneg(q, known))
        return Open(f"{q} may be negative", condition)

    def ends(self, ix: Lmad, facts: Facts) -> tuple[Size, Size] | Size:
        """Return the least and the greatest address of an index function.

        It must have elements.  If the sign of a stride is unknown, return that stride.
        """
        least = most = ix.offset
        for d in ix.dims:
            reach = (d.len - 1) * d.stride
            if isinstance(self.nonneg(d.stride, facts), Proof):
                most = most + reach
            elif isinstance(self.nonneg(-d.stride, facts), Proof):
                least = least + reach
            else:
                return d.stride
        return least, most

    # ------------------------------------------------------------------ spellings

    def spellings(self, x: Lmad, y: Lmad, facts: Facts) -> Iterator[tuple[Lmad, Lmad, Facts]]:
        """Yield the question as stated, and with names replaced by their polynomials."""
        yield x, y, facts
        exact = self.scene.exact
        a, b = (ix.map_sizes(lambda d: expanded(d, exact)) for ix in (x, y))
        known = through(facts, self.scene)
        if (a, b) != (x, y) or known is not facts:
            yield a, b, known


def through(facts: Facts, scene: Scene) -> Facts:
    """Return the facts with names replaced by the polynomials that they are bound to."""
    return rewritten(facts, scene.exact)


def rewritten(facts: Facts, image: dict[Name, Size]) -> Facts:
    """Return the facts with names replaced by their images; none of the names is an index."""
    mine = {x for x, _ in facts.least} | {x for p in facts.assumed for x in p.free()}
    mine |= {x for _, n in facts.indices for x in n.free()}
    if mine.isdisjoint(image):
        return facts
    found = Facts(tuple((i, expanded(n, image)) for i, n in facts.indices))
    found = Facts(found.indices, tuple((x, k) for x, k in facts.least if x not in image))
    for x, k in facts.least:
        if x in image:
            found = found.assuming(image[x] - k)
    for p in facts.assumed:
        found = found.assuming(expanded(p, image))
    return found


def separated(a: Lmad, b: Lmad, facts: Facts) -> Step | None:
    """Return the rung that proves that two index functions share no address, or None.

    It asks the questions of :func:`funmem.ir.logic.disjoint.disjoint` one at a time.
    """
    if a.offset == b.offset:
        return Step.INTERVALS if nonempty((*a.dims, *b.dims), facts) is None else None
    x, y = constant(a), constant(b)
    if x is not None and y is not None:
        return Step.CONSTANTS if apart_integers(x, y) is True else None
    inside = nonempty((*a.dims, *b.dims), facts)
    if inside is None:
        return Step.INTERVALS
    p, q = normalised(a, inside), normalised(b, inside)
    if isinstance(p, UnknownSign) or isinstance(q, UnknownSign):
        return Step.DIVISORS if not_divisible(difference(a, b)) else None
    sums = lifted(difference(p, q), inside)
    if all_positive_or_negative(sums, inside):
        return Step.INTERVALS
    if not_divisible(sums):
        return Step.DIVISORS
    samples = Domain.of(a.free() | b.free(), inside).samples()
    if shared(a, b, samples) is not None:
        return None
    if never_zero(sums, inside, samples):
        return Step.DIMENSIONS
    apart = difference(p, q)  # here, the indices that are spans above are variables
    if apart != sums and never_zero(apart, inside, samples):
        return Step.DIMENSIONS
    if nonneg_by_ends(sums.least - 1, inside) or nonneg_by_ends(-sums.greatest - 1, inside):
        return Step.INTERVALS
    return None


def _undecided(a: Lmad, b: Lmad, facts: Facts) -> str:
    """Return the term that was not proved to be never zero."""
    inside = nonempty((*a.dims, *b.dims), facts)
    assert inside is not None, "what has no elements is apart"
    p, q = normalised(a, inside), normalised(b, inside)
    for x in (p, q):
        if isinstance(x, UnknownSign):
            return f"the sign of stride {x.stride} is unknown"
    assert isinstance(p, Lmad)
    assert isinstance(q, Lmad)
    return f"not proved that {lifted(difference(p, q), inside)} is never zero"


def _comparable(a: Spot, b: Spot) -> tuple[Lmad, Lmad]:
    """Return the index functions, over bytes if the sizes of their elements differ."""
    return (a.ix, b.ix) if a.bytes == b.bytes else (a.over_bytes, b.over_bytes)


def _one(d: Dim, facts: Facts) -> bool:
    return nonneg(ONE - d.len, facts)


def _covered(a: Lmad, b: Lmad, facts: Facts) -> bool:
    """True if every address of ``a`` is one of ``b``.

    Each dimension of ``b`` has the stride of a dimension of ``a`` that is not longer, or none; the
    distance is a sum of steps along single dimensions.
    """
    inside = nonempty(a.dims, facts)
    if inside is None:
        return True
    left = list(a.dims)
    gap = a.offset - b.offset
    for d in b.dims:
        mine = next((e for e in left if e.stride == d.stride), None)
        if mine is not None:
            left.remove(mine)
        length = ONE if mine is None else mine.len
        steps = (Size((term,)).divided_by(d.stride) for term in gap.terms)
        start = sum((q for q in steps if q is not None), start=ZERO)
        ends = (start, d.len - start - length)
        if not all(nonneg_by_ends(p, inside) for p in ends):
            return False
        gap = gap - start * d.stride
    return gap == ZERO and all(e.len == ONE for e in left)
