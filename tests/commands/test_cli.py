"""The command line: what right commands print, and what they load."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import click
import numpy as np
import pytest

from funmem.cli import SUMMARIES
from funmem.codegen.device import POCL
from funmem.passes.registry import TABLE
from tests.support.command_line import Said, say
from tests.support.paths import ROOT
from tests.support.sampling import sampled

HALVES = """\
entry main [n] (xs : [n]f32) -> (ys : [n]f32) =
  let (zs : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (y : f32) = x * 0.5f32
    in (y)
  in (zs)

entry first [n] (xs : [n]i32) -> (x : i32) (all : [n]i32) =
  let (y : i32) = xs[0]
  in (y, xs)
"""
Golden = Callable[[str, str], None]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples and halves.fun, PoCL as the device, a cache of its own."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "papers").symlink_to(ROOT / "papers")
    (tmp_path / "halves.fun").write_text(HALVES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FUNMEM_DEVICE", POCL)
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    return tmp_path


COMMANDS = {
    "check": "funmem check examples/matmul.fun examples/lu.fun papers/funmem/fig7.funmem",
    "check-entries": "funmem check examples/prefix_sum.fun",
    "check-imp": "funmem check papers/funmem/fig13.imp",
    "check-json": "funmem check --json halves.fun papers/funmem/fig13.imp",
    "run": "funmem run examples/dot.fun -i '[1, 2, 3]' -i '[4, 5, 6]'",
    "run-entry": "funmem run halves.fun --entry first -i '[3i32, 4i32]'",
    "run-main": "funmem run halves.fun -i '[f32.nan, -f32.inf, 0.2, 1e-20, -0.0]'",
    "run-empty": "funmem run halves.fun -i 'empty([0]f32)'",
    "run-heap": "funmem run examples/prefix_sum.fun --via heap --entry rows --random m=2,w=3",
    "run-imp": "funmem run examples/transpose.fun --via imp --entry main --random n=2,m=3 --seed 1",
    "run-summary": "funmem run halves.fun --summary --random n=90",
    "run-scalars": "funmem run examples/mandelbrot.fun --random h=3,w=12,limit=9",
    "run-json": "funmem run halves.fun --json -i '[1, f32.inf]'",
    "run-pipeline": "funmem run halves.fun --via heap -p allocate --json -i '[1]'",
    "run-against": "funmem run examples/dot.fun --random n=99 --via imp --against value --summary",
    "opt-allocate": "funmem opt halves.fun -p allocate",
    "opt-erase": "funmem opt halves.fun -p allocate --emit fun",
    "opt-bridge": "funmem opt halves.fun -p '' --emit imp",
    "opt-after": "funmem opt halves.fun -p schedule,allocate --print-ir-after-change",
    "opt-json": "funmem opt papers/funmem/fig13.imp --json",
    "compile": "funmem compile examples/dot.fun -o build",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_says(name: str, golden: Golden) -> None:
    said = say(COMMANDS[name])
    assert said.code == 0
    golden(f"cli/{name}.txt", str(said))


@pytest.mark.parametrize("command", SUMMARIES)
def test_help_explains_all_options_and_ends_with_an_example(command: str) -> None:
    said = say(f"funmem {command} --help")
    assert said.code == 0
    assert "\n  Example:\n    $ funmem " in said.out
    for parameter in import_module(f"funmem.commands.{command}").__dict__[command].params:
        assert isinstance(parameter, click.Argument) or parameter.help
    assert "--traceback" in said.out


def test_help_names_what_most_people_write_first() -> None:
    assert say("funmem --help").out.index("(.fut)") < say("funmem --help").out.index(".fun")
    assert "[fut|nova|kfc|kfc64|py|core|fun|funmem|imp|" in say("funmem run --help").out


def test_help_lists_commands_and_exit_codes() -> None:
    assert say("funmem").out == say("funmem --help").out
    for name, summary in SUMMARIES.items():
        assert f"  {name:9}{summary}" in say("funmem -h").out
    assert "  70 an internal error of funmem\n" in say("funmem -h").out


# ---------------------------------------------------------------------- input and output


def test_standard_input() -> None:
    assert say("funmem check -", stdin=HALVES).out.startswith("<stdin>: FUN: main [n]")
    imp = (ROOT / "papers/funmem/fig13.imp").read_text()
    assert say("funmem check -", stdin=imp).out.startswith("<stdin>: IMP: ")
    assert say("funmem check - --language imp", stdin=imp).code == 0
    assert say("funmem run halves.fun -i -", stdin="[3, 5]").out == "[1.5f32, 2.5f32]\n"


FUTHARK = "entry main (x: i64) : i64 = x + 1\n"


def test_a_source_program_on_standard_input(place: Path) -> None:
    """It is recognised, as is one in a file whose name says nothing; also one that is wrong."""
    for text in (FUTHARK, "-- = {\n" + FUTHARK, FUTHARK.replace("entry", "def")):
        assert say("funmem run - -i 1 --language fut", stdin=text).out == "2i64\n"
        assert say("funmem run - -i 1", stdin=text).out == "2i64\n"
    (place / "succ").write_text(FUTHARK)
    assert say("funmem run succ -i 1").out == "2i64\n"
    assert "unknown-name" in say("funmem check -", stdin="def main (x: i64) : i64 = x + y").err
    assert say("funmem check - --language fun", stdin=FUTHARK).code == 1


def test_npy(place: Path) -> None:
    np.save("x.npy", np.arange(4, dtype=np.float32))
    said = say("funmem run halves.fun -i x.npy -o y.npy")
    assert (said.code, said.out) == (0, "")
    assert np.load("y.npy").tolist() == [0.0, 0.5, 1.0, 1.5]


def test_several_results_as_npy() -> None:
    say("funmem run halves.fun --entry first -i '[7i32, 8i32]' -o r.npy")
    assert np.load("r_1.npy").tolist() == 7
    assert np.load("r_2.npy").tolist() == [7, 8]


def test_binary_data_goes_out_and_in_again(place: Path) -> None:
    say("funmem run halves.fun --entry first -i '[7i32, 8i32]' -o r.bin")
    again = say("funmem run halves.fun --entry first -i r.bin")
    assert "takes 1 argument(s), got 2" in again.err
    content = (place / "r.bin").read_bytes()
    assert content[:7] == b"b\2\0 i32"
    (place / "second.bin").write_bytes(content[11:])
    said = say("funmem run halves.fun --entry first -i second.bin")
    assert said.out == "7i32\n[7i32, 8i32]\n"


def test_random_arguments_depend_on_the_seed_only() -> None:
    said = [say(f"funmem run halves.fun --random n=5 --seed {k}").out for k in (0, 0, 1)]
    assert said[0] == said[1] != said[2]


def test_a_default_pipeline_that_is_spelt_out_does_the_same() -> None:
    for emit in ("fun", "funmem", "imp", "opencl"):
        passes = say(f"funmem opt examples/jacobi.fun --emit {emit} --print-pipeline").out.strip()
        default = say(f"funmem opt examples/jacobi.fun --emit {emit}")
        spelt = say(f"funmem opt examples/jacobi.fun --emit {emit} -p '{passes}'")
        assert (default.code, default.out) == (0, spelt.out)


def test_every_stage_reads_back(place: Path) -> None:
    for emit in ("fun", "funmem", "imp"):
        text = say(f"funmem opt examples/nearest.fun --emit {emit}").out
        (place / f"stage.{emit}").write_text(text)
        assert say(f"funmem opt stage.{emit} -p ''").out == text
        assert say(f"funmem check stage.{emit}").code == 0


def test_a_program_in_the_engines_language_runs_as_it_is() -> None:
    for path, engine in (("fig7.funmem", "heap"), ("fig13.imp", "imp")):
        command = f"funmem run papers/funmem/{path} --random x_size=2,y_size=3,z_cond=1 --json"
        assert say(f"{command} --via {engine}").json["pipeline"] == ""


def test_print_pipeline_needs_no_program() -> None:
    cpu, gpu = (say(f"funmem opt --print-pipeline --for {kind}").out for kind in ("cpu", "gpu"))
    assert cpu.endswith(",lower,peel,tile,vectorise,unroll-and-jam,pack,loop-versioning\n")
    for name in ("expand", "merge"):
        cpu = cpu.replace(name, name + "{layout=interleaved}")
    cpu = cpu.replace("schedule", "schedule{piece=256,share=0}")
    cpu = cpu.replace("coalesce{sector=1,reuse=1},", "").replace("merge{", "coalesce,merge{")
    assert gpu == cpu.replace(",peel,tile,vectorise,unroll-and-jam,pack,loop-versioning", "")


def test_the_program_after_every_pass() -> None:
    said = say("funmem opt halves.fun -p simplify,schedule --print-ir-after-all")
    heads = [line for line in said.out.split("\n") if line.startswith("-- ")]
    assert heads == ["-- after simplify", "-- after schedule"]
    assert said.out.count("entry first") == 2


def test_times_and_remarks_go_to_stderr() -> None:
    said = say("funmem opt examples/dot.fun -p simplify,schedule --time-passes --remarks")
    assert said.out.startswith("entry main")
    lines = said.err.split("\n")
    assert lines[0].split() == ["pass", "ms", "check", "ms"]
    assert [line.split()[0] for line in lines[1:4]] == ["simplify", "schedule", "total"]


def test_remarks_in_json_tell_what_was_done_from_what_was_not() -> None:
    said = say("funmem opt examples/lu.fun --for gpu --json").json["remarks"]
    done = {(r["pass"], r["condition"]) for r in said if r["done"]}
    assert done == {("short-circuit", "no copy"), ("merge", "blocks share memory")}
    left = [r for r in said if not r["done"]]
    assert {"short-circuit", "coalesce"} <= {r["pass"] for r in left}
    assert all(r["condition"].startswith("(") for r in left if r["pass"] == "coalesce")


def test_passes() -> None:
    said = say("funmem passes")
    assert [x.split(" ")[0] for x in said.out.split("\n") if x[:1].strip()] == list(TABLE)
    assert "    layout=contiguous|interleaved  " in said.out
    by_name = {p["name"]: p for p in map(json.loads, say("funmem passes --json").out.splitlines())}
    assert by_name["allocate"]["inputs"] == ["FUN"]
    assert by_name["allocate"]["output"] == "FUNMEM"
    assert by_name["schedule"]["ensures"] == ["no_collectives"]


def test_compile_writes_a_module_that_works(place: Path) -> None:
    assert say("funmem compile halves.fun -o build --json").json["module"] == "build/halves.py"
    script = "import halves, numpy as np; print(halves.main(np.ones(3, 'f4')), halves.first([5]))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=place / "build",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[0.5 0.5 0.5] (5, DeviceArray([5], dtype=int32))\n", done.stderr


# ---------------------------------------------------------------------- devices

EXAMPLES = {
    "argmax": "n=50",
    "column_sums": "n=7,m=5",
    "dot": "n=300",
    "histogram": "n=60,k=50",
    "jacobi": "n=6,m=5,steps=3",
    "lu": "n=5",
    "mandelbrot": "h=4,w=7,limit=20",
    "matmul": "n=5,m=4,k=6",
    "nearest": "q=3,r=9,d=2,k=4",
    "prefix_sum": "n=40",
    "ragged": "n=3",
    "transpose": "n=4,m=3",
}


def test_all_examples_are_run() -> None:
    assert {p.stem for p in (ROOT / "examples").glob("*.fun")} == EXAMPLES.keys()


@pytest.mark.opencl
@pytest.mark.parametrize("engine", ["heap", "imp", "opencl"])
@pytest.mark.parametrize("name", sampled(EXAMPLES, 8))
def test_an_example_by_every_engine(name: str, engine: str) -> None:
    command = f"funmem run examples/{name}.fun --random {EXAMPLES[name]} --summary"
    said = say(f"{command} --via {engine} --against value")
    assert (said.code, said.err) == (0, "")
    if engine == "heap":
        assert say(f"{command} --via heap -p allocate --against value").code == 0


@pytest.mark.opencl
def test_costs_of_a_run_on_a_device() -> None:
    said = say("funmem run halves.fun --via opencl --json --safe --random n=100").json
    assert said["via"] == "opencl"
    assert said["launches"] >= 1
    assert said["peak_bytes"] >= 800
    assert said["transfers"] == 2
    assert said["moved_bytes"] == 800
    assert said["results"][0]["shape"] == [100]
    assert said["device"]
    assert said["seconds"] > 0


@pytest.mark.opencl
def test_the_cache_is_used_unless_it_is_not(place: Path) -> None:
    assert say("funmem run halves.fun --via opencl --no-cache -i '[1]'").code == 0
    assert not (place / "cache").exists()
    assert say("funmem run halves.fun --via opencl -i '[1]'").code == 0
    assert (place / "cache").exists()


@pytest.mark.opencl
def test_doctor() -> None:
    said = say("funmem doctor")
    assert said.code == 0, said
    sections = [x for x in said.out.split("\n") if x and x[0] != " "]
    assert sections == ["devices", "versions", "linker", "cache", "problems"]
    found = say("funmem doctor --json").json
    assert [d["default"] for d in found["devices"]].count(True) == 1
    assert found["problems"] == []
    assert found["why"] == "FUNMEM_DEVICE names it"
    assert found["packages"]["numpy"] == np.__version__


def test_doctor_without_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUNMEM_DEVICE", "nonsense")
    said = say("funmem doctor --json")
    assert said.code == 4
    assert said.json["problems"][0]["what"] == "no OpenCL device is called `nonsense`"
    assert "problems\n  no OpenCL device is called" in say("funmem doctor").out


def test_doctor_without_a_linker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("funmem.codegen.toolchain.find_spec", lambda _: None)
    monkeypatch.setattr("funmem.commands.doctor.find_spec", lambda _: None)
    said = say("funmem doctor --json")
    assert said.code == 4
    assert said.json["linker"] is None
    assert "`ld`" in said.json["problems"][0]["what"]
    assert "binutils" in said.json["problems"][0]["remedy"]


# ---------------------------------------------------------------------- what a command loads

HEAVY = {"numpy", "pyopencl", "sympy", "rich", "json", "pathlib"}
IMP_ONLY = {"funmem.ir.imp", "funmem.ir.text.read_imp", "funmem.ir.check.imp"}


def modules_after(command: str) -> set[str]:
    script = f"""if True:
        import sys
        from funmem.cli import main
        try:
            main({command.split()[1:]!r})
        except SystemExit as end:
            assert not end.code
        print(*sys.modules)
    """
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_check_loads_little() -> None:
    loaded = modules_after("funmem check examples/matmul.fun")
    assert loaded & HEAVY == set()
    assert loaded & IMP_ONLY == set()
    assert not any(
        m.startswith(("funmem.passes", "funmem.interp", "funmem.codegen")) for m in loaded
    )


def test_compile_loads_no_library_for_what_it_does_not_do(tmp_path: Path) -> None:
    """These took a third of the time that a small program needs."""
    loaded = modules_after(f"funmem compile papers/benchmarks/axpy/axpy.fut -o {tmp_path}")
    unused = {"numpy", "pyopencl", "sympy", "rich", "hashlib", "importlib.metadata", "platformdirs"}
    assert loaded & unused == set()


def test_an_interpreter_loads_no_device() -> None:
    loaded = modules_after("funmem run examples/dot.fun --random n=3")
    assert loaded & {"pyopencl", "sympy", "rich"} == set()


def test_passes_load_no_device() -> None:
    loaded = modules_after("funmem opt examples/dot.fun --emit opencl")
    assert loaded & {"numpy", "pyopencl", "sympy", "rich"} == set()


def test_said_is_told_apart() -> None:
    said = Said("funmem x", "out\n", "err\n", 1)
    assert str(said) == "$ funmem x\nout\n[stderr]\nerr\n[exit 1]\n"


# ---------------------------------------------------------------------- completion


@pytest.mark.parametrize(
    ("words", "offered"),
    sampled(
        [
            ("funmem co", {"plain,core", "plain,compile"}),
            ("funmem run --vi", {"plain,--via"}),
            ("funmem run --via h", {"plain,heap"}),
            (
                "funmem run --language ",
                {
                    f"plain,{x}"
                    for x in ("fut", "nova", "kfc", "kfc64", "py", "core", "fun", "funmem", "imp")
                },
            ),
            ("funmem run exa", {"file,exa"}),
            ("funmem run a.fut -i exa", {"file,exa"}),
            ("funmem compile a.fut -o bu", {"file,bu"}),
            ("funmem check a.fut b", {"file,b"}),
            ("funmem bench pap", {"file,pap"}),
            ("funmem fuzz --state x", {"file,x"}),
            ("funmem passes ", set()),
        ],
        4,
        2,
    ),
)
def test_a_shell_completes_commands_options_choices_and_files(
    words: str, offered: set[str], place: Path
) -> None:
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
        "_FUNMEM_COMPLETE": "bash_complete",
    }
    done = subprocess.run(
        [sys.executable, "-m", "funmem"], env=env, cwd=place, capture_output=True, text=True
    )
    assert (set(done.stdout.split()), done.stderr) == (offered, "")


def test_the_script_of_a_shell() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "_FUNMEM_COMPLETE": "bash_source"}
    done = subprocess.run([sys.executable, "-m", "funmem"], env=env, capture_output=True, text=True)
    assert done.stdout.rstrip().endswith("_funmem_completion_setup;"), done.stderr
    assert "_FUNMEM_COMPLETE=bash_source" in say("funmem --help").out
