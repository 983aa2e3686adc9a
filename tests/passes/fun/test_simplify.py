"""simplify: what it does, what it must not do, and that the meaning stays."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from funmem.interp.value import run
from funmem.ir.arith import exp_size, scalar_type, size_exp
from funmem.ir.check import check
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import (
    Alloc,
    Ann,
    Bin,
    Const,
    Convert,
    Program,
    ScalarExp,
    Type,
    Un,
    Var,
)
from funmem.ir.imp import Allocate, ForStm, KernelStm, WhileStm
from funmem.ir.imp_traverse import nested
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.scalars import (
    BOOL,
    F32,
    I8,
    I64,
    INTS,
    BinOp,
    OperatorTrap,
    ScalarType,
    UnOp,
    Value,
    bin_result,
    bits_key,
    convert,
    eval_bin,
    eval_un,
    un_result,
)
from funmem.ir.sizes import Size, const, var
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import walk
from funmem.ir.values import ArrayValue
from funmem.passes.framework import Report
from funmem.passes.fun.simplify.scalars import decide, fits, fold
from funmem.passes.pipeline import to_imp
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from tests.passes.mem.test_allocate import CASES as ALLOCATED
from tests.seeded.judge import PROGRAMS, judge
from tests.support.memory_check import EXAMPLES, difference, load, over_rows
from tests.support.paths import TESTS
from tests.support.sampling import sampled

FUN = {
    "branch_decides": """
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (none : bool) = n == 0
  let (r_1 : i64) = if none then in (7) else
    let (k : i64) = n - 1
    let (c : bool) = k < 0
    let (v : i64) = if c then in (1) else in (2)
    in (v)
  in (r_1)
""",
    "copies": """
entry main [n] (a : [n]i64) (k : i64) -> (r : i64) (s : [n]i64) =
  let (two : i64) = 1 + 1
  let (m : i64) = n
  let (x : [m]i64) = iota [m] two k
  let (i : i64) = k + 0
  let (v : i64) = x[i]
  let (w : i64) = v * two
  let (y : [n]i64) = reshape [n] x
  in (w, y)
""",
    "sizes": """
entry main [n] (a : [n]i64) -> (r : i64) (s : i64) =
  let (last : i64) = n - 1
  let (v : i64) = a[last]
  let (twice : i64) = n * 2
  let (b : [twice]i64) = iota [twice] 0 1
  let (w : i64) = b[last]
  let (x : [n]i64) =
    kernel i < n do
      let (j : i64) = i + 1
      let (c : [j]i64) = iota [j] 0 1
      let (y : i64) = c[i]
      in (y)
  let (z : i64) = x[last]
  let (u : i64) = w + z
  in (v, u)
""",
    "returned-size": """
entry main [n] (a : [n]i64) -> [m] (r : [m]i64) =
  let (last : i64) = n - 1
  let (x : [last]i64) = iota [last] 0 1
  in (last, x)
""",
    "equal": """
entry main [n] [m] (a : [n][m]i64) (k : i64) -> (r : i64) (s : [m][n]i64) (t : [m][n]i64) =
  let (i : i64) = k + 1
  let (j : i64) = 1 + k
  let (x : i64) = a[i, 0]
  let (y : i64) = a[j, 0]
  let (t1 : [m][n]i64) = permute (1, 0) a
  let (t2 : [m][n]i64) = permute (1, 0) a
  let (z : i64) = x + y
  in (z, t1, t2)
""",
    "fresh-arrays": """
entry main [n] (a : [n]i64) -> (r : [n]i64) (s : [n]i64) (t : [n]i64) (u : [n]i64) =
  let (x : [n]i64) = iota [n] 0 1
  let (y : [n]i64) = iota [n] 0 1
  let (z : [n]i64) = iota [n] 0 1
  let (z2 : [n]i64) = z with [0 : n] = a
  let (c : [n]i64) = copy x
  in (x, y, z2, c)
""",
    "dead": """
entry main [n] (a : [n]i64) (k : i64) -> (r : i64) =
  let (x : [n]i64) = iota [n] 0 1
  let (y : [n]i64) = reverse 0 x
  let (v : i64) = a[k]
  let (sum : i64) (unused : i64) (helper : i64) =
    loop (s : i64) = 0, (u : i64) = 0, (h : i64) = 1 for i < n do
      let (w : i64) = a[i]
      let (s2 : i64) = s + w
      let (u2 : i64) = u + h
      let (h2 : i64) = h + 1
      in (s2, u2, h2)
  let (p : [n]i64) (q : [n]i64) =
    kernel i2 < n do
      let (w2 : i64) = a[i2]
      in (w2, i2)
  let (v2 : i64) = p[0]
  let (total : i64) = sum + v2
  in (total)
""",
    "control": """
entry main [n] (a : [n]i64) (c : bool) (k : i64) -> (r : i64) (s : i64) (t : bool) (u : i64) =
  let (yes : bool) = 1 < 2
  let (x : i64) = if yes then
      let (v : i64) = a[k]
      in (v)
    else
      in (k)
  let (y : i64) (z : i64) = if c then in (k, n) else in (n, n)
  let (never : i64) = loop (p : i64) = y for i < 0 do
    let (p2 : i64) = p + 1
    in (p2)
  let (once : i64) = loop (q : i64) = never for i2 < 1 do
    let (q2 : i64) = q + z + i2
    in (q2)
  let (same : bool) = if c then in (true) else in (false)
  let (b : i64) (d : i64) = loop (b1 : i64) = 0, (d1 : i64) = k for i3 < n do
    let (b2 : i64) = b1 + d1
    in (b2, d1)
  let (e : i64) = b + d
  in (x, once, same, e)
""",
    "ranges": """
entry main [n] (a : [n]i64) -> (r : [n]i64) =
  let (x : [n]i64) =
    kernel i < n do
      let (inside : bool) = i < n
      let (first : bool) = i == 0
      let (outside : bool) = i < 0
      let (v : i64) = if inside then
          let (v1 : i64) = a[i]
          in (v1)
        else
          in (0)
      let (w : i64) = if outside then in (5) else in (v)
      let (y : i64) = if first then in (0) else in (w)
      in (y)
  in (x)
""",
    "negative-length": """
entry main [n] (a : [n]i64) -> (r : i64) =
  let (k : i64) = 3
  let (x : [k - 5]i64) = iota [k - 5] 0 1
  let (y : i64) = x[k]
  in (y)
""",
    "laid-out": """
entry main [n] [m] (a : [n][m]i64) -> (r : [m][n]i64) (s : [n][m]i64) =
  let (t : [m][n]i64) = permute (1, 0) a
  let (layout : [m][n]i64) = copy t
  let (nothing : [n][m]i64) = copy a
  in (layout, nothing)
""",
}

BLOCKS = {
    "derived": 0,
    "reshape": 3,
    "fresh": 9,
    "update": 2,
    "branch": 1,
    "loop": 2,
}


def through(p: Program[Ann], passes: str, report: Report | None = None) -> Program[Ann]:
    after = Pipeline.parse(passes).run(p, report=report)
    assert isinstance(after, Program)
    return after


# ---------------------------------------------------------------------- whole programs


@pytest.mark.parametrize("name", FUN)
def test_golden_fun(name: str, golden: Callable[[str, str], None]) -> None:
    p = parse_fun(FUN[name])
    check(p)
    golden(f"passes/fun/simplify/{name}.fun", show(through(p, "simplify")))


@pytest.mark.parametrize("name", ALLOCATED)
def test_golden_funmem(name: str, golden: Callable[[str, str], None]) -> None:
    p = through(parse_fun(ALLOCATED[name]), "allocate,simplify")
    golden(f"passes/fun/simplify/{name}.funmem", show(p))


@pytest.mark.parametrize("name", BLOCKS)
def test_number_of_blocks(name: str) -> None:
    p = through(parse_fun(ALLOCATED[name]), "allocate,simplify")
    assert sum(isinstance(s.exp, Alloc) for e in p.entries for s in walk(e.body)) == BLOCKS[name]


@pytest.mark.parametrize(
    "text", sampled([*FUN.values(), *ALLOCATED.values()], 2), ids=[*FUN, *ALLOCATED]
)
def test_cases_stay_valid(text: str) -> None:
    p = parse_fun(text)
    assert difference(p, through(p, "simplify,allocate,simplify")) is None
    assert difference(p, through(p, "allocate,simplify")) is None


@pytest.mark.parametrize(
    "file", sampled([*EXAMPLES, *sorted(PROGRAMS.glob("*.fun"))], 12), ids=lambda f: f.stem
)
def test_programs_stay_valid(file) -> None:
    p = load(file)
    first = "simplify,schedule" if over_rows(p) else "simplify"
    if file.stem not in ("huge", "wraps"):  # too large for these inputs
        assert difference(p, through(p, f"{first},allocate,simplify")) is None


@pytest.mark.parametrize("seed", sampled(range(60), 16))
def test_generated_programs_stay_valid(seed: int) -> None:
    g = generate(seed)
    for passes in ("simplify", "simplify,allocate,simplify", "allocate,simplify"):
        assert judge(Pipeline.parse(passes), g.program, g.args) is None


@pytest.mark.parametrize("seed", sampled(range(60), 6))
def test_twice_is_once(seed: int) -> None:
    p = through(generate(seed).program, "allocate,simplify")
    assert show(through(p, "simplify")) == show(p)


def test_fixed_point_from_any_level() -> None:
    for text in (*FUN.values(), *ALLOCATED.values()):
        p = through(parse_fun(text), "simplify")
        assert through(p, "simplify") == p


# ---------------------------------------------------------------------- refusals


def remarks(text: str) -> list[str]:
    report = Report()
    through(parse_fun(text), "simplify", report)
    return [f"{r.place}: {r.reason}" for r in report.remarks]


@pytest.mark.parametrize(
    ("exp", "type_", "reason"),
    [
        ("a[k]", "i64", "[k] may be out of bounds of a dimension of a with n elements"),
        ("a[0 : k]", "[k]i64", "[0 : k] may be out of bounds of a dimension of a with n elements"),
        ("iota [k] 0 1", "[k]i64", "size k may be negative"),
        ("reshape [k] a", "[k]i64", "a may have a different number of elements"),
        ("7 % k", "i64", "operator % traps on some operands"),
        ("7 ** k", "i64", "operator ** traps on some operands"),
        ("loop (g : bool) = c while g do in (g)", "bool", "it may not terminate"),
    ],
)
def test_what_may_trap_stays(exp: str, type_: str, reason: str) -> None:
    text = f"""
    entry main [n] (a : [n]i64) (k : i64) (c : bool) -> (r : i64) =
      let (dead : {type_}) = {exp}
      in (n)"""
    (remark,) = remarks(text)
    assert remark == f"dead: {reason}"


def test_what_cannot_trap_goes() -> None:
    text = """
    entry main [n] (a : [n]i64) (k : i64) -> (r : i64) =
      let (x : [n]i64) =
        kernel i < n do
          let (v : i64) = a[n - 1 - i]
          let (w : i64) = v / 3
          in (w)
      let (h : [n]i64) = reverse 0 x
      in (k)"""
    (e,) = through(parse_fun(text), "simplify").entries
    assert e.body.stms == ()
    assert remarks(text) == []


LOOP = """
entry main [n] (a : [n]i64) (k : i64) -> (r : i64) =
  let (sum : i64) = loop (s : i64) = 0 for i < n do
    let (dead : i64) = EXP
    let (v : i64) = a[i]
    let (s2 : i64) = s + v
    in (s2)
  in (sum)
"""


def test_dead_code_in_a_loop_goes_as_well() -> None:
    (e,) = through(parse_fun(LOOP.replace("EXP", "s * 3")), "simplify").entries
    assert not any(p.name == "dead" for s in walk(e.body) for p in s.pat)


def test_dead_code_that_stays_in_a_loop_is_a_remark() -> None:
    (remark,) = remarks(LOOP.replace("EXP", "s % k"))
    assert remark == "dead: operator % traps on some operands"


def test_what_has_no_result_is_no_dead_code() -> None:
    text = """
    entry main (k : i64) -> (r : i64) =
      let (c : bool) = k > 0
      assert c "{}" (k)
      in (k)"""
    assert remarks(text) == []


@pytest.mark.parametrize("used", ["x", "y"])
def test_a_result_of_a_kernel_that_nobody_uses_goes(used: str) -> None:
    text = f"""
    entry main [n] (a : [n]i64) -> (r : [n]i64) =
      let (x : [n]i64) (y : [n]i64) = kernel i < n do
        let (v : i64) = a[i]
        let (w : i64) = v * 3
        in (v, w)
      in ({used})"""
    (e,) = through(parse_fun(text), "simplify").entries
    assert [p.name for s in e.body.stms for p in s.pat] == [used]


@pytest.mark.parametrize(
    ("exp", "kept"),
    [
        ("if c then let (v : i64) = a[k] in (a, v) else in (b, k)", "y"),
        ("loop (p : [n]i64) = a, (q : i64) = k for i < n do let (v : i64) = a[q] in (b, v)", "y"),
        ("kernel i < n do let (v : i64) = a[i + k] in (v, i)", "x"),
    ],
)
def test_of_what_may_trap_one_result_is_left(exp: str, kept: str) -> None:
    """A scalar, if there is one."""
    text = f"""
    entry main [n] (a : [n]i64) (b : [n]i64) (c : bool) (k : i64) -> (r : i64) =
      let (x : [n]i64) (y : {"[n]" if kept == "x" else ""}i64) = {exp}
      in (k)"""
    (e,) = through(parse_fun(text), "simplify").entries
    assert [p.name for s in e.body.stms for p in s.pat] == [kept]


NO_ROWS = """
entry main [n] (a : [n]i64) (k : i64) -> (r : [n]i64) =
  let (x : [n]i64) (y : [n][k]i64) = kernel i < n do
    let (v : i64) = a[i]
    let (row : [k]i64) = iota [k] 0 1
    in (v, row)
  in (x)
"""


@pytest.mark.parametrize("n", [0, 2])
def test_rows_that_nobody_uses_may_be_negative(n: int) -> None:
    """Which shows if there are none, too."""
    p = parse_fun(NO_ROWS)
    for q in (p, through(p, "simplify")):
        assert run(q, "main", (np.arange(n), 3))
        with pytest.raises(Trap):
            run(q, "main", (np.arange(n), -3))


RANGES = """
entry main [n] (a : [n]i64) -> (r : [n]i64) =
  let (x : [n]i64) = kernel i < n do
    let (sum : i64) = loop (s : i64) = 0 for j < n do
      let (k : i64) = a[j]
      let (m : i64) = k + i
      let (dead : [m]i64) = iota [m] 0 1
      let (s2 : i64) = s + m
      in (s2)
    in (sum)
  in (x)
"""


def test_a_dead_range_only_traps() -> None:
    """It has no elements, and its kernel stays one: of k + i elements, it would be no kernel."""
    p = parse_fun(RANGES)
    small = through(p, "simplify")
    assert "iota" not in show(small)
    for q in (p, small):
        assert run(q, "main", (np.arange(3),))
        with pytest.raises(Trap, match="negative"):
            run(q, "main", (np.array([0, -1]),))
    (e,) = to_imp(p).entries
    loops = [s for s in e.body if isinstance(s, ForStm | WhileStm)]
    assert not [t for s in loops for t in nested((s,)) if isinstance(t, Allocate)]
    assert [s for s in e.body if isinstance(s, KernelStm)]


def test_sizes_do_not_wrap() -> None:
    """k = -4 makes m = 0, as i64 arithmetic wraps; the polynomial would be -2^64."""
    p = load(PROGRAMS / "wraps.fun")
    assert show(through(p, "simplify")) == show(p)
    assert judge(Pipeline.parse("simplify,allocate,simplify"), p, (-4,)) is None


# ---------------------------------------------------------------------- scalars

X, Y, B, F, T8 = (Name(x) for x in ("x", "y", "b", "f", "t"))
TYPES: dict[Name, Type] = {X: I64, Y: I64, B: BOOL, F: F32, T8: I8}
EDGES = [0, 1, -1, 2, 3, 63, 64, -2, 2**63 - 1, -(2**63), 2**62]


def leaves(t: ScalarType) -> st.SearchStrategy[ScalarExp]:
    names: list[ScalarExp] = [Var(x) for x, u in TYPES.items() if u is t]
    match t:
        case _ if t is BOOL:
            values: st.SearchStrategy[Value] = st.booleans()
        case _ if t.is_float:
            values = st.sampled_from([0.0, -0.0, 1.0, -1.5, float("inf"), float("nan")])
        case _:
            values = st.sampled_from([k for k in EDGES if t.min <= k <= t.max])
    constants = values.map(lambda v: Const(v, t))
    return st.one_of(constants, st.sampled_from(names)) if names else constants


@st.composite
def scalars(draw: st.DrawFn, t: ScalarType, depth: int = 3) -> ScalarExp:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(leaves(t))
    operands = st.sampled_from([BOOL, I8, I64, F32])
    match draw(st.integers(0, 5)):
        case 0:
            return Convert(t, draw(scalars(draw(operands), depth - 1)))
        case 1:
            choices = [(o, u) for o in UnOp for u in (BOOL, I8, I64, F32) if un_result(o, u) is t]
            if not choices:
                return draw(leaves(t))
            op, u = draw(st.sampled_from(choices))
            return Un(op, draw(scalars(u, depth - 1)))
        case _:
            pairs = [(o, u) for o in BinOp for u in (BOOL, I8, I64, F32) if bin_result(o, u) is t]
            op2, u = draw(st.sampled_from(pairs))
            a = draw(scalars(u, depth - 1))
            b = a if draw(st.integers(0, 5)) == 0 else draw(scalars(u, depth - 1))
            return Bin(op2, a, b)


def value(e: ScalarExp, env: dict[Name, Value]) -> Value:
    """What an expression computes; raises OperatorTrap."""
    match e:
        case Const(v):
            return v
        case Var(x):
            return env[x]
        case Bin(op, a, b):
            return eval_bin(op, scalar_type(a, TYPES), value(a, env), value(b, env))
        case Un(op, a):
            return eval_un(op, scalar_type(a, TYPES), value(a, env))
        case Convert(to, a):
            return convert(value(a, env), scalar_type(a, TYPES), to)


def computed(e: ScalarExp, env: dict[Name, Value]) -> object:
    try:
        return bits_key(value(e, env), scalar_type(e, TYPES))
    except OperatorTrap as trap:
        return trap.kind


ENV = st.fixed_dictionaries(
    {
        X: st.sampled_from(EDGES),
        Y: st.sampled_from(EDGES),
        B: st.booleans(),
        F: st.sampled_from([0.0, -0.0, 1.0, float("nan"), float("-inf")]),
        T8: st.sampled_from([0, 1, -1, 127, -128]),
    }
)


@given(st.sampled_from([BOOL, I8, I64, F32]).flatmap(scalars), ENV)
def test_folding_keeps_values_and_traps(e: ScalarExp, env: dict[Name, Value]) -> None:
    folded = fold(e, TYPES)
    assert scalar_type(folded, TYPES) is scalar_type(e, TYPES)
    assert computed(folded, env) == computed(e, env)


@pytest.mark.parametrize(
    ("e", "folded"),
    [
        (Bin(BinOp.ADD, Const(2, I64), Const(3, I64)), Const(5, I64)),
        (Bin(BinOp.DIV, Const(1, I64), Const(0, I64)), None),
        (Bin(BinOp.MUL, Var(X), Const(1, I64)), Var(X)),
        (Bin(BinOp.MUL, Const(0, I64), Var(X)), Const(0, I64)),
        (Bin(BinOp.SUB, Var(X), Var(X)), Const(0, I64)),
        (Bin(BinOp.ADD, Var(F), Const(0.0, F32)), None),
        (Bin(BinOp.SUB, Var(F), Var(F)), None),
        (Un(UnOp.LNOT, Un(UnOp.LNOT, Var(B))), Var(B)),
        (Convert(I64, Var(X)), Var(X)),
        (Convert(I8, Const(300, I64)), Const(44, I8)),
    ],
)
def test_folds(e: ScalarExp, folded: ScalarExp | None) -> None:
    assert fold(e, TYPES) == (e if folded is None else folded)


SIZES = st.recursive(
    st.one_of(st.sampled_from([var(X), var(Y)]), st.integers(-(2**62), 2**62).map(const)),
    lambda inner: st.tuples(inner, inner, st.booleans()).map(
        lambda t: t[0] * t[1] if t[2] else t[0] + t[1]
    ),
    max_leaves=5,
)


@given(SIZES, st.integers(0, 10), st.sampled_from(EDGES))
def test_what_fits_does_not_wrap(p: Size, x: int, y: int) -> None:
    facts = Facts(indices=((X, const(11)),))
    exact = p.eval({X: x, Y: y}.__getitem__)
    if fits(p, facts):
        assert I64.min <= exact <= I64.max
    wrapped = value(size_exp(p), {X: x, Y: y})
    assert (int(wrapped) - exact) % 2**64 == 0


@given(SIZES)
def test_sizes_are_expressions_and_back(p: Size) -> None:
    back = exp_size(size_exp(p))
    assert back is not None
    assert all((a - b) % 2**64 == 0 for (_, a), (_, b) in zip(p.terms, back.terms, strict=False))


@given(
    st.sampled_from([o for o in BinOp if bin_result(o, I64) is BOOL]),
    SIZES,
    SIZES,
    st.integers(0, 10),
    st.integers(0, 2**63 - 1),
)
def test_decided_comparisons_are_true(op: BinOp, p: Size, q: Size, x: int, y: int) -> None:
    facts = Facts(indices=((X, const(11)),), least=((Y, 0),))
    e = Bin(op, size_exp(p), size_exp(q))
    assert computed(decide(e, facts, TYPES), {X: x, Y: y}) == computed(e, {X: x, Y: y})


def test_every_integer_type_has_its_identities() -> None:
    for t in INTS:
        types: dict[Name, Type] = {X: t}
        assert fold(Bin(BinOp.ADD, Var(X), Const(0, t)), types) == Var(X)
        assert fold(Bin(BinOp.MAX, Var(X), Var(X)), types) == Var(X)


@pytest.mark.parametrize(
    ("most", "narrow", "lossless"),
    [
        ("2147483648", "i32(i)", True),
        ("2147483648", "i32(i - 1)", True),
        ("4294967296", "u32(i)", True),
        ("9", "i8(3 * i + 9 - n)", True),
        ("2147483649", "i32(i)", False),  # the last index wraps around
        ("4294967296", "u32(i - 1)", False),  # so does the first one
        ("9223372036854775807", "i32(i)", False),
        ("2147483648", "f32(i)", False),
    ],
)
def test_conversions_that_lose_no_bits_go(most: str, narrow: str, lossless: bool) -> None:
    after = show(
        through(
            parse_fun(f"""
entry main [n] (a : [n]i8) -> (r : [n]i64) =
  let (ok : bool) = n <= {most}
  assert ok "too long"
  let (r1 : [n]i64) =
    kernel i < n do
      let (k : {narrow.split("(")[0]}) = {narrow}
      let (wide : i64) = i64(k)
      in (wide)
  in (r1)
"""),
            "simplify",
        )
    )
    assert ("i64(" not in after) is lossless


def test_a_reshape_that_lies_elsewhere_is_not_its_source() -> None:
    """Of an array without elements: one lies backwards in its block, the other does not."""
    p = load(TESTS / "corpus" / "nothing_reversed.fun")
    after = through(p, "allocate,short-circuit,simplify")
    assert difference(p, after) is None


def test_an_index_into_a_chunk_is_not_negative() -> None:
    """As in a radix sort in numpy's way: a negative index counts from the end."""
    p = parse_fun("""
entry f [n] (xs : [n]u32) -> (r : [64]u32) =
  let (more : i64) = n + 64
  let (padded : i64) = more - 1
  let (length : i64) = padded / 64
  let (r1 : [64]u32) =
    kernel i < 64 do
      let (start : i64) = i * length
      let (left : i64) = n - start
      let (some : i64) = min(length, left)
      let (size : i64) = max(0, some)
      let (last : u32) =
        loop (y : u32) = 0u32 for k < size do
          let (at : i64) = start + k
          let (below : bool) = at < 0
          let (index : i64) =
            if below then
              let (back : i64) = at + n
              in (back)
            else
              in (at)
          let (x : u32) = xs[index]
          in (x)
      in (last)
  in (r1)
""")
    after = through(p, "simplify")
    assert "if" not in show(after)
    (before,), (found,) = (run(q, "f", (np.arange(130, dtype=np.uint32),)) for q in (p, after))
    assert isinstance(before, ArrayValue)
    assert isinstance(found, ArrayValue)
    assert found.data.tolist() == before.data.tolist()
