"""The prover that leaves checks out: what it shows, and that it shows nothing false."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from operator import mul

import numpy as np
import pytest
from numpy.typing import NDArray

from funmem.ir.fun import Bin, Const, Var
from funmem.ir.imp import Condition, Holds, Injective, InRange, NonNegative, RangeInside, SizesEqual
from funmem.ir.lmad import Dim
from funmem.ir.logic import prove
from funmem.ir.logic.prove import Facts, names_once, nonneg, proved
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ONE, ZERO, Size, const, var

I0, J = Name("i"), Name("j")
N, M, K = Name("n"), Name("m"), Name("k")
n, m, i, j, k = var(N), var(M), var(I0), var(J), var(K)
NEST = Facts().with_nonneg(n).with_nonneg(m).with_index(I0, n).with_index(J, m)
TRIANGLE = Facts().with_index(I0, n).with_index(J, n - i)


@pytest.mark.parametrize(
    "condition",
    [
        InRange(i, n),
        InRange(n - 1 - i, n),
        InRange(i * m + j, n * m),
        InRange(j * n + i, n * m),
        InRange(ZERO, n),
        InRange(i + 1, n + 1),
        InRange(const(2), const(3)),
        RangeInside(ZERO, n, ONE, n),
        RangeInside(n - 1, n, const(-1), n),
        RangeInside(i, n - i, ONE, n),
        RangeInside(i * m, m, ONE, n * m),
        RangeInside(const(99), ZERO, ONE, n),
        RangeInside(ZERO, n - 1, ONE, n - 1),
        RangeInside(j, n, m, n * m),
        RangeInside(n - i, i, ONE, n),  # empty, or i is at least 1
        Injective((Dim(n, ONE),)),
        Injective((Dim(n, const(-1)),)),
        Injective((Dim(n, const(-2)),)),
        Injective((Dim(ONE, n),)),
        Injective((Dim(n, -m), Dim(m, ONE))),
        Injective((Dim(k, k),)),  # without elements, or k is at least 1
        Injective((Dim(m, ONE), Dim(n, m + 1))),
        Injective((Dim(n, ZERO), Dim(ZERO, ONE))),
        NonNegative(n * m - m),
        NonNegative(n - i - 1),
        SizesEqual(n * m + m, m * (n + 1)),
        Holds(Const(True, BOOL)),
        Holds(Bin(BinOp.NE, Const(3, I64), Const(0, I64))),
    ],
    ids=str,
)
def test_proved(condition: Condition) -> None:
    assert proved(condition, NEST)


@pytest.mark.parametrize(
    "condition",
    [
        InRange(i, m),
        InRange(i + 1, n),
        InRange(i - 1, n),
        InRange(k, n),
        InRange(i * n + j, n * m),
        InRange(i * i, n * n),  # true, but not linear in i
        RangeInside(ONE, n, ONE, n),
        RangeInside(ZERO, n - 5, ONE, n),
        RangeInside(ZERO, k, ZERO, n),
        Injective((Dim(n, ZERO),)),
        Injective((Dim(n, m), Dim(m + 1, ONE))),
        Injective((Dim(n, k), Dim(m, ONE))),
        Injective((Dim(n, k),)),
        NonNegative(k),
        NonNegative(k * k),  # true, but the sign of k is unknown
        NonNegative(n - 2),
        SizesEqual(n, m),
        Holds(Const(False, BOOL)),
        Holds(Var(K)),
        Holds(Bin(BinOp.NE, Const(0, I64), Const(0, I64))),
        Holds(Bin(BinOp.EQ, Bin(BinOp.DIV, Const(1, I64), Const(0, I64)), Const(0, I64))),
    ],
    ids=str,
)
def test_not_proved(condition: Condition) -> None:
    assert not proved(condition, NEST)


def test_what_holds_one_element_has_no_stride() -> None:
    """A dimension of length 1 may have any."""
    some = Facts().with_nonneg(n).with_nonneg(m)
    assert names_once((Dim(ONE, k), Dim(n, ONE)), some)
    assert names_once((Dim(const(2), ONE),), some)
    assert not names_once((Dim(const(2), k),), some)
    assert not names_once((Dim(n, m),), some)
    assert names_once((Dim(n, m),), some.with_nonneg(m - 1))


def test_bounds_may_mention_outer_indices() -> None:
    assert proved(InRange(i + j, n), TRIANGLE)
    assert not proved(InRange(i + j + 1, n), TRIANGLE)


def test_lengths_tell_about_their_variables() -> None:
    assert nonneg(n - 3, Facts().with_nonneg(n - 3))
    assert nonneg(n + 2, Facts().with_nonneg(2 * n + 5))
    assert not nonneg(n + 1, Facts().with_nonneg(2 * n + 5))
    assert nonneg(n, Facts().with_nonneg(n - 2).with_nonneg(n + 7))
    assert not nonneg(n, Facts().with_nonneg(3 - n))
    assert not nonneg(n, Facts().with_nonneg(n * m))


def test_indices_tell_about_their_bounds() -> None:
    """An index that is at least 2 makes its bound at least 3."""
    assert not nonneg(n - 3, NEST)
    assert nonneg(n - 3, NEST.with_nonneg(i - 2))
    assert nonneg(i - 2, NEST.with_nonneg(i - 2))
    assert nonneg(n - 2, Facts().with_index(I0, n).with_index(J, i))
    assert nonneg(n - 2, Facts().with_index(I0, n).with_index(J, n - i - 1))


def test_an_index_with_a_factor_is_taken_at_the_better_end() -> None:
    """Of (2 - n)*i with n >= 5 that is the lower one."""
    some = Facts().with_nonneg(n - 5).with_index(I0, k)
    assert nonneg(m - 3, some.with_nonneg((2 - n) * i + m - 3))
    assert nonneg(m - 6, some.with_nonneg(i - 1).with_nonneg((2 - n) * i + m - 3))
    assert not nonneg(m - 7, some.with_nonneg(i - 1).with_nonneg((2 - n) * i + m - 3))
    assert not nonneg(m, some.with_nonneg((6 - n) * i + m))  # it may be either end
    assert nonneg(n - 2, Facts().with_index(I0, k).with_nonneg(n - i * i - 2))


def test_inequalities_may_follow_from_one_another_twice() -> None:
    assert nonneg(n - 3, Facts().assuming(n - m).assuming(m - k).with_nonneg(k - 3))


def test_a_variable_is_bounded_by_others() -> None:
    some = Facts().with_nonneg(m - 1)
    assert nonneg(n - 4, some.with_nonneg(n - 2 * m - 2))
    assert not nonneg(n - 5, some.with_nonneg(n - 2 * m - 2))
    assert not nonneg(n, Facts().with_nonneg(n - m))  # m may be negative
    assert nonneg(n - 3, Facts().assuming(n - m).with_nonneg(m - 3))  # in whatever order


def test_no_factor_of_a_positive_product_is_zero() -> None:
    some = Facts().with_nonneg(n).with_nonneg(m)
    assert nonneg(n - 1, some.with_nonneg(n * m - 1))
    assert nonneg(m - 1, some.with_nonneg(2 * n * n * m - 5))
    assert nonneg(m - 1, some.with_nonneg(k - 1).with_nonneg(n * m - k * k))
    assert not nonneg(n - 2, some.with_nonneg(n * m - 5))
    assert not nonneg(n - 1, some.with_nonneg(n * m))
    assert not nonneg(n - 1, Facts().with_nonneg(n * m - 1))  # both may be negative
    assert not nonneg(m, Facts().with_nonneg(n).with_nonneg(n * m * k - 1))  # so may m and k
    assert nonneg(m - 1, some.with_nonneg(n - 1).with_nonneg(n * m - 1))


def test_assumed_inequalities_are_used() -> None:
    some = Facts().with_nonneg(m).with_nonneg(k)
    assert nonneg(n * k - m * k, some.assuming(n - m))
    assert nonneg(n - k, some.assuming(n - m).assuming(m - k))
    assert nonneg(3 * n - 2 * m - k, some.assuming(n - m).assuming(n - k).assuming(n))
    assert nonneg(n - i - j - 2, some.assuming(n - 2 * m).with_index(I0, m).with_index(J, m))
    assert nonneg(m - 1 - 2 * i, some.with_index(I0, n).assuming(m - 1 - 2 * i))
    assert nonneg(-k, Facts().assuming(-k - 3))


def test_what_is_known_is_not_assumed() -> None:
    """Proofs are tried with each assumption."""
    some = Facts().assuming(n - m).assuming(m - k)
    assert len(some.assumed) == 2
    assert some.assuming(n - k) is some
    assert some.assuming(n - m) is some
    assert Facts().assuming(n - 3).assumed == ()


def test_a_proof_needs_no_more_than_two_assumptions() -> None:
    """Or the time that proofs take would grow with each of them."""
    some = Facts().assuming(n - m).assuming(m - k).assuming(k - i)
    assert nonneg(n - k, some)
    assert not nonneg(n - i, some)


def test_assumed_inequalities_are_not_overused() -> None:
    some = Facts().with_nonneg(m).with_nonneg(k)
    assert not nonneg(m - n, some.assuming(n - m))
    assert not nonneg(n - m - 1, some.assuming(n - m))
    assert not nonneg(n * n - m * n, Facts().assuming(n - m))  # n may be negative
    assert not nonneg(n - i - j - 1, some.assuming(n - m).with_index(I0, m).with_index(J, m))


# ------------------------------------------------------------------- soundness

CASES = 150
GRID = np.stack(
    [x.ravel() for x in np.meshgrid(*[range(-3, 6)] * 3, range(5), range(5), indexing="ij")]
)
"""All values of n, m and k from -3 to 5, and of i and j from 0 to 4."""
AT = dict(zip((N, M, K, I0, J), GRID.astype(np.int64), strict=True))


def values(p: Size) -> NDArray[np.int64]:
    """A polynomial at all points of the grid."""
    total = np.zeros(GRID.shape[1], dtype=np.int64)
    for monomial, factor in p.terms:
        total += factor * prod((AT[x] for x in monomial), start=np.int64(1))
    return total


def polynomial(rng: random.Random, names: Sequence[Name], degree: int = 2) -> Size:
    terms = [tuple(sorted(rng.choices(names, k=rng.randint(1, degree)))) for _ in range(3)]
    some = {m: rng.choice((-3, -2, -1, -1, 1, 1, 2)) for m in terms[: rng.randint(1, 3)]}
    return Size.from_terms({**some, (): rng.randint(-4, 4)})


def told(rng: random.Random) -> tuple[Facts, list[Size]]:
    """Facts, and the polynomials of which they were told that they are not negative."""
    facts, known = Facts(), list[Size]()
    sizes, indices = [N, M, K], [I0, J]
    for _ in range(rng.randint(1, 6)):
        match rng.randrange(5):
            case 0 if indices:
                x = indices.pop(0)
                bound = polynomial(rng, sizes, rng.randint(1, 2))
                facts = facts.with_index(x, bound)
                known += [var(x), bound - 1 - var(x)]
                sizes.append(x)
            case 1 | 0:
                d = var(rng.choice(sizes)) - rng.randint(-2, 3)
                facts = facts.with_nonneg(d)
                known.append(d)
            case 2:
                d = polynomial(rng, sizes)
                facts = facts.with_nonneg(d)
                known.append(d)
            case _:
                d = polynomial(rng, sizes, rng.randint(1, 2))
                facts = facts.assuming(d)
                known.append(d)
    return facts, known


def questions(rng: random.Random, known: list[Size]) -> Iterator[Size]:
    for x in (n, m, k, i, j):
        yield x - rng.randint(-2, 3)
        yield rng.randint(-1, 4) - x
    for _ in range(6):
        a, b = rng.choice(known), rng.choice(known)
        yield a * rng.randint(1, 2) + b - rng.randint(0, 2)
        yield a - b
        yield a * var(rng.choice((N, M, K, I0, J))) + rng.randint(-1, 1)
        yield polynomial(rng, (N, M, K, I0, J))


def test_what_is_proved_holds() -> None:
    """At each point of a grid at which what was told holds."""
    rng = random.Random(1)
    proofs = refutable = 0
    for _ in range(CASES):
        facts, known = told(rng)
        here = np.logical_and.reduce([values(d) >= 0 for d in known])
        for x, least in facts.least:
            assert (AT[x][here] >= least).all(), f"{known} do not say that {x} >= {least}"
        for i_, _n in facts.indices:
            assert (AT[i_][here] >= facts.lower_end(i_)).all(), f"{known}: {i_}"
        for p in questions(rng, known):
            holds = bool((values(p)[here] >= 0).all())
            refutable += not holds
            if nonneg(p, facts):
                proofs += not isinstance(p.as_const, int)
                assert holds, f"{known} do not say that {p} >= 0"
    assert proofs > 2 * CASES
    assert refutable > 8 * CASES


def test_a_slope_tells_no_less_than_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    asked = [
        (p, facts)
        for facts, known in (told(rng) for _ in range(150))
        for p in questions(rng, known)
    ]
    with monkeypatch.context() as without:
        without.setattr(prove._Elimination, "_has_sign", lambda *_: False)
        proved_by_ends = [(p, facts) for p, facts in asked if nonneg(p, facts)]
    assert len(proved_by_ends) > 100
    assert all(nonneg(p, facts) for p, facts in proved_by_ends)


SIGNLESS = (k - m, m - k)


def test_a_proof_computes_no_more_than_it_may() -> None:
    """Terms of what is left at an end of an index, and of the product of its slope and that end."""
    for p, work in (
        (n - 1 - i, 3 + 1 * 2),  # at n - 1
        (i * 3 + m, 2 + 1 * 0),  # at 0
        ((k - m) * i + n * n, (3 + 2 * 0) + (3 + 2 * 2)),  # at both
    ):
        most = {N: 0, M: 0, K: 0}
        for left in (work, work - 1):
            proof = prove._Elimination([(I0, n)], most, lambda q, _: q not in SIGNLESS, left)
            assert proof.nonneg(p, 1) is (left == work)
            assert proof.left == left - work


def test_a_polynomial_may_have_so_many_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    p = n * m - n - m + 1
    for most, proved_ in ((4, True), (3, False)):
        monkeypatch.setattr(prove, "WORK", most)
        assert nonneg(p, Facts().with_nonneg(n - 1).with_nonneg(m - 1)) is proved_


POINTS = 20
SIMPLE = (ZERO, ONE, const(2), n, m, k, i, j, n - 1, n - i, n * m, -m, i + j, -ONE, m + 1, 1 - n)


def conditions(rng: random.Random) -> Iterator[RangeInside | Injective]:
    for _ in range(6):
        start, length, n_ = rng.choices(SIMPLE, k=3)
        yield RangeInside(start, length, rng.choice((ONE, -ONE, *SIMPLE)), n_)
        a, b = (Dim(rng.choice(SIMPLE), rng.choice(SIMPLE)) for _ in range(2))
        yield Injective((a,))
        yield Injective((a, b))
        yield Injective((a, Dim(a.stride, ONE)))


def holds_at(c: RangeInside | Injective, value: Callable[[Name], int]) -> bool:
    match c:
        case RangeInside(start, length, stride, n_):
            first, count, step, end = (d.eval(value) for d in (start, length, stride, n_))
            return count >= 0 and all(0 <= first + t * step < end for t in range(count))
        case Injective(dims):
            lens = [range(d.len.eval(value)) for d in dims]
            strides = [d.stride.eval(value) for d in dims]
            found = [sum(map(mul, strides, index)) for index in product(*lens)]
            return len(found) == len(set(found))


@pytest.mark.exhaustive
def test_conditions_that_are_proved_hold() -> None:
    rng = random.Random(2)
    proofs = 0
    for _ in range(CASES):
        facts, known = told(rng)
        here = np.flatnonzero(np.logical_and.reduce([values(d) >= 0 for d in known]))
        for c in conditions(rng):
            if proved(c, facts):
                proofs += 1
                for at in rng.sample(list(here), min(POINTS, len(here))):
                    point = {x: int(AT[x][at]) for x in AT}
                    assert holds_at(c, point.__getitem__), f"{known} do not say {c} at {point}"
    assert proofs > CASES
