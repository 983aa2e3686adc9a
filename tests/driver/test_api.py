"""The Python API."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import funmem
from funmem.codegen.device import POCL, list_devices
from funmem.driver.entry_points import signature_of
from funmem.driver.source import language_of
from funmem.driver.stages import complete, default_pipeline
from funmem.frontends.registry import TABLE
from funmem.ir.fun import MemProgram, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.text.level import Level as TextLevel
from funmem.ir.text.level import level_of
from funmem.passes import pipeline as stage
from funmem.passes.framework import Level
from tests.support.paths import ROOT
from tests.support.sampling import sampled

DOUBLE = """\
entry main [n] (xs : [n]f32) -> (ys : [n]f32) =
  let (zs : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (y : f32) = x + x
    in (y)
  in (zs)

entry both (a : i32) (b : i32) -> (d : i32) (m : i32) =
  let (p : i32) = a / b
  let (q : i32) = a % b
  in (p, q)
"""


@pytest.fixture(autouse=True)
def pocl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FUNMEM_DEVICE", POCL)
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def double() -> MemProgram:
    program = funmem.parse(DOUBLE)
    assert isinstance(program, Program)
    return program


# ---------------------------------------------------------------------- names


def test_every_public_name_is_there() -> None:
    for name in funmem.__all__:
        assert getattr(funmem, name) is not None
        assert name in dir(funmem)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        funmem.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_importing_loads_nothing() -> None:
    script = "import funmem, sys; print([m for m in sys.modules if m.startswith('funmem.')])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_type_checkers_know_every_name() -> None:
    text = (ROOT / "funmem/__init__.py").read_text()
    builtins = re.search(r"\n    (.*) = _c, _filter, _map, _reduce\n", text)
    assert builtins is not None
    for name in {*funmem.__all__} - {"__version__", *builtins[1].split(", ")}:
        assert f" import {name} as {name}\n" in text


# ---------------------------------------------------------------------- programs as text


def test_parse_show_and_load(double: MemProgram) -> None:
    assert funmem.parse(funmem.show(double)) == double
    assert isinstance(funmem.load(ROOT / "examples/dot.fun"), Program)
    fig13 = funmem.load(ROOT / "papers/funmem/fig13.imp")
    assert isinstance(fig13, ImpProgram)
    assert funmem.parse(funmem.show(fig13)) == fig13


@pytest.mark.parametrize(
    "path", sampled(sorted((ROOT / "examples").glob("*.fun")), 4), ids=lambda p: p.stem
)
def test_the_language_is_told_by_the_text(path: Path) -> None:
    program = funmem.load(path)
    imp = default_pipeline().run(program)
    assert funmem.parse(path.read_text()) == program
    assert funmem.parse(funmem.show(imp)) == imp


def test_the_language_of_every_program_is_told_by_its_text() -> None:
    """All that this repository has, the wrong ones as well.  Python has its suffix only, and so has
    Core without declarations, which looks like ``.fut``.
    """
    told = TABLE.keys() - {"py", "core"}
    every = [p for p in sorted(ROOT.rglob("*")) if p.suffix[1:] in told and p.is_file()]
    found = {p: language_of(p.read_text(encoding="utf-8", errors="replace")) for p in every}
    assert len(found) > 1000
    assert [p for p, x in found.items() if x != p.suffix[1:].replace("funmem", "fun")] == []


@pytest.mark.parametrize(
    "first", ["data d = #a", "foreign f (i64) : i64", "effect f (token) : token"]
)
def test_core_is_told_by_its_declarations(first: str) -> None:
    assert language_of(f"{first}\nentry main (x : i64) : i64 = x\n") == "core"


@pytest.mark.parametrize("call", [funmem.compile, funmem.run, funmem.parse])
@pytest.mark.parametrize("path", ["x.fut", "some/where.fun", Path("x.imp"), __file__])
def test_the_name_of_a_file_is_no_program(call: Callable[[object], object], path: object) -> None:
    """Whoever passes one learns of `load`."""
    with pytest.raises(funmem.UsageError) as caught:
        call(path)
    d = caught.value.diagnostic
    assert d.message == f"`{path}` is the name of a file; a program's text is expected here"
    assert d.hint == f"funmem.load({str(path)!r}) loads the program in it"


def test_a_text_of_a_language() -> None:
    """What is told by the text need not be said; what is said counts."""
    text = "entry main (x: i64) : i64 = x + 1"
    assert funmem.run(text, 3) == funmem.run(text, 3, language="fut") == 4
    with pytest.raises(funmem.SourceError):
        funmem.run(text, 3, language="fun")


@pytest.mark.opencl
def test_compiling_a_text_of_a_language() -> None:
    compiled = funmem.compile("def main (x: i64) = x + 1", language="fut")
    assert compiled(3) == 4


def test_a_wrong_text() -> None:
    with pytest.raises(funmem.SourceError) as caught:
        funmem.parse("entry main = ", name="here")
    d = caught.value.diagnostic
    assert (d.at.file, d.at.line, d.code) == ("here", 1, "syntax")
    with pytest.raises(funmem.SourceError):
        funmem.parse(DOUBLE, "imp")
    with pytest.raises(funmem.UsageError, match="cannot read"):
        funmem.load("nowhere.fun")
    with pytest.raises(funmem.UsageError, match=r"no language `futhark`\nhint: did you mean fut"):
        funmem.parse(DOUBLE, "futhark")  # type: ignore[arg-type]


def test_check(double: MemProgram) -> None:
    funmem.check(double)
    funmem.check(default_pipeline().run(double))
    with pytest.raises(funmem.SourceError, match="T-VAR"):
        funmem.check(funmem.parse(DOUBLE.replace("x + x", "xs + x")))


def test_erase(double: MemProgram) -> None:
    staged = funmem.Pipeline.parse("allocate").run(double)
    assert level_of(staged) is TextLevel.FUNMEM
    erased = funmem.erase(staged)
    assert level_of(erased) is TextLevel.FUN
    assert funmem.run(erased, [1, 2]).tolist() == [2, 4]
    with pytest.raises(funmem.UsageError):
        funmem.erase(default_pipeline().run(double))


# ---------------------------------------------------------------------- running


@pytest.mark.opencl
@pytest.mark.parametrize("via", ["value", "heap", "imp", "opencl"])
def test_run(via: str, double: MemProgram) -> None:
    xs = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(funmem.run(double, xs, via=via), xs + xs)
    assert funmem.run(double, 7, 2, entry="both", via=via) == (3, 1)
    with pytest.raises(funmem.Trap, match="division by zero"):
        funmem.run(double, 7, 0, entry="both", via=via)


SHARED = """\
entry main (xs: []i64) (n: i64) : ([]i64, []i64, []i64, [n][2]i64) =
  (xs, xs, reverse xs, replicate n [1, 2])
"""


@pytest.mark.opencl
@pytest.mark.parametrize("via", ["value", "heap", "imp", "c"])
def test_results_are_arrays_of_ones_own(via: str) -> None:
    xs = np.arange(3)
    results = funmem.run(funmem.parse(SHARED, "fut"), xs, 2, via=via)
    wanted = [r.copy() for r in results]
    for r in results:
        assert r.flags.writeable
        assert r.flags.c_contiguous
        np.testing.assert_array_equal(r, wanted.pop(0))
        r.flat[0] = 77
        assert (r == 77).sum() == 1
    assert xs.tolist() == [0, 1, 2]


def test_run_takes_text_and_checks_it() -> None:
    assert funmem.run(DOUBLE, [0.5]).tolist() == [1.0]
    with pytest.raises(funmem.SourceError, match="T-VAR"):
        funmem.run(DOUBLE.replace("x + x", "xs + x"), [0.5])
    with pytest.raises(funmem.InputError, match="takes 1 argument"):
        funmem.run(DOUBLE)
    with pytest.raises(funmem.UsageError, match="no entry point `x`"):
        funmem.run(DOUBLE, entry="x")
    with pytest.raises(funmem.UsageError, match="no engine `nonsense`"):
        funmem.run(DOUBLE, [0.5], via="nonsense")  # type: ignore[arg-type]


def test_a_race_is_a_memory_fault() -> None:
    race = funmem.load(ROOT / "tests/ir/check/broken/race-block-shared-by-threads.funmem")
    with pytest.raises(funmem.MemoryFault, match="data race"):
        funmem.run(race, 4, via="heap")
    assert funmem.run(race, 4) is not None


GATHER = "entry main [n] (xs: [n]i64) (is: [n]i64) : [n]i64 = map (\\i -> xs[i]) is"


@pytest.mark.opencl
@pytest.mark.parametrize("via", ["value", "heap", "imp", "c", "opencl", "compile"])
def test_an_index_out_of_bounds_traps_by_every_engine(via: str) -> None:
    program = funmem.parse(GATHER, "fut")
    gather = funmem.compile(program) if via == "compile" else partial(funmem.run, program, via=via)
    assert gather([5, 6, 7], [2, 0, 1]).tolist() == [7, 5, 6]
    with pytest.raises(funmem.Trap, match=r"Index \[3\] out of bounds for array of shape \[3\]"):
        gather([5, 6, 7], [2, 3, 1])


@pytest.mark.opencl
@pytest.mark.parametrize("via", ["value", "heap", "imp", "c", "opencl"])
def test_arguments_are_called_as_in_the_program(via: str, double: MemProgram) -> None:
    with pytest.raises(funmem.InputError, match=r"argument 1 \(`xs`\): expected \[n\]f32, got"):
        funmem.run(double, 1.5, via=via)


def test_ports_are_called_as_in_the_program(double: MemProgram) -> None:
    assert signature_of(default_pipeline().run(double), "main") == signature_of(double, "main")
    assert signature_of(default_pipeline().run(double), "both") == signature_of(double, "both")


# ---------------------------------------------------------------------- compiling


@pytest.mark.opencl
def test_compile(double: MemProgram, tmp_path: Path) -> None:
    program = funmem.compile(double)
    xs = np.arange(1000, dtype=np.float32)
    np.testing.assert_array_equal(program(xs), xs + xs)
    assert program.stats.launches >= 1
    assert program.entry("both")(9, 4) == (2, 1)
    assert program.entries == ("main", "both")
    assert program.signature("both").name == "both"
    assert "__kernel" in program.source
    assert str(program.pipeline) == stage.DEFAULT
    fast = funmem.compile(double, safe=False)
    assert str(fast.pipeline) == stage.DEFAULT.replace("lower", "lower,unchecked")
    assert repr(program) == f"<funmem program main, both on {program.device}>"
    assert program.write(tmp_path / "out", "twice") == tmp_path / "out" / "twice.py"
    with pytest.raises(funmem.UsageError, match="no entry point"):
        program.entry("none")


@pytest.mark.opencl
def test_compile_with_a_pipeline_of_ones_own(double: MemProgram) -> None:
    for pipeline in ("allocate", funmem.Pipeline.parse("simplify,allocate,lower"), ""):
        program = funmem.compile(double, pipeline=pipeline, safe=True, cache=False)
        assert program([1.0, 2.0]).tolist() == [2, 4]
        assert str(program.pipeline).endswith("allocate,lower")


def test_compile_for_no_device() -> None:
    with pytest.raises(funmem.DeviceError, match="no OpenCL device is called `nonsense`"):
        funmem.compile(DOUBLE, device="nonsense")


@pytest.mark.opencl
def test_compile_for_a_device_of_a_number(
    double: MemProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FUNMEM_DEVICE")
    for d in list_devices():
        assert funmem.compile(double, device=d.index).device == d.name
    with pytest.raises(funmem.DeviceError, match="no OpenCL device is called `99`"):
        funmem.compile(double, device=99)


@pytest.mark.opencl
def test_matmul_example() -> None:
    done = subprocess.run(
        [sys.executable, "examples/matmul.py", "--size", "48"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("agrees with numpy\n")
    assert "largest difference" in done.stdout


# ---------------------------------------------------------------------- pipelines


def test_the_default_pipelines() -> None:
    assert str(default_pipeline()) == stage.DEFAULT
    assert str(default_pipeline(safe=False)) == stage.DEFAULT.replace("lower", "lower,unchecked")
    on_gpu = ",".join((stage.FUN, stage.ALLOCATE, stage.GPU_MEMORY, stage.LOWER))
    for name in ("expand", "merge"):
        on_gpu = on_gpu.replace(name, name + "{layout=interleaved}")
    on_gpu = on_gpu.replace("schedule", "schedule{piece=256,share=0}")
    assert str(default_pipeline(gpu=True)) == on_gpu
    assert str(default_pipeline(Level.FUNMEM)) == f"{stage.MEMORY},{stage.LOWER},{stage.CPU}"
    assert str(default_pipeline(Level.FUN, Level.FUN)) == stage.FUN
    assert str(default_pipeline(Level.FUNMEM, Level.FUN)) == ""
    assert str(default_pipeline(Level.IMP, Level.IMP)) == ""
    with pytest.raises(funmem.UsageError, match="cannot become FUN again"):
        default_pipeline(Level.IMP, Level.FUN)


@pytest.mark.parametrize(
    ("given", "start", "end", "whole"),
    [
        ("", Level.FUN, Level.IMP, "allocate,lower"),
        ("", Level.FUN, Level.FUNMEM, "allocate"),
        ("", Level.FUNMEM, Level.IMP, "lower"),
        ("", Level.FUNMEM, Level.FUN, ""),
        ("schedule", Level.FUN, Level.FUN, "schedule"),
        ("schedule,allocate", Level.FUN, Level.IMP, "schedule,allocate,lower"),
        ("allocate,lower", Level.FUN, Level.IMP, "allocate,lower"),
        ("hoist", Level.FUNMEM, Level.FUNMEM, "hoist"),
    ],
)
def test_a_pipeline_is_completed(given: str, start: Level, end: Level, whole: str) -> None:
    assert str(complete(funmem.Pipeline.parse(given), start, end)) == whole


def test_a_pass_of_ones_own(double: MemProgram) -> None:
    @funmem.any_pass("count", summary="says how many entry points there are")
    def count(p: MemProgram, ctx: funmem.Context) -> MemProgram:
        ctx.remark("program", "entries", str(len(p.entries)))
        return p

    report = funmem.Report()
    result = funmem.Pipeline((funmem.Step(count),)).run(double, report=report)
    assert result == double
    assert [str(r) for r in report.remarks] == ["count: program: entries: 2"]


RECORDS = """
type point = {x: i64, y: f32}
entry main (n: i64) (ps: []f32) : {total: f32, far: i64, p: point, t: (i32, i64), all: []point} =
  {total = reduce (+) 0 ps, far = n, p = {x = 1, y = 2}, t = (3, n + 4),
   all = map (\\y -> {x = 5, y}) ps}
entry pair (n: i64) = (n, n + 1)
"""


def test_results_that_are_records_have_the_names_of_fields() -> None:
    """Finds names that a name in the body takes away (``t_1``), and tuples with made-up names."""
    main, pair = funmem.parse(RECORDS, "fut").entries
    names = [str(r.name) for r in main.results]
    assert names == ["all_x", "all_y", "far", "p_x", "p_y", "t_0", "t_1", "total"]
    assert [str(r.name) for r in pair.results] == ["out_1", "out_2"]
    funmem.check(funmem.parse(RECORDS, "fut"))


def test_core_runs_texts_in_source_languages() -> None:
    """Finds a run via core of the program after its passes, or none at all."""
    args = 7, np.ones(2, np.float32)
    by_core = funmem.run(RECORDS, *args, via="core", language="fut", entry="main")
    by_value = funmem.run(RECORDS, *args, language="fut", entry="main")
    assert [np.asarray(x).tolist() for x in by_core] == [np.asarray(x).tolist() for x in by_value]
    with pytest.raises(funmem.UsageError, match="a program in FUN cannot run via core"):
        funmem.run(funmem.parse(RECORDS, "fut"), *args, via="core", entry="main")
