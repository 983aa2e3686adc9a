"""The benchmarks compute what their references say, and their copies are counted right.

Protects `papers/funmem/benchmarks`: programs with which the memory passes are measured, so that a
fast wrong result is never reported as a fast one.  Bigger sizes, and timing: its `measure.py`.
"""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import funmem
from funmem.codegen.memory_plan import memory_plan, replay, traced
from funmem.explain.interpret import Interpreter
from funmem.interp.imp import Machine, Step, entry_named
from funmem.ir.imp import CopyElement, ImpProgram, ImpStm
from funmem.ir.text import parse_imp
from funmem.ir.values import ArgValue
from funmem.passes.framework import as_imp, as_tree
from funmem.passes.pipeline import LOWER
from funmem.passes.runner import Pipeline
from funmem.suite.check import Plan, check_file
from funmem.suite.verdict import Status
from tests.support.devices import pocl
from tests.support.paths import ROOT
from tests.support.sampling import sampled

ROOT = ROOT / "papers" / "funmem" / "benchmarks"


def module(name: str) -> ModuleType:
    """A Python file of the benchmarks' folder."""
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", ROOT / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


copies = module("copies")
measure = module("measure")
NAMES: list[str] = measure.benchmarks()
ENTRIES: list[tuple[str, str]] = [
    (name, entry) for name in NAMES for entry in measure.entries(measure.reference(name))
]


def test_all_seven_are_there() -> None:
    assert len(NAMES) == 7


# ---------------------------------------------------------------------- values


@pytest.mark.parametrize("name", sampled(NAMES, 7, 5))
def test_comments(name: str) -> None:
    """What the programs' test comments say, by the value interpreter."""
    verdict = check_file(str(ROOT / name / f"{name}.fut"), Plan(("value",)))
    assert verdict.status is Status.PASS, verdict.findings


@pytest.mark.parametrize(("name", "entry"), sampled(ENTRIES, 7, 1))
def test_agrees_with_numpy(name: str, entry: str) -> None:
    r = measure.reference(name)
    for n in r.SIZES[:2]:
        args = r.inputs(n, seed=1)
        got = funmem.run(measure.program(name), *args, entry=entry)
        results = got if isinstance(got, tuple) else (got,)
        assert [np.shape(x) for x in results] == [np.shape(x) for x in r.reference(*args)]
        measure.agree(name, results, r.reference(*args), r.RTOL)


def test_a_wrong_result_is_noticed() -> None:
    with pytest.raises(SystemExit, match="x: a wrong result"):
        measure.agree("x", (np.array([1.0, 2.0]),), (np.array([1.0, 2.1]),), 1e-2)
    with pytest.raises(SystemExit, match="x: a wrong result"):
        measure.agree("x", (np.array([1.0]),), (np.array([1.0, 1.0]),), 1e-2)
    with pytest.raises(SystemExit, match="x: a wrong result"):
        measure.agree("x", (np.array([np.nan]),), (np.array([1.0]),), 1e-2)


# ---------------------------------------------------------------------- pipelines


def test_variants_differ_in_the_two_passes_only() -> None:
    steps = {
        name: str(measure.pipeline(optional)).split(",")
        for name, optional in measure.VARIANTS.items()
        if not measure.missing(optional)
    }
    assert "none" in steps
    for name, own in steps.items():
        both = {"short-circuit", "merge"}
        assert both & set(own) == measure.VARIANTS[name]
        assert [s for s in own if s not in both] == steps["none"]


def test_a_gpu_interleaves() -> None:
    assert "expand{layout=interleaved}" in str(measure.pipeline(frozenset(), gpu=True))
    assert "expand{" not in str(measure.pipeline(frozenset()))


def test_a_missing_pass_is_named() -> None:
    assert measure.missing(frozenset({"no-such-pass", "expand"})) == ["no-such-pass"]


# ---------------------------------------------------------------------- peaks

SMALL = {
    "hotspot": 16,
    "lbm": 3,
    "locvolcalib": 4,
    "lud": 12,
    "nearest_neighbour": 300,
    "needleman_wunsch": 32,
    "option_pricing": 300,
}
"""Sizes at which data is more than the constants that running in parallel takes."""


@pytest.mark.parametrize("name", sampled(NAMES, 0, slow=9))
def test_no_more_memory_than_a_tenth_above_the_least(name: str) -> None:
    """With both passes, the peak that the runtime will measure (test_peak.py says it does)."""
    program, r = measure.program(name), measure.reference(name)
    memory = as_tree(measure.pipeline(measure.VARIANTS["both"]).run(program))
    imp = as_imp(Pipeline.parse(LOWER).run(memory))
    args = r.inputs(SMALL[name], seed=2)
    for entry in measure.entries(r):
        e = entry_named(imp, entry)
        ready = traced(e)
        held = replay(memory_plan(ready.plan), Interpreter(ready).given(args)).peak
        least = measure.bound_bytes(measure.Variant("both", memory, imp, None), entry, args)
        assert least is not None
        assert least <= held <= 1.1 * least, f"{entry}: {held} bytes, {least} would do"


# ---------------------------------------------------------------------- copies


class Watched(Machine):
    """The IMP interpreter, and how many elements were copied."""

    elements = 0
    bytes = 0

    def _step(self, s: ImpStm) -> Step:
        step = super()._step(s)
        if not isinstance(s, CopyElement):
            return step

        def run() -> None:
            self.elements += 1
            self.bytes += s.elem.bytes
            step()

        return run


def moved(program: ImpProgram, entry: str, args: tuple[ArgValue, ...]) -> int:
    machine = Watched(entry_named(program, entry))
    machine.run(args, check_races=False)
    return machine.bytes


@pytest.mark.parametrize(
    "name", sampled(["hotspot", "lud", "needleman_wunsch", "option_pricing"], 4)
)
def test_counted_bytes_are_those_that_the_interpreter_copies(name: str) -> None:
    r = measure.reference(name)
    passes = Pipeline((*measure.pipeline(frozenset()).steps, *Pipeline.parse(LOWER).steps))
    imp = as_imp(passes.run(measure.program(name)))
    args = r.inputs(r.SIZES[-2], seed=1)
    for entry in measure.entries(r):
        counted = copies.count(imp, entry, args)
        assert counted.bytes == moved(imp, entry, args) > 0


@pytest.mark.parametrize(
    ("name", "entry"),
    sampled([("needleman_wunsch", "main"), ("lud", "main"), ("lud", "blocked")], 3),
)
def test_no_loop_or_kernel_copies(name: str, entry: str) -> None:
    """What SC'22 short-circuits: blocks are made in the matrix, flat or not, whatever its size."""
    r = measure.reference(name)
    short = measure.pipeline(frozenset({"short-circuit"}))
    passes = Pipeline((*short.steps, *Pipeline.parse(LOWER).steps))
    imp = as_imp(passes.run(measure.program(name)))
    assert copies.count(imp, entry, r.inputs(r.SIZES[-2], seed=1)).inside == 0


def count(body: str, n: int = 3) -> "copies.Copies":
    """The copies of a body with arrays xs and ys of n elements, and blocks xs, ys, t."""
    text = f"""entry main [n] (xs : [n]i64) (ys : [n]i64) {{
      var t : mem; t <- alloc 8*n*n; {body}
      return (ys : [n]i64) }}"""
    args = np.arange(n), np.arange(n)
    return copies.count(parse_imp(text), "main", args)


COPY = "kernel i < n do t[i] <- xs[i] : i64; done"


def figures(c: "copies.Copies") -> tuple[int, int, int]:
    return (c.times, c.bytes, c.inside)


def test_a_copy_by_itself() -> None:
    assert figures(count(COPY)) == (1, 24, 0)
    assert figures(count("kernel i < n, j < n do t[i*n + j] <- xs[j] : i64; done")) == (1, 72, 0)
    assert figures(count("")) == (0, 0, 0)
    assert figures(count(COPY, 0)) == (0, 0, 0)


def test_what_is_computed_is_no_copy() -> None:
    body = "kernel i < n do var x : i64; x <- xs[i] : i64; t[i] : i64 <- x; done"
    assert figures(count(body)) == (0, 0, 0)


def test_copies_in_loops_and_kernels() -> None:
    assert figures(count(f"for k < n do {COPY} done")) == (3, 72, 1)
    threads = "kernel j < n do kernel i < n do t[j*n + i] <- xs[i] : i64; done done"
    assert figures(count(threads)) == (3, 72, 1)
    assert figures(count(f"for k < 2 do {threads} {COPY} done")) == (8, 192, 2)


def test_copies_whose_number_depends_on_an_index() -> None:
    triangle = "kernel i < k do t[i] <- xs[i] : i64; done"
    assert figures(count(f"for k < n do {triangle} done")) == (2, 24, 1)
    assert figures(count(f"kernel k < n do {triangle} done")) == (2, 24, 1)


def test_computed_sizes_are_followed() -> None:
    body = "var k : i64; k <- n / 2; kernel i < k do t[i] <- xs[i] : i64; done"
    assert figures(count(body)) == (1, 8, 0)
    branch = f"var c : bool; c <- n > 2; if c then {COPY} else fi"
    assert figures(count(branch)) == (1, 24, 0)
    assert figures(count(branch, 2)) == (0, 0, 0)
    assert not count(branch).at_most


def test_a_scatter_is_one_copy_at_most() -> None:
    body = """kernel k < n do
      var i : i64; i <- ys[k] : i64; var ok : bool; ok <- i >= 0;
      if ok then t[i] <- xs[k] : i64; else fi done"""
    assert figures(count(body)) == (1, 24, 0)
    assert count(body).at_most


def test_a_condition_on_data_counts_as_the_larger_branch() -> None:
    body = f"""var x : i64; x <- xs[0] : i64; var c : bool; c <- x > 0;
      if c then {COPY} else {COPY} {COPY} fi"""
    assert figures(count(body)) == (2, 48, 0)
    assert count(body).at_most


@pytest.mark.parametrize(
    "body",
    [
        "var k : i64; k <- xs[0] : i64; kernel i < k do t[i] <- xs[i] : i64; done",
        f"var c : bool; c <- n > 0; while c do {COPY} c <- false; done",
    ],
)
def test_what_cannot_be_counted(body: str) -> None:
    with pytest.raises(copies.NotCountable):
        count(body)


# ---------------------------------------------------------------------- the script


@pytest.mark.exhaustive
@pytest.mark.opencl
def test_measures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One program at its smallest, with the device's peak and a file of figures."""
    device = str(pocl().info.index)
    figures = tmp_path / "figures.json"
    command = ["nearest_neighbour", "--size", "5", "--rounds", "1", "--device", device, "--bound"]
    measure.main([*command, "--json", str(figures)])
    said = capsys.readouterr().out
    assert "nearest_neighbour, n = 5" in said
    rows = json.loads(figures.read_text())
    assert rows[0]["variant"] == "none"
    for r in rows:
        assert r["peak_bytes"] >= r["bound_bytes"] >= 2 * 5 * 4  # the two arguments at least
    assert all(len(r["times"]) == 1 and r["copies"] is not None for r in rows)
