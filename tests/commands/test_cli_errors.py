"""The command line: what is said, and with which exit code, when something is wrong."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pytest

import funmem
from funmem.codegen.cache import Cache
from funmem.codegen.device import POCL
from tests.support.command_line import say
from tests.support.paths import ROOT
from tests.support.sampling import sampled

Golden = Callable[[str, str], None]

FILES = {
    "type.fun": """\
entry main [n] (xs : [n]f32) -> (r : f32) =
  let (x : f32) = xs[0]
  let (y : i32) = x + 1.0f32
  let (z : f32) = x + q
  in (z)
""",
    "syntax.fun": """\
entry main (x : i32) -> (r : i32) =
  let (y : i32) = x +
  in (y)
""",
    "divide.fun": """\
entry main (x : i32) (y : i32) -> (r : i32) =
  let (z : i32) = x / y
  in (z)
""",
    "index.fun": """\
entry main [n] (xs : [n]i32) (i : i64) -> (r : i32) =
  let (x : i32) = xs[i]
  in (x)
""",
    "gather.fun": """\
entry main [n] [m] (xs : [n]i32) (places : [m]i64) -> (r : [m]i32) =
  let (ys : [m]i32) = kernel k < m do
    let (i : i64) = places[k]
    let (x : i32) = xs[i]
    in (x)
  in (ys)
""",
    "two.fun": """\
entry one (x : i32) -> (r : i32) =
  in (x)

entry two (y : i32) -> (s : i32) =
  in (y)
""",
    "ones.fun": """\
entry main (n : i64) -> (r : [n]f32) =
  let (xs : [n]f32) = replicate [n] 1.0f32
  in (xs)
""",
    "hole.fun": """\
entry main (n : i64) -> (r : [n]i32) =
  let (xs : [n]i32) = scratch [n] i32
  let (ys : [n]i32) = xs with [0] = 7i32
  in (ys)
""",
    "empty.fun": "",
    "text.txt": "hello\n",
}
RACE = "race-block-shared-by-threads.funmem"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with wrong programs, PoCL as the device, a cache of its own."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "race.funmem").write_bytes((ROOT / "tests/ir/check/broken" / RACE).read_bytes())
    (tmp_path / "junk.fun").write_bytes(bytes(range(255, -1, -1)) * 9)
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY junk")
    (tmp_path / "folder.fun").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FUNMEM_DEVICE", POCL)
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    return tmp_path


CASES = {
    "check": (2, "funmem check type.fun syntax.fun missing.fun folder.fun junk.fun empty.fun"),
    "check-json": (1, "funmem check --json type.fun divide.fun"),
    "check-text": (1, "funmem check text.txt"),
    "no-command": (2, "funmem chek type.fun"),
    "no-entry": (2, "funmem run two.fun --entry three -i 1"),
    "which-entry": (2, "funmem run two.fun -i 1"),
    "type": (1, "funmem run type.fun -i '[1]'"),
    "trap": (1, "funmem run divide.fun -i 7 -i 0"),
    "trap-heap": (1, "funmem run index.fun -i '[5, 6]' -i -1 --via heap"),
    "trap-json": (1, "funmem run index.fun -i '[5, 6]' -i 2 --json"),
    "race": (3, "funmem run race.funmem -i 4 --via heap"),
    "undefined": (0, "funmem run hole.fun -i 3"),
    "undefined-summary": (0, "funmem run hole.fun -i 3 --summary"),
    "undefined-json": (0, "funmem run hole.fun -i 3 --json"),
    "undefined-output": (2, "funmem run hole.fun -i 3 -o r.npy"),
    "too-few": (1, "funmem run divide.fun -i 7"),
    "too-many": (1, "funmem run divide.fun -i '7 8 9'"),
    "wrong-type": (1, "funmem run divide.fun -i 7i64 -i 8"),
    "wrong-fraction": (1, "funmem run divide.fun -i 7.5 -i 8"),
    "wrong-range": (1, "funmem run divide.fun -i 7 -i 5000000000"),
    "wrong-rank": (1, "funmem run index.fun -i '[[1], [2]]' -i 0"),
    "device-nowhere": (2, "funmem run divide.fun -i 7 -i 2 --device 0"),
    "no-value": (1, "funmem run divide.fun -i data.in -i 8"),
    "no-npy": (1, "funmem run divide.fun -i missing.npy -i 8"),
    "random-missing": (2, "funmem run index.fun --random i=0"),
    "random-unknown": (2, "funmem run divide.fun --random z=0"),
    "random-syntax": (2, "funmem run divide.fun --random x=many"),
    "random-range": (2, "funmem run divide.fun --random x=5000000000"),
    "random-negative": (1, "funmem run index.fun --random n=-3,i=0"),
    "random-huge": (1, "funmem run index.fun --random n=4611686018427387904,i=0"),
    "random-and-input": (2, "funmem run divide.fun --random x=1 -i 8"),
    "stdin-twice": (2, "funmem run - -i -"),
    "no-pass": (2, "funmem opt divide.fun -p alocate"),
    "no-pass-option": (2, "funmem opt divide.fun -p 'expand{order=up}'"),
    "bad-pass-option": (2, "funmem opt divide.fun -p 'expand{layout=up}'"),
    "bad-pipeline": (2, "funmem opt divide.fun -p 'expand{'"),
    "wrong-level": (2, "funmem opt ones.fun -p expand"),
    "no-way-back": (2, f"funmem opt {ROOT}/papers/funmem/fig13.imp --emit fun"),
    "value-of-imp": (
        2,
        f"funmem run {ROOT}/papers/funmem/fig13.imp --random x_size=1,y_size=2,z_cond=1",
    ),
    "output-exists": (2, "funmem compile divide.fun -o type.fun"),
    "output-nowhere": (2, "funmem run divide.fun -i 7 -i 8 -o no/folder/r.npy"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong(name: str, golden: Golden) -> None:
    code, command = CASES[name]
    said = say(command)
    golden(f"cli-errors/{name}.txt", str(said).replace(str(ROOT), "…"))
    assert said.code == code
    assert "Traceback" not in said.err


# ---------------------------------------------------------------------- devices


def test_an_unknown_device() -> None:
    said = say("funmem run divide.fun -i 7 -i 2 --via opencl --device nonsense")
    assert said.code == 4
    assert said.err.startswith(
        "error[device]: no OpenCL device is called `nonsense`\nhint: the devices are: "
    )


def test_an_unknown_device_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUNMEM_DEVICE", "nonsense")
    assert say("funmem run divide.fun -i 7 -i 2 --via opencl").code == 4
    assert say("funmem run divide.fun -i 7 -i 2").out == "3i32\n"


@pytest.mark.opencl
@pytest.mark.parametrize("n", [1 << 40, (1 << 63) - 1])
def test_a_device_that_is_too_small(n: int) -> None:
    said = say(f"funmem run ones.fun -i {n} --via opencl")
    assert said.code == 4
    assert "ones.fun:2:3: error[memory]: the program needs " in said.err
    assert " has " in said.err
    assert "replicate [n]" in said.err


@pytest.mark.parametrize("engine", ["value", "heap", "imp"])
def test_an_interpreter_without_enough_memory(engine: str) -> None:
    said = say(f"funmem run ones.fun -i {1 << 60} --via {engine} --summary")
    assert said.code in (1, 4)
    assert "error[memory]" in said.err


@pytest.mark.opencl
@pytest.mark.parametrize("via", ["c", "opencl"])
@pytest.mark.parametrize("language", sampled(["fun", "funmem", "imp"], 3))
def test_compiled_code_checks_bounds(language: str, via: str) -> None:
    """A kernel that reads past its argument's end is an error in every language, asked for or not:
    without a check it answers with what lies there.
    """
    Path(f"gather.{language}").write_text(say(f"funmem opt gather.fun --emit {language}").out)
    said = say(f"funmem run gather.{language} -i '[5, 6]' -i '[0, 2]' --via {via}")
    assert said.code == 1, said
    assert "error[index out of bounds]: Index [2] out of bounds for array of shape [2]" in said.err


@pytest.mark.opencl
def test_a_trap_is_no_disagreement() -> None:
    said = say("funmem run index.fun -i '[5, 6]' -i 2 --via opencl --against heap")
    assert said.code == 1
    assert "error[index out of bounds]" in said.err


def test_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    real = __import__("funmem.interp.imp", fromlist=["run_imp"]).run_imp

    def faulty(program: object, entry: str, args: object, **_: object) -> tuple[object, ...]:
        (r,) = real(program, entry, args)
        return (r + 1,)

    monkeypatch.setattr("funmem.interp.imp.run_imp", faulty)
    said = say("funmem run divide.fun -i 7 -i 2 --via imp --against value")
    assert said.code == 3
    assert said.err == "error[disagreement]: value and imp disagree: result 1: expected 3, got 4\n"
    trap = say("funmem run divide.fun -i 7 -i 0 --via imp --against value")
    assert trap.code == 1


def test_a_trap_on_one_side_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("funmem.interp.imp.run_imp", lambda *_, **__: (0,))
    said = say("funmem run divide.fun -i 7 -i 0 --via imp --against value")
    assert said.code == 3
    assert "expected the trap `division by zero`, got results" in said.err


# ---------------------------------------------------------------------- funmem itself


def failing(error: BaseException) -> click.Command:
    def check() -> None:
        raise error

    return click.Command(
        "check",
        callback=check,
        params=[
            click.Argument(["p"], expose_value=False),
            click.Option(["--json"], is_flag=True, expose_value=False),
            click.Option(["--traceback"], is_flag=True, expose_value=False),
        ],
    )


@pytest.fixture
def check_fails(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Makes `funmem check` raise an error."""

    def make(error: BaseException) -> None:
        monkeypatch.setattr("funmem.commands.check.check", failing(error))

    return make


def test_an_internal_error(check_fails: Callable[[BaseException], None]) -> None:
    check_fails(KeyError("x"))
    said = say("funmem check type.fun")
    assert said.code == 70
    assert said.err == (
        "error[internal]: KeyError: 'x'\n"
        "hint: this is a bug in funmem; the same command with --traceback locates it\n"
    )
    assert json.loads(say("funmem check type.fun --json").err)["code"] == "internal"
    traced = say("funmem check type.fun --traceback")
    assert traced.code == 70
    assert "Traceback" in traced.err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (RecursionError(), 1, "error[limit]: the program is nested too deeply"),
        (MemoryError(), 1, "error[memory]: this machine has too little memory"),
        (OSError(28, "No space left on device", "f"), 2, "error[system]: `f`: No space left"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_other_failures(
    error: BaseException, code: int, said: str, check_fails: Callable[[BaseException], None]
) -> None:
    check_fails(error)
    result = say("funmem check type.fun")
    assert result.code == code
    assert result.err.startswith(said)
    assert bool(result.err) == bool(said)


def test_a_broken_pipe_is_quiet() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    line = (
        f"{sys.executable} -m funmem run ones.fun -i 100000 | head -c 10; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=env)
    assert (done.stdout, done.stderr) == ("[1.0f32, 1141\n", "")


def test_a_stream_that_knows_ascii_only(place: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    os.symlink(place / "syntax.fun", os.fsencode(place / "caf") + b"\xe9.fun")
    for command in (b"caf\xe9.fun", b"empty.fun"):
        done = subprocess.run(
            [sys.executable, "-m", "funmem", "check", command], capture_output=True, env=env
        )
        assert done.returncode == 1
        assert b"error[syntax]" in done.stderr


DIVIDE = "run divide.fun -i 7 -i"
STREAMS = {
    f"{DIVIDE} 2 >&-": (2, "error[stream]: cannot write to standard output: it is closed\n"),
    f"{DIVIDE} 2 --json >&-": (2, "cannot write to standard output: it is closed"),
    "--help >&-": (2, "error[stream]: cannot write to standard output: it is closed\n"),
    f"{DIVIDE} 2 >/dev/full": (2, "cannot write to standard output: No space left on device\n"),
    "run ones.fun -i 100000 >/dev/full": (2, "standard output: No space left on device\n"),
    f"{DIVIDE} 2 -o x.npy >&-": (0, ""),
    f"{DIVIDE} 0 >&-": (1, "error[division by zero]: "),
    f"{DIVIDE} 0 2>&-": (1, ""),
    "check - <&-": (2, "error[stream]: cannot read standard input: it is closed\nhint: name a "),
    f"{DIVIDE} - <&-": (2, "error[stream]: cannot read standard input: it is closed\n"),
    "check - 0>x": (2, "error[stream]: cannot read standard input: "),
    f"{DIVIDE} - 0>x": (2, "error[stream]: cannot read standard input: "),
    f"{DIVIDE} 2 --via c -o x.npy <&- >&- 2>&-": (0, ""),
}


@pytest.mark.parametrize("command", sampled(STREAMS, 8, 5, slow=6))
def test_streams_that_are_closed_or_full(command: str) -> None:
    """Nothing is lost without a word, and nothing takes the number of a closed stream."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    line = f"exec {sys.executable} -m funmem {command}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=env)
    code, said = STREAMS[command]
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert bool(said) == bool(done.stderr)
    assert "Exception" not in done.stderr


# The words are click's or numpy's and change with their versions.
ELSEWHERE = {
    "funmem run": "error[usage]: Missing argument 'PROGRAM'.",
    "funmem run divide.fun --sede 3": "error[usage]: No such option",
    "funmem run divide.fun --via fortran": "error[usage]: Invalid value for '--via'",
    "funmem compile divide.fun": "error[usage]: Missing option '-o'",
    "funmem run divide.fun -i bad.npy -i 8": "error[values]: cannot read `bad.npy`: ",
}


@pytest.mark.parametrize("command", ELSEWHERE)
def test_what_others_say(command: str) -> None:
    said = say(command)
    assert said.code in (1, 2)
    assert said.err.startswith(ELSEWHERE[command])
    assert "\nhint: see `funmem " in said.err or said.code == 1


def test_a_usage_error_in_json() -> None:
    said = json.loads(say("funmem run --json divide.fun --via fortran").err)
    assert (said["code"], said["hint"]) == ("usage", "see `funmem run --help`")


# ---------------------------------------------------------------------- hints


def test_python_and_the_command_line_have_hints_of_their_own(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(funmem.InputError, match=r"numpy converts it: `x.astype|np.int32\(x\)"):
        funmem.run(funmem.load("divide.fun"), np.float32(1), 1)
    assert "hint: write numbers without a type, or with the suffix `i32`" in (
        say("funmem run divide.fun -i 1f32 -i 1i32").err
    )
    (place / "cache").mkdir(mode=0o777)
    (place / "cache").chmod(0o777)
    with pytest.raises(funmem.UsageError, match=r"or use cache=False"):
        Cache.default()
    assert "or use --no-cache" in say("funmem run divide.fun -i 1 -i 1 --via c").err
    with pytest.raises(funmem.UsageError) as caught:
        funmem.load("nowhere.fun")
    assert caught.value.diagnostic.hint == ""
    assert "`-` is standard input" in say("funmem check nowhere.fun").err
