"""sequentialise: kernels that allocate become loops, whatever their collective."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from funmem.ir.check.scalar import MAX_RANK
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.passes.framework import Report
from funmem.passes.mem.sequentialise import no_allocation_in_kernels, sequentialise
from funmem.passes.runner import Pipeline, Step
from funmem.testing import generate
from tests.support.memory_check import (
    ALLOCATED,
    CORPUS,
    EXPANDED,
    SEQUENTIAL,
    allocs_in_kernels,
    before_and_after,
    difference,
    heap_outcome,
    load,
    same,
    through,
    value_outcome,
)
from tests.support.paths import TESTS
from tests.support.sampling import sampled


def corpus(name: str) -> Path:
    return next(f for f in CORPUS if f.name == name)


@pytest.mark.parametrize("name", ["computed_rows.fun", "computed_sizes.fun", "growing.fun"])
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    p = through(load(corpus(name)), EXPANDED)
    golden(f"memory/sequentialise/{Path(name).stem}.funmem", before_and_after(p, "sequentialise"))


@pytest.mark.parametrize("passes", [SEQUENTIAL, f"{ALLOCATED},sequentialise"])
@pytest.mark.parametrize("file", sampled(CORPUS, 6), ids=lambda f: f.name)
def test_value_is_heap(file: Path, passes: str) -> None:
    p = load(file)
    q = through(p, passes)
    assert allocs_in_kernels(q) == []
    assert difference(p, q) is None


@pytest.mark.parametrize("seed", sampled(range(12), 4))
def test_generated_programs(seed: int) -> None:
    """Every kernel that allocates, not only those that expand leaves."""
    g = generate(seed)
    want = value_outcome(g.program, g.entry, g.args)
    q = through(g.program, "allocate,sequentialise,simplify")
    assert same(want, heap_outcome(q, g.entry, g.args))


ROWS = """
entry main (n : i64) (k : i64) -> (r : i64) =
  let (out : [n][k]i32) =
    kernel i < n do
      let (one : [1]i32) = replicate [1] 1i32
      let (many : [k]i32) = one[0 : k : 0]
      in (many)
  in (k)
"""


@pytest.mark.parametrize(("n", "k"), [(2, 2), (2, -1), (0, -1), (-1, -1), (0, 0)])
def test_a_row_of_negative_size_traps_as_it_did(n: int, k: int) -> None:
    """Where the iteration that makes it traps, not where room is made for all rows; if there is no
    iteration, it is a negative size.
    """
    p = parse_fun(ROWS)
    want = value_outcome(p, Name("main"), (n, k))
    q = through(p, "allocate,sequentialise")
    assert same(want, heap_outcome(q, Name("main"), (n, k)))
    assert same(want, value_outcome(q, Name("main"), (n, k)))


FAR = 2**32


@pytest.mark.parametrize("z", [0, 1])
@pytest.mark.parametrize(
    ("n", "a", "b"),
    [(1, -FAR, FAR), (FAR, -1, 1), (FAR, -FAR, FAR), (0, -FAR, FAR), (2, -1, 3), (2, -1, -3)],
)
def test_no_size_wraps_around(n: int, a: int, b: int, z: int) -> None:
    """Neither the size of a row, of which the sign is asked for, nor the number of iterations."""
    p = load(TESTS / "seeded" / "programs" / "negative_product.fun")
    args = (np.empty((n, 0), np.int8), a, b, z)
    want = value_outcome(p, Name("main"), args)
    q = through(p, "allocate,sequentialise")
    assert same(want, heap_outcome(q, Name("main"), args))


@pytest.mark.parametrize("passes", [SEQUENTIAL, f"{ALLOCATED},sequentialise"])
def test_a_histogram_may_exchange_its_operands(passes: str) -> None:
    """Its results lie where the operands do, in an order that copies would disturb."""
    p = load(TESTS / "seeded" / "programs" / "exchanged_buckets.fun")
    args = (np.array([1, 2, 2, 2]), *(np.arange(6).reshape(3, 2) + k for k in (0, 10)))
    want = value_outcome(p, Name("main"), args)
    assert same(want, heap_outcome(through(p, passes), Name("main"), args))


HUGE_ROWS = """
entry main (n : i64) (m : i64) -> (r : [n]i64) =
  let (y : [n]i64) = kernel i < n, j < m reduce (\\(a : i64) (b : i64) ->
      let (d : i64) = a + b
      in (d)) (0) do
    let (k : i64) = i + 1
    let (t : [k]i64) = iota [k] 0 1
    let (v : i64) = t[i]
    in (v)
  in (y)"""


@pytest.mark.parametrize(("n", "m"), [(0, 1 << 62), (0, -5), (-1, 1 << 62), (3, 2)])
def test_what_traps_on_a_negative_size_takes_no_memory(n: int, m: int) -> None:
    """No array is as long as a dimension that never runs, not even one without elements."""
    p = parse_fun(HUGE_ROWS)
    q = through(p, "allocate,sequentialise")
    want = value_outcome(p, "main", (n, m))
    assert same(want, value_outcome(q, "main", (n, m)))
    assert same(want, heap_outcome(q, "main", (n, m)))


def test_a_kernel_may_have_as_many_dimensions_as_an_array() -> None:
    """What traps on a negative size has no more of them than that."""
    dims = ", ".join(f"j{k} < n" for k in range(MAX_RANK))
    p = parse_fun(f"""
entry main (n : i64) -> (r : i64) =
  let (y : {"[n]" * MAX_RANK}i64) = kernel {dims} do
    let (k : i64) = j0 + 1
    let (t : [k]i64) = iota [k] 0 1
    let (v : i64) = t[0]
    in (v)
  let (q : i64) = y[{", ".join("0" for _ in range(MAX_RANK))}]
  in (q)""")
    q = through(p, "allocate,sequentialise")
    for n in (1, -1):
        assert same(value_outcome(p, "main", (n,)), heap_outcome(q, "main", (n,)))


def test_a_kernel_without_allocations_stays() -> None:
    p = through(load(corpus("two_dimensions.fun")), EXPANDED)
    assert Pipeline((Step(sequentialise),)).run(p) == p


def test_a_remark_names_the_kernel_and_the_block() -> None:
    report = Report()
    through(load(corpus("growing.fun")), SEQUENTIAL, report)
    (remark,) = [r for r in report.remarks if r.pass_name == "sequentialise"]
    assert remark.place == "out"
    assert "one_mem_1 is allocated inside" in remark.reason


def test_the_postcondition_finds_an_allocation() -> None:
    p = through(load(corpus("growing.fun")), EXPANDED)
    found = no_allocation_in_kernels(p)
    assert found is not None
    assert "one_mem_1" in found.message
