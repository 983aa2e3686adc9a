"""``funmem test``: what it prints, and its exit codes."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from funmem.ir.diagnostics import UsageError
from funmem.suite.files import find_programs
from funmem.suite.report import lines, summary, to_json
from funmem.suite.verdict import Finding, Status, Verdict, Where
from tests.support.command_line import Said, say
from tests.support.paths import ROOT
from tests.support.sampling import sampled

HEAD = "entry main [n] (xs : [n]i32) -> (y : i32) =\n"
FIRST = HEAD + "  let (y_1 : i32) = xs[0]\n  in (y_1)\n"
PROGRAMS = {
    "right.fun": "-- ==\n-- input { [5, 6] } output { 5 }\n-- input { empty([0]i32) } error:\n"
    + FIRST,
    "deep/down/plain.funmem": FIRST,
    "wrong.fun": "-- ==\n-- input { [5, 6] } output { 6 }\n"
    '-- "no" input { empty([0]i32) } output { 6 }\n' + FIRST,
    "slow.fun": "-- ==\n-- tags { slow }\n-- input { [1, 2] } output { 3 }\n" + FIRST,
    "typo.fun": "-- ==\n-- input { [5, 6] } ouput { 6 }\n" + FIRST,
    "unbound.fun": HEAD + "  in (z)\n",
    "old.imp": "entry main (n : i64) {\n  var m : i64;\n  m <- n + 1;\n  return (m : i64)\n}\n",
    "script.fun": "-- ==\n-- script input { $f }\n" + FIRST,
    ".hidden/x.fun": "no program",
    "notes.txt": "no program",
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in PROGRAMS.items():
        path = tmp_path / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


COMMANDS = {
    "fine": ("funmem test p/right.fun p/deep", 0),
    "fine-verbose": (
        "funmem test p/right.fun p/slow.fun --exclude slow -v --via imp --via heap",
        0,
    ),
    "folder": ("funmem test p --exclude slow -j 2", 1),
    "verbose": ("funmem test p --filter 'p/[sw]*' -v", 1),
    "json": ("funmem test p/wrong.fun p/right.fun p/slow.fun --exclude slow --json", 1),
}


@pytest.mark.parametrize("name", sampled(COMMANDS, 3, slow=6))
def test_what_the_command_says(name: str, golden: Callable[[str, str], None]) -> None:
    command, code = COMMANDS[name]
    said = say(command)
    assert (said.code, said.err) == (code, "")
    golden(f"suite/{name}.txt", str(said))


def test_json_of_a_run() -> None:
    found = say("funmem test p --json --exclude slow").json
    assert (found["passed"], found["failed"], found["excluded"]) == (2, 5, 1)
    assert {f["file"]: f["status"] for f in found["files"]} == {
        "p/old.imp": "unsupported",
        "p/right.fun": "pass",
        "p/script.fun": "unsupported",
        "p/typo.fun": "fail",
        "p/unbound.fun": "fail",
        "p/wrong.fun": "fail",
        "p/deep/down/plain.funmem": "pass",
    }


def test_a_time_limit() -> None:
    endless = (
        "-- ==\n-- input { 1000000000000i64 }\nentry main (n : i64) -> (y : i64) =\n"
        "  let (r : i64) = loop (a : i64) = 0 for i < n do\n"
        "    let (b : i64) = a + i\n    in (b)\n  in (r)\n"
    )
    Path("endless.fun").write_text(endless)
    said = say("funmem test endless.fun --timeout 0.5")
    assert said.code == 1
    assert said.out == (
        "endless.fun: timeout: not done after 0.5 s (main #0 via value)\n"
        "0 of 1 program(s) passed\n  1 timeout\n"
    )


USAGE = {
    "funmem test": "Missing argument 'PATH...'",
    "funmem test missing": "there is no file or folder `missing`",
    "funmem test p/.hidden/.. empty": "there is no file or folder `empty`",
    "funmem test p --filter nothing": "none of the 8 program(s) matches `nothing`",
    "funmem test p --via fortran": "'fortran' is not one of 'core', 'value', 'heap', 'imp'",
    "funmem test p --timeout 0": "0.0 is not in the range x>0",
    "funmem test p --jobs 0": "0 is not in the range x>=1",
}


@pytest.mark.parametrize("command", USAGE)
def test_usage(command: str) -> None:
    said = say(command)
    assert (said.code, said.out) == (2, "")
    assert USAGE[command] in said.err


# ---------------------------------------------------------------------- files


def test_files() -> None:
    everything = [
        "p/old.imp",
        "p/right.fun",
        "p/script.fun",
        "p/slow.fun",
        "p/typo.fun",
        "p/unbound.fun",
        "p/wrong.fun",
        "p/deep/down/plain.funmem",
    ]
    assert find_programs(["p"]) == everything
    assert find_programs(["p/slow.fun", "p", "p"]) == [
        "p/slow.fun",
        *[f for f in everything if "slow" not in f],
    ]
    assert find_programs(["p/notes.txt"]) == ["p/notes.txt"]
    assert find_programs(["p"], "s") == ["p/script.fun", "p/slow.fun"]
    assert find_programs(["p"], "*/s*.fun") == ["p/script.fun", "p/slow.fun"]
    Path("p/empty").mkdir()
    with pytest.raises(UsageError, match="no program found in `p/empty`"):
        find_programs(["p/empty"])


# ---------------------------------------------------------------------- reports


def test_lines_and_summary() -> None:
    wrong = Finding(
        Status.FAIL, "wrong result", "at [0]", "a:2:4", Where("f", "#0", "imp"), "1", "2"
    )
    missing = Finding(
        Status.UNSUPPORTED, "not supported: modules", "not supported: modules", "b:9:1"
    )
    late = Finding(Status.TIMEOUT, "timeout", "not done after 1 s", "c")
    crash = Finding(Status.ERROR, "crash", "a\n  b", "d")
    found = [
        Verdict("a", 3, (missing, wrong, wrong)),
        Verdict("b", 1, (missing,)),
        Verdict("c", 0, (late,)),
        Verdict("d", 0, (crash,)),
        Verdict("e", 7),
        Verdict("f", excluded=True),
        Verdict("g", 1, (missing,)),
    ]
    assert [line for v in found for line in lines(v)] == [
        "a:2:4: failed: f #0 via imp: wrong result: at [0]; expected 1, got 2 (and 2 more)",
        "b:9:1: not supported: modules",
        "c: timeout: not done after 1 s",
        "d: error: crash: a b",
        "b:9:1: not supported: modules",
    ]
    assert len([line for v in found for line in lines(v, verbose=True)]) == 9
    assert list(summary(found)) == [
        "1 of 6 program(s) passed, 1 excluded",
        "  2 not supported: modules",
        "  1 crash",
        "  1 timeout",
        "  1 wrong result",
    ]
    assert [to_json(found)[x] for x in ("passed", "failed", "excluded")] == [1, 5, 1]
    assert list(summary([])) == ["0 of 0 program(s) passed"]


@pytest.mark.slow
def test_a_program_without_tests_is_not_said_to_have_passed_any(place: Path) -> None:
    (place / "p" / "bare.fut").write_text("def main (x: i32) = x\n")
    said = say("funmem test p/bare.fut p/right.fun")
    assert said.code == 0
    assert said.out == (
        "2 of 2 program(s) passed\n  1 without tests: they compile, nothing was compared\n"
    )
    assert "p/bare.fut: passed, 2 checks, no tests" in say("funmem test -v p/bare.fut").out
    assert [v["bare"] for v in say("funmem test --json p/bare.fut p/right.fun").json["files"]] == [
        True,
        False,
    ]


# ---------------------------------------------------------------------- a terminal


@pytest.mark.parametrize("out_is_terminal", sampled([True, False], 2, slow=6))
def test_a_progress_bar_on_a_terminal(out_is_terminal: bool, place: Path) -> None:
    terminal, end = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "funmem", "test", "p/right.fun", "p/wrong.fun", "-j", "1"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
        stdout=end if out_is_terminal else subprocess.PIPE,
        stderr=end,
    )
    os.close(end)
    said = b""
    try:
        while chunk := os.read(terminal, 1 << 16):
            said += chunk
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    out = "" if done.stdout is None else done.stdout.read().decode()
    assert done.wait() == 1
    os.close(terminal)
    shown = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", said.decode())
    assert re.search(r"[━╸╺ ]{9,} [12]/2 ", shown)
    assert "1 failed" in shown
    assert ("p/wrong.fun:2:4: failed: main" in out) is not out_is_terminal
    assert ("p/wrong.fun:2:4: failed: main" in shown) is out_is_terminal


def test_no_progress_bar_elsewhere() -> None:
    said: Said = say("funmem test p/right.fun")
    assert (said.out, said.err) == ("1 of 1 program(s) passed\n", "")
