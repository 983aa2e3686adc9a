"""bench: what is measured is verified, everybody takes turns, and the answers have their form.

Protects ``funmem/bench``, its command, ``papers/benchmarks``, and the programs that other papers
measure.  Times themselves are never looked at, and sizes are tiny.
"""

import json
import os
import pickle
import shlex
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import funmem
from funmem.bench import apart, peers
from funmem.bench import futhark_peer as futhark
from funmem.bench.contenders import Absent, Contender, Lost, Run
from funmem.bench.limits import measure as measure_limits
from funmem.bench.rounds import Times, compete, ratio
from funmem.bench.rows import Old, Row, compare
from funmem.bench.table import table
from funmem.bench.tasks import (
    Choice,
    Task,
    as_arrays,
    difference,
    fitted,
    load_module,
    scaled,
    tasks,
)
from funmem.bench.threads import VARIABLES, limit_threads
from funmem.bench.work import count
from funmem.codegen.device import POCL
from funmem.driver.engines import prepare
from funmem.driver.entry_points import signature_of
from funmem.driver.options import Engine
from funmem.driver.source import read
from funmem.ir.diagnostics import DeviceError, UsageError
from funmem.ir.record import evolve
from funmem.ir.scalars import F32, I8, I32
from funmem.ir.text import parse_imp
from funmem.suite.check import Plan, check_file
from funmem.suite.verdict import Status
from tests.support.command_line import say
from tests.support.devices import needs_compiler
from tests.support.paths import ROOT
from tests.support.sampling import sampled

BENCHMARKS = ROOT / "papers" / "benchmarks"
PAPERS = ("harlan", "nikola", "nova")
FOLDERS = {
    p.parent.name: p.parent
    for root in (BENCHMARKS, *(ROOT / "papers" / x / "benchmarks" for x in PAPERS))
    for p in sorted(root.glob("*/reference.py"))
}
NAMES = tuple(FOLDERS)
OF_PAPERS = tuple(x for x in NAMES if FOLDERS[x].parent != BENCHMARKS)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and no Futhark."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(futhark.VARIABLE, str(tmp_path / "no-futhark"))
    return tmp_path


def task(name: str, n: int) -> Task:
    """A benchmark at another size than the one that is measured."""
    r = load_module(FOLDERS[name] / "reference.py")
    (found,) = tasks(read(str(FOLDERS[name] / f"{name}.fut")), Choice(scale=n / r.MEASURE))
    return found


# ---------------------------------------------------------------------- the programs


def test_all_are_there() -> None:
    """Names are those of rows, so there are no two alike."""
    assert len(NAMES) - len(OF_PAPERS) == 15
    assert len(OF_PAPERS) == sum(
        1 for x in PAPERS for _ in ROOT.glob(f"papers/{x}/benchmarks/*/*.fut")
    )
    for name, folder in FOLDERS.items():
        files = {p.name for p in folder.iterdir() if p.is_file()}
        assert {f"{name}.fut", "reference.py", "peers.py", "plain.c"} <= files
    tuned = {p.parent.name for p in BENCHMARKS.glob("*/tuned.c")}
    assert tuned == {"matmul", "filter", "hotspot", "mandelbrot"}


@pytest.mark.parametrize("name", sampled(NAMES, 8))
def test_comments(name: str) -> None:
    """What the programs' test comments say, by the value interpreter."""
    verdict = check_file(str(FOLDERS[name] / f"{name}.fut"), Plan(("value",)))
    assert verdict.status is Status.PASS, verdict.findings


def require_right(name: str, engine: Engine, sizes: Sequence[int]) -> None:
    """Every entry computes what the reference says."""
    r = load_module(FOLDERS[name] / "reference.py")
    program = funmem.load(FOLDERS[name] / f"{name}.fut")
    runner = prepare(program, engine)
    judged = SimpleNamespace(rtol=r.RTOL, differ=0)
    for entry in program.entries:
        s = signature_of(program, entry.name)
        for n in sizes:
            args = r.inputs(n, seed=1)
            got = as_arrays(runner.run(entry.name, args).values, s)
            want = tuple(map(np.asarray, r.reference(*args)))
            assert difference(judged, want, got) is None, (entry.name, n)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sampled(NAMES, 8))
def test_references_agree_with_what_programs_mean(name: str) -> None:
    sizes = load_module(FOLDERS[name] / "reference.py").SIZES
    require_right(name, Engine.VALUE, sizes[:2])


@pytest.mark.parametrize("name", sampled(OF_PAPERS, 12))
def test_references_agree_with_what_is_lowered(name: str) -> None:
    require_right(name, Engine.IMP, load_module(FOLDERS[name] / "reference.py").SIZES[:2])


@needs_compiler
@pytest.mark.parametrize("name", sampled(OF_PAPERS, 16))
def test_references_agree_with_c(name: str) -> None:
    """Larger sizes: vectors, and what fills none."""
    require_right(name, Engine.C, load_module(FOLDERS[name] / "reference.py").SIZES)


def test_integers_fit_the_program() -> None:
    """A reference's integers become those of the program's language, if they are small enough."""
    small, large = np.array([1, 127], np.uint8), np.array([1, 128], np.uint8)
    assert fitted(small, I8).dtype == np.int8  # type: ignore[union-attr]
    assert fitted(large, I8) is large
    assert fitted(small, F32) is small
    assert fitted(np.int64(3), I32) == np.int32(3)


def test_a_program_in_another_language() -> None:
    """It has the reference, a row of its own, and no peers that take other types."""
    (found,) = tasks(read(str(FOLDERS["gridred"] / "gridred.nova")), Choice(scale=1 / 2048))
    assert found.name == "gridred.nova"
    assert difference(found, found.expected(), funmem.run(found.program, *found.args)) is None
    assert isinstance(peers.peer("gcc", found.call, found.expected()), Absent)
    (same,) = tasks(read(str(FOLDERS["norm"] / "norm.nova")), Choice(scale=1 / 2048))
    assert not same.converted


@needs_compiler
def test_a_c_peer_takes_sizes_that_are_equal_once() -> None:
    """In NOVA each vector has a length of its own; too many sizes would shift the arguments."""
    (found,) = tasks(read(str(FOLDERS["bbox"] / "bbox.nova")), Choice(scale=1 / 2048))
    expected = found.expected()
    c = peers.peer("gcc", found.call, expected)
    assert isinstance(c, Contender)
    assert difference(found, expected, c.run().results()) is None
    xs, ys = found.args
    assert isinstance(ys, np.ndarray)
    other = peers.peer("gcc", evolve(found.call, args=(xs, ys[:9])), expected)
    assert isinstance(other, Absent)
    assert other.why == "its function takes other sizes than the program"


@needs_compiler
@pytest.mark.parametrize("name", sampled(NAMES, 15))
def test_peers_agree_with_references(name: str) -> None:
    """numpy and C; numba and jax where somebody has installed them are tried by the command."""
    r = load_module(FOLDERS[name] / "reference.py")
    t = task(name, r.SIZES[-1])
    expected = t.expected()
    found = list(peers.peers(t, ("numpy", "gcc"), expected))
    assert not [a for a in found if isinstance(a, Absent)]
    for c in found:
        assert isinstance(c, Contender)
        for _ in range(2):
            assert difference(t, expected, c.run().results()) is None, c.name


@needs_compiler
def test_fast_peers_leave_subnormal_numbers_alone() -> None:
    """A library linked with -ffast-math would turn them to zero in this process, for everybody."""
    t = task("dot", 10)
    assert "gcc-fast" in [c.name for c in peers.peers(t, ("gcc",), t.expected())]
    measure_limits(1 << 10, 1)
    assert np.float32(1e-40) * np.float32(1) != 0


@needs_compiler
def test_growth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three sizes, and how a unit's time changes in the last step, of ours and of C."""
    pytest.importorskip("matplotlib")
    growth = load_module(BENCHMARKS / "growth.py")
    assert growth.POWERS.keys() <= FOLDERS.keys()
    picture = tmp_path / "growth.png"
    growth.main([str(FOLDERS["dot"]), "--scale", "0.001", "--rounds", "5", "--plot", str(picture)])
    _, row = capsys.readouterr().out.strip().split("\n")
    name, *numbers = row.split()
    assert name == "dot"
    assert [int(x) for x in numbers[:6:2]] == [128, 1664, 16768]
    ours = [float(x) for x in numbers[1:6:2]]  # rounded, as the ratio is
    assert float(numbers[6]) == pytest.approx(ours[2] / ours[1], rel=0.05, abs=0.01)
    assert float(numbers[7]) > 0
    assert picture.stat().st_size > 0


@needs_compiler
@pytest.mark.opencl
@pytest.mark.exhaustive
def test_functions(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """All of the table, of both types, agree with numpy, and a row has all ratios."""
    monkeypatch.setenv("FUNMEM_DEVICE", POCL)
    functions = load_module(BENCHMARKS / "functions.py")
    functions.main(["--size", "1000", "--rounds", "1"])
    head, *rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 2 * len(functions.FUNCTIONS)
    assert all(len(r.split()) == len(functions.HEAD) for r in rows)
    assert "c / gcc" in head


@needs_compiler
@pytest.mark.exhaustive
def test_divergence(capsys: pytest.CaptureFixture[str]) -> None:
    """Both scenes are right; they are the same spheres in another order."""
    divergence = load_module(FOLDERS["ray_tracing"].parent / "divergence.py")
    first, second = divergence.scenes(8)
    assert not (np.diff(second.args[1].astype(np.int8)) >= 0).all()
    assert (np.diff(first.args[1].astype(np.int8)) >= 0).all()
    divergence.main(["--size", "8", "--rounds", "1"])
    assert "sorted / unsorted: " in capsys.readouterr().out


@pytest.mark.opencl
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="asks for a child's time of the processor")
@pytest.mark.exhaustive
def test_latency(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line for each goal, whatever the times are; the commands do what they should.

    axpy is compared with Python and numpy: here `check` takes 1.6 of its time, the others twice.
    """
    monkeypatch.setenv("FUNMEM_DEVICE", POCL)
    latency = load_module(BENCHMARKS / "latency.py")

    def run(self: Any) -> None:  # in this process, to save time
        if self.words[:2] == ("-m", "funmem"):
            assert say(shlex.join(self.words[1:])).code == 0
        self.seconds.append(0.2)
        self.cpu.append({"python": 0.1, "check": 0.16}.get(self.what, 0.2))

    monkeypatch.setattr(latency.Process, "run", run)
    assert all((BENCHMARKS / x).is_dir() for x in (*latency.DEFAULT, latency.LOOP))
    out = tmp_path / "latency.json"
    with pytest.raises(SystemExit) as raised:
        latency.main([str(FOLDERS["axpy"]), "--rounds", "1", "--json", str(out), "--gate"])
    assert raised.value.code == 1
    rows = {(r["program"], r["what"]): r for r in json.loads(out.read_text())["rows"]}
    assert {what for _, what in rows} == {*latency.GOALS, "python"}
    assert [rows["axpy", x]["met"] for x in latency.RATIOS] == [False, True, True]
    assert rows["axpy", "check"]["ratio"] == pytest.approx(1.6)
    assert rows["axpy", "first, cold"]["met"]
    assert rows["hotspot", "launch"]["figure"] > 0
    assert rows["axpy", "kernels"]["figure"] == 1
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(rows)


def test_a_command_that_fails_is_no_figure(tmp_path: Path) -> None:
    latency = load_module(BENCHMARKS / "latency.py")
    process = latency.Process(
        "x", "check", ("-m", "funmem", "check", "no.fut"), lambda: latency._caches(tmp_path)
    )
    with pytest.raises(SystemExit, match=r"no\.fut"):
        process.run()


# ---------------------------------------------------------------------- the command


@pytest.mark.slow
@needs_compiler
def test_the_table_of_one_program(tmp_path: Path) -> None:
    said = say(
        f"funmem bench {BENCHMARKS / 'dot'} --scale 0.0001 --peers numpy,gcc,futhark "
        "--rounds 2 --json out.json --markdown out.md --no-limits"
    )
    assert said.code == 0, said
    marked = (tmp_path / "out.md").read_text().splitlines()
    assert "|  | via | kernels | numpy | gcc | gcc-fast |" in marked
    assert sum(x.startswith("| dot | c | safe | ") for x in marked) == 2
    found = json.loads((tmp_path / "out.json").read_text())
    (row,) = found["rows"]
    assert row["name"] == "dot"
    assert row["verified"] is True
    assert row["sizes"] == {"n": 1664}
    assert set(row["peers_ms"]) == set(row["ratios"]) == {"numpy", "gcc", "gcc-fast"}
    assert len(row["rounds_ms"]) == 2
    assert row["bytes"] >= 2 * 4 * 1664
    assert row["flops"] >= 2 * 1664
    assert list(row["absent"]) == ["futhark"]
    assert "skipped futhark: not found" in said.out
    lines = said.out.splitlines()
    (at,) = (k for k, x in enumerate(lines) if "gcc-fast" in x)
    head, line = lines[at], lines[at + 1]
    assert head.split() == ["via", "kernels", "numpy", "gcc", "gcc-fast"]
    assert line.split()[:3] == ["dot", "c", "safe"]


@needs_compiler
def test_cases_of_test_comments_and_a_wrong_one(tmp_path: Path) -> None:
    """A wrong result is named, is not measured, and ends in exit code 3."""
    Path("twice.fut").write_text(
        "-- ==\n-- input { [1i64, 2i64] } output { [2i64, 4i64] }\n"
        "-- input { [3i64] } output { [7i64] }\n-- input { [9i64] } error: no\n"
        "entry main (xs: []i64) = map (* 2) xs\n"
    )
    said = say("funmem bench twice.fut --rounds 1 --no-limits --json out.json")
    assert said.code == 3
    right, wrong = json.loads(Path("out.json").read_text())["rows"]
    assert (right["verified"], wrong["verified"]) == (True, False)
    assert (right["judge"], wrong["funmem_ms"]) == ("the test comment", None)
    assert "not verified: 1 of 1 elements of result 1 are wrong" in said.out


@pytest.mark.slow
@needs_compiler
def test_a_run_that_is_stopped_keeps_its_rows_and_can_be_resumed() -> None:
    """The second program ends the first run; the second run does not measure the first again."""
    program = (
        "-- ==\n-- input {{ [1i64] }} output {{ [2i64] }}\nentry main (xs: []i64) = map {} xs\n"
    )
    Path("a.fut").write_text(program.format("(* 2)"))
    Path("b.fut").write_text(program.format("(\\x -> assert (x > 1) x)"))
    command = "funmem bench a.fut b.fut --rounds 1 --no-limits --json out.json --markdown out.md"
    stopped = say(command)
    assert stopped.code == 1
    assert "a:main:#0, c: " in stopped.err
    (row,) = json.loads(Path("out.json").read_text())["rows"]
    assert "| a:main:#0 | c | safe |" in Path("out.md").read_text()
    Path("b.fut").write_text(program.format("(+ 1)"))
    resumed = say(f"{command} --resume")
    assert resumed.code == 0, resumed
    first, second = json.loads(Path("out.json").read_text())["rows"]
    assert first == row
    assert (second["name"], "a:main:#0, c: " in resumed.err) == ("b:main:#0", False)
    other = say(f"{command} --resume --rounds 2")
    assert (other.code, "its rounds is 1, and this run's 2" in other.err) == (2, True)


@pytest.mark.slow
@needs_compiler
def test_cases_without_results_are_measured_and_those_tagged_nobench_are_not() -> None:
    Path("twice.fut").write_text(
        "-- ==\n-- nobench input { [1i64] } output { [2i64] }\n"
        "-- notest random input { [50000]i64 }\n-- compiled random input { [3]i64 }\n"
        "entry main (xs: []i64) = map (\\x -> x * 2 + 1) xs\n"
    )
    said = say("funmem bench twice.fut --rounds 1 --no-limits --json out.json")
    assert said.code == 0, said
    large, small = json.loads(Path("out.json").read_text())["rows"]
    assert large["judge"] == "the plain passes as C, with all checks"
    assert small["judge"] == "the value interpreter"


@pytest.mark.slow
@needs_compiler
def test_random_arguments_are_judged_by_the_interpreter() -> None:
    example = ROOT / "examples" / "dot.fun"
    said = say(f"funmem bench {example} --random n=50 --rounds 1 --no-limits --json out.json")
    assert said.code == 0, said
    (row,) = json.loads(Path("out.json").read_text())["rows"]
    assert row["judge"] == "the value interpreter"
    again = say(f"funmem bench {example} --random n=50 --rounds 1 --no-limits --compare out.json")
    assert "new time / old time" in again.out
    fast = say(
        f"funmem bench {example} --random n=50 --rounds 1 --no-limits --fast --compare out.json"
    )
    assert fast.out.splitlines()[1].split()[:3] == ["dot", "c", "fast"]
    assert "no row of the earlier file is comparable" in fast.out


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("--peers numpy,fortran", "there is no peer `fortran`"),
        ("--plot out.pdf", "cannot draw `out.pdf`"),
        ("--plot out.svg", "there is nothing to plot without a peer to compare with"),
        ("--device 0", "--device needs --via opencl"),
        ("--compare none.json", "cannot read `none.json`"),
        ("--compare bad.json", "was not written by `funmem bench --json`"),
    ],
)
def test_usage_errors_come_before_measuring(command: str, what: str) -> None:
    Path("bad.json").write_text("[]")
    said = say(f"funmem bench {BENCHMARKS / 'dot'} {command}")
    assert said.code == 2
    assert what in said.err


def test_a_plot_without_matplotlib_is_refused_before_measuring(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("funmem.bench.plot.find_spec", lambda _: None)
    monkeypatch.setattr("funmem.bench.limits.measure", lambda: pytest.fail("it is measured"))
    said = say(f"funmem bench {BENCHMARKS / 'dot'} --peers numpy --plot out.svg")
    assert said.code == 2
    assert "--plot needs matplotlib" in said.err


def test_more_than_the_limit_is_explained() -> None:
    """A share of the triad beyond 100% is no mistake: the data is in a cache."""
    fast, slow = (
        Row("dot", "c", {"n": 1}, True, "", funmem_ms=1.0, bandwidth_share=x) for x in (1.2, 1.0)
    )
    said = [x for x in table([slow, fast], None) if "more than 100% of triad" in x]
    assert said == [
        "more than 100% of triad: the data fits in the caches, which are faster than memory"
    ]
    assert not any("100% of triad" in x for x in table([slow], None))


def test_a_program_without_anything_to_run() -> None:
    Path("f.fut").write_text("entry main (x: i64) = x\n")
    said = say("funmem bench f.fut --no-limits")
    assert said.code == 2
    assert "no test case" in said.err


@needs_compiler
def test_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from funmem.bench.plot import plot

    row = Row("dot", "c", {"n": 1}, True, "", funmem_ms=1.0, ratios={"gcc": 0.5, "numpy": 2.0})
    plot([row], tmp_path / "out.svg")
    assert "gcc" in (tmp_path / "out.svg").read_text()


# ---------------------------------------------------------------------- peers apart

PEERS = """\
import os, subprocess, threading
import numpy as np
HANG = {hang!r}
runs = 0

def numpy_peer(xs):
    def run():
        global runs
        runs += 1
        if runs == HANG:
            subprocess.Popen(["sh", "-c", "exec sleep 100 > started"])
            threading.Event().wait()
        if HANG == -1 and runs == 2:
            os._exit(7)
        if HANG == -2 and runs == 2:
            raise ValueError("no more")
        return (np.float32(xs.sum()),)
    return run
"""
SUM = """\
-- ==
-- input { [1f32, 2f32] }
-- output { 3f32 }
entry main [n] (xs: [n]f32) : f32 = f32.sum xs
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@needs_compiler
def test_who_takes_too_long_is_stopped(tmp_path: Path) -> None:
    """With all that it has started: whoever reads the pipe comes to its end.  Whether the limit is
    met while the process starts or later, the peer never answers.
    """
    Path("sum.fut").write_text(SUM)
    Path("peers.py").write_text(PEERS.format(hang=1))
    os.mkfifo("started")
    reader = os.open("started", os.O_RDONLY | os.O_NONBLOCK)
    said = say("funmem bench sum.fut --peers numpy --limit 2 --no-limits --rounds 1 --json t.json")
    assert said.code == 0, said
    why = "timed out: building it takes more than 2 s"
    assert f"skipped numpy: {why}" in said.out
    (row,) = json.loads(Path("t.json").read_text())["rows"]
    assert row["absent"] == {"numpy": why}
    assert row["funmem_ms"] is not None
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""


def lost(hang: int) -> str:
    """What becomes of a peer that is built, and then goes wrong in its second run."""
    Path("sum.fut").write_text(SUM)
    Path("peers.py").write_text(PEERS.format(hang=hang))
    (t,) = tasks(read("sum.fut"), Choice())
    (c,) = apart.contenders(t, ("numpy",), t.expected())
    assert isinstance(c, Contender)
    with pytest.raises(Lost) as caught:
        c.run()
    with pytest.raises(Lost):
        c.run()
    c.close()
    return caught.value.why


def test_one_that_dies_takes_nobody_with_it() -> None:
    assert lost(-1) == "its process died during a run"


def test_what_a_peer_raises_is_said() -> None:
    assert lost(-2) == "a run: ValueError: no more"


def test_results_come_back(place: Path) -> None:
    Path("sum.fut").write_text(SUM)
    Path("peers.py").write_text(PEERS.format(hang=0))
    (t,) = tasks(read("sum.fut"), Choice())
    (c,) = apart.contenders(t, ("numpy",), t.expected())
    assert isinstance(c, Contender)
    assert difference(t, t.expected(), c.run().results()) is None
    c.close()


def test_a_peer_has_arrays_as_ours_are() -> None:
    """What a pickle brings has small pages: gcc's axpy took half as long again with these."""
    brought = pickle.loads(pickle.dumps(np.ones(3), protocol=5))
    assert not brought.flags.owndata
    mine = apart.own(brought)
    assert isinstance(mine, np.ndarray)
    assert mine.flags.owndata
    assert mine.tolist() == [1, 1, 1]


# ---------------------------------------------------------------------- turns


def runner(name: str, log: list[str], seconds: Sequence[float]) -> Contender:
    """Somebody who needs the given seconds, one after the other."""
    left = list(seconds)

    def run() -> Run:
        log.append(name)
        return Run(left.pop(0) if len(left) > 1 else left[0], lambda: ())

    return Contender(name, run)


def test_everybody_takes_turns() -> None:
    log: list[str] = []
    compete([runner("a", log, [1.0]), runner("b", log, [1.0])], rounds=3, warm_up=0)
    assert log == ["a", "b", "a", "b", "b", "a", "a", "b"]


def test_who_is_slow_takes_part_in_the_first_rounds_only() -> None:
    log: list[str] = []
    times = compete([runner("a", log, [1.0]), runner("b", log, [9.0])], rounds=4, warm_up=0)
    assert [len(t.rounds) for t in times] == [4, 2]


def test_who_is_lost_takes_part_no_more() -> None:
    """The others go on; the lost one's rounds do not count."""
    log: list[str] = []
    good, bad = runner("a", log, [1.0]), runner("b", log, [1.0])

    def run() -> Run:
        if log.count("b") == 2:
            raise Lost("gone")
        return bad.run()

    times = compete([good, Contender("b", run)], rounds=3, warm_up=0)
    assert [t.lost for t in times] == ["", "gone"]
    assert len(times[0].rounds) == 3
    first = compete([Contender("b", run)], rounds=3)
    assert (first[0].lost, first[0].rounds) == ("gone", ())


def test_who_is_quick_runs_several_times() -> None:
    log: list[str] = []
    (times,) = compete([runner("a", log, [0.01, 0.01, 0.5, 0.02, 0.03])], rounds=1, warm_up=0)
    assert len(log) == 1 + 3
    assert times.rounds == (0.02,)  # the median of 0.01, 0.5 and 0.02


def test_ratios_are_those_of_rounds() -> None:
    """The machine is ten times slower in the second round, for both: that changes no ratio."""
    ours, theirs = Times("a", 0, (1.0, 20.0, 2.0)), Times("b", 0, (2.0, 40.0, 1.0))
    assert ratio(ours, theirs) == 0.5
    assert ours.median == 2.0


def test_comparison_is_by_a_common_peer() -> None:
    rows = [
        Row("x", "c", {"n": 5}, True, "", funmem_ms=8.0, ratios={"gcc": 2.0}),
        Row("y", "c", {"n": 5}, True, "", funmem_ms=8.0),
        Row("z", "c", {"n": 6}, True, "", funmem_ms=8.0),
        Row("w", "c", {"n": 5}, True, "", funmem_ms=8.0),
    ]
    old = {("x", "c"): Old(1.0, {"gcc": 1.0}, {"n": 5}), ("y", "c"): Old(2.0, {}, {"n": 5})}
    old["z", "c"] = Old(1.0, {}, {"n": 5})  # another size
    old["w", "c"] = Old(1.0, {}, {"n": 5}, None)  # who knows what was measured
    found = [(c.name, c.factor, c.by) for c in compare(rows, old)]
    assert found == [("x", 2.0, "gcc"), ("y", 4.0, "")]


# ---------------------------------------------------------------------- verification


def test_difference() -> None:
    """How far off, how many, which shape."""
    judge = SimpleNamespace(rtol=1e-3, differ=0.25)
    want = (np.array([1.0, 100.0, 3.0, 4.0]),)

    def said(got: object) -> str | None:
        return difference(judge, want, (np.array(got),))  # type: ignore[arg-type]

    assert said([1.05, 100.05, 3.0, 4.0]) is None  # within a thousandth of the largest
    assert said([9.0, 100.0, 3.0, 4.0]) is None  # a quarter may be off
    assert said([9.0, 9.0, 3.0, 4.0]) == "2 of 4 elements of result 1 are wrong"
    assert said([np.nan, np.nan, 3.0, 4.0]) == "2 of 4 elements of result 1 are wrong"
    assert said([1.0]) == "result 1 has the shape (1,) instead of (4,)"
    assert difference(judge, want, ()) == "0 result(s) instead of 1"  # type: ignore[arg-type]


def test_sizes_are_scaled_to_multiples() -> None:
    assert [scaled(1024, x) for x in (1.0, 0.3, 0.05, 0.0001)] == [1024, 256, 51, 1]


# ---------------------------------------------------------------------- work and limits


def test_work_is_counted() -> None:
    """A triangle counts on average, private memory not at all, a block once a launch."""
    p = parse_imp(
        """
entry main [n] (xs : [n]f32) (c : bool) {
  var ys : mem;
  ys <- alloc 4*n;
  kernel i < n do
    var own : mem.private;
    own <- alloc.private 4;
    var a : f32;
    a <- 0.0f32;
    for k < i + 1 do
      var x : f32;
      x <- xs[k] : f32;
      a <- a + x * 2.0f32;
    done
    own[0] : f32 <- a;
    ys[i] : f32 <- a;
  done
  for t < 3 do
    kernel i < n do
      ys[i] <- xs[i] : f32;
    done
  done
  return (ys : [n]f32)
}"""
    )
    found = count(p, "main", [np.zeros(101, np.float32), True])
    assert found.flops == 101 * 51 * 2
    assert found.bytes == (1 + 3) * 2 * 4 * 101
    assert not found.least


def test_work_in_blocks_that_threads_exchange_is_counted() -> None:
    """Which of two blocks a variable is does not matter: each access moves something."""
    p = parse_imp(
        """
entry main [n] (xs : [n]f32) {
  var ys : mem;
  ys <- alloc 4*n;
  kernel i < n do
    var a : mem;
    a <- xs;
    for t < 2 do
      ys[i] : f32 <- 1.0f32;
      a <- ys;
    done
  done
  return (ys : [n]f32)
}"""
    )
    assert count(p, "main", [np.zeros(10, np.float32)]).bytes == 10 * 4


def test_work_that_data_decide_is_a_bound() -> None:
    p = parse_imp(
        """
entry main [n] (xs : [n]i64) {
  var ys : mem;
  ys <- alloc 8*n;
  kernel i < n do
    var x : i64;
    x <- xs[i] : i64;
    for k < x do
      ys[i] : i64 <- k;
    done
  done
  return (ys : [n]i64)
}"""
    )
    found = count(p, "main", [np.zeros(10, np.int64)])
    assert found.least


@needs_compiler
def test_limits_are_measured() -> None:
    found = measure_limits(1 << 12, 8)
    assert found.bandwidth > 0
    assert found.flops > 0


def test_threads_are_limited_before_anybody_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    for x in (*VARIABLES, "XLA_FLAGS", "JAX_CPU_ENABLE_ASYNC_DISPATCH"):
        monkeypatch.setenv(x, "")
    limit_threads(1)
    assert {os.environ[x] for x in VARIABLES} == {"1"}
    assert "multi_thread_eigen=false" in os.environ["XLA_FLAGS"]


# ---------------------------------------------------------------------- Futhark


def test_futhark_gets_the_program_and_its_imports(tmp_path: Path) -> None:
    root = futhark.write_program(str(BENCHMARKS / "lu" / "lu.fut"), tmp_path)
    assert root.read_text() == (BENCHMARKS / "lu" / "lu.fut").read_text()
    other = root.parent / ".." / ".." / "funmem" / "benchmarks"
    assert (other / "lud" / "lud.fut").is_file()
    assert "def flat_index_2d" in (other / "flat.fut").read_text()


def test_what_futhark_lacks_is_named(tmp_path: Path) -> None:
    """A function of funmem's prelude that the program does not define; a comment is no use."""
    Path("f.fut").write_text(
        "-- not flat_update_2d\n"
        "entry main [n] (a: [n]f32) = flat_index_2d a 0 1 1 1 1 |> flatten |> f32.sum\n"
    )
    with pytest.raises(DeviceError, match=r"Futhark lacks flat_index_2d; papers/\S+flat\.fut"):
        futhark.write_program("f.fut", tmp_path / "copy")


def test_a_futhark_that_is_not_there_is_named() -> None:
    (found,) = peers.peers(task("dot", 10), ("futhark",), (), "/no/such/futhark")
    assert isinstance(found, Absent)
    assert "--futhark" in found.why


def test_unknown_peers_are_refused() -> None:
    with pytest.raises(UsageError, match="no peer `x`"):
        peers.named("gcc,x")
    assert peers.named(" gcc, numpy,gcc") == ("gcc", "numpy")
