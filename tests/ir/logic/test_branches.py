"""What lowering concludes from a branch's condition is so, and is enough for stencils.

Protects ``ir/logic/branches.py``: a wrong conclusion would drop a bounds check that is needed.
"""

import random
from collections.abc import Iterator
from itertools import pairwise, product

import pytest

from funmem.interp.value import run
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import Bin, Const, ScalarExp, Un, Var
from funmem.ir.imp import Check
from funmem.ir.imp_traverse import nested
from funmem.ir.logic import branches
from funmem.ir.logic.branches import DEEP, given, iterating
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, F32, I32, I64, U8, BinOp, ScalarType, UnOp
from funmem.ir.sizes import Size, var
from funmem.ir.text import parse_fun
from funmem.passes.pipeline import to_imp
from tests.support.paths import ROOT
from tests.support.sampling import sampled

I, N, K, D = map(Name, ("i", "n", "k", "d"))  # noqa: E741
TYPES = {I: I64, N: I64, K: I64, D: I64}
OPERANDS: tuple[ScalarExp, ...] = (
    Var(I),
    Var(N),
    Var(K),
    Var(D),
    Const(2, I64),
    Bin(BinOp.SUB, Var(N), Const(1, I64)),
    Bin(BinOp.SUB, Var(I), Const(2, I64)),
)
DEFINED = {D: Bin(BinOp.SUB, Var(N), Const(2, I64))}
COMPARED = (BinOp.LT, BinOp.LE, BinOp.GT, BinOp.GE, BinOp.EQ, BinOp.NE)
PROVABLE: tuple[Size, ...] = tuple(
    sign * a + sign * b * -1 + c
    for a, b in ((var(I), var(N)), (var(I), var(K)), (var(N), var(K)))
    for sign in (1, -1)
    for c in range(-3, 4)
) + tuple(sign * var(x) + c for x in (I, N, K) for sign in (1, -1) for c in range(-4, 4))


def value(e: ScalarExp, at: dict[Name, int]) -> int:
    match e:
        case Const(int(k), _):
            return k
        case Var(x):
            return at[x] if x in at else value(DEFINED[x], at)
        case Bin(BinOp.SUB, a, b):
            return value(a, at) - value(b, at)
        case _:
            raise AssertionError(e)


HOLDS = {
    BinOp.LT: lambda a, b: a < b,
    BinOp.LE: lambda a, b: a <= b,
    BinOp.GT: lambda a, b: a > b,
    BinOp.GE: lambda a, b: a >= b,
    BinOp.EQ: lambda a, b: a == b,
    BinOp.NE: lambda a, b: a != b,
}


def worlds() -> Iterator[dict[Name, int]]:
    """Values with ``0 <= i < n``; k is anything."""
    for n, k in product(range(1, 6), range(-3, 6)):
        for i in range(n):
            yield {I: i, N: n, K: k}


@pytest.mark.parametrize("op", sampled(COMPARED, 3), ids=str)
def test_conclusions_hold(op: BinOp) -> None:
    proved = 0
    facts = Facts().with_nonneg(var(N)).with_index(I, var(N))
    c = Name("c")
    for (a, b), truth in product(product(OPERANDS, OPERANDS), (True, False)):
        values = {**DEFINED, c: Bin(op, a, b)}
        inside = given(Var(c), truth, facts, values, {**TYPES, c: BOOL})
        possible = [w for w in worlds() if HOLDS[op](value(a, w), value(b, w)) is truth]
        for p in PROVABLE:
            if nonneg(p, inside):
                proved += not nonneg(p, facts)
                assert all(p.eval(w.__getitem__) >= 0 for w in possible), (op, a, b, truth, p)
    assert proved > 20


def test_connectives() -> None:
    """Of a conjunction that failed, or a disjunction that held, neither side is known."""
    facts = Facts().with_nonneg(var(N))
    low, high, c = Name("low"), Name("high"), Name("c")
    sides = {low: Bin(BinOp.LE, Const(0, I64), Var(K)), high: Bin(BinOp.LT, Var(K), Var(N))}
    types = {**TYPES, low: BOOL, high: BOOL, c: BOOL}

    def known(e: ScalarExp, truth: bool) -> tuple[bool, bool]:
        inside = given(Var(c), truth, facts, {**sides, c: e}, types)
        return nonneg(var(K), inside), nonneg(var(N) - var(K) - 1, inside)

    both = Bin(BinOp.LAND, Var(low), Var(high))
    assert known(both, True) == (True, True)
    assert known(both, False) == (False, False)
    either = Bin(BinOp.LOR, Un(UnOp.LNOT, Var(low)), Un(UnOp.LNOT, Var(high)))
    assert known(either, False) == (True, True)
    assert known(either, True) == (False, False)


LOW, HIGH, TOP, C, OPAQUE = map(Name, ("low", "high", "top", "c", "opaque"))
CONNECTIVES = (BinOp.LAND, BinOp.AND, BinOp.LOR, BinOp.OR)
COMPARISONS = tuple(Bin(op, Var(a), Var(b)) for op in COMPARED for a, b in ((I, K), (K, N), (K, I)))


def truth_of(e: ScalarExp, at: dict[Name, int], lets: dict[Name, ScalarExp]) -> bool:
    match e:
        case Var(x):
            return truth_of(lets[x], at, lets) if x in lets else bool(at[x])
        case Un(UnOp.LNOT, a):
            return not truth_of(a, at, lets)
        case Bin(BinOp.LAND | BinOp.AND, a, b):
            return truth_of(a, at, lets) and truth_of(b, at, lets)
        case Bin(BinOp.LOR | BinOp.OR, a, b):
            return truth_of(a, at, lets) or truth_of(b, at, lets)
        case Bin(op, a, b):
            return HOLDS[op](value(a, at), value(b, at))
        case _:
            raise AssertionError(e)


def conditions(
    rng: random.Random,
) -> Iterator[tuple[dict[Name, ScalarExp], list[tuple[Name, bool]]]]:
    """What is bound to names, and which of these have turned out to be what, one after another."""
    for _ in range(450):
        low, high, top = rng.choices(COMPARISONS, k=3)
        sides: list[ScalarExp] = [
            Var(LOW),
            Var(HIGH),
            Un(UnOp.LNOT, Var(LOW)),
            rng.choice(COMPARISONS),
        ]
        if rng.random() < 0.5:  # of which nobody knows what it is made of
            sides = [Bin(rng.choice(CONNECTIVES), rng.choice(sides), Var(OPAQUE))]
            sides += [Un(UnOp.LNOT, sides[0])]
        op = rng.choice(CONNECTIVES)
        lets: dict[Name, ScalarExp] = {LOW: low, HIGH: high, TOP: top}
        lets[C] = Bin(op, rng.choice(sides), Var(rng.choice((LOW, HIGH))))
        known = [(TOP, rng.random() < 0.5)] if rng.random() < 0.7 else []
        yield lets, [*known, (C, rng.random() < 0.6)]


@pytest.mark.exhaustive
def test_conclusions_from_connectives_hold() -> None:
    """Of two alternatives one may be ruled out by what is known already."""
    rng = random.Random(3)
    types = {**TYPES, LOW: BOOL, HIGH: BOOL, TOP: BOOL, C: BOOL, OPAQUE: BOOL}
    any_worlds = [{**w, OPAQUE: opaque} for w in worlds() for opaque in (False, True)]
    proved = alternatives = 0
    for lets, known in conditions(rng):
        facts = Facts().with_nonneg(var(N)).with_index(I, var(N))
        before = facts
        for name, truth in known:
            before, facts = facts, given(Var(name), truth, facts, lets, types)
        possible = [w for w in any_worlds if all(truth_of(lets[x], w, lets) is t for x, t in known)]
        for p in PROVABLE:
            if nonneg(p, facts) and not nonneg(p, before):
                proved += 1
                alternatives += known[-1][1] and lets[C].op in (BinOp.LOR, BinOp.OR)
                assert all(p.eval(w.__getitem__) >= 0 for w in possible), (lets, known, p)
    assert proved > 200
    assert alternatives > 10


ORDERED = (BinOp.LT, BinOp.LE, BinOp.GT, BinOp.GE)


@pytest.mark.parametrize("known", [*ORDERED, BinOp.EQ], ids=str)
@pytest.mark.parametrize("ruled", ORDERED, ids=str)
def test_an_alternative_is_ruled_out_by_what_excludes_it_and_by_nothing_else(
    known: BinOp, ruled: BinOp
) -> None:
    lets: dict[Name, ScalarExp] = {
        TOP: Bin(known, Var(I), Var(K)),
        LOW: Bin(ruled, Var(I), Var(K)),
        HIGH: Bin(BinOp.GT, Var(N), Const(9, I64)),
        C: Bin(BinOp.LOR, Var(LOW), Var(HIGH)),
    }
    types = {**TYPES, **dict.fromkeys(lets, BOOL)}
    facts = given(Var(C), True, given(Var(TOP), True, Facts(), lets, types), lets, types)
    pairs = [(a, b) for a in range(-2, 3) for b in range(-2, 3) if HOLDS[known](a, b)]
    excluded = not any(HOLDS[ruled](a, b) for a, b in pairs)
    assert nonneg(var(N) - 10, facts) is excluded


def test_one_part_may_rule_out_an_alternative() -> None:
    """Of ``low && opaque`` it is enough that low is false; numbers of a byte are no i64."""
    facts = Facts().with_nonneg(var(K))
    low, high = Bin(BinOp.LT, Var(K), Const(0, I64)), Bin(BinOp.GT, Var(N), Const(9, I64))
    wraps = Bin(BinOp.SUB, Const(0, U8), Const(1, U8))  # 255
    types = {**TYPES, **dict.fromkeys((LOW, HIGH, TOP, C, OPAQUE), BOOL)}
    neither = Bin(BinOp.LOR, Un(UnOp.LNOT, Var(LOW)), Var(OPAQUE))
    for first, ruled_out in (
        (Bin(BinOp.LAND, Var(LOW), Var(OPAQUE)), True),
        (Bin(BinOp.LAND, Var(OPAQUE), Var(LOW)), True),
        (Un(UnOp.LNOT, neither), True),
        (Bin(BinOp.LOR, Var(LOW), Var(OPAQUE)), False),
        (Bin(BinOp.GE, wraps, Const(0, U8)), False),
    ):
        lets = {LOW: low, HIGH: high, TOP: first, C: Bin(BinOp.LOR, Var(TOP), Var(HIGH))}
        inside = given(Var(C), True, facts, lets, types)
        assert nonneg(var(N) - 10, inside) is ruled_out, first


@pytest.mark.parametrize("swapped", [False, True])
def test_an_alternative_about_an_i64_is_one(swapped: bool) -> None:
    """Sizes and indices have no types here: one of both sides tells that they are i64."""
    size = Name("size")
    low = Bin(BinOp.LT, Var(size), Const(0, I64))
    if swapped:
        low = Bin(BinOp.GT, Const(0, I64), Var(size))
    high = Bin(BinOp.GT, Var(N), Const(9, I64))
    lets: dict[Name, ScalarExp] = {LOW: low, HIGH: high, C: Bin(BinOp.LOR, Var(LOW), Var(HIGH))}
    types = {N: I64, **dict.fromkeys(lets, BOOL)}
    inside = given(Var(C), True, Facts().with_nonneg(var(size)), lets, types)
    assert nonneg(var(N) - 10, inside)


@pytest.mark.parametrize("length", [DEEP, DEEP + 1, 5000])
def test_a_question_goes_through_so_many_definitions(length: int) -> None:
    """One inside the other; a longer chain is not an error."""
    chain = [Name(f"c{x}") for x in range(length)]
    lets: dict[Name, ScalarExp] = {
        x: Un(UnOp.LNOT, Un(UnOp.LNOT, Var(y))) for x, y in pairwise(chain)
    }
    lets |= {
        chain[-1]: Bin(BinOp.LT, Var(K), Const(0, I64)),
        HIGH: Bin(BinOp.GT, Var(N), Const(9, I64)),
        C: Bin(BinOp.LOR, Var(chain[0]), Var(HIGH)),
    }
    types = {**TYPES, **dict.fromkeys(lets, BOOL)}
    inside = given(Var(C), True, Facts().with_nonneg(var(K)), lets, types)
    assert nonneg(var(N) - 10, inside) is (length <= DEEP)


def test_so_many_definitions_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a minimum's operands, and of what a condition is made of: the others are not known."""
    monkeypatch.setattr(branches, "DEFINITIONS", 3)
    monkeypatch.setattr(branches, "CAPS", 6)
    caps = [Name(f"n{x}") for x in range(6)]
    least: dict[Name, ScalarExp] = {
        Name(f"least{x}"): Bin(BinOp.MIN, Var(cap), Var(Name(f"least{x + 1}")))
        for x, cap in enumerate(caps)
    }
    known = iterating(I, var(Name("least0")), Facts(), least)
    assert [nonneg(var(cap) - var(I) - 1, known) for cap in caps] == [True] * 3 + [False] * 3
    lets: dict[Name, ScalarExp] = {
        Name(f"c{x}"): Bin(
            BinOp.LAND, Bin(BinOp.GT, Var(cap), Const(0, I64)), Var(Name(f"c{x + 1}"))
        )
        for x, cap in enumerate(caps)
    }
    types = {**dict.fromkeys(caps, I64), **dict.fromkeys(lets, BOOL)}
    inside = given(Var(Name("c0")), True, Facts(), lets, types)
    assert [nonneg(var(cap) - 1, inside) for cap in caps] == [True] * 3 + [False] * 3


def test_unequal_and_no_less_is_greater() -> None:
    c, facts = Name("c"), Facts().with_index(I, var(N))
    for op in (
        {c: Bin(BinOp.NE, Var(I), Const(0, I64))},
        {c: Bin(BinOp.NE, Const(0, I64), Var(I))},
    ):
        inside = given(Var(c), True, facts, op, {**TYPES, c: BOOL})
        assert nonneg(var(I) - 1, inside)
        assert not nonneg(var(I) - 2, inside)
        assert not nonneg(var(I) - 1, facts)


def test_what_says_nothing() -> None:
    """Constants, names whose meaning nobody knows, products, and numbers that are no i64."""
    c, f, g = Name("c"), Name("f"), Name("g")
    product_ = Bin(BinOp.MUL, Var(K), Var(N))
    types = {**TYPES, c: BOOL, f: F32, g: F32}
    assert given(Const(True, BOOL), True, Facts(), {}, types) == Facts()
    assert given(Var(c), True, Facts(), {}, types) == Facts()
    for e in (
        Bin(BinOp.LT, product_, Var(N)),
        Bin(BinOp.LT, Var(N), product_),
        Bin(BinOp.LT, Var(f), Var(g)),
        Bin(BinOp.XOR, Var(c), Var(c)),
    ):
        for truth in (True, False):
            assert given(Var(c), truth, Facts(), {c: e}, types) == Facts(), e


@pytest.mark.parametrize(("t", "known"), [(I64, True), (I32, False)], ids=str)
def test_what_is_compared_with_an_i64_is_one(t: ScalarType, known: bool) -> None:
    """Sizes and indices have no types here."""
    c, size = Name("c"), Name("size")
    for e in (Bin(BinOp.LT, Const(2, t), Var(size)), Bin(BinOp.GT, Var(size), Const(2, t))):
        inside = given(Var(c), True, Facts(), {c: e}, {c: BOOL})
        assert nonneg(var(size) - 3, inside) is known


@pytest.mark.parametrize("bound", [var(N), var(N) + 1, var(N) * 2, Size.of(3)], ids=str)
def test_a_bound_that_nobody_computed_is_a_bound(bound: Size) -> None:
    assert iterating(I, bound, Facts(), {}) == Facts().with_index(I, bound)


def test_what_may_have_wrapped_is_not_believed() -> None:
    """``k - 1 < n`` says nothing of k: for the least i64 it holds of a large number."""
    c = Name("c")
    test = Bin(BinOp.LT, Bin(BinOp.SUB, Var(K), Const(1, I64)), Var(N))
    inside = given(Var(c), True, Facts(), {c: test}, {**TYPES, c: BOOL})
    assert not nonneg(var(N) - var(K), inside)


def test_a_stencil_needs_no_checks() -> None:
    text = (ROOT / "examples" / "jacobi.fun").read_text()
    (entry,) = to_imp(parse_fun(text)).entries
    assert not [s for s in nested(entry.body) if isinstance(s, Check) and "bounds" in s.message]


def test_a_condition_that_is_off_by_one_keeps_the_check() -> None:
    text = """
    entry main [n] (xs : [n]i64) -> (ys : [n]i64) =
      let (ys : [n]i64) = kernel i < n do
        let (inside : bool) = i <= n - 1
        let (y : i64) = if inside then
          let (v : i64) = xs[i + 1]
          in (v)
        else
          let (z : i64) = 0
          in (z)
        in (y)
      in (ys)"""
    text = text.replace("(ys : [n]i64) =\n", "(out : [n]i64) =\n", 1)
    program = parse_fun(text)
    (entry,) = to_imp(program).entries
    assert [s for s in nested(entry.body) if isinstance(s, Check) and "bounds" in s.message]
    with pytest.raises(Trap):
        run(program, Name("main"), [[1, 2]])


@pytest.mark.parametrize(
    ("bound", "checked"),
    [
        ("max(0, min(k, n))", 0),
        ("max(1, min(k, n))", 1),
        ("min(n, k)", 0),
        ("min(k, n - 1)", 0),
        ("max(min(k, n), 0)", 0),
        ("max(k, n)", 1),
        ("max(min(k, n), 1)", 1),
        ("min(k, n + 1)", 1),
    ],
)
def test_loops_up_to_a_minimum(bound: str, checked: int) -> None:
    """An index below the length needs no check; one that may reach it does."""
    text = f"""
    entry main [n] (xs : [n]i64) (k : i64) -> (sum : i64) =
      let (m : i64) = {bound}
      let (total : i64) = loop (acc : i64) = 0 for i < m do
        let (x : i64) = xs[i]
        let (next : i64) = acc + x
        in (next)
      in (total)"""
    (entry,) = to_imp(parse_fun(text)).entries
    checks = [s for s in nested(entry.body) if isinstance(s, Check) and "bounds" in s.message]
    assert len(checks) == checked
