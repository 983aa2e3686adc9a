"""double-buffer: loops that hand arrays from one parameter to another copy nothing for it.

Protects ``passes/mem/double_buffer/rotate.py`` and the pass's postcondition: copies in an iteration
never grow.  ``python -m tests.copies_grow`` asks the same of thousands of generated programs.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from funmem.explain.report import explain
from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import MemoryFault, Trap
from funmem.ir.fun import Alloc, Ann, Loop, Program
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.ir.values import ArgValue
from funmem.passes.framework import Report
from funmem.passes.mem.copying import copies
from funmem.passes.mem.double_buffer import double_buffer
from funmem.passes.mem.double_buffer.promise import copies_do_not_grow
from tests.copies_grow import PIPELINES, Summary, in_front, judge, program
from tests.support.memory_check import (
    BUFFERED,
    CORPUS,
    EXAMPLES,
    HOISTED,
    allocs_in_loops,
    difference,
    inputs,
    load,
    through,
)
from tests.support.paths import TESTS
from tests.support.sampling import sampled


def loop(results: Sequence[str], inits: Sequence[str] = ()) -> Program[Ann]:
    """A loop with as many parameters a, b, … as results, of which ``new`` is made from the first
    and the last one; each parameter starts with an array of its own, or as ``inits`` says.
    """
    names = "abcde"[: len(results)]
    given = inits or [f"{x}0" for x in names]
    starts = "".join(f"  let ({x}0 : [n]i64) = iota [n] {k} 1\n" for k, x in enumerate(names))
    params = ", ".join(f"({x} : [n]i64) = {x0}" for x, x0 in zip(names, given, strict=True))
    pattern = " ".join(f"({x}1 : [n]i64)" for x in names)
    types = " ".join(f"(r{k} : [n]i64)" for k in range(len(names)))
    return parse_fun(
        f"""
entry main (n : i64) (k : i64) -> {types} =
{starts}  let {pattern} = loop {params} for i < k do
    let (new : [n]i64) = kernel j < n do
      let (u : i64) = {names[0]}[j]
      let (v : i64) = {names[-1]}[n - 1 - j]
      let (w : i64) = u * 3 + v
      in (w)
    in ({", ".join(results)})
  in ({", ".join(f"{x}1" for x in names)})
""".replace("entry main (n : i64)", "entry main [n] (xs : [n]i64)")
    )


def moved(p: Program[Ann], k: int) -> int:
    """The copies that ``k`` iterations make."""
    return run_heap(p, "main", (np.arange(3), np.int64(k))).stats.copies


def blocks(p: Program[Ann]) -> int:
    return sum(isinstance(s.exp, Alloc) for e in p.entries for s in walk(e.body))


HANDED_ON = {
    "new, a": 2,
    "b, new": 2,
    "new, a, b": 3,
    "b, c, new": 3,
    "new, a, b, c": 4,
    "new, a, b, c, d": 5,
    "new, a, a": 3,  # a tree: both get the same block
    "b, a, new": 3,  # two are exchanged, which needs no block at all
    "new, new": 2,
    "c, new, b": 3,
}
"""What a loop returns, and how many parameters it has."""


@pytest.mark.parametrize("results", sampled(HANDED_ON, 3))
def test_arrays_that_are_handed_on_are_not_copied(results: str) -> None:
    p = loop(results.split(", "))
    q = through(p, BUFFERED)
    assert allocs_in_loops(q) == []
    assert moved(q, 9) == moved(q, 2) == moved(through(p, HOISTED), 2)
    assert blocks(q) <= HANDED_ON[results] + 1 + HANDED_ON[results]  # and those of the results
    assert difference(p, q) is None


@pytest.mark.parametrize("results", sampled(HANDED_ON, 3, 1))
def test_results_stay_where_the_loop_leaves_them(results: str) -> None:
    """Blocks that a loop hands round are never the same, so each is a result's own: k + 1 blocks
    for k parameters, and no copy, but for one where two parameters may be one array.
    """
    p = loop(results.split(", "))
    q = through(p, f"{BUFFERED},merge")
    again = len(results.split(", ")) - len(set(results.split(", ")))
    assert len(copies(q)) == again
    assert blocks(q) <= HANDED_ON[results] + 1 + again
    assert difference(p, q) is None


@pytest.mark.parametrize("results", ["new, a", "b, c, new"])
def test_initial_values_that_are_one_array_are_copied_in_front(results: str) -> None:
    values = results.split(", ")
    p = loop(values, ["a0"] * len(values))
    q = through(p, f"{BUFFERED},merge")
    assert moved(q, 9) == moved(q, 2)
    assert difference(p, q) is None


INNER = """
entry main [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) (s : [n]i64) =
  let (start : [n]i64) = iota [n] 0 1
  let (a1 : [n]i64) (b1 : [n]i64) = loop (a : [n]i64) = xs, (b : [n]i64) = start for t < k do
    let (c1 : [n]i64) (d1 : [n]i64) = loop (c : [n]i64) = a, (d : [n]i64) = b for i < k do
      let (new : [n]i64) = kernel j < n do
        let (u : i64) = c[j]
        let (v : i64) = d[n - 1 - j]
        let (w : i64) = u + v
        in (w)
      in (new, c)
    let (sum : [n]i64) = kernel j2 < n do
      let (p : i64) = a[j2]
      let (q : i64) = c1[j2]
      let (o : i64) = d1[n - 1 - j2]
      let (z : i64) = p + q * o
      in (z)
    in (sum, a)
  in (a1, b1)
"""


def test_a_loop_in_a_loop_copies_no_initial_value() -> None:
    """It would do so in every iteration of the outer one: other blocks take its part."""
    p = parse_fun(INNER)
    before, after = through(p, HOISTED), through(p, BUFFERED)
    assert allocs_in_loops(after) == []
    assert moved(after, 9) == moved(after, 2) <= moved(before, 2) + in_front(after)
    assert difference(p, after) is None


FRESH = """
entry main [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) (s : [n]i64) =
  let (a1 : [n]i64) (b1 : [n]i64) = loop (a : [n]i64) = xs, (b : [n]i64) = xs for t < k do
    let (d0 : [n]i64) = kernel j0 < n do
      let (e : i64) = a[j0]
      let (f : i64) = e * 5 + t
      in (f)
    let (c1 : [n]i64) (d1 : [n]i64) = loop (c : [n]i64) = b, (d : [n]i64) = d0 for i < k do
      let (new : [n]i64) = kernel j < n do
        let (u : i64) = d[n - 1 - j]
        let (v : i64) = u * 3 + i
        in (v)
      in (new, c)
    in (c1, d1)
  in (a1, b1)
"""


def test_what_begins_apart_is_never_written() -> None:
    """``c`` begins with the caller's array, which then is in ``d``, whose own block may be written:
    when ``d`` falls out, it is not the caller's block that is free.
    """
    p = parse_fun(FRESH)
    before, after = through(p, HOISTED), through(p, BUFFERED)
    assert moved(after, 9) == moved(after, 2) <= moved(before, 2) + in_front(after)
    assert difference(p, after) is None


PHASES = """
entry main [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) (s : [n]i64) =
  let (a0 : [n]i64) = iota [n] 0 1
  let (b0 : [n]i64) = iota [n] 7 1
  let (a1 : [n]i64) (b1 : [n]i64) = loop (a : [n]i64) = a0, (b : [n]i64) = b0 for i < k do
    let (half : [n]i64) = kernel j < n do
      let (u : i64) = a[j]
      let (v : i64) = LAST[n - 1 - j]
      let (w : i64) = u * 2 + v
      in (w)
    let (new : [n]i64) = kernel h < n do
      let (x : i64) = half[n - 1 - h]
      let (y : i64) = a[h]
      let (z : i64) = x + y
      in (z)
    in (new, a)
  in (a1, b1)
"""


@pytest.mark.parametrize(("last", "count"), [("b", 3), ("a", 3)])
def test_9_the_last_block_of_a_chain_is_the_next_one_if_it_is_free(last: str, count: int) -> None:
    """``b`` is used in the first phase alone, so the second one may write there."""
    p = parse_fun(PHASES.replace("LAST", last))
    q = through(p, f"{BUFFERED},merge")
    assert blocks(q) == count, "two of the loop's, and one for the first phase"
    assert copies(q) == ()
    assert difference(p, q) is None


# ---------------------------------------------------------------------- copies never grow


def test_the_postcondition_finds_a_copy_that_was_not_there() -> None:
    p = through(loop(["new", "a"]), HOISTED)
    q = through(p, "double-buffer{swap=never}")
    found = copies_do_not_grow(p, q, double_buffer.context())
    assert found is not None
    assert found.message.startswith("an iteration copies 2 arrays instead of 0: ")
    assert copies_do_not_grow(p, q, double_buffer.context({"swap": "never"})) is None
    assert copies_do_not_grow(q, p, double_buffer.context()) is None


def executed(p: Program[Ann], entry: Name, args: Sequence[ArgValue]) -> int | None:
    """The copies of a run outside of kernels; None if it fails."""
    try:
        return run_heap(p, entry, args).stats.copies
    except (Trap, MemoryFault):
        return None


def counts(p: Program[Ann], q: Program[Ann]) -> Iterator[tuple[int | None, int | None]]:
    for e in p.entries:
        for args in inputs(e):
            yield executed(p, e.name, args), executed(q, e.name, args)


@pytest.mark.parametrize("file", sampled([*CORPUS, *EXAMPLES], 6), ids=lambda f: f.name)
def test_copies_do_not_grow_on_the_corpus(file: Path) -> None:
    """A run makes no more of them than without the pass, but for initial values in front of loops;
    the same of each loop's text is a postcondition of the pass, which the runner checks.
    """
    before = through(load(file), HOISTED)
    after = through(before, "double-buffer")
    extra = max(0, in_front(after) - in_front(before))
    for old, new in counts(before, after):
        assert (old is None) == (new is None)
        assert old is None or new is None or new <= old + extra


@pytest.mark.exhaustive
def test_copies_do_not_grow_on_generated_programs() -> None:
    """Loops that permute, shift and choose: some of the campaign ``tests.copies_grow``."""
    summary = Summary()
    for seed in range(18):
        judge(program(seed), PIPELINES[seed % len(PIPELINES)], summary)
    assert summary.wrong == []
    assert summary.loops["rotating"] >= 6
    assert summary.loops["allocating"] >= 3, "where a branch chooses"


def test_explain_names_the_pass_where_it_made_a_copy() -> None:
    """Threads cannot allocate, so in a kernel the next value is copied to a fixed place."""
    file = TESTS / "corpus" / "loop_in_kernel.fun"
    text = file.read_text(encoding="utf-8")
    found = explain(parse_fun(text), text, file.name)
    (copy,) = (k for e in found.entries for k in e.kept)
    assert copy.reason.pass_name == "double-buffer"
    assert copy.reason.reason == "b keeps its place, and the loop makes its next value elsewhere"


def test_remarks_say_what_the_copies_are_for() -> None:
    report = Report()
    through(loop(["new", "a"], ["xs", "xs"]), f"{HOISTED},double-buffer", report)
    made = [r for r in report.remarks if r.pass_name == "double-buffer" and r.done]
    assert [r.place for r in made] == ["xs_1", "xs_2"]
    assert all("rotates the block of" in r.reason for r in made)


def test_loops_are_found_by_their_names() -> None:
    """The promise compares the loop before and after; the pass keeps what it is known by."""
    p = through(loop(["new", "a"]), HOISTED)
    q = through(p, "double-buffer")
    names = [
        {x.binder.name for x in s.exp.params}
        for r in (p, q)
        for e in r.entries
        for s in walk(e.body)
        if isinstance(s.exp, Loop)
    ]
    assert names[0] & names[1]
