"""What lowering concludes from how an index was computed is so; and nothing is checked twice.

Protects ``ir/logic/bounded.py`` and ``Context.checked``: a wrong conclusion would drop a bounds
check that is needed.
"""

from collections.abc import Iterator

import pytest

from funmem.interp.imp import run_imp
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Var
from funmem.ir.imp import Check, ImpProgram, InRange
from funmem.ir.imp_traverse import nested
from funmem.ir.logic.bounded import bounded, converted, divides
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.scalars import I64, SIGNED, UNSIGNED, BinOp, ScalarType, convert
from funmem.ir.sizes import var
from funmem.ir.text import parse_fun
from funmem.passes.framework import as_imp
from funmem.passes.pipeline import to_funmem
from funmem.passes.runner import Pipeline

I, N, X, Y = map(Name, ("i", "n", "x", "y"))  # noqa: E741
SMALL = 6


def number(k: int) -> Const:
    return Const(k, I64)


def linear() -> Iterator[ScalarExp]:
    """Constants, i, n, and what is a little less or more."""
    yield from map(number, (-1, 0, 1))
    for x in (I, N):
        yield Var(x)
        for k in (1, 2):
            yield Bin(BinOp.SUB, Var(x), number(k))
            yield Bin(BinOp.ADD, Var(x), number(k))


def value(e: ScalarExp, at: dict[Name, int]) -> int:
    match e:
        case Const(int(k), _):
            return k
        case Var(x):
            return at[x]
        case Bin(BinOp.ADD, a, b):
            return value(a, at) + value(b, at)
        case Bin(BinOp.SUB, a, b):
            return value(a, at) - value(b, at)
        case Bin(BinOp.MIN, a, b):
            return min(value(a, at), value(b, at))
        case Bin(BinOp.MAX, a, b):
            return max(value(a, at), value(b, at))
        case Bin(BinOp.MOD, a, b):
            return value(a, at) % value(b, at)
        case _:
            raise AssertionError(e)


def inside(e: ScalarExp) -> bool:
    """Whether e is in 0 … n - 1 for all i < n."""
    points = ({I: i, N: n} for n in range(1, SMALL) for i in range(n))
    return all(0 <= value(e, at) < at[N] for at in points)


FACTS = Facts().with_index(I, var(N))


@pytest.mark.parametrize("outer", [BinOp.MIN, BinOp.MAX], ids=str)
def test_conclusions_hold(outer: BinOp) -> None:
    """Of all minima and maxima of two, and of a name for one and a third."""
    proved = 0
    for a in linear():
        for b in linear():
            first = Bin(outer, a, b)
            cases = (
                (first, first),
                (Bin(BinOp.MIN, Var(Y), a), Bin(BinOp.MIN, first, a)),
                (Bin(BinOp.MAX, b, Var(Y)), Bin(BinOp.MAX, b, first)),
            )
            for e, meant in cases:
                if bounded(var(X), var(N), FACTS, {X: e, Y: first}):
                    proved += 1
                    assert inside(meant), meant
    assert proved > 20


def test_conclusions_about_remainders_hold() -> None:
    """Of a remainder, and of the minimum and maximum of one and a third; n = 1 is among them."""
    proved = []
    for a in linear():
        for b in (number(1), number(2), Var(I), Var(N), Bin(BinOp.SUB, Var(N), number(1))):
            part = Bin(BinOp.MOD, a, b)
            thirds = (
                Bin(op, part, c) for op in (BinOp.MIN, BinOp.MAX) for c in (Var(I), number(0))
            )
            for e in (part, *thirds):
                if bounded(var(X), var(N), FACTS, {X: e}):
                    proved.append(e)
                    assert all(
                        0 <= value(e, {I: i, N: n}) < n
                        for n in range(1, SMALL)
                        for i in range(n)
                        if value(b, {I: i, N: n})
                    ), e
    assert Bin(BinOp.MOD, Bin(BinOp.ADD, Var(I), number(1)), Var(N)) in proved
    assert divides(Var(N), FACTS, {})
    assert not divides(Var(I), FACTS, {})


@pytest.mark.parametrize(
    "e",
    [
        Bin(BinOp.MAX, number(0), Bin(BinOp.SUB, Var(I), number(1))),
        Bin(BinOp.MIN, Bin(BinOp.SUB, Var(N), number(1)), Bin(BinOp.ADD, Var(I), number(1))),
    ],
)
def test_the_neighbours_of_a_stencil_are_inside(e: ScalarExp) -> None:
    assert bounded(var(X), var(N), FACTS, {X: e})


def test_what_may_have_wrapped_is_not_believed() -> None:
    """n + 2 may be less than n."""
    e = Bin(BinOp.MIN, Var(I), Bin(BinOp.ADD, Var(N), number(2)))
    assert not bounded(var(X), var(N), FACTS, {X: e})


# ---------------------------------------------------------------------- programs

STENCIL = """entry main [n] (xs : [n]i64) -> (ys : [n]i64) =
  let (zs : [n]i64) = kernel i < n do
    let (w : i64) = max(0, i - 1)
    let (e : i64) = min(n - 1, i + {})
    let (a : i64) = xs[w]
    let (b : i64) = xs[e{}]
    let (c : i64) = a + b
    in (c)
  in (zs)"""


def checks(p: ImpProgram) -> list[Check]:
    return [s for e in p.entries for s in nested(e.body) if isinstance(s, Check)]


def lowered(text: str) -> ImpProgram:
    return as_imp(Pipeline.parse("lower").run(to_funmem(parse_fun(text))))


def test_a_stencil_needs_no_checks() -> None:
    assert not checks(lowered(STENCIL.format(1, "")))


def test_a_stencil_that_is_off_by_one_keeps_its_check() -> None:
    p = lowered(STENCIL.format(1, " + 1"))
    assert [c.cond.n for c in checks(p) if isinstance(c.cond, InRange)] == [var(N)]
    with pytest.raises(Trap):
        run_imp(p, "main", [[1, 2, 3]])


TORUS = """entry main [n] [m] (xs : [n]i64) (ys : [m]i64) -> (rs : [n]i64) =
  let (zs : [n]i64) = kernel i < n do
    let (a : i64) = i + 1
    let (e : i64) = a % {}
    let (b : i64) = xs[e]
    in (b)
  in (zs)"""


def test_a_torus_needs_no_checks() -> None:
    assert not checks(lowered(TORUS.format("n")))


def test_a_remainder_by_another_length_keeps_its_checks() -> None:
    """m may be 0, and larger than n."""
    p = lowered(TORUS.format("m"))
    assert len(checks(p)) == 2
    for ys in ([], [1, 2, 3]):
        with pytest.raises(Trap):
            run_imp(p, "main", [[1, 2], ys])


GATHER = """entry main [n] [m] (xs : [n]i64) (ys : [n]i64) (is : [m]i64) -> (zs : [m]i64) =
  let (rs : [m]i64) = kernel k < m do
    let (i : i64) = is[k]
    let (a : i64) = xs[i]
    let (b : i64) = ys[i]
    let (c : bool) = a > 0
    let (d : i64) = if c then
      let (e : i64) = xs[i]
      in (e)
    else
      let (j : i64) = i + 1
      let (f : i64) = xs[j]
      in (f)
    let (g : i64) = b + d
    in (g)
  in (rs)"""


def test_what_was_checked_is_not_checked_again() -> None:
    """xs[i], ys[i] and xs[i] are one check; the branch's own index is another."""
    p = lowered(GATHER)
    assert len(checks(p)) == 2
    for bad in (3, -1, 2):  # the last is the branch's
        with pytest.raises(Trap):
            run_imp(p, "main", [[0, 1, 0], [1, 1, 1], [bad]])


def test_a_check_in_a_branch_says_nothing_after_it() -> None:
    text = GATHER.replace(
        "let (g : i64) = b + d", "let (h : i64) = i + 1\n    let (g : i64) = xs[h]"
    )
    assert len(checks(lowered(text))) == 3


# ---------------------------------------------------------------------- conversions


def checks_of(source: str, size: str) -> int:
    """The number of checks of a table that is read at a converted element."""
    text = f"""entry main [n] [m] (xs : [n]{source}) (table : [m]f32) -> (r : [n]f32) =
      let (few : [{size}]f32) = replicate [{size}] 2.0f32
      let (s : [n]f32) = kernel i < n do
        let (x : {source}) = xs[i]
        let (k : i64) = i64(x)
        let (y : f32) = few[k]
        in (y)
      in (s)"""
    p = as_imp(Pipeline.parse("allocate,lower").run(parse_fun(text)))
    return sum(isinstance(s, Check) for s in nested(p.entries[0].body))


@pytest.mark.parametrize(
    ("source", "size", "checks"),
    [
        ("u8", "256", 0),
        ("u8", "255", 1),
        ("u16", "65536", 0),
        ("u16", "65535", 1),
        ("bool", "2", 0),
        ("bool", "1", 1),
        ("i8", "256", 1),  # may be negative
        ("u64", "256", 1),  # may wrap around
        ("u32", "256", 1),
    ],
)
def test_a_conversion_has_the_range_of_its_operand(source: str, size: str, checks: int) -> None:
    assert checks_of(source, size) == checks


@pytest.mark.parametrize("narrow", [*SIGNED, *UNSIGNED])
def test_a_conversion_and_back_is_no_larger(narrow: ScalarType) -> None:
    """The rule says what the table of operators does, and nothing of negative numbers."""
    there = Convert(I64, Convert(narrow, Var(X)))
    known = converted(Y, there, narrow, Facts().with_nonneg(var(X)))
    unknown = converted(Y, there, narrow, Facts())
    assert nonneg(var(X) - var(Y), known)
    assert not nonneg(var(X) - var(Y), unknown)
    edges = {1 << k for k in (7, 8, 15, 16, 31, 32, 62)} | {I64.max - 1}
    for x in sorted({0, *(e + d for e in edges for d in (-1, 0, 1))}):
        y = convert(convert(x, I64, narrow), narrow, I64)
        assert y <= x
        assert y >= 0 or not nonneg(var(Y), known)


def test_an_assertion_of_a_kernel_that_is_not_empty_holds_in_it() -> None:
    text = """entry main [n] [m] (xs : [n]f32) (ys : [m]f32) (k : i64) -> (r : [m][k]f32) =
      let (few : bool) = k <= n
      let (ok : bool) = m <= 0 || few
      assert ok "too many"
      let (s : [m][k]f32) = kernel i < m, j < k do
        let (y : f32) = xs[j]
        in (y)
      in (s)"""
    assert len(checks(lowered(text))) == len(checks(lowered(text.replace("m <= 0", "k <= 5")))) - 1
