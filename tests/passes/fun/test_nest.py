"""nest: nested parallelism becomes kernels of several dimensions, and nothing changes its meaning.

Protects ``passes/fun/nest/``.  ``tests/passes/fun/nest/*.fun`` holds programs per rule, (N0) to
(N5), and ``conditions.fun`` for each numbered condition programs that meet and that violate it;
``tests/golden/nest/`` what becomes of them.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from funmem.ir.fun import Ann, ArrayType, Binder, If, Kernel, Loop, Program, Stm
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import var
from funmem.ir.text import parse_fun
from funmem.ir.traverse import sub_bodies, walk
from funmem.passes import pipeline
from funmem.passes.fun.nest.conditions import (
    FEW,
    counted,
    is_map,
    operator_free,
    regular_types,
    types_nonneg,
)
from funmem.testing import generate
from tests.support.fused import checked, difference, kernels, only, outcome, same
from tests.support.memory_check import before_and_after, load
from tests.support.memory_check import difference as heap_difference
from tests.support.nested_programs import nested_program
from tests.support.sampling import sampled

HERE = Path(__file__).parent / "nest"
PROGRAMS = sorted(f.stem for f in HERE.glob("*.fun"))


@cache
def program(name: str) -> Program[Ann]:
    return load(HERE / f"{name}.fun")


@pytest.mark.parametrize("name", PROGRAMS)
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"nest/{name}.fun", before_and_after(program(name), "nest,simplify"))


@pytest.mark.parametrize("name", sampled(PROGRAMS, 6))
@pytest.mark.parametrize("passes", ["nest", "simplify,fuse,nest,simplify,schedule{threads=3}"])
def test_the_values_stay(name: str, passes: str) -> None:
    after, _ = checked(program(name), passes)
    assert difference(program(name), after) is None


SHAPES = {
    "matmul": [(0, 3)],
    "scalars": [(0, 2)],
    "segmented": [(0, 2)],
    "once": [(0, 1), (1, 1)],
    "invariant": [(0, 2)],
    "twice": [(0, 2)],
    "views": [(0, 2)],
    "fresh": [(0, 2)],
    "matrices": [(0, 3)],
    "normalised": [(0, 2), (0, 2)],
    "sequence": [(0, 2), (0, 1), (0, 2), (0, 1)],
    "updated": [(0, 1), (0, 2)],
    "turned": [(0, 2)],
    "steps": [(0, 1), (0, 2), (0, 2), (0, 1)],
    "joined": [(0, 2), (0, 1)],
    "joined_by_threads": [(0, 1)],
    "within": [(0, 2), (0, 2), (0, 2)],
    "over": [(0, 1), (1, 1), (0, 1)],
    "inside": [(0, 2)],
    "read_before": [(0, 1), (0, 2)],
    "diagonal": [(0, 2), (1, 1)],
    "unequal": [(0, 1)],
    "c10_no": [(0, 2)],
    "c10_data_no": [(0, 1)],
    "c11_no": [(0, 1)],
    "c12_no": [(0, 1), (1, 1)],
}
"""For each entry point how deep its kernels are nested, and how many dimensions they have."""


@pytest.mark.parametrize(
    ("name", "entry"),
    [(f, str(e.name)) for f in PROGRAMS if f != "conditions" for e in program(f).entries],
)
def test_shapes(name: str, entry: str) -> None:
    after, _ = checked(only(program(name), entry), "nest")
    assert sorted(kernels(after)) == sorted(SHAPES[entry])


def test_matmul_is_one_kernel_with_a_loop() -> None:
    """From three nested kernels to two dimensions of threads, through the default pipeline."""
    p = only(program("perfect"), "matmul")
    after, _ = checked(p, pipeline.FUN)
    assert kernels(after) == [(0, 2)]
    assert heap_difference(p, pipeline.to_funmem(p)) is None


# ---------------------------------------------------------------------- conditions


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_a_condition_that_holds(k: int) -> None:
    after, remarks = checked(only(program("conditions"), f"c{k}_yes"), "nest")
    assert [k for k in kernels(after) if k[0] == 0] == [(0, 2)]
    assert remarks == ()


@pytest.mark.parametrize("k", range(1, 10))
def test_a_condition_that_is_violated(k: int) -> None:
    before = only(program("conditions"), f"c{k}_no")
    after, remarks = checked(before, "nest")
    assert kernels(after) == kernels(before)
    assert [r for r in remarks if f": ({k}) " in r], remarks


def in_branches(p: Program[Ann]) -> int:
    """The number of loops and kernels in branches."""
    ifs = (s.exp for e in p.entries for s in walk(e.body) if isinstance(s.exp, If))
    return sum(isinstance(s.exp, Kernel | Loop) for e in ifs for b in sub_bodies(e) for s in b.stms)


@pytest.mark.parametrize("entry", ["diagonal", "unequal"])
def test_work_leaves_a_branch_that_most_iterations_take(entry: str) -> None:
    p = only(program("branches"), entry)
    assert in_branches(p) == 1
    assert in_branches(checked(p, "nest")[0]) == 0


@pytest.mark.parametrize("entry", ["c10_no", "c10_data_no", "c11_no", "c12_no"])
def test_work_stays_in_a_branch(entry: str) -> None:
    p = only(program("branches"), entry)
    after, remarks = checked(p, "nest")
    assert after == p
    assert [r for r in remarks if f": ({entry[1:3]}) " in r], remarks


def test_rows_that_were_never_written_are_not_read() -> None:
    """A copy of an undefined element is undefined, reading it traps."""
    text = """entry main (n : i64) (m : i64) -> (r : i64) (q : [n][m]i64) =
      let (s : [n][m]i64) = scratch [n][m]i64
      let (t : [n][m]i64) = kernel i < n do
        let (row : [m]i64) = s[i, 0 : m]
        in (row)
      in (n, t)"""
    p = parse_fun(text, "holes.fun")
    assert kernels(checked(p, "nest")[0]) == [(0, 1)]


def test_twice_is_once() -> None:
    for name in PROGRAMS:
        once, _ = checked(program(name), "nest,simplify")
        assert checked(once, "nest,simplify")[0] == once


# ---------------------------------------------------------------------- generated programs


@pytest.mark.parametrize("seed", sampled(range(200), 20))
def test_nested_programs(seed: int) -> None:
    g = nested_program(seed)
    after, _ = checked(g.program, ("nest", "simplify,fuse,nest,simplify")[seed % 2])
    assert same(outcome(g.program, "main", g.args), outcome(after, "main", g.args)), g.text


@pytest.mark.parametrize("seed", range(12))
def test_generated_programs(seed: int) -> None:
    g = generate(seed)
    after, _ = checked(g.program, "nest")
    assert same(outcome(g.program, g.entry, g.args), outcome(after, g.entry, g.args))


def test_a_part_that_hands_nothing_on_stays_for_its_traps() -> None:
    """Its first array is consumed, and another one differs in size: neither may be kept."""
    text = """entry main [n] [m] (a : [n][m]i64) (ks : [n]i64) -> (r : [n][m]i64) =
      let (s : [n][m]i64) = kernel i < n do
        let (zeros : [i]i64) = replicate [i] 0
        let (k : i64) = ks[i]
        let (one : [i]i64) = zeros with [k] = 1
        let (row : [m]i64) = kernel j < m do
          let (x : i64) = a[i, j]
          let (y : i64) = x + 1
          in (y)
        in (row)
      in (s)"""
    p = parse_fun(text, "traps.fun")
    after, _ = checked(p, "nest")
    assert kernels(after) == [(0, 1), (0, 2)]
    assert difference(p, after) is None


# ---------------------------------------------------------------------- conditions by themselves


def first(statement: str) -> Stm[Ann]:
    """A statement, where ``n``, ``k``, ``xs`` and ``z`` are known."""
    head = "entry main [n] (xs : [n]i64) (k : i64) (z : i64) -> (r : i64) ="
    return parse_fun(f"{head}\n{statement}\n  in (z)").entries[0].body.stms[0]


def kernel_over(dims: str, size: str) -> Stm[Ann]:
    return first(f"  let (a : {size}i64) = kernel {dims} do\n    in (z)")


def test_8_maps_over_more_than_a_few_iterations() -> None:
    assert not is_map(kernel_over(f"i < {FEW}", f"[{FEW}]"))
    assert is_map(kernel_over(f"i < {FEW + 1}", f"[{FEW + 1}]"))
    assert is_map(kernel_over(f"i < {FEW}, j < n", f"[{FEW}][n]"))


MAP = "let (m : [n]i64) = kernel j < n do\n      in (z)"


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        (f"(l : i64) = loop (s : i64) = z for i < k do\n    {MAP}\n    in (s)", "scalars only"),
        ("(l : [n]i64) = loop (s : [n]i64) = xs for i < k do\n    in (s)", "no map"),
        (
            "(l : [n]i64) (o : [n]i64) = loop (s : *[n]i64) = xs, (t : [n]i64) = xs"
            f" for i < k do\n    {MAP}\n    in (s, t)",
            "updates an array",
        ),
    ],
)
def test_8_loops_that_are_not_worth_it(loop: str, why: str) -> None:
    refusal = counted(first(f"  let {loop}"), frozenset())
    assert refusal is not None
    assert why in refusal.reason


ROWS = Binder[Ann](Name("rows"), ArrayType(I64, (var("k"),)), None)


def test_2_arrays_that_are_kept_have_sizes_from_outside() -> None:
    assert regular_types([ROWS], frozenset({Name("n")})) is None
    assert regular_types([ROWS], frozenset({Name("k")})) is not None


def test_5_arrays_that_are_kept_have_sizes_that_are_not_negative() -> None:
    assert types_nonneg([ROWS], PointFacts()) is not None
    assert types_nonneg([Binder[Ann](Name("s"), I64, None)], PointFacts()) is None


def test_3_neutral_elements_come_from_outside() -> None:
    s = first(
        "  let (a : i64) = kernel i < n reduce (\\ (p : i64) (q : i64) ->\n"
        "    let (t : i64) = p + q\n    in (t)) (z) do\n    in (k)"
    )
    assert isinstance(s.exp, Kernel)
    inside, nothing = frozenset({Name("z")}), frozenset[Name]()
    assert operator_free(s.exp, nothing, nothing) is None
    assert operator_free(s.exp, inside, nothing) is not None
    assert operator_free(s.exp, nothing, inside) is not None
