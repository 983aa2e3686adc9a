"""An executable reads arguments and prints results, and names what is wrong."""

import subprocess
from pathlib import Path

import pytest

from tests.support.command_line import say
from tests.support.devices import needs_compiler

pytestmark = needs_compiler

PROGRAM = """
-- Each type once, and a matrix whose sizes are those of vectors.
entry main [n] [m] (b: bool) (i: i8) (u: u64) (x: f32)
                   (ys: [n]f64) (rows: [n][m]i16) (fs: [m]bool) =
  (!b, i + 1, u + 1, x / 2, map (* 2) ys, map (map (+ 1)) rows, reverse fs)

entry first [n] (xs: [n]i64) = xs[0]
"""
GIVEN = """true -128i8 0xffffffffffffffff 1.5 -- a comment
[0.1, f64.nan, -f64.inf] [[1, 2], [-3, 4], [5, 6i16]] [true, false]"""
PRINTED = """false
-127i8
0u64
0.75f32
[0.2f64, f64.nan, -f64.inf]
[[2i16, 3i16], [-2i16, 5i16], [6i16, 7i16]]
[false, true]
"""
EMPTY = "false 0 0 1e10 [] empty([0][2]i16) [true, true]"
PRINTED_EMPTY = """true
1i8
1u64
5e+09f32
empty([0]f64)
empty([0][2]i16)
[true, true]
"""
WRONG = {
    "[[1, 2], [3]]": "<stdin>:1: error[input]: a value of type bool is missing",
    "maybe": "`maybe` is not a bool",
    "true 128": "`128` is not of type i8",
    "true 1 -1": "`-1` is not of type u64",
    "true 1 1 one": "`one` is not of type f32",
    "true 1 1 1 [1] [[1, 2], [3]]": "rows of lengths 2 and 1 in one array",
    "true 1 1 1\n[1] [[1, 2], [3, 4]] [true, true]": "<stdin>:2: error[input]: argument 6 (rows)",
    "true 1 1 1 [1] [[1]] [true] 5": "there are more values than parameters",
    "true 1 1 1 [] []": "an empty array needs its type",
    "true 1 1 1 empty([1]f64)": "an array that is called empty has elements",
    "true 1 1 1 empty([0]i64)": "this is no empty array of rank 1 and type f64",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The executable."""
    folder = tmp_path_factory.mktemp("executable")
    (folder / "every.fut").write_text(PROGRAM)
    said = say(f"funmem compile {folder}/every.fut --target c --host c -o {folder}")
    assert said.code == 0, said.err
    assert said.out.startswith(f"wrote {folder}/every: ")
    return folder / "every"


def run(program: Path, text: str, *args: str) -> tuple[int, str, str]:
    done = subprocess.run([program, *args], input=text, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_values_are_read_and_printed(program: Path) -> None:
    assert run(program, GIVEN) == (0, PRINTED, "")
    assert run(program, EMPTY) == (0, PRINTED_EMPTY, "")
    assert run(program, "[7, 8]", "first") == (0, "7i64\n", "")


def test_what_is_wrong_is_named(program: Path) -> None:
    for text, message in WRONG.items():
        code, out, err = run(program, text)
        assert (text, code, out) == (text, 1, "")
        assert message in err, (text, err)
    code, _, err = run(program, "empty([0]i64)", "first")
    assert code == 1
    assert "out of bounds" in err
    code, _, err = run(program, "", "last")
    assert (code, err) == (1, "error[entry]: no entry point `last`; there is `main`, `first`\n")


def test_a_half_is_refused(tmp_path: Path) -> None:
    (tmp_path / "half.fut").write_text("entry main (x: f16) = x")
    said = say(f"funmem compile {tmp_path}/half.fut --target c --host c -o {tmp_path}")
    assert said.code == 1
    assert "not supported: an executable that reads or prints an f16" in said.err
