"""Scatters lowered with the loops that make their indices: values, and each condition."""

import numpy as np
import pytest

from funmem.interp.imp import Machine, Order
from funmem.interp.value import run
from funmem.ir.imp import ImpProgram
from funmem.ir.text import parse_fun, show
from funmem.ir.values import agree
from funmem.passes.framework import Report
from funmem.passes.runner import Pipeline

PROGRAM = """
entry main [k] [c] (m : i64) (first : [k]i64) (vs : [k][c]i64) {parameter}
    -> (out : [k*c]i64) {result} =
  {before}
  let (table : [k][c]i64) =
    kernel t < k do
      let (g : i64) = first[t]
      let (f : i64) = {start}
      let (row : [c]i64) = {init}
      let (done : [c]i64) (e : i64) =
        loop (r : *[c]i64) = row, (a : i64) = f for i < {count} do
          let (s : [c]i64) = r with [{at}] = a
          {inside}
          let (b : i64) = a + 1
          in (s, b)
      in (done)
  {between}
  let (line : [k*c]i64) = reshape [k*c] table
  let (values : [k*c]i64) = reshape [k*c] vs
  {views}
  let (y : [k*c]i64) = scatter x {indices} {values}
  {after}
  in (y{results})
"""
FIVES = """let (x : [k*c]i64) =
    kernel q < k*c do
      let (v : i64) = 5 + m
      in (v)"""
ZEROS = "let (x : [k*c]i64) = replicate [k*c] 0"
FITS = {
    "parameter": "",
    "result": "",
    "before": "",
    "start": "g * c",
    "init": "scratch [c]i64",
    "count": "c",
    "at": "i",
    "inside": "",
    "between": ZEROS,
    "views": "",
    "indices": "line",
    "values": "values",
    "after": "",
    "results": "",
}
SLICED = {
    "views": "let (some : [m]i64) = line[0 : m]",
    "parameter": "(few : [m]i64)",
    "indices": "some",
    "values": "few",
}
EARLY: dict[str, dict[str, str]] = {
    "fills": {},
    "negative": {"init": "replicate [c] -1", "count": "c - 1"},
    "made-before": {"before": ZEROS, "between": ""},
    "sliced": SLICED,
}
LATE: dict[str, tuple[str, dict[str, str]]] = {
    "other-elements": ("(1)", {"init": "replicate [c] 100", "count": "c - 1"}),
    "other-index": ("(1)", {"at": "c - 1 - i"}),
    "backwards": ("(1)", {"views": "let (last : [k*c]i64) = reverse 0 line", "indices": "last"}),
    "used": (
        "(2)",
        {
            "after": "let (z : [k*c]i64) = copy line",
            "result": "(also : [k*c]i64)",
            "results": ", z",
        },
    ),
    "used-in-the-loop": ("(2)", {"inside": "let (q : i64) = s[i]", "start": "g * c"}),
    "made-after": (
        "(3)",
        {"between": FIVES},
    ),
    "read-by-the-loops": (
        "(4)",
        {"before": ZEROS, "between": "", "start": "h + g * c", "inside": ""},
    ),
    "parameter": ("(4)", {"parameter": "(x : *[k*c]i64)", "between": ""}),
}


def lowered(change: dict[str, str], lower: str = "lower") -> tuple[ImpProgram, list[str], str]:
    """Return the program, the conditions of remarks that are not on checks, and the text."""
    text = PROGRAM.format(**{**FITS, **change})
    if "h + g" in text:
        text = text.replace("let (f : i64) =", "let (h : i64) = x[t]\n      let (f : i64) =")
    report = Report()
    pipeline = Pipeline.parse(f"allocate,hoist,short-circuit,{lower}")
    imp = pipeline.run(parse_fun(text), report=report)
    assert isinstance(imp, ImpProgram)
    found = [r.condition for r in report.remarks if r.pass_name == lower]
    return imp, [c for c in found if "check" not in c], text


def computes_the_same(imp: ImpProgram, text: str) -> None:
    source, rng = parse_fun(text), np.random.default_rng(1)
    for k, c in ((0, 2), (1, 1), (3, 4), (2, 3)):
        first = rng.permutation(np.arange(-1, k + 1))[:k]
        vs = rng.integers(0, 9, (k, c))
        m = k * c // 2
        last = {"x : *": k * c, "few : ": m}
        more = [rng.integers(0, 9, n) for x, n in last.items() if f"({x}[" in text]
        args = (m, first, vs, *more)
        expected = run(source, "main", args)
        for order in Order:
            assert agree(expected, Machine(imp.entries[0]).run(args, order=order)) is None


@pytest.mark.parametrize("change", EARLY.values(), ids=EARLY)
def test_the_loops_scatter(change: dict[str, str]) -> None:
    imp, found, text = lowered(change)
    assert found == ["scattered early"]
    assert "< m" in show(imp) or change is not SLICED
    assert "table_mem_1 <- alloc" not in show(imp)  # the indices' block is left out
    computes_the_same(imp, text)


@pytest.mark.parametrize(("condition", "change"), LATE.values(), ids=LATE)
def test_without_a_condition_the_scatter_stays(condition: str, change: dict[str, str]) -> None:
    imp, found, text = lowered(change)
    assert [c[:3] for c in found] == [condition]
    computes_the_same(imp, text)


def test_lower_verified_has_the_same_remarks() -> None:
    for change in (SLICED, LATE["parameter"][1]):
        imp, found, text = lowered(change, "lower-verified")
        assert found == lowered(change)[1]
        assert len(found) == 1
        computes_the_same(imp, text)
