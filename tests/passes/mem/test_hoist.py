"""hoist: what leaves which body, and what must not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from funmem.ir.fun import Ann, Binder, If, Program, Stm
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.traverse import sub_bodies, walk
from funmem.passes.framework import Report
from tests.support.memory_check import (
    ALLOCATED,
    CORPUS,
    HOISTED,
    allocs_in_loops,
    before_and_after,
    difference,
    load,
    through,
)
from tests.support.paths import TESTS
from tests.support.sampling import sampled

GOLDEN = ("branch_in_loop.fun", "loop_shrinking.fun", "nested_kernels.fun", "ragged_rows.fun")


@pytest.mark.parametrize("name", GOLDEN)
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    p = through(load(TESTS / "corpus" / name), ALLOCATED)
    golden(f"memory/hoist/{Path(name).stem}.funmem", before_and_after(p, "hoist"))


@pytest.mark.parametrize("file", sampled(CORPUS, 6), ids=lambda f: f.name)
def test_value_is_heap(file: Path) -> None:
    p = load(file)
    assert difference(p, through(p, HOISTED)) is None


def test_twice_is_once() -> None:
    for file in CORPUS:
        p = through(load(file), HOISTED)
        assert through(p, "hoist") == p


# ---------------------------------------------------------------------- conditions

BLOCK = "let (m : mem) = alloc 4*k"
ARRAY = "let (x : [k]i32 @ m -> 0 + {(k : 1)}) = iota [k] 7i32 1i32"
START = "entry main [k] [xs_mem : mem] (n : i64) (xs : [k]i32 @ xs_mem -> 0 + {(k : 1)})"


def hoisted(body: str, result: str = "(r : i32)") -> tuple[Program[Ann], Report]:
    """The entry point with that body, hoisted, and the remarks."""
    report = Report()
    return through(parse_fun(f"{START} -> {result} =\n{body}"), "hoist", report), report


def top(p: Program[Ann]) -> list[Name]:
    """The names bound at the top level of the first entry point, in order."""
    return [b.name for s in p.entries[0].body.stms for b in s.pat]


def inside(p: Program[Ann]) -> list[Name]:
    """The names bound in statements inside others."""
    names = [b.name for s in walk(p.entries[0].body) for b in s.pat]
    return [x for x in names if x not in top(p)]


def in_loop(stms: str, result: str = "s2") -> str:
    return f"let (r1 : i32) = loop (s : i32) = 0i32 for i < n do {stms} in ({result}) in (r1)"


def test_a_local_block_leaves_a_loop() -> None:
    p, _ = hoisted(in_loop(f"{BLOCK} {ARRAY} let (e : i32) = x[i] let (s2 : i32) = s + e"))
    assert top(p) == ["m", "r1"]


def test_1_what_needs_the_loop_stays() -> None:
    p, report = hoisted(in_loop("let (j : i64) = i + i64(s) let (s2 : i32) = i32(j)"))
    assert inside(p) == ["j", "s2"]
    assert not report.remarks


def test_1_an_allocation_that_stays_is_a_remark() -> None:
    stms = "let (j : i64) = i64(s) let (m : mem) = alloc j let (s2 : i32) = s + 1i32"
    p, report = hoisted(in_loop(stms))
    assert "m" in inside(p)
    assert [(r.place, r.condition, r.reason) for r in report.remarks] == [
        ("m", "leaves the loop", "it needs j")
    ]


def test_2_what_writes_memory_stays() -> None:
    p, _ = hoisted(in_loop(f"{BLOCK} {ARRAY} let (s2 : i32) = s + 1i32"))
    assert inside(p) == ["x", "s2"]


@pytest.mark.parametrize(
    "trapping",
    [
        "let (e : i32) = xs[n]",
        "let (e : i32) = 7i32 / i32(n)",
        "let (e2 : [n]i32 @ xs_mem -> 0 + {(n : 1)}) = xs[0 : n] let (e : i32) = 1i32",
        "let (h : i64) = n let (e : i32) = xs[h]",
    ],
)
def test_3_what_may_trap_stays(trapping: str) -> None:
    p, _ = hoisted(in_loop(f"{trapping} let (s2 : i32) = s + e"))
    assert not {"e2", "e"} & set(top(p)) - ({"e"} if "1i32" in trapping[-8:] else set())


def test_3_what_cannot_trap_leaves() -> None:
    p, _ = hoisted(in_loop("let (e : i64) = n / 2 let (f : i32) = i32(e) let (s2 : i32) = s + f"))
    assert top(p) == ["e", "f", "r1"]


def test_3_a_read_in_bounds_leaves_a_loop() -> None:
    read = "let (r1 : i32) = loop (s : i32) = 0i32 for j < k do "
    inner = "let (r2 : i32) = loop (t : i32) = s for i < n do let (e : i32) = xs[j]"
    p, _ = hoisted(f"{read} {inner} let (t2 : i32) = t + e in (t2) in (r2) in (r1)")
    (outer,) = p.entries[0].body.stms
    (loop,) = (s.exp for s in (outer,))
    names = [b.name for s in walk(p.entries[0].body) for b in s.pat]
    assert names == ["r1", "e", "r2", "t2"]
    assert loop == outer.exp


def test_4_a_carried_block_stays_in_the_loop() -> None:
    body = f"""
let (m0 : mem) = alloc 4*k
let (x0 : [k]i32 @ m0 -> 0 + {{(k : 1)}}) = copy xs
let (m2 : mem) (x2 : [k]i32 @ m2 -> 0 + {{(k : 1)}}) =
  loop (m1 : mem) = m0, (x1 : [k]i32 @ m1 -> 0 + {{(k : 1)}}) = x0 for i < n do
    {BLOCK}
    {ARRAY}
  in (m, x)
let (r1 : i32) = x2[0]
in (r1)"""
    p, report = hoisted(body)
    assert allocs_in_loops(p) == ["m"]
    assert [r.reason for r in report.remarks] == [
        "the next iteration or the loop's result lives in the block"
    ]


def test_5_no_allocation_leaves_a_kernel_but_it_goes_to_the_top() -> None:
    body = f"""
let (o_mem : mem) = alloc 4*n
let (o : [n]i32 @ o_mem -> 0 + {{(n : 1)}}) = kernel i < n do
  let (y : i32) = i32(i)
  let (z : i32) = y + 1i32
  let (k2 : i64) = i + 1
  let (m : mem) = alloc k2
  {ARRAY.replace("[k]", "[k2]").replace("(k :", "(k2 :")}
  in (z)
let (r1 : i32) = o[0]
in (r1)"""
    p, _ = hoisted(body)
    assert inside(p) == ["k2", "m", "y", "z", "x"]


def test_5_the_host_does_not_read_for_a_kernel() -> None:
    body = """
let (o_mem : mem) = alloc 4*k
let (o : [k]i32 @ o_mem -> 0 + {(k : 1)}) = kernel i < k do
  let (p_mem : mem) = alloc 4*k
  let (p : [k]i32 @ p_mem -> 0 + {(k : 1)}) = kernel j < k do
    let (e : i32) = xs[i]
    in (e)
  let (f : i32) = p[i]
  in (f)
let (r1 : i32) = o[0]
in (r1)"""
    p, _ = hoisted(body)
    assert inside(p) == ["p_mem", "e", "p", "f"]


def test_6_a_branch_on_the_host_keeps_its_blocks() -> None:
    body = f"""
let (c : bool) = n > 3
let (r1 : i32) = if c then {BLOCK} {ARRAY} let (e : i32) = x[0] in (e) else in (1i32)
in (r1)"""
    p, _ = hoisted(body)
    assert top(p) == ["c", "r1"]


def test_6_a_branch_in_a_loop_gives_them_up() -> None:
    branch = f"{BLOCK} {ARRAY} let (n2 : i64) = n * 3 let (e : i32) = x[0] in (e)"
    body = in_loop(
        "let (c : bool) = s > 3i32 let (i2 : i64) = i * 2 "
        f"let (s2 : i32) = if c then let (i3 : i64) = i * i2 {branch} else in (1i32)"
    )
    p, _ = hoisted(body)
    assert top(p) == ["m", "n2", "r1"]  # and the loop keeps i3, which varies, in the branch
    assert inside(p) == ["c", "i2", "s2", "i3", "x", "e"]


def allocating(size: str, before: str = "", i: str = "i < n") -> tuple[Program[Ann], Report]:
    """A loop whose iterations allocate that many bytes."""
    block = f"let (m : mem) = alloc {size} let (s2 : i32) = s + 1i32"
    loop = f"let (r1 : i32) = loop (s : i32) = 0i32 for {i} do {block} in (s2)"
    return hoisted(f"{before} {loop} in (r1)")


@pytest.mark.parametrize(
    ("size", "bound"),
    [
        *((size, "w") for size in ("8*n", "4*k*k", "8*k*n", "4*n*n", "1049600 + 1024*k")),
        ("8*k*n", "k - 1"),  # k is 1 where it matters
        ("16*k*t", "w"),
        ("1048576 + 1032*k - 8*q", "w"),  # a subtracted name that has an upper bound
        ("16*w*w", "k"),  # the only array may be empty while w, no length, is large
    ],
)
def test_7_a_block_out_of_proportion_stays(size: str, bound: str) -> None:
    """The loop may have no iterations, so the program may not need the block."""
    some = "let (t : i64) = max(min(n, 128), 1) let (q : i64) = k / 2 let (w : i64) = min(n, k)"
    p, report = allocating(size, some, f"i < {bound}")
    assert inside(p) == ["m", "s2"]
    assert [r.reason for r in report.remarks] == [
        "it may be unneeded and larger than all other data"
    ]


@pytest.mark.parametrize(
    ("size", "before", "i"),
    [
        ("1048576", "", "i < n"),
        ("1049600", "", "i < n"),  # assumes that an array has an element
        ("8*k", "", "i < n"),
        ("8*k - 8", "", "i < n"),
        ("8*k*t", "let (t : i64) = max(min(n, 128), 1)", "i < n"),
        ("8*q", "let (q : i64) = k / 128", "i < n"),
        ("8*k*k", "let (o : mem) = alloc k*k", "i < n"),
        ("8*n - 8", "", "i < n"),  # a loop without iterations would need no bytes
        ("4*k*k*k", "", "i < k"),  # k is the length of an array, so the loop is entered
        ("4*n*n", "", "i < 3"),
    ],
)
def test_7_a_block_in_proportion_leaves(size: str, before: str, i: str) -> None:
    p, _ = allocating(size, before, i)
    assert "m" in top(p)


def test_7_a_branch_in_a_loop_keeps_a_block_out_of_proportion() -> None:
    """Every iteration would allocate it, whether it takes the branch or not."""
    large = "let (o : mem) = alloc 8*k*n in (s)"
    body = f"let (c : bool) = s > 3i32 let (s2 : i32) = if c then {large} else in (1i32)"
    p, report = hoisted(in_loop(body))
    assert inside(p) == ["c", "s2", "o"]
    assert [r.reason for r in report.remarks] == [
        "it may be unneeded and larger than all other data"
    ]


def test_7_a_branch_on_the_host_is_no_news() -> None:
    """Its blocks stay there, large or small."""
    large = "let (o : mem) = alloc 8*k*n in (1i32)"
    p, report = hoisted(
        f"let (c : bool) = n > 3 let (r1 : i32) = if c then {large} else in (2i32) in (r1)"
    )
    assert top(p) == ["c", "r1"]
    assert report.remarks == []


def test_7_a_branch_that_is_for_small_arrays_keeps_its_own() -> None:
    p = load(TESTS / "seeded" / "programs" / "guarded_block.fun")
    q = through(p, HOISTED)
    assert allocs_in_loops(q) == ["cube_mem_1"]
    assert difference(p, q) is None


BRANCH = """
entry main (k : i64) (m : i64) -> (r : i64) =
  let (zero : i64) = 0
  let (t : i64) = loop (s : i64) = zero for i < k do
    let (o : bool) = s > 3
    let (v : i64) =
      if o then
        let (p : i64) = s + 1
        let (q : i64) = p * 2
        let (w : i64) = m * 3
        let (d : [k]i64) = iota [k] q w
        let (e : i64) = d[0]
        in (e)
      else
        in (s)
    in (v)
  in (t)
"""


@pytest.mark.parametrize(("there", "stays"), [("xs_mem", True), ("o_mem", False)])
def test_8_a_read_stays_in_its_branch_if_threads_write_there(there: str, stays: bool) -> None:
    """Only thread n reads element n, and only it writes there: others must not begin to read it,
    as they would if the read went where all of them allocate.
    """
    body = f"""
let (p : bool) = 0 <= n
let (q : bool) = n < k
assert p "p"
assert q "q"
let (o_mem : mem) = alloc 4*k
let (o : [k]i32 @ {there} -> 0 + {{(k : 1)}}) = kernel i < k do
  let (c : bool) = i == n
  let (v : i32) = if c then
      let (e : i32) = xs[n]
      let (s : i64) = i64(e)
      let (m : mem) = alloc 4*s
      let (t : [s]i32 @ m -> 0 + {{(s : 1)}}) = iota [s] 0i32 1i32
      let (w : i32) = t[0]
      in (w)
    else
      in (7i32)
  in (v)
let (r1 : i32) = o[0]
in (r1)"""
    p, report = hoisted(body)
    branch = [b.name for s in walk(p.entries[0].body) if isinstance(s.exp, If) for b in _bound(s)]
    assert ("e" in branch) == ("m" in branch) == stays
    assert [r.reason for r in report.remarks] == (["it needs s"] if stays else [])


def _bound(s: Stm[Ann]) -> list[Binder[Ann]]:
    return [b for body in sub_bodies(s.exp) for t in walk(body) for b in t.pat]


def test_6_what_depends_on_what_varies_stays_in_the_branch() -> None:
    p = parse_fun(BRANCH)
    q = through(p, HOISTED)
    assert "w" in top(q)
    assert not {"p", "q"} & {*top(q)}
    assert difference(p, q) is None


GROWING = """
entry main (k : i64) (m : i64) -> (r : i64) =
  let (zero : i64) = 0
  let (t : i64) = loop (s : i64) = zero for i < k do
    let (a : [i*m + 1]i64) = iota [i*m + 1] i 1
    let (b : i64) = a[0]
    let (c : i64) = s + b
    in (c)
  in (t)
"""


def test_a_size_without_a_bound_keeps_its_block_in_the_loop() -> None:
    """Nobody knows whether i * m grows."""
    p = parse_fun(GROWING)
    q = through(p, HOISTED)
    assert allocs_in_loops(q) == ["a_mem_1"]
    assert difference(p, q) is None


def test_shrinking_sizes_are_bounded() -> None:
    p = through(load(TESTS / "corpus" / "loop_shrinking.fun"), HOISTED)
    assert allocs_in_loops(p) == []
