"""Recursion inside array operations: stacks of bounded depth, and kernels that run again."""

from pathlib import Path

import numpy as np
import pytest

from funmem.interp import run
from funmem.ir.diagnostics import Trap
from funmem.ir.fun import FunProgram
from funmem.ir.text.read_core import parse_core
from funmem.passes.context import Report
from funmem.passes.core.recursion import recursion
from funmem.passes.core.recursion.kernels import Room
from funmem.passes.framework import as_core, as_tree
from funmem.passes.pipeline import CORE, DEFAULT
from funmem.passes.runner import Pipeline
from tests.seeded.bugs_kernels import TEXT
from tests.support.command_line import say

DEPTH = """
def depth : i64 -> i64 = \\(n : i64) -> if n <= 0 then 1 else 1 + @depth (n - 1)
entry main [k] (ns : [k]i64) : [k]i64 = map (\\(n : i64) -> @depth n) (ns)
"""
FOLD = """
def depth : i64 -> i64 = \\(n : i64) -> if n <= 0 then 1 else 1 + @depth (n - 1)
entry main [k] (ns : [k]i64) : i64 = reduce (\\(a : i64) (b : i64) -> a + @depth b) (0) (ns)
"""
TWICE = """
def odd : i64 -> bool = \\(n : i64) ->
  if n <= 0 then false else if @odd (n - 1) then false else true
def even : i64 -> i64 = \\(n : i64) -> loop (m : i64) = n while @odd m do m + 1
entry main [k] (ns : [k]i64) : ([k]i64, [k]i64) =
  let (a : [k]i64) = map (\\(n : i64) -> @even n) (ns)
  in (a, map (\\(n : i64) -> @even (n + 1)) (ns))
"""


def remarks(text: str) -> list[str]:
    """What passes say of recursion and of kernels that become loops."""
    report = Report()
    Pipeline.parse(f"{CORE},{DEFAULT}").run(parse_core(text), report=report)
    return [r.reason for r in report.remarks if r.pass_name in ("recursion", "sequentialise")]


@pytest.mark.exhaustive
def test_no_kernel_runs_in_order() -> None:
    assert remarks(DEPTH) == ["an array operation has a stack for each index"]
    assert remarks(TEXT) == ["an array operation has a stack for each index"]


def test_a_remark_says_what_runs_in_order() -> None:
    assert "an array operation with recursion runs in order: it is not a map" in remarks(FOLD)


def test_two_maps_with_one_definition_that_has_no_bounded_copy() -> None:
    """Finds a copy that was given up, and that the second map calls all the same."""
    report = Report()
    p = as_tree(Pipeline.parse(CORE).run(parse_core(TWICE), report=report))
    said = [r.reason for r in report.remarks if r.pass_name == "recursion"]
    assert ["the condition of a loop calls" in s for s in said] == [True, True]
    first, second = run(p, "main", (np.arange(4),))
    assert list(first.data) == [0, 2, 2, 4]
    assert list(second.data) == [2, 2, 4, 4]


def limited(room: Room) -> FunProgram:
    """The program with these limits."""
    first, rest = CORE.split("recursion,")
    p = as_core(Pipeline.parse(first.rstrip(",")).run(parse_core(DEPTH)))
    return as_tree(Pipeline.parse(rest).run(recursion(p, room)))


def test_chunks() -> None:
    """A chunk of one index: its results must go to their own places, at the right capacity."""
    ns = np.array([3, 100, 0, 31, 32, 200, 1])
    (found,) = run(limited(Room(0, 1 << 20)), "main", (ns,))
    assert list(found.data) == list(ns + 1)


def test_a_stack_too_deep_is_an_error() -> None:
    p = limited(Room(1 << 20, 8 * 64))
    assert run(p, "main", (np.array([62]),))
    with pytest.raises(Trap, match="needs more than 512 bytes"):
        run(p, "main", (np.array([64]),))


@pytest.mark.slow
def test_explain_says_how_array_operations_run(tmp_path: Path) -> None:
    (tmp_path / "p.core").write_text(FOLD)
    said = say(f"funmem explain {tmp_path / 'p.core'}")
    lines = said.out.split("Array operations that allocate or recurse\n")[1]
    assert lines == "  main: an array operation with recursion runs in order: it is not a map\n"
