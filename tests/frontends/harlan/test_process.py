"""Programs as processes: the command line, the executable, the functions in C and in Python."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import funmem
from funmem.cli import main
from funmem.driver.process import run_process
from funmem.driver.source import Source
from funmem.ir.diagnostics import UsageError

ECHO = """
(module
  (define (main)
    (let ((args (command-line)))
      (for (i 1 (length args)) (println (vector-ref args i)))
      (print "done")
      (if (< (length args) 3) (error! "too few words"))
      (length args))))
"""


def test_run_prints_and_has_the_exit_status(tmp_path: Path) -> None:
    """Also if standard output is a stream of texts; options of the program follow `--`."""
    path = tmp_path / "echo.kfc"
    path.write_text(ECHO)
    done = CliRunner().invoke(main, ["run", str(path), "--", "-x", "two words"])
    assert (done.stdout, done.exit_code) == ("-x\ntwo words\ndone", 3)


def test_a_program_with_inputs_is_no_process() -> None:
    with pytest.raises(UsageError, match="no process"):
        run_process(Source("a.nova", "()\n1", "nova"), [])


@pytest.mark.slow
def test_the_executable(tmp_path: Path) -> None:
    """It has the command line, the output, the exit status, and the message of a trap."""
    path = tmp_path / "echo.kfc"
    path.write_text(ECHO)
    made = CliRunner().invoke(main, ["compile", str(path), "--target", "c", "-o", str(tmp_path)])
    assert made.exit_code == 0, made.output
    done = subprocess.run([tmp_path / "echo", "a", "ü"], capture_output=True, check=False)
    assert (done.stdout.decode(), done.returncode) == ("a\nü\ndone", 3)
    few = subprocess.run([tmp_path / "echo"], capture_output=True, check=False)
    assert (few.stdout, few.returncode) == (b"done", 1)
    assert b"too few words" in few.stderr


def test_the_api_takes_programs(tmp_path: Path) -> None:
    path = tmp_path / "sum.kfc"
    path.write_text("(module (define (main) (reduce + (iota 5))))")
    assert [e.name for e in funmem.load(path).entries] == ["main"]  # type: ignore[union-attr]
    assert funmem.run(path.read_text(), language="kfc") == 10
    assert funmem.run(path.read_text()) == 10  # the language is recognised


def test_definitions_of_a_module_without_main() -> None:
    """Those whose types are known, without effects, are entry points."""
    text = """
    (module
      (define (half x) (/ x 2.0))
      (define (halves v) (kernel ((x v)) (half x)))
      (define (total m) (reduce + (kernel ((row m)) (reduce + row))))
      (define (sum-of-ints v) (reduce + (kernel ((x v)) (+ x (length v)))))
      (define (ints v) (reduce + (kernel ((x v)) (+ x (length v)))))
      (define (say x) (println x) 0)
      (define (clear v) (set! (vector-ref v 0) 0)))"""
    program = funmem.parse(text, "kfc")
    assert [e.name for e in program.entries] == ["half", "halves", "total", "ints"]  # type: ignore[union-attr]
    assert funmem.run(program, [1.0, 3.0], entry="halves").tolist() == [0.5, 1.5]
    assert funmem.run(program, [1, 2, 3], entry="ints") == 15
    with pytest.raises(UsageError, match="no entry point `main`"):
        run_process(Source("a.kfc", text, "kfc"), [])


def test_texts_without_bytes_below(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output may be a stream of texts, as in a notebook."""
    import io

    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    run_process(Source("a.kfc", '(module (define (main) (println "ä")))', "kfc"), [])
    assert out.getvalue() == "ä\n"
