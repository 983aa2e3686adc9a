"""The commands take `.kfc`: a program that prints, and one whose definitions are entry points."""

from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner

from funmem.cli import main
from funmem.testing.harlan_generator import judge as judged
from funmem.testing.harlan_generator.oracle import Outcome

PRINTS = "(module (define (main) (println (reduce + (kernel ((i (iota 4))) (* i i))))))\n"
CALLED = """; ==
; entry: dot
; input { [1f32, 2f32] [3f32, 4f32] } output { 11f32 }
(module (define (dot xs ys) (reduce + (kernel ((x xs) (y ys)) (* x (+ 0.0 y))))))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prints.kfc").write_text(PRINTS)
    (tmp_path / "called.kfc").write_text(CALLED)
    return tmp_path


def said(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_definitions_are_entry_points() -> None:
    """Finds commands that take every `.kfc` for a process."""
    assert "dot [n] [m] (xs : [n]f32) (ys : [m]f32)" in said("check", "called.kfc")
    assert said("run", "called.kfc", "-i", "[1, 2]", "-i", "[3, 4]") == "11.0f32\n"
    assert "1 of 1" in said("test", "called.kfc")
    assert "PROVED" in said("verify", "called.kfc", "--inputs", "0")
    assert "Copies that stay\n  none" in said("explain", "called.kfc", "--sizes", "n=4,m=4")


@pytest.mark.usefixtures("folder")
def test_programs_that_print() -> None:
    """Finds commands that would run output like a pure function, or that fail without a reason."""
    assert "main -> (status : i32)" in said("check", "prints.kfc")
    assert "PROVED" in said("verify", "prints.kfc")
    assert "leave `main` out" in said("bench", "prints.kfc", "--no-limits", code=2)
    assert "funmem test" in said("opt", "prints.kfc", "--verify-each=values", code=2)
    said("opt", "prints.kfc", "--verify-each=types", "-p", "fuse")


@pytest.mark.slow
def test_a_failing_program_that_prints_is_reduced(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finds a reducer that keeps what does not matter."""
    assert said("reduce", "--replay", "prints.kfc", code=0) == "does not fail\n"
    right = judged.oracle.run

    def wrong(text: str) -> Outcome:
        return evolve(right(text), status=77) if "reduce" in text else right(text)

    monkeypatch.setattr(judged.oracle, "run", wrong)
    assert "values" in said("reduce", "--replay", "prints.kfc", code=3)
    said("reduce", "prints.kfc", "-o", "small.kfc", "--seconds", "20")
    small = (folder / "small.kfc").read_text()
    assert small.startswith("; prints.kfc: core, values\n; expected status 77")
    assert "reduce" in small
    assert "println" not in small
