"""The result of ``funmem.compile``: one kind of object for a device and for C."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import funmem
from funmem.api import Target
from funmem.codegen.device import POCL
from tests.support.devices import needs_compiler

TEXT = """
entry main [n] (a: f32) (x: [n]f32) (y: [n]f32) : [n]f32 = map2 (\\u v -> a*u + v) x y
entry next (lambda: i32) : (i32, i32) = (lambda, lambda + 1)
"""
NAMED = """\
entry both (a : i32) (b : i32) -> (d : i32) (m : i32) =
  let (p : i32) = a / b
  let (q : i32) = a % b
  in (p, q)
"""
TARGETS = [
    pytest.param("c", marks=needs_compiler),
    pytest.param("opencl", marks=pytest.mark.opencl),
]


@pytest.fixture(autouse=True)
def pocl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FUNMEM_DEVICE", POCL)
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))


@pytest.fixture(params=TARGETS)
def program(request: pytest.FixtureRequest) -> funmem.CompiledProgram:
    return funmem.compile(TEXT, target=request.param, language="fut")


def test_arguments_by_position_and_by_name(program: funmem.CompiledProgram) -> None:
    x = np.arange(3, dtype="f4")
    wanted = [0.0, 3.0, 6.0]
    assert np.asarray(program(2.0, x, x)).tolist() == wanted
    assert np.asarray(program(2.0, x, y=x)).tolist() == wanted
    assert np.asarray(program.main(y=x, x=x, a=2)).tolist() == wanted
    assert np.asarray(program.entry("main")(2.0, x, x)).tolist() == wanted
    assert program.next(3) == program.next(x_lambda=3) == (3, 4), "a keyword is renamed"
    with pytest.raises(TypeError, match=r"main\(\) missing a required argument: 'y'"):
        program(2.0, x=x)
    with pytest.raises(TypeError, match=r"main\(\) got an unexpected keyword argument 'z'"):
        program(2.0, x, x, z=x)
    with pytest.raises(funmem.InputError, match="`main` takes 3 argument"):
        program(2.0, x)


def test_what_it_says_of_itself(program: funmem.CompiledProgram) -> None:
    main, device = program.main, program.device
    types = "(a: f32, x: f32[n], y: f32[n]) -> f32[n]"
    assert main.signature == str(program.signature("main")) == types
    assert program.next.signature == "(lambda: i32) -> (i32, i32)"
    found = inspect.signature(main)
    assert str(found) == "(a: 'f32', x: 'f32[n]', y: 'f32[n]') -> 'f32[n]'"
    assert inspect.signature(program) == found
    assert main.__doc__ == f"main{types}"
    assert repr(main) == f"<funmem entry point main{types} on {device}>"
    assert repr(program) == f"<funmem program main, next on {device}>"
    assert program.entries == ("main", "next")
    assert {"main", "next", "write"} <= set(dir(program))
    assert program.main is main
    with pytest.raises(AttributeError, match="no attribute `mian`; its entry points are `main`"):
        _ = program.mian


def test_costs_and_files(program: funmem.CompiledProgram, tmp_path: Path) -> None:
    x = np.arange(3, dtype="f4")
    program(2.0, x, x)
    assert program.stats.peak_bytes >= 12
    path = program.write(tmp_path / "out", "fast")
    assert path == tmp_path / "out" / "fast.py"
    assert (tmp_path / "out" / "fast.plan.json").exists()
    kernel = "__kernel" if program.device != "C" else "#include"
    assert kernel in program.source


@pytest.mark.parametrize("target", TARGETS)
def test_results_that_the_program_names(target: Target) -> None:
    """They are a tuple all the same."""
    both = funmem.compile(NAMED, target=target)
    found = both(7, b=2)
    assert found == (3, 1)
    assert (found.d, found.m, type(found).__name__) == (3, 1, "both")


def test_targets() -> None:
    with pytest.raises(funmem.UsageError, match="no target `cuda`; there is opencl, c"):
        funmem.compile(NAMED, target="cuda")  # type: ignore[arg-type]
    with pytest.raises(funmem.UsageError, match="a C library does not run on a device"):
        funmem.compile(NAMED, target="c", device=0)
