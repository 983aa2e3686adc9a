"""inline: which calls are replaced by bodies, and that the program computes the same."""

import pytest

from funmem.interp.value import run
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import Call, Program
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import walk
from funmem.passes.framework import Report, as_imp, as_tree
from funmem.passes.pipeline import DEFAULT
from funmem.passes.runner import Pipeline
from tests.interp.test_functions import PROGRAM
from tests.support.paths import TESTS


def through(text: str, passes: str, report: Report | None = None) -> Program[object]:
    return as_tree(Pipeline.parse(passes).run(parse_fun(text, "p.fun"), report=report))


def calls(p: Program[object]) -> list[str]:
    """The functions that the entry points call, in order."""
    return [s.exp.fn for e in p.entries for s in walk(e.body) if isinstance(s.exp, Call)]


def outcome(p: Program[object], xs: list[int], y: int) -> object:
    """The results as text, or the trap with its place."""
    try:
        return [str(v) for v in run(p, "f", (xs, y))]
    except Trap as t:
        return t.diagnostic, t.diagnostic.at


@pytest.mark.parametrize("passes", ["inline", "inline{calls=all}", "inline{small=0}"])
@pytest.mark.parametrize("y", [0, 2, 4])
def test_the_results_and_traps_are_the_same(passes: str, y: int) -> None:
    p, q = parse_fun(PROGRAM, "p.fun"), through(PROGRAM, passes)
    for xs in ([2, 4, 3], [1, 0], [7]):
        assert outcome(p, xs, y) == outcome(q, xs, y)


def test_all_calls_and_functions_disappear() -> None:
    text = (TESTS / "corpus" / "functions.fun").read_text(encoding="utf-8")
    p = through(text, "inline{calls=all}")
    assert (calls(p), p.functions) == ([], ())


SITES = """
def f (x : i32) -> (r : i32) =
  let (y : i32) = x * 3i32
  in (y)
def looping (x : f32) -> (r : f32) =
  let (y : f32) = loop (a : f32) = x for i < 3 do
    let (b : f32) = a * 2.0f32
    in (b)
  in (y)
def half (x : f32) -> (r : f32) =
  let (y : f32) = x * 0.5f32
  in (y)
def checked (x : f32) -> (r : f32) =
  let (c : bool) = x > 0.0f32
  assert c "no"
  in (x)
entry main [n] (xs : [n]f32) (k : i32) -> (r : [n]f32) =
  let (zs : [n]f32) = kernel i < n do
    {}
  in (zs)
"""


@pytest.mark.parametrize(
    ("body", "stays"),
    [
        ("let (x : f32) = xs[i] let (y : f32) = call half (x) in (y)", ["half"]),
        ("let (x : f32) = xs[i] let (y : f32) = call looping (x) in (y)", []),
        ("let (x : f32) = xs[i] let (y : f32) = call checked (x) partial in (y)", ["checked"]),
        (
            "let (x : f32) = xs[i] let (y : f32) = loop (a : f32) = x for j < 4 do "
            "let (b : f32) = call checked (a) partial in (b) in (y)",
            [],
        ),
        # an index, a bound, a divisor, a condition
        ("let (a : i32) = call f (k) let (j : i64) = i64(a) let (y : f32) = xs[j] in (y)", []),
        (
            "let (a : i32) = call f (k) let (m : i64) = i64(a) let (y : f32) = loop (b : f32) = "
            "1.0f32 for j < m do let (c : f32) = b + b in (c) in (y)",
            [],
        ),
        ("let (a : i32) = call f (k) let (d : i32) = 7i32 / a let (y : f32) = f32(d) in (y)", []),
        (
            "let (a : i32) = call f (k) let (c : bool) = a > 3i32 let (y : f32) = "
            "if c then in (1.0f32) else in (2.0f32) in (y)",
            [],
        ),
        ("let (a : i32) = call f (k) let (y : f32) = f32(a) in (y)", ["f"]),
    ],
)
def test_which_calls_stay(body: str, stays: list[str]) -> None:
    report = Report()
    p = through(SITES.replace("{}", body), "inline{small=0}", report)
    assert calls(p) == stays
    assert [f.name for f in p.functions] == stays
    assert any(r.done is not bool(stays) for r in report.remarks)


GUARD = """
def inside (i : i64) (n : i64) (x : f32) -> (r : bool) =
  let (a : f32) = x * 7.0f32 + x * x + 3.0f32
  let (b : f32) = a * 7.0f32 + x * a + 3.0f32 * a + a * a
  let (c : bool) = i >= 0
  let (d : bool) = i < n
  let (e : bool) = c && d
  let (h : bool) = b > 3.0f32
  let (k : bool) = e && h
  in (k)
entry main [n] (xs : [n]f32) -> (r : [n]f32) =
  let (zs : [n]f32) = kernel i < n do
    let (j : i64) = i - 1
    let (x : f32) = xs[i]
    let (c : bool) = call inside (j, n, x)
    let (y : f32) = if c then
        let (z : f32) = xs[j]
        in (z)
      else
        in (x)
    in (y)
  in (zs)
"""


def test_a_check_behind_a_condition_is_proved() -> None:
    """Finds a default pipeline in which what a function decides is lost to the prover."""
    for pipeline, needed in ((DEFAULT, 0), (DEFAULT.removeprefix("inline,"), 1)):
        imp = as_imp(Pipeline.parse(pipeline).run(parse_fun(GUARD, "p.fun")))
        assert show(imp).count("check i - 1 in n") == needed
