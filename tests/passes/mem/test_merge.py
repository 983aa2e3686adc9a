"""merge: what is never needed together shares memory, and the peak never rises."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from attrs import frozen

from funmem.driver.source import read
from funmem.driver.stages import pipeline_for
from funmem.ir.diagnostics import UsageError
from funmem.ir.fun import Alloc, Ann, Entry, Program
from funmem.ir.names import Name
from funmem.ir.sizes import var
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.passes.framework import Level, Report, as_tree
from funmem.passes.mem.liveness import Role
from funmem.passes.mem.merge.lifetimes import Held, Lifetimes
from funmem.passes.mem.merge.moments import Moments
from funmem.passes.mem.merge.peak import lower_bound, peak
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from funmem.testing.judge.program import define_outcome, judge
from tests.support.memory_check import (
    BUFFERED,
    CORPUS,
    EXAMPLES,
    allocs_in_loops,
    before_and_after,
    difference,
    load,
    through,
)
from tests.support.paths import TESTS
from tests.support.sampling import sampled

LAYOUTS = ("contiguous", "interleaved")
AFTER = (
    "merge{{layout={0}}},expand{{layout={0}}},simplify,sequentialise,merge{{layout={0}}},simplify"
)
"""As the pipeline has it: in front of expand, and at the end."""


def blocks(p: Program[Ann]) -> list[Name]:
    """The blocks that a program allocates, in order."""
    return [s.pat[0].name for e in p.entries for s in walk(e.body) if isinstance(s.exp, Alloc)]


GOLDEN = ("chosen_array.fun", "loop_exchange.fun", "loop_in_kernel.fun", "operator_arrays.fun")


@pytest.mark.parametrize("name", GOLDEN)
def test_before_and_after(name: str, golden: Callable[[str, str], None]) -> None:
    p = through(load(TESTS / "corpus" / name), f"{BUFFERED},merge,expand,simplify")
    golden(f"merge/{Path(name).stem}.funmem", before_and_after(p, "merge"))


@pytest.mark.parametrize("seed", sampled(range(8), 8))
def test_generated_programs_keep_their_meaning(seed: int) -> None:
    """Value, heap and IMP in three orders, after merging at every place where it is possible."""
    g = generate(seed)
    layout = LAYOUTS[seed % 2]
    text = f"merge{{layout={layout}}}"
    passes = f"allocate,{text},hoist,double-buffer,hoist,{AFTER.format(layout)},lower"
    for end in (3, None):
        p = Pipeline(Pipeline.parse(passes).steps[:end]).run(g.program)
        judge(p, g, define_outcome(g), run_it=True)


# ---------------------------------------------------------------------- conditions

START = """entry main [n] [m] [xs_mem : mem] [ys_mem : mem] (k : i64) (l : i64) (c : bool)
  (xs : [n]i32 @ xs_mem -> 0 + {(n : 1)}) (ys : [m]i32 @ ys_mem -> 0 + {(m : 1)}) -> (r : i32) =
"""
X = "let (x : [n]i32 @ a -> 0 + {(n : 1)}) ="
Y = "let (y : [n]i32 @ b -> 0 + {(n : 1)}) ="


def after(body: str, layout: str = "contiguous") -> tuple[Program[Ann], Report]:
    """The entry point with that body, merged and still valid, and the remarks."""
    p, report = parse_fun(START + body), Report()
    q = through(p, f"merge{{layout={layout}}}", report)
    assert difference(p, q) is None
    return q, report


def refused(body: str, condition: int, reason: str, layout: str = "contiguous") -> None:
    """Nothing is merged, because of that condition, for that reason."""
    q, report = after(body, layout)
    assert len(blocks(q)) == len(blocks(parse_fun(START + body)))
    found = [r.reason for r in report.remarks if r.condition.startswith(f"({condition}) ")]
    assert any(reason in f for f in found), report.remarks


def in_loop(a: str = "alloc 4*n", b: str = "alloc 4*n", last: str = "y[0]") -> str:
    """Two blocks in front of a loop that needs one after the other."""
    return f"""let (a : mem) = {a}
let (b : mem{".local" if "local" in b else ""}) = {b}
let (r1 : i32) = loop (s : i32) = 0i32 for i < k do
  {X} iota [n] s 1i32
  let (u : i32) = x[0]
  {Y} replicate [n] u
  let (v : i32) = {last}
  in (v)
in (r1)"""


def test_two_blocks_of_a_loop_become_one() -> None:
    q, report = after(in_loop())
    assert blocks(q) == ["a"]
    assert [r.reason for r in report.remarks] == ["b is part of a"]
    assert all(r.done for r in report.remarks)


def test_1_kinds_of_memory_differ() -> None:
    refused(in_loop(b="alloc.local 4*n"), 1, "a is in device memory, b in local memory")


def test_2_the_other_branch_has_another_block() -> None:
    branch = "let (v{0} : i32) = w{0}[0] in (v{0})"
    one = "let ({1} : mem) = alloc 4*n let (w{0} : [n]i32 @ {1} -> 0 + {{(n : 1)}}) = copy xs "
    then, orelse = ((one + branch).format(j, m) for j, m in ((1, "a"), (2, "b")))
    refused(f"let (r1 : i32) = if c then {then} else {orelse} in (r1)", 2, "a is not in scope")


def test_2_a_branch_uses_what_is_outside() -> None:
    body = f"""let (a : mem) = alloc 4*n
{X} copy xs
let (u : i32) = x[0]
let (r1 : i32) = if c then
  let (b : mem) = alloc 4*n
  {Y} replicate [n] u
  let (v : i32) = y[0]
  in (v)
else in (u)
in (r1)"""
    assert blocks(after(body)[0]) == ["a"]


IN_KERNEL = f"""{X} copy xs
let (u : i32) = x[0]
let (zm : mem) = alloc 4*n
let (z : [n]i32 @ zm -> 0 + {{(n : 1)}}) = kernel j < n do
  let (b : mem) = alloc 4*n
  {Y} replicate [n] u
  let (v : i32) = y[j]
  in (v)
let (r1 : i32) = z[0]
in (r1)"""


def test_3_a_threads_block_does_not_become_everybodys() -> None:
    body = f"let (a : mem) = alloc 4*n\n{IN_KERNEL}"
    _, report = after(body)
    assert "b" in blocks(after(body)[0])
    reasons = [r.reason for r in report.remarks if r.place == "b"]
    assert any("every thread has its own b" in r for r in reasons)


def carried(result: str) -> str:
    return f"""let (a : mem) = alloc 4*n
{X} copy xs
let (u : i32) = x[0]
let (qm : mem) (q : [n]i32 @ qm -> 0 + {{(n : 1)}}) =
  loop (pm : mem) = xs_mem, (p : [n]i32 @ pm -> 0 + {{(n : 1)}}) = xs for i < k do
    let (b : mem) = alloc 4*n
    {Y} kernel j < n do let (e : i32) = p[n - 1 - j] let (e2 : i32) = e + u in (e2)
    let (v : i32) = y[0]
  in {result}
let (r1 : i32) = q[0]
in (r1)"""


def test_4_a_block_that_a_loop_hands_on_stays_inside() -> None:
    refused(carried("(b, y)"), 4, "the next iteration or the loop's result lives in b")


def test_4_a_block_that_ends_with_its_iteration_leaves_the_loop() -> None:
    q, _ = after(carried("(pm, p)"))
    assert blocks(q) == ["a"]
    assert allocs_in_loops(q) == []


def test_4_the_size_may_vary_up_to_a_bound() -> None:
    body = """let (a : mem) = alloc 4*k
let (x : [k]i32 @ a -> 0 + {(k : 1)}) = iota [k] 0i32 1i32
let (r1 : i32) = loop (s : i32) = 0i32 for i < k do
  let (b : mem) = alloc 4*i
  let (y : [i]i32 @ b -> 0 + {(i : 1)}) = iota [i] s 1i32
  let (t : i32) =
    kernel j < i reduce (\\(u : i32) (v : i32) -> let (w : i32) = u + v in (w)) (s) do
    let (e : i32) = y[j] in (e)
  in (t)
in (r1)"""
    assert blocks(after(body)[0]) == ["a"]


def test_5_an_array_that_is_still_needed() -> None:
    refused(in_loop(last="x[0]"), 5, "y and x are needed at y")


@pytest.mark.parametrize(
    "view",
    [
        "let (w : [n]i32 @ a -> 0 + {(n : 1)}) = x[0 : n]",
        "let (w : [n]i32 @ a -> n - 1 + {(n : -1)}) = reverse 0 x",
        "let (wm : mem) (w : [n]i32 @ wm -> 0 + {(n : 1)}) = "
        "if c then in (a, x) else in (xs_mem, xs)",
        "let (wm : mem) (w : [n]i32 @ wm -> 0 + {(n : 1)}) = "
        "loop (pm : mem) = a, (p : [n]i32 @ pm -> 0 + {(n : 1)}) = x for j < l do in (pm, p)",
        "let (w : [n]i32 @ a -> 0 + {(n : 1)}) = x with [0] = 4i32",
    ],
    ids=["slice", "reverse", "if", "loop", "update"],
)
def test_5_an_alias_that_is_still_needed(view: str) -> None:
    body = in_loop(last="w[0]").replace("let (u : i32) = x[0]", f"{view}\n  let (u : i32) = w[1]")
    refused(body, 5, "are needed at y")


def test_5_a_constant_in_front_of_the_loop_is_needed_in_every_iteration() -> None:
    body = f"""let (a : mem) = alloc 4*n
let (b : mem) = alloc 4*n
{X} iota [n] 7i32 1i32
let (r1 : i32) = loop (s : i32) = 0i32 for i < k do
  let (u : i32) = x[0]
  let (u2 : i32) = u + s
  {Y} replicate [n] u2
  let (v : i32) = y[0]
  in (v)
in (r1)"""
    refused(body, 5, "are needed at y")


OPERATOR = """entry main [n] (xs : *[2][n]i32) -> (r : [2][n]i32) (s : [n]i32) =
  let (zeros : [n]i32) = replicate [n] 0i32
  let (s1 : [n]i32) =
    kernel i < 3 reduce
      (\\(a : [n]i32) (b : [n]i32) -> {} in ({})) (zeros)
    do
      let (row : [n]i32) = replicate [n] 5i32
      in (row)
  in (xs, s1)
"""


@pytest.mark.parametrize("result", ["a", "b", "c"])
def test_5_operands_that_an_operator_ignores_are_written(result: str) -> None:
    """They are copied to where the operator expects them, whether it looks at them or not: one of
    them was put into the block of an argument that is a result (found by a mutant, seed 114).
    """
    body = "let (c : [n]i32) = replicate [n] 1i32" if result == "c" else ""
    p = parse_fun(OPERATOR.format(body, result))
    for passes in ("allocate,merge", "allocate,hoist,merge"):
        after = through(p, passes)
        assert difference(p, after) is None


def test_5_an_array_updated_in_place_goes_on_living() -> None:
    body = f"""let (a : mem) = alloc 4*n
let (b : mem) = alloc 4*n
{X} iota [n] 7i32 1i32
let (z : [n]i32 @ a -> 0 + {{(n : 1)}}) =
  loop (p : *[n]i32 @ a -> 0 + {{(n : 1)}}) = x for i < k do
    let (u : i32) = p[0]
    {Y} replicate [n] u
    let (v : i32) = y[n - 1]
    let (p2 : [n]i32 @ a -> 0 + {{(n : 1)}}) = p with [0] = v
  in (p2)
let (r1 : i32) = z[0]
in (r1)"""
    refused(body, 5, "are needed at y")


def mapped(index: str, t: str = "i32") -> str:
    """A kernel whose argument is used for the last time, and its result."""
    size = 8 if t == "i64" else 4
    return f"""let (a : mem) = alloc 4*n
{X} iota [n] 5i32 3i32
let (b : mem) = alloc {size}*n
let (y : [n]{t} @ b -> 0 + {{(n : 1)}}) = kernel i < n do
  let (e : i32) = x[{index}]
  let (f : {t}) = {t}(e)
  in (f)
let (g : {t}) = y[n - 1]
let (r1 : i32) = i32(g)
in (r1)"""


def test_6_a_kernel_writes_where_it_has_read() -> None:
    q, _ = after(mapped("i"))
    assert blocks(q) == ["a"]


@pytest.mark.parametrize("index", ["n - 1 - i", "0", "i - i", "k"])
def test_6_threads_that_read_what_others_write(index: str) -> None:
    refused(mapped(index), 6, "in y, ")


@pytest.mark.parametrize(("index", "left"), [("i", ["b"]), ("0", ["b", "a", "d"])])
def test_6_a_block_from_a_branch_is_one_from_outside(index: str, left: list[str]) -> None:
    """Threads that read what a branch made, each its own element, or all of them one."""
    q, report = after(f"""let (b : mem) = alloc 4*n
let (w : [n]i32 @ b -> 0 + {{(n : 1)}}) = iota [n] 1i32 1i32
let (s : i32) = w[n - 1]
let (xm : mem) (x : [n]i32 @ xm -> 0 + {{(n : 1)}}) =
  if c then
    let (a : mem) = alloc 4*n
    let (x1 : [n]i32 @ a -> 0 + {{(n : 1)}}) = iota [n] s 3i32
    in (a, x1)
  else
    let (d : mem) = alloc 4*n
    let (x2 : [n]i32 @ d -> 0 + {{(n : 1)}}) = iota [n] s 5i32
    in (d, x2)
let (y : [n]i32 @ b -> 0 + {{(n : 1)}}) = kernel i < n do
  let (e : i32) = x[{index}]
  in (e)
let (r1 : i32) = y[n - 1]
in (r1)""")
    assert blocks(q) == left, report.remarks


def test_6_elements_of_two_sizes_lie_elsewhere() -> None:
    refused(mapped("i", "i64"), 6, "need not be among")


def rows(home: str, row: str) -> str:
    """Threads that need one array after the other, each in its part of two blocks."""
    return f"""let (a : mem) = alloc 4*n*m
let (b : mem) = alloc 4*n*m
let (zm : mem) = alloc 4*n
let (z : [n]i32 @ zm -> 0 + {{(n : 1)}}) = kernel i < n do
  let (x : [m]i32 @ a -> i*m + {{(m : 1)}}) = iota [m] 1i32 1i32
  let (u : i32) =
    kernel h < m reduce (\\(p : i32) (q : i32) -> let (w : i32) = p + q in (w)) (0i32) do
    let (e : i32) = x[h] in (e)
  let (y : [m]i32 @ b -> {home}) = {row}
  let (v : i32) = y[0]
  in (v)
let (r1 : i32) = z[0]
in (r1)"""


CONTIGUOUS, INTERLEAVED = "i*m + {(m : 1)}", "i + {(m : n)}"


def test_6_expanded_blocks_that_are_divided_alike() -> None:
    assert sorted(blocks(after(rows(CONTIGUOUS, "replicate [m] u"))[0])) == ["a", "zm"]
    both = rows(INTERLEAVED, "replicate [m] u").replace(CONTIGUOUS, INTERLEAVED)
    assert blocks(after(both)[0]) == ["a"], "and the kernel's result lies in column 0"


def stays_apart(body: str, reason: str) -> None:
    """Block b does not become part of a because threads would meet."""
    q, report = after(body)
    assert {"a", "b"} <= set(blocks(q))
    found = [r.reason for r in report.remarks if r.condition.startswith("(6) ")]
    assert any(reason in f for f in found), report.remarks


def test_6_expanded_blocks_that_are_divided_otherwise() -> None:
    stays_apart(rows(INTERLEAVED, "replicate [m] u"), "of y at y need not be among")


BACKWARDS, ABOVE = "i*m + m - 1 + {(m : -1)}", "i*m + m + {(m : -1)}"


def test_6_rows_may_lie_backwards() -> None:
    assert sorted(blocks(after(rows(BACKWARDS, "replicate [m] u"))[0])) == ["a", "zm"]
    above = rows(ABOVE, "replicate [m] u").replace("alloc 4*n*m", "alloc 4*n*m + 4")
    stays_apart(above, "of y at y need not be among")  # and reach the next thread's first element
    found = reasons_6(rows("i*m + {(m : -1)}", "replicate [m] u"))  # outside for i = 0
    assert any("of y at y need not be among" in f for f in found), found
    found = reasons_6(rows("i*m + {(m : k)}", "replicate [m] u"))  # wrong for most k
    assert any("y may extend to both sides, by k*m - k" in f for f in found), found


def reasons_6(body: str) -> list[str]:
    """Why threads might meet, in a program that need not be right."""
    report = Report()
    through(parse_fun(START + body), "merge", report)
    return [r.reason for r in report.remarks if r.condition.startswith("(6) ")]


def test_6_every_step_of_an_interleaved_array_goes_round_all_threads() -> None:
    """Not only the first element is the thread's."""
    body = rows(INTERLEAVED, "replicate [m] u").replace("x[h]", "x[0]")
    for x, left in ((INTERLEAVED, {"a"}), ("i + {(m : 1)}", {"a", "b"})):
        q = through(parse_fun(START + body.replace(CONTIGUOUS, x)), "merge")
        assert set(blocks(q)) == left, x


def test_6_rows_of_a_kernel_in_two_dimensions() -> None:
    """Thread (i, j) has n*i + j before it, each with a row."""
    q, report = after("""let (a : mem) = alloc 4*m*n*n
let (x : [m][n][n]i32 @ a -> 0 + {(m : n*n) (n : n) (n : 1)}) = replicate [m][n][n] 3i32
let (b : mem) = alloc 4*m*n*n
let (y : [m][n][n]i32 @ b -> 0 + {(m : n*n) (n : n) (n : 1)}) = kernel i < m, j < n do
  let (e : i32) = x[i, j, n - 1]
  let (row : [n]i32 @ b -> i*n*n + j*n + {(n : 1)}) = replicate [n] e
  in (row)
let (v : [n]i32 @ b -> 0 + {(n : 1)}) = y[0, 0, 0 : n]
let (r1 : i32) = v[n - 1]
in (r1)""")
    assert blocks(q) == ["a"], report.remarks


@pytest.mark.parametrize(("column", "left"), [("m", ["a"]), ("k", ["a", "b"])])
def test_6_an_index_that_did_not_trap_is_inside_of_its_row(column: str, left: list[str]) -> None:
    """A size is no negative number, so it is in the thread's row; k may be in the one before."""
    q, report = after(f"""let (a : mem) = alloc 4*n*n
let (x : [n][n]i32 @ a -> 0 + {{(n : n) (n : 1)}}) = replicate [n][n] 3i32
let (b : mem) = alloc 4*n*n
let (y : [n][n]i32 @ b -> 0 + {{(n : n) (n : 1)}}) = kernel i < n do
  let (e : i32) = x[i, {column}]
  let (row : [n]i32 @ b -> i*n + {{(n : 1)}}) = replicate [n] e
  in (row)
let (r1 : i32) = y[n - 1, 0]
in (r1)""")
    assert blocks(q) == left, report.remarks


def test_6_what_an_operator_starts_with_is_read_by_all_threads() -> None:
    stays_apart(
        """let (a : mem) = alloc 8
let (start : [2]i32 @ a -> 0 + {(2 : 1)}) = iota [2] 0i32 0i32
let (b : mem) = alloc 8
let (y : [2]i32 @ b -> 0 + {(2 : 1)}) = kernel i < 2 do
  let (pm : mem) = alloc 8
  let (qm : mem) = alloc 8
  let (sm : mem) = alloc 8
  let (s : [2]i32 @ sm -> 0 + {(2 : 1)}) = kernel h < n reduce
      (\\(p : [2]i32 @ pm -> 0 + {(2 : 1)}) (q : [2]i32 @ qm -> 0 + {(2 : 1)}) ->
        let (p0 : i32) = p[0]
        let (q0 : i32) = q[0]
        let (pq : i32) = p0 + q0
        let (wm : mem) = alloc 8
        let (w : [2]i32 @ wm -> 0 + {(2 : 1)}) = replicate [2] pq
        in (w)) (start) do
    let (rm : mem) = alloc 8
    let (row : [2]i32 @ rm -> 0 + {(2 : 1)}) = replicate [2] 1i32
    in (row)
  let (e : i32) = s[0]
  in (e)
let (r1 : i32) = y[1]
in (r1)""",
        "start",
    )


def test_6_interleaved_elements_of_two_sizes_collide() -> None:
    body = rows("i + {(m : n)}", "replicate [m] u").replace(CONTIGUOUS, INTERLEAVED)
    body = body.replace("(b : mem) = alloc 4", "(b : mem) = alloc 8").replace(
        "let (y : [m]i32", "let (u2 : i64) = i64(u) let (y : [m]i64"
    )
    body = body.replace("replicate [m] u", "replicate [m] u2").replace(
        "let (v : i32) = y[0]", "let (v2 : i64) = y[0] let (v : i32) = i32(v2)"
    )
    stays_apart(body, "has elements of 8 bytes, others of 4")


def test_a_kernel_may_have_no_result() -> None:
    body = mapped("i").replace(
        "let (g :",
        "let = kernel h < n do let (e3 : i32) = y[h] "
        'let (c3 : bool) = e3 > 0i32 assert c3 "no" in ()\nlet (g :',
    )
    assert blocks(after(body)[0]) == ["a"]


PRIVATE = """let (zm : mem) = alloc 4*n
let (z : [n]i32 @ zm -> 0 + {(n : 1)}) = kernel i < n do
  let (a : mem) = alloc 4*n
  let (b : mem) = alloc 8*n
  let (x : [n]i32 @ a -> 0 + {(n : 1)}) = iota [n] 1i32 1i32
  let (u : i32) = x[i]
  let (u2 : i64) = i64(u)
  let (y : [n]i64 @ b -> 0 + {(n : 1)}) = replicate [n] u2
  let (v : i64) = y[i]
  let (v2 : i32) = i32(v)
  in (v2)
let (r1 : i32) = z[0]
in (r1)"""


def test_7_blocks_that_will_be_interleaved_have_one_element_size() -> None:
    refused(PRIVATE, 7, "elements of 4, 8 bytes cannot be interleaved", "interleaved")
    q, _ = after(PRIVATE)
    assert blocks(q) == ["zm", "a"]
    sizes = [s.exp.size for s in walk(q.entries[0].body) if isinstance(s.exp, Alloc)]
    assert sizes == [var(Name("n")) * 4, var(Name("n")) * 8], "as large as the larger one"


def test_7_no_block_is_rounded_up() -> None:
    body = PRIVATE.replace("alloc 4*n\n  let (b", "alloc n\n  let (b").replace("8*n", "2*n + 4")
    body = body.replace("[n]i32 @ a", "[n]u8 @ a").replace("1i32 1i32", "1u8 1u8")
    body = body.replace("let (u : i32) = x[i]", "let (u : u8) = x[i]")
    body = body.replace("[n]i64 @ b -> 0 + {(n", "[n]u16 @ b -> 0 + {(n")
    body = body.replace("u2 : i64) = i64", "u2 : u16) = u16").replace("v : i64", "v : u16")
    assert blocks(after(body)[0]) == ["zm", "a"]
    refused(body.replace("2*n + 4", "2*n + 5"), 7, "2*n + 5 bytes would be rounded up")


ALIKE = """let (zm : mem) = alloc 4*n
let (z : [n]i32 @ zm -> 0 + {(n : 1)}) = kernel i < n do
  let (a : mem) = alloc 4*n + A
  let (b : mem) = alloc 4*n + B
  let (x : [n]i32 @ a -> 0 + {(n : 1)}) = iota [n] 1i32 1i32
  let (u : i32) = x[i]
  let (y : [n]i32 @ b -> 0 + {(n : 1)}) = replicate [n] u
  let (v : i32) = y[i]
  in (v)
let (r1 : i32) = z[0]
in (r1)"""


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("more", ["0", "2"])
def test_7_elements_of_one_size_fit_together(layout: str, more: str) -> None:
    """Interleaved as well; what is rounded up was rounded up before."""
    q, _ = after(ALIKE.replace("A", more).replace("B", more), layout)
    assert blocks(q) == ["zm", "a"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_7_outside_of_kernels_elements_may_differ(layout: str) -> None:
    """Nothing is interleaved or rounded up there."""
    body = in_loop(b="alloc 8*n + 1", last="i32(y3)").replace("[n]i32 @ b", "[n]i64 @ b")
    body = body.replace("let (y :", "let (u3 : i64) = i64(u) let (y :").replace("[n] u", "[n] u3")
    q, _ = after(body.replace("let (v :", "let (y3 : i64) = y[0] let (v :"), layout)
    assert blocks(q) == ["a"]


def test_8_one_size_may_vary_in_a_kernel_but_not_the_choice_of_two() -> None:
    """A maximum that each thread computes is nothing that ``expand`` could take out."""
    assert blocks(after(ALIKE.replace("A", "4*i").replace("B", "4*i"))[0]) == ["zm", "a"]
    two = ALIKE.replace("A", "4*i").replace("B", "4*m")
    _, report = after(two)
    assert blocks(after(two)[0]) == ["zm", "a", "b"]
    (why,) = [r.reason for r in report.remarks if r.condition.startswith("(8) ")]
    assert "either size may be the larger one, and i varies in the kernel" in why


def test_8_one_of_two_sizes_is_large_enough() -> None:
    """Which is known where the third block is allocated, and not where the first one is."""
    body = in_loop(b="alloc 4*m").replace("[n]i32 @ b -> 0 + {(n", "[m]i32 @ b -> 0 + {(m")
    body = body.replace("replicate [n] u", "replicate [m] u").replace(
        "in (v)\nin",
        """let (v4 : i32) = loop (s2 : i32) = v for h < n do
    let (d : mem) = alloc 4*h + 4
    let (w : [h + 1]i32 @ d -> 0 + {(h + 1 : 1)}) = replicate [h + 1] s2
    let (t : i32) = w[h]
    in (t)
  in (v4)
in""",
    )
    assert blocks(after(body)[0]) == ["a"]


def test_8_the_larger_size_is_computed() -> None:
    body = in_loop(b="alloc 4*m").replace("[n]i32 @ b -> 0 + {(n :", "[m]i32 @ b -> 0 + {(m :")
    q, _ = after(body.replace("replicate [n] u", "replicate [m] u"))
    assert blocks(q) == ["a"]
    (bound, alloc) = q.entries[0].body.stms[:2]
    assert str(bound.pat[0].name) == "largest_1"
    assert alloc.exp == Alloc(var(Name("largest_1")) * 4)


def test_8_of_two_products_no_maximum_is_computed() -> None:
    body = in_loop(a="alloc 4*n*n + 4*l*l", b="alloc 4*m*m + 4*k*k")
    body = body.replace("[n]i32 @ b -> 0 + {(n :", "[m]i32 @ b -> 0 + {(m :")
    refused(body.replace("replicate [n] u", "replicate [m] u"), 8, "are products")


def test_8_a_size_that_is_known_too_late() -> None:
    body = (
        in_loop()
        .replace("let (b : mem) = alloc 4*n\n", "")
        .replace(
            Y + " replicate [n] u",
            "let (p : i64) = k + 1 let (b : mem) = alloc 4*p "
            "let (y : [p]i32 @ b -> 0 + {(p : 1)}) = replicate [p] u",
        )
    )
    refused(body, 8, "the size of a needs p, which is bound later")


def in_line(middle: str, m: str = "4*l") -> str:
    """A block, another one of another size, and a third of the first one's size."""
    return f"""let (a : mem) = alloc 4*n
{X} copy xs
let (u : i32) = x[0]
let (d : mem) = alloc {m}
let (z : [l]i32 @ d -> 0 + {{(l : 1)}}) = iota [l] u 1i32
let (w : i32) = z[l - 1]
{middle}
let (b : mem) = alloc 4*n
{Y} replicate [n] w
let (r1 : i32) = y[0]
in (r1)"""


def test_9_a_block_is_not_kept_for_later_if_that_costs() -> None:
    refused(in_line(""), 9, "4*n bytes would be held at")


def test_9_a_block_is_kept_for_later_if_as_much_was_held_before() -> None:
    more = """let (d2 : mem) = alloc 4*n
let (z2 : [n]i32 @ d2 -> 0 + {(n : 1)}) = copy xs
let (w2 : i32) = z2[0] let (w3 : i32) = z[0]"""
    q, _ = after(in_line(more))
    assert len(blocks(q)) == 2


@pytest.mark.parametrize("unique", ["", "*"])
def test_9_an_argument_that_nobody_uses_is_never_held(unique: str) -> None:
    """So not in front of everything, either, where it would be as much as the blocks later."""
    body = in_line("", "4*m").replace("[l]", "[m]").replace("(l : 1)", "(m : 1)")
    text = START.replace("(ys : ", f"(ys : {unique}") + body.replace("z[l - 1]", "z[0]")
    report = Report()
    through(parse_fun(text), "merge", report)
    found = [r.reason for r in report.remarks if r.place == "b"]
    assert any("not part of a: 4*n bytes would be held at z instead of nothing" in f for f in found)


def test_9_an_argument_that_nobody_uses_is_in_nobodys_way() -> None:
    """Another one's block is held from the start then: that is as much as is held later."""
    body = f"let (b : mem) = alloc 4*n {Y} iota [n] 1i32 1i32 let (r1 : i32) = y[0] in (r1)"
    assert blocks(through(parse_fun(START.replace("(xs : ", "(xs : *") + body), "merge")) == []


def test_9_an_arguments_block_is_held_from_the_start() -> None:
    """Nobody uses it, so it is gone where z is needed; y in its place would bring it back."""
    body = f"""let (d : mem) = alloc 4*l
let (z : [l]i32 @ d -> 0 + {{(l : 1)}}) = iota [l] 3i32 1i32
let (u : i32) = z[0]
let (b : mem) = alloc 4*n
{Y} replicate [n] u
let (r1 : i32) = y[0]
in (r1)"""
    report = Report()
    through(parse_fun(START.replace("(xs : ", "(xs : *") + body), "merge", report)
    found = [r.reason for r in report.remarks if r.place == "b"]
    assert any("not part of xs_mem: 4*n bytes would be held at" in f for f in found), found


def test_9_a_block_of_a_negative_size_does_not_make_room() -> None:
    """It has no bytes, so that 8*n may be more than the 4*l that were held before."""
    body = f"""let (p : mem) = alloc 4*l
let (z : [l]i32 @ p -> 0 + {{(l : 1)}}) = iota [l] 3i32 1i32
let (z0 : i32) = z[0]
let (a : mem) = alloc 4*n
{X} replicate [n] z0
let (u : i32) = x[0]
let (d : mem.private) = alloc.private 4*l - 8*n
let (d2 : mem.private) = if c then in (d) else in (d)
let (q : mem.local) = alloc.local 4*n
let (w : [n]i32 @ q -> 0 + {{(n : 1)}}) = replicate [n] u
let (w0 : i32) = w[0]
let (d3 : mem.private) = if c then in (d2) else in (d2)
let (b : mem) = alloc 4*n
{Y} replicate [n] w0
let (r1 : i32) = y[0]
in (r1)"""
    report = Report()
    through(parse_fun(START + body), "merge", report)
    found = [r.reason for r in report.remarks if r.place == "b"]
    assert any("not part of a: 4*n bytes would be held at w instead of nothing" in f for f in found)


def test_9_a_merged_block_is_held_where_one_of_its_blocks_was() -> None:
    """Not where p was needed before; so beside a and b there is no room for g and d."""
    body = f"""let (q : mem.local) = alloc.local 4*l
let (p : [l]i32 @ q -> 0 + {{(l : 1)}}) = iota [l] 3i32 1i32
let (p0 : i32) = p[0]
let (g : mem) = alloc 4*l
let (z : [l]i32 @ g -> 0 + {{(l : 1)}}) = replicate [l] p0
let (s0 : i32) = z[0]
{in_loop().replace("= 0i32 for", "= s0 for").removesuffix("in (r1)")}
let (d : mem) = alloc 4*l
let (w : [l]i32 @ d -> 0 + {{(l : 1)}}) = replicate [l] r1
let (w0 : i32) = w[0]
in (w0)"""
    assert blocks(after(body)[0]) == ["q", "g", "a", "d"]


NESTED = """let (a : mem) = alloc 4*n
let (r1 : i32) = loop (s : i32) = 0i32 for i < k do
  let (b0 : mem) = alloc 4*n
  let (t : i32) = if c then
    let (b1 : mem) = alloc 4*n
    let (t1 : i32) = loop (s1 : i32) = s for j < l do
      let (b2 : mem) = alloc 4*n
      let (s2 : i32) = if c then
        let (b3 : mem) = alloc 4*n
        in (s1)
      else
        let (b4 : mem) = alloc 4*n
        in (s1)
      let (b5 : mem) = alloc 4*n
      in (s2)
    in (t1)
  else
    let (b6 : mem) = alloc 4*n
    in (s)
  let (zm : mem) = alloc 4*n
  let (z : [n]i32 @ zm -> 0 + {(n : 1)}) = kernel h < n do
    let (b7 : mem) = alloc 4*n
    let (b8 : mem) = alloc 4*n
    in (t)
  in (t)
let (e : mem) = alloc 4*n
in (r1)"""


def steps_of(held: Sequence[Held], path: tuple[int, ...]) -> Mapping[int, set[int]]:
    """For each moment of a body, or inside it, those that may be next in a run of the body."""
    bodies: dict[tuple[int, ...], list[int]] = {}
    for t, h in enumerate(held):
        bodies.setdefault(h.moment.level.path, []).append(t)
    steps: dict[int, set[int]] = {}
    for p, ts in bodies.items():
        if p[: len(path)] == path:
            end = held[ts[-1]].moment
            loops = end.level.role is Role.LOOP and p != path
            steps |= {t: {then} for t, then in pairwise(ts)}
            steps[ts[-1]] = {ts[0]} if loops else set()
    for p, ts in bodies.items():
        if p[: len(path)] == path and p != path:
            around = next(
                t for t in bodies[p[:-1]] if held[t].moment.at is held[ts[0]].moment.level.of
            )
            after = next(u for u in bodies[p[:-1]] if u > around)
            steps[around].add(ts[0])
            steps[ts[-1]].add(after)
    return steps


def test_9_an_allocation_comes_later_where_a_run_may_lead_to_it() -> None:
    """In the body of the block that is kept until then: in iterations to come of loops inside it,
    but not of those around it, and not in the other branch.
    """
    (e,) = parse_fun(START + NESTED).entries
    lifetimes = Lifetimes.of_entry(e)
    moments = Moments(lifetimes)
    for b in lifetimes.blocks.values():
        for level in b.level.outwards():
            steps = steps_of(lifetimes.held, level.path)
            (goal,) = (t for t in steps if lifetimes.held[t].moment.at is b.at)
            mask = moments.before(b.name, len(level.path))
            for t in steps:
                seen, todo = set[int](), [t]
                while todo:
                    if (now := todo.pop()) not in seen:
                        seen.add(now)
                        todo += steps[now]
                assert (goal in seen) == bool(mask >> t & 1), (b.name, level.path, t)


def test_9_a_small_block_for_long_does_not_become_a_large_one() -> None:
    body = f"""let (b : mem) = alloc 8*n
let (y : [2*n]i32 @ b -> 0 + {{(2*n : 1)}}) = replicate [2*n] 3i32
let (u : i32) = y[0]
let (a : mem) = alloc 4*n
{X} replicate [n] u
let (d : mem) = alloc 8*n
let (z : [2*n]i32 @ d -> 0 + {{(2*n : 1)}}) = iota [2*n] 0i32 1i32
let (v : i32) = x[0]
let (w : i32) = z[0]
let (r1 : i32) = v + w
in (r1)"""
    q, _ = after(body)
    assert blocks(q) == ["b", "a"]
    homes = {b.name: b.home.block for s in walk(q.entries[0].body) for b in s.pat if b.home}
    assert homes == {"y": "b", "x": "a", "z": "b"} or homes["x"] != homes["y"]


@pytest.mark.parametrize("cond", ["n <= m", "m <= k"])
def test_9_what_a_branch_knows_of_sizes_counts_there(cond: str) -> None:
    """In the branch the larger of a and b is no larger than b; outside the arguments were more."""
    body = f"""let (s1 : i32) = xs[0]
let (s2 : i32) = ys[0]
let (s3 : i32) = s1 + s2
let (a : mem) = alloc 4*n
{X} replicate [n] s3
let (t : i32) = x[0]
let (d : bool) = {cond}
let (r1 : i32) = if d then
  let (b : mem) = alloc 4*m
  let (y : [m]i32 @ b -> 0 + {{(m : 1)}}) = replicate [m] t
  let (e : mem) = alloc 4*n + 4*m
  let (z : [n + m]i32 @ e -> 0 + {{(n + m : 1)}}) = replicate [n + m] t
  let (u : i32) = y[0]
  let (v : i32) = z[0]
  let (w : i32) = u + v
  in (w)
else
  in (t)
in (r1)"""
    q, _ = after(body)
    assert ("b" in blocks(q)) == (cond != "n <= m")


def test_9_what_threads_allocate_counts_for_all_of_them() -> None:
    """Before, 12*n bytes at three arrays; in the kernel two of n threads hold as much already."""
    three = "".join(
        f"let (d{j} : mem) = alloc 4*n let (z{j} : [n]i32 @ d{j} -> 0 + {{(n : 1)}}) = copy xs\n"
        for j in range(3)
    )
    used = "let (e0 : i32) = z0[0] let (e1 : i32) = z1[0] let (e2 : i32) = z2[0]\n"
    body = three + used + IN_KERNEL.split("\n", 2)[2].replace("replicate [n] u", "copy xs")
    body = body.replace(
        "let (r1 : i32) = z[0]",
        """let (a : mem) = alloc 4*n
let (x : [n]i32 @ a -> 0 + {(n : 1)}) = copy xs
let (e5 : i32) = x[0]
let (e6 : i32) = z[0]
let (r1 : i32) = e5 + e6""",
    )
    q, _ = after(body)
    homes = {p.name: p.home.block for s in walk(q.entries[0].body) for p in s.pat if p.home}
    assert homes["z"] in ("d0", "d1", "d2"), "at once, so that nothing is kept for later"
    assert homes["x"] == "a", "no block is kept while the kernel runs"
    few = body.replace("let (b : mem) = alloc 4*n\n", "let (b : mem) = alloc.private 4*n\n")
    few = few.replace("(b : mem)", "(b : mem.private)")
    q, _ = after(few)
    homes = {p.name: p.home.block for s in walk(q.entries[0].body) for p in s.pat if p.home}
    assert homes["x"] in ("d0", "d1", "d2"), "private memory is not expanded"


# ---------------------------------------------------------------------- the peak

APPLICATIONS = ("black_scholes", "hotspot")
TIER_1 = sorted((TESTS / "programs" / "tier1" / "arrays").glob("*.fut"))[:3]
FUTHARK = [
    *(TESTS.parent / "papers" / "applications" / x / f"{x}.fut" for x in APPLICATIONS),
    *TIER_1,
]


@frozen
class Sample:
    """Sizes, and whether the peak depends on nothing else."""

    given: Mapping[Name, int]
    enough: bool
    peak: int


def some_peaks(e: Entry[Ann], count: int) -> Iterator[Sample]:
    """The peaks for random sizes; values that only a run can tell are random as well."""
    rng = random.Random(count)
    for _ in range(count):
        names = [b.name for b in (*e.implicit, *(p.binder for p in e.params))]
        given = {x: rng.randrange(9) for x in names}
        while True:
            try:
                yield Sample(given, len(given) == len(names), peak(e, given))
                break
            except UsageError as error:
                found = re.search(r"depends on (.*), which", error.diagnostic.message)
                assert found is not None
                given |= {Name(x): rng.randrange(9) for x in found[1].split(", ")}


FILES = [*EXAMPLES, *CORPUS]


def merging_never_raises_the_peak(p: Program[Ann], layout: str = "contiguous") -> Program[Ann]:
    """For some sizes: in front of expand, as far as these tell what it makes of it, and behind.

    Answers the program after both.
    """
    expanded = f"expand{{layout={layout}}},simplify,sequentialise"
    plain, first = through(p, expanded), through(p, f"merge{{layout={layout}}},{expanded}")
    last = through(first, f"merge{{layout={layout}}}")
    for e, f, g in zip(plain.entries, first.entries, last.entries, strict=True):
        for s in some_peaks(f, 4):
            assert peak(g, s.given) <= s.peak
            if s.enough:
                assert lower_bound(g, s.given) <= peak(g, s.given)
                assert s.peak <= peak(e, s.given)
    return last


@pytest.mark.parametrize("k", sampled(range(len(FILES)), 18), ids=lambda k: FILES[k].name)
def test_the_corpus_keeps_its_meaning_and_its_peak(k: int) -> None:
    p = load(FILES[k])
    after = merging_never_raises_the_peak(through(p, BUFFERED), LAYOUTS[k % 2])
    assert difference(p, after) is None


@pytest.mark.parametrize("file", sampled(FUTHARK, 0, slow=6), ids=lambda f: f.name)
def test_the_peak_of_applications_never_rises(file: Path) -> None:
    program = read(str(file)).parse()
    fun = as_tree(pipeline_for(program, Level.FUN, None).run(program))
    merging_never_raises_the_peak(through(fun, BUFFERED))


@pytest.mark.parametrize("seed", sampled(range(100, 105), 0, slow=9))
def test_the_peak_of_generated_programs_never_rises(seed: int) -> None:
    merging_never_raises_the_peak(through(generate(seed).program, BUFFERED))


def test_peak_and_lower_bound_by_hand() -> None:
    (e,) = parse_fun(START + in_loop()).entries
    (f,) = after(in_loop())[0].entries
    given = {Name(x): v for x, v in (("n", 10), ("m", 3), ("k", 2), ("l", 0))}
    arguments = 40 + 12  # given back at once: nobody uses them
    assert peak(e, given) - arguments in (80, 80 - arguments)
    assert peak(f, given) == peak(e, given) - 40
    assert lower_bound(f, given) == 40
