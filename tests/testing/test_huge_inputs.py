"""Inputs far from being sizes, and passes in unusual orders: where campaigns look for what wraps
around, what does not fit into memory, and what usual pipelines hide.
"""

import random
from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import pytest

from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import DeviceError
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue, ArrayValue
from funmem.passes.framework import as_tree
from funmem.passes.runner import Pipeline
from funmem.testing.campaign.orders import USUAL, few_passes, fixed_pipeline
from funmem.testing.corpus.huge_inputs import FEWEST, huge_input, products
from funmem.testing.judge.further_inputs import HUGE_BYTES, has_to_fit, judge_still_fits, on_further
from funmem.testing.judge.program import Case, FurtherInput


def case(text: str, *args: ArgValue) -> Case:
    return Case(parse_fun(text), Name("main"), args)


def drawn(c: Case, count: int) -> Iterator[tuple[ArgValue, ...]]:
    wraps = products(c.program)
    for seed in range(count):
        if (new := huge_input(c, random.Random(seed), frozenset(), wraps)) is not None:
            yield new.args


def shape(a: ArgValue) -> tuple[int, ...]:
    return a.data.shape if isinstance(a, ArrayValue) else np.shape(a)


WRAPPING = """
entry main [n] (xs : [n][0]i8) (a : i64) (b : i64) (z : i64) -> (r : i64) =
  let (s : [a*b]i8) = replicate [a*b] 1i8
  let (t : [4*n]i8) = replicate [4*n] 1i8
  in (z)
"""


def test_products_wrap_around_together() -> None:
    """4*n at n = 2^62 and a*b where each is 2^32, or less than nothing, at once, beside a zero; an
    array that is as long has no elements.
    """
    c = case(WRAPPING, np.zeros((3, 0), np.int8), 2, 3, 5)
    wraps = {"".join(names): digits for names, digits in products(c.program).items()}
    assert wraps == {"ab": (30, 31, 32, 32), "n": (58, 59, 61, 62)}
    found, both = list(drawn(c, 600)), 0
    assert len(found) > 500
    for xs, a, b, z in found:
        assert isinstance(a, int)
        assert isinstance(b, int)
        both += a * b in (1 << 64, -1 << 64) and 4 * shape(xs)[0] == 1 << 64 and z == 0
    assert both > 2


def test_the_least_number_is_drawn() -> None:
    """-2^63 is beyond what any other number is compared with, or taken from."""
    c = case("entry main (k : i64) -> (r : i64) = in (k)", 3)
    assert sum(k == -1 << 63 for (k,) in drawn(c, 100)) > 5


LENGTHS = """
entry main [n] [k] (xs : [TOP]i64) (ys : [n][k]i64) -> (r : i64) =
  in (k)
"""


@pytest.mark.parametrize(("top", "far_ones"), [("2", {0, 1}), ("k", {0}), ("k + n", set())])
def test_no_array_is_far_that_has_elements(top: str, far_ones: set[int]) -> None:
    """Of two sizes one is 0; a length that nothing can make empty stays."""
    xs = np.ones(2, np.int64)
    c = case(LENGTHS.replace("TOP", top), xs if top != "k" else xs[:1], np.ones((1, 1), np.int64))
    seen: set[int] = set()
    for _, ys in drawn(c, 60):
        if max(shape(ys)) > 1:
            assert min(shape(ys)) == 0
            seen |= {d for d in (0, 1) if shape(ys)[d] >= (1 << FEWEST) - 4}
    assert seen == far_ones


BRANCH = """
    let (v : i64) = if c then
        let (a : [k]i64) = iota [k] i 1
        let (x : i64) = a[0]
        in (x)
      else
        in (i)
"""
HOST = f"""
entry main (k : i64) (c : bool) (t : i64) -> (r : i64) =
  let (sum : i64) = loop (s : i64) = 0 for i < t do {BRANCH}
    let (s1 : i64) = s + v
    in (s1)
  in (sum)
"""
THREADS = f"""
entry main (k : i64) (c : bool) (t : i64) -> (r : [t]i64) =
  let (vs : [t]i64) = kernel i < t do {BRANCH}
    in (v)
  in (vs)
"""


@pytest.mark.parametrize(("text", "fits"), [(HOST, True), (THREADS, False)])
def test_hoist_asks_of_the_host_how_much_is_allocated(text: str, *, fits: bool) -> None:
    """In front of a loop there is no block that may not be needed and be large; in a kernel, whose
    threads have their blocks before they run, there is, and nobody complains.
    """
    c = case(text, 3, False, 2)
    before = as_tree(Pipeline.parse("allocate,simplify").run(c.program))
    after = as_tree(Pipeline.parse("hoist").run(before))
    large = FurtherInput((1 << 40, False, 2), (), huge=True)
    assert list(has_to_fit("hoist", [large])) == [large]
    judge_still_fits("hoist", before, after, c, [large])
    with nullcontext() if fits else pytest.raises(DeviceError):
        run_heap(after, c.entry, large.args, largest=HUGE_BYTES)


OUTSIDE = """
entry main (k : i64) (n : i64) -> (r : i64) =
  let (r0 : i64) = loop (s : i64) = 0 for i < OUTER do
    let (t : i64) = loop (u : i64) = s for j < INNER do
      let (u1 : i64) = u + 1
      in (u1)
    in (t)
  in (r0)
"""


def test_nobody_waits_for_loops_that_changed_places() -> None:
    """Inside of one that has no iterations none was run; outside, 2^40 are."""
    inside = OUTSIDE.replace("OUTER", "n").replace("INNER", "k")
    c = case(inside, 3, 2)
    after = parse_fun(OUTSIDE.replace("OUTER", "k").replace("INNER", "n"))
    judged = on_further(after, after, c)
    assert judged(FurtherInput((5, 2), (10,)))
    assert not judged(FurtherInput((1 << 40, 0), (0,), huge=True))
    assert on_further(c.program, as_tree(c.program), c)(FurtherInput((1 << 40, 0), (0,), huge=True))


def test_few_passes_come_in_the_other_order_too() -> None:
    """What usually comes last comes first, as no usual pipeline has it."""
    names = [[s.what.name for s in few_passes(seed).steps] for seed in range(200)]
    assert all(x[0] == "allocate" and x[-1] == "lower" and 3 <= len(x) <= 5 for x in names)
    usual = [x.partition("{")[0] for x in USUAL]
    assert next(s.what.name for s in fixed_pipeline(0).steps if s.what.name in usual) == "hoist"
    places = [[usual.index(y) for y in x[1:-1] if y in usual] for x in names]
    assert sum(p == sorted(p, reverse=True) for p in places if len(p) == 3) > 80
    assert any(x.index("merge") < x.index("hoist") for x in names if {"merge", "hoist"} <= {*x})
