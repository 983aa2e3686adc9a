"""The memory plan: what it predicts is what the runtime's allocator measures, to the byte.

``python -m tests.support.peaks`` asks the same of the whole corpus.
"""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import sympy
from attrs import evolve

from funmem.codegen.memory_plan import MemoryPlan, Unknown, analysis, memory_plan, replay, traced
from funmem.codegen.memory_plan.symbols import Atoms, Op, QuantityKind
from funmem.codegen.opencl import compile_imp
from funmem.codegen.plan import Free
from funmem.codegen.runtime import Executable
from funmem.ir.diagnostics import Trap
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.sizes import var
from funmem.ir.text import parse_imp
from funmem.ir.values import ArgValue
from funmem.passes.framework import as_imp
from funmem.testing import generate
from funmem.testing.campaign.orders import random_pipeline
from funmem.testing.campaign.trial import can_run
from funmem.testing.judge.counting_device import CountingDevice
from funmem.testing.judge.peaks import counted_peak, predicted
from tests.support.devices import has_pocl, pocl
from tests.support.peaks import ROOT, corpus, peaks, to_imp
from tests.support.sampling import sampled

opencl = pytest.mark.skipif(not has_pocl(), reason="PoCL is not installed")
EXAMPLES = corpus(ROOT / "examples")
OTHERS = [
    ROOT / "papers/applications/matmul/matmul.fut",
    ROOT / "tests/programs/tier1/control/loop_with_arrays.fut",
    ROOT / "tests/programs/tier2/filtering/filter.fut",
    ROOT / "tests/programs/tier2/filtering/growing_loops.fut",
]


def plan_of(program: ImpProgram) -> MemoryPlan:
    return memory_plan(traced(program.entries[0]).plan)


def values(**sizes: int) -> dict[Name, int]:
    return {Name(x): n for x, n in sizes.items()}


# ---------------------------------------------------------------------- programs of the corpus


@opencl
@pytest.mark.parametrize("path", sampled([*EXAMPLES, *OTHERS], 9), ids=lambda p: p.stem)
def test_the_runtime_measures_what_is_predicted(path: Path) -> None:
    found = list(peaks(path, most=2))
    assert found
    assert max(p.measured for p in found) > 0
    assert [str(p) for p in found if not p.right] == []


@pytest.mark.parametrize("path", sampled(EXAMPLES, 4), ids=lambda p: p.stem)
def test_the_plan_is_the_one_that_runs(path: Path) -> None:
    program = to_imp(path)
    ours = [traced(e).plan.steps for e in program.entries]
    assert ours == [p.steps for p in compile_imp(program, safe=True).plan.entries]


@pytest.mark.parametrize("path", sampled(EXAMPLES, 4, 1), ids=lambda p: p.stem)
def test_the_formula_at_sizes_is_the_number(path: Path) -> None:
    plan = plan_of(to_imp(path))
    assert plan.peak.exact is (path.stem != "matmul")  # small matrices have no panels (pack)
    numbers = set()
    for k in (0, 1, 2, 3, 50):
        sizes = {x: k + j % 3 for j, x in enumerate(plan.entry.sizes)}
        try:
            measured = replay(plan, {**sizes, **scalars(plan, k)})
        except Unknown:  # `ragged` sums as many numbers as its input says
            assert path.stem == "ragged"
            return
        bound = plan.peak.value(measured.quantities)
        assert bound == measured.peak if plan.peak.exact else bound >= measured.peak
        assert as_sympy_says(plan, measured.quantities) == bound
        numbers.add(measured.peak)
    assert len(numbers) > 1


def scalars(plan: MemoryPlan, k: int) -> dict[Name, int]:
    return {p.x: k for p in plan.entry.params if hasattr(p, "x")}


def as_sympy_says(plan: MemoryPlan, quantities: object) -> int:
    """The formula's text, read by sympy."""
    assert isinstance(quantities, dict)
    names = {x: sympy.Symbol(x) for x in quantities}
    return int(sympy.sympify(str(plan.peak), locals=names).subs(quantities))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_where_no_size_is_0_the_shorter_formula_says_the_same(path: Path) -> None:
    peak = plan_of(to_imp(path)).peak
    short = peak.for_positive_sizes()
    for k in (1, 2, 7, 129):
        at = {q.name: k + j for j, q in enumerate(peak.quantities)}
        assert short.value(at) == peak.value(at)


# ---------------------------------------------------------------------- what the analysis meets


SWAPPED = """
entry f [n] (x : [n]i64) (k : i64) {
  var a : mem;  a <- alloc 8*n;
  var b : mem;  b <- alloc 8*n;
  kernel i < n do  a[i] : i64 <- 1;  b[i] : i64 <- 2;  done
  for j < k do
    kernel i < n do  var v : i64;  v <- a[i] : i64;  b[i] : i64 <- v + 1;  done
    var c : mem;  c <- a;
    a <- b;
    b <- c;
  done
  return (a : [n]i64)
}"""

FRESH_IN_LOOP = """
entry f [n] (x : [n]i64) (k : i64) {
  var a : mem;  a <- x;
  for j < k do
    var b : mem;  b <- alloc 8*n;
    kernel i < n do  var v : i64;  v <- a[i] : i64;  b[i] : i64 <- v + 1;  done
    a <- b;
  done
  return (a : [n]i64)
}"""

GROWING = """
entry f [n] (x : [n]i64) (k : i64) {
  var s : i64;  s <- 0;
  for j < k do
    var b : mem;  b <- alloc 8*j + 8;
    kernel i < j + 1 do  b[i] : i64 <- i;  done
    var v : i64;  v <- b[j] : i64;
    s <- s + v;
  done
  return (s : i64)
}"""

BRANCHES = """
entry f [n] [m] (x : [n]i64) (y : [m]i64) (c : bool) {
  var size : i64;
  var r : mem;
  if c then
    var a : mem;  a <- alloc 8*n;
    kernel i < n do  var v : i64;  v <- x[i] : i64;  a[i] : i64 <- v;  done
    size <- n;
    r <- a;
  else
    var b : mem;  b <- alloc 16*n + 8*m;
    kernel i < n do  b[i] : i64 <- i;  done
    var d : mem;  d <- alloc 8*m;
    kernel i < m do  var v : i64;  v <- y[i] : i64;  d[i] : i64 <- v;  done
    kernel i < n do  var v : i64;  v <- b[i] : i64;  d[0] : i64 <- v;  done
    size <- m;
    r <- d;
  fi
  var t : mem;  t <- alloc 8*size;
  kernel i < size do  var v : i64;  v <- r[i] : i64;  t[i] : i64 <- v;  done
  return (t : [size]i64)
}"""

BRANCHES_IN_LOOP = """
entry f [n] [m] (x : [n]i8) (y : [m]i8) {
  for j < 4 do
    var even : bool;  even <- j % 2 == 0;
    var s : i64;  var r : mem;
    var t : i64;  var q : mem;
    if even then
      var a : mem;  a <- alloc n;  s <- n;  r <- a;
      var b : mem;  b <- alloc m;  t <- m;  q <- b;
    else
      var c : mem;  c <- alloc m;  s <- m;  r <- c;
      var d : mem;  d <- alloc n;  t <- n;  q <- d;
    fi
    var more : bool;  more <- s > t;
    if more then
      var g : mem;  g <- alloc 1;
      kernel i < 1 do  g[0] : i8 <- 1i8;  done
    else
    fi
    var e : mem;  e <- alloc n + m + 1;
    kernel i < n + m do  e[i] : i8 <- 1i8;  done
    kernel i < s do  r[i] : i8 <- 1i8;  done
    kernel i < t do  q[i] : i8 <- 1i8;  done
  done
  return (n : i64)
}"""

COUNTED = """
entry f [n] (x : [n]i64) {
  var k : i64;  k <- 0;
  for i < n do
    var v : i64;  v <- x[i] : i64;
    k <- max(k, v);
  done
  var r : mem;  r <- alloc 8*k;
  kernel i < k do  r[i] : i64 <- i;  done
  return (r : [k]i64)
}"""

NEGATIVE = """
entry f [n] (x : [n]i64) {
  var a : mem;  a <- alloc 8*n - 24;
  var s : i64;  s <- 0;
  var big : bool;  big <- n > 3;
  if big then
    kernel i < n - 3 do  var v : i64;  v <- x[i] : i64;  a[i] : i64 <- v;  done
    s <- a[0] : i64;
  else
    s <- 5;
  fi
  return (s : i64)
}"""

SHARED = """
entry f [n] (x : [n]i64) {
  var a : mem;  a <- x;
  var b : mem;  b <- a;
  var c : mem;  c <- alloc 8*n;
  kernel i < n do  var v : i64;  v <- b[i] : i64;  c[i] : i64 <- v;  done
  var d : mem;  d <- alloc 8*n;
  kernel i < n do  var v : i64;  v <- a[i] : i64;  d[i] : i64 <- v;  done
  return (c : [n]i64) (d : [n]i64)
}"""


WRAPPING = """
entry f [n] (x : [n]i64) {
  var least : i64;  least <- 9223372036854775807 + 1;
  var k : i64;  k <- max(least, 0);
  var a : mem;  a <- alloc 8*k*n;
  kernel i < k*n do  a[i] : i64 <- i;  done
  var c : mem;  c <- alloc 8*n;
  kernel i < n do  var v : i64;  v <- x[i] : i64;  c[i] : i64 <- v;  done
  return (c : [n]i64)
}"""


BOTH_MAXIMA = """
entry f [n] (x : [n]i64) {
  check 3 in n "index out of bounds" "no";
  var k : i64;  k <- max(n - 1, 0);
  check k in n "index out of bounds" "no";
  var a : mem;  a <- alloc 8*k*n + 8*k;
  kernel i < k*n do  a[i] : i64 <- i;  done
  var c : mem;  c <- alloc 8*n;
  kernel i < n do  var v : i64;  v <- x[i] : i64;  c[i] : i64 <- v;  done
  return (c : [n]i64)
}"""

REPLACED = """
entry f [n] (x : [n]i64) (k : i64) {
  var a : mem;  a <- alloc 8*n;
  var b : mem;  b <- alloc 8*n;
  kernel i < n do  a[i] : i64 <- i;  b[i] : i64 <- i;  done
  for j < 2 do  var c : mem;  c <- a;  a <- b;  b <- c;  done
  for j < k do  a <- b;  done
  var d : mem;  d <- alloc 8*n;
  kernel i < n do
    var v : i64;  v <- a[i] : i64;
    var w : i64;  w <- b[i] : i64;
    d[i] : i64 <- v + w;
  done
  return (d : [n]i64)
}"""

BOTH = "Max(16*n, 8*n + Max(0, 8*n**2 - 8))"

SLICED = """
entry f (k : i64) (x : i64) {
  check 0 : LENGTH : 1 inside k "slice out of bounds" "no";
  var a : mem;  a <- alloc 8*k + 100;
  var b : mem;  b <- alloc 8*k;
  kernel i < k do  a[i] : i64 <- i;  b[i] : i64 <- i;  done
  return (x : i64)
}"""

WRAPPING_SUM = WRAPPING.replace("9223372036854775807 + 1", "9223372036854775807 + n")
WRAPPED = "Max(16*n, 8*n*Max(0, least) + 8*n)"

WRAPPING_PRODUCT = WRAPPING.replace("(x : [n]i64)", "(x : [n]i64) (k0 : i64)", 1).replace(
    "9223372036854775807 + 1", "min(4*k0, 2)"
)
WRAPPED_PRODUCT = "Max(16*n, 8*n*Max(0, Min(2, 4*k0)) + 8*n)"


def i64(*xs: int) -> np.ndarray:
    return np.array(xs, dtype=np.int64)


X8 = np.zeros(7, np.int8)
SOME = "Max(0, 8*k) + Max(0, 8*k + 100)"
IN_LOOP = "m + max_s + max_t + n + 1"
X, Y = i64(2, 7, 1, 8, 2, 8), i64(1, 2, 3)
CASES: list[tuple[str, str, tuple[ArgValue, ...], str, bool]] = [
    ("swapped", SWAPPED, (X, 3), "16*n", True),
    ("not swapped", SWAPPED, (X, 0), "16*n", True),
    ("replaced by the other one", REPLACED, (X, 1), "24*n", False),
    ("not replaced", REPLACED, (X, 0), "24*n", False),
    ("fresh in loop", FRESH_IN_LOOP, (X, 4), "16*n", False),
    ("fresh in loop that never runs", FRESH_IN_LOOP, (X, 0), "16*n", False),
    ("growing", GROWING, (X, 5), "Max(8*k, 8*n)", False),
    ("then", BRANCHES, (X, Y, True), "Max(16*size, 24*m + 16*n)", False),
    ("else", BRANCHES, (X, Y, False), "Max(16*size, 24*m + 16*n)", False),
    ("branches in a loop", BRANCHES_IN_LOOP, (X8, X8[:2]), IN_LOOP, False),
    ("counted", COUNTED, (X,), "Max(8*k, 8*n)", True),
    ("counted nothing", COUNTED, (i64(),), "Max(8*k, 8*n)", True),
    ("a size below zero", NEGATIVE, (Y[:1],), "8*n + Max(0, 8*n - 24)", True),
    ("a size of zero", NEGATIVE, (Y,), "8*n + Max(0, 8*n - 24)", True),
    ("shared", SHARED, (X,), "24*n", True),
    ("a number that wraps around", WRAPPING, (X,), "16*n", True),
    ("a fact about another maximum", BOTH_MAXIMA, (X,), BOTH, True),
    ("nothing of less than nothing", SLICED.replace("LENGTH", "0"), (-5, 0), SOME, True),
    ("something", SLICED.replace("LENGTH", "2"), (2, 0), "16*k + 100", True),
    ("a sum that wraps around", WRAPPING_SUM, (X,), WRAPPED, True),
    ("a product that does not", WRAPPING_PRODUCT, (X, 1), WRAPPED_PRODUCT, True),
    ("a product that wraps around", WRAPPING_PRODUCT, (X, 2**63 - 2), WRAPPED_PRODUCT, True),
]


@opencl
@pytest.mark.parametrize(("text", "args", "formula", "exact"), sampled([c[1:] for c in CASES], 6),
                         ids=[c[0] for c in CASES])  # fmt: skip
def test_by_hand(text: str, args: tuple[ArgValue, ...], formula: str, exact: bool) -> None:
    program = parse_imp(text)
    entry = Executable.load(compile_imp(program, safe=True), pocl(), None).entry()
    entry.run(args)
    ready = traced(program.entries[0])
    plan = memory_plan(ready.plan)
    measured, _ = predicted(plan, program.entries[0], ready, args)
    assert measured.peak == entry.stats.peak_bytes
    assert str(plan.peak) == formula
    assert plan.peak.exact is exact
    bound = plan.peak.value(measured.quantities)
    assert bound == measured.peak if exact else bound >= measured.peak


@opencl
@pytest.mark.parametrize(
    ("value", "right", "wrong"),
    [
        ("k*k + 3", (5, -3, 2**29), (2**32, -(2**33))),
        ("k + k", (5, -3, 0, -(2**62)), (2 - 2**63, -(2**63))),
        ("(k * 16) / 16", (5, -3), (2**60 + 3,)),
        ("max(k + 5, k)", (5, -3), (2**63 - 3, 2**63 - 1)),
    ],
)
def test_sizes_that_wrap_around(value: str, right: tuple[int, ...], wrong: tuple[int, ...]) -> None:
    """The formula says nothing of them, and says so."""
    program = parse_imp(f"""
    entry f (k : i64) {{
      var s : i64;  s <- {value};
      var t : i64;  t <- min(s, 40);
      var a : mem;  a <- alloc 8*s;
      kernel i < t do  a[0] : i64 <- i;  done
      return (k : i64)
    }}""")
    (entry,) = program.entries
    plan = memory_plan(traced(entry).plan)
    assert plan.peak.exact
    for k in (*right, *wrong):
        measured, _ = predicted(plan, entry, traced(entry), (k,))
        assert plan.peak.holds(measured.quantities) is (k in right), k
        if k in right:
            assert plan.peak.value(measured.quantities) == measured.peak, k


def test_facts_about_each_other_end_a_proof() -> None:
    """That x - m is not negative would follow from x - m >= y if y were not, and y is
    max(x - m, x - k): neither is proved by the other.
    """
    atoms = Atoms(frozenset())
    n, m, k = (atoms.quantity(QuantityKind.ARGUMENT, Name(a)) for a in "nmk")
    x = atoms.derived(Op.MAX, n, n - m - k)
    y = atoms.derived(Op.MAX, x - m, x - k)
    assert not atoms.with_facts([x - m - y]).nonneg(y)
    assert atoms.with_facts([x - m - y, x - k]).nonneg(y)


def test_a_bound_says_when_it_is_exact() -> None:
    assert plan_of(parse_imp(FRESH_IN_LOOP)).peak.conditions == ("the loop at line 5 runs",)
    assert "the else branch at line 6 is taken" in plan_of(parse_imp(BRANCHES)).peak.conditions


def test_data_is_asked_for_only_where_memory_depends_on_it() -> None:
    counted = plan_of(parse_imp(COUNTED))
    with pytest.raises(Unknown, match="depends on `k`"):
        replay(counted, values(n=5))
    assert replay(plan_of(parse_imp(NEGATIVE)), values(n=5)).peak == 40 + 16
    with pytest.raises(Unknown, match="`k`, which is not given"):
        replay(plan_of(parse_imp(GROWING)), values(n=5))


def test_lifetimes() -> None:
    plan = plan_of(parse_imp(FRESH_IN_LOOP))
    x, b = plan.blocks
    inside = plan.nodes[-1].bodies[0] if plan.nodes[-1].bodies else plan.nodes[1].bodies[0]
    assert (x.name, x.step, b.name, b.bytes) == ("x", None, "b", 8 * var(Name("n")))
    assert b.result  # what the loop leaves may be the last b, or x
    assert x.result
    assert {n.index for n in inside if n.index >= (b.step or 0)} & {*b.held}


# ---------------------------------------------------------------------- generated programs


@pytest.mark.exhaustive
def test_generated_programs_after_passes_in_some_order() -> None:
    """``funmem fuzz -n 20000 --orders random`` asks the same of many."""
    found = []
    for seed in (k for k in range(12) if can_run(random_pipeline(k))):
        g = generate(seed)
        (e,) = as_imp(random_pipeline(seed).run(g.program, verify=False)).entries
        with suppress(Trap):
            found.append(counted_peak(f"seed {seed}", e, g.args))
    assert len(found) > 3
    assert sum(p.measured > 0 for p in found) > 2
    assert [str(p) for p in found if not p.right] == []


def test_the_largest_of_sizes_settles() -> None:
    """max(max(a, b), b) is max(a, b): else each round of a loop finds a new size, and nested loops
    take exponentially many.
    """
    atoms = Atoms(frozenset())
    a, b, c = (atoms.quantity(QuantityKind.SIZE, Name(x)) for x in "abc")
    for op in (Op.MIN, Op.MAX):
        ab = atoms.derived(op, a, b)
        assert atoms.derived(op, ab, b) == atoms.derived(op, b, ab) == ab
        assert atoms.derived(op, ab, c) != ab
        assert atoms.derived(op, atoms.derived(op, ab, c), ab) == atoms.derived(op, ab, c)
    assert atoms.derived(Op.MAX, atoms.derived(Op.MIN, a, b), b) != atoms.derived(Op.MIN, a, b)


def test_nested_loops_take_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """In each of four loops a block of one size takes the place of a block of another."""
    rounds: list[object] = []
    settles = analysis.same_blocks
    monkeypatch.setattr(analysis, "same_blocks", lambda a, b: rounds.append(a) or settles(a, b))
    depth = 4
    text = "s <- s + 1;"
    for k in range(depth):
        uses = f"var c{k} : i8; c{k} <- a[0] : i8;"
        inner = f"var b{k} : mem; b{k} <- alloc {k + 2}*m; {uses} {text} a <- b{k};"
        text = f"for i{k} < s do {inner} done "
    plan = plan_of(
        parse_imp(
            "entry main [n] [m] (x : [n]i8) (y : [m]i8) (k : i64) {"
            f"var s : i64; s <- k; var a : mem; a <- alloc n; {text}"
            "var r : i8; r <- a[0] : i8; return (r : i8) }"
        )
    )
    assert len(plan.blocks) == depth + 3
    assert len(rounds) < 100


@opencl
def test_counting_without_a_device_is_what_a_device_measures() -> None:
    for _, text, args, _, _ in CASES[::3]:
        program = parse_imp(text)
        entry = Executable.load(compile_imp(program, safe=True), pocl(), None).entry()
        entry.run(args)
        (e,) = program.entries
        assert CountingDevice(traced(e)).peak(args) == entry.stats.peak_bytes


def test_what_is_freed_matters() -> None:
    """The prediction follows the plan: without its frees it is another one."""
    entry = traced(to_imp(ROOT / "examples/prefix_sum.fun").entries[0]).plan
    kept = evolve(entry, steps=tuple(s for s in entry.steps if not isinstance(s, Free)))
    sizes = values(n=1000)
    freed, all_ = (replay(memory_plan(e), sizes).peak for e in (entry, kept))
    assert freed < all_
    assert [memory_plan(e).peak.value(sizes) for e in (entry, kept)] == [freed, all_]
