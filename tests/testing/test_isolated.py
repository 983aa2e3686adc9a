"""Generated programs on Oclgrind, and as C under sanitizers: what these report is a disagreement,
and nothing else that they say.

Protects the engines that see the accesses of the generated code itself.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from funmem.ir.diagnostics import Trap, TrapKind
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.text import parse_fun, parse_imp, show
from funmem.ir.values import ArrayValue, Value
from funmem.passes.runner import Pipeline
from funmem.testing.campaign.reproducer import reproducer
from funmem.testing.campaign.trial import run_trial
from funmem.testing.generator.program import Generated
from funmem.testing.judge.devices import Device
from funmem.testing.judge.isolated import _device_process, judge_on, reports_in
from funmem.testing.judge.program import Case, Disagrees, define_outcome
from funmem.testing.reduce import Failure, Reduced, reduce
from tests.support.command_line import say
from tests.support.devices import has_oclgrind
from tests.support.sampling import sampled

pytestmark = pytest.mark.opencl
needs_oclgrind = pytest.mark.skipif(not has_oclgrind(), reason="Oclgrind is not installed")

FUN = """\
entry f [n] (k : i64) (x : [n]f32) -> (y : [n]f32) =
  let (y1 : [n]f32) = kernel i < n do
    let (j : i64) = i + k
    let (v : f32) = x[j]
    in (v)
  in (y1)
"""
PASSES = Pipeline.parse("allocate,simplify,expand,sequentialise,lower")


def case(k: int) -> Case:
    return Case(parse_fun(FUN), Name("f"), (k, ArrayValue(np.array([1, 2, 3], np.float32))))


@needs_oclgrind
@pytest.mark.parametrize(
    ("store", "code"),
    [
        ("x[i + 1] <- x[i] : f32;", "data race"),
        ("x[0] : f32 <- 1.0f32;", "data race"),
        ("x[i + 3] : f32 <- 1.0f32;", "access outside its block"),
    ],
)
def test_what_it_reports_disagrees(store: str, code: str) -> None:
    """Also work-items that write the same value, which no device would show."""
    bad = parse_imp(f"entry f [n] (k : i64) (x : [n]f32) {{ kernel i < n do {store} done return }}")
    with pytest.raises(Disagrees) as raised:
        judge_on(Device.OCLGRIND, bad, case(0), ())
    assert (raised.value.engine, raised.value.code) == ("oclgrind", code)


@needs_oclgrind
@pytest.mark.parametrize("k", [0, 1, -9])
def test_right_programs_agree(k: int) -> None:
    """Also those that trap, on which work-items race to the status buffer."""
    c = case(k)
    want = define_outcome(c)
    assert (isinstance(want, Trap) and want.kind is TrapKind.INDEX) == (k != 0)
    t = run_trial(c, PASSES, devices=(Device.OCLGRIND,))
    assert t.disagreements == []
    assert t.engines["oclgrind"] == 1


@pytest.mark.exhaustive
@needs_oclgrind
def test_each_k_th_program_of_a_campaign() -> None:
    found = say("funmem fuzz -n 4 --orders fixed --oclgrind 2 --jobs 1 --json").json
    assert found["disagreements"] == 0
    assert found["engines"]["oclgrind"] == 2


FOREIGN = """\
entry f [n] [m] (x : [n]u8) (y : [n][m]i8) (k : i64)
    -> (r : [n]u8) (s : [m][n]i8) (l : i64) (o : u8) =
  let (x1 : [n]u8) (ones : [n]u8) = opaque spread_u8 (n, x, 1u8) grid [n]
  let (x2 : [n]u8) = opaque turned_u8 (n, x1)
  let (t : [m][n]i8) = opaque flipped_i8 (n, m, y) grid [n][m]
  let (z : [n]u8) = kernel i < n do
    let (a : u8) = x2[i]
    let (b : u8) = ones[i]
    let (c : bool) = i < k
    let (d : u8) = call pick_u8 (a, b, c) foreign
    in (d)
  let (e : u8) = z[0]
  let (l1 : i64) (o1 : u8) = call twin_u8 (e, k) foreign
  in (z, t, l1, o1)
"""


@pytest.mark.parametrize(
    "device", [Device.C, pytest.param(Device.OPENCL, marks=pytest.mark.exhaustive)]
)
def test_foreign_code_agrees(device: Device) -> None:
    """On bytes too, whose type has two names in C and OpenCL C."""
    args = (
        ArrayValue(np.array([200, 7, 9], np.uint8)),
        ArrayValue(np.array([[1, -2], [3, -4], [5, -6]], np.int8)),
        2,
    )
    c = Case.of(Generated(0, parse_fun(FOREIGN), Name("f"), args))
    z, t, *rest = define_outcome(c)
    assert [np.asarray(v.data).tolist() for v in (z, t)] == [[200, 7, 1], [[1, 3, 5], [-2, -4, -6]]]
    assert rest == [2, 200]
    found = run_trial(c, PASSES, devices=(device,))
    assert found.disagreements == []
    assert found.engines[device.value] == 1


WRONG_C = {
    "y[i] <- x[i + 1] : f32;": "heap-buffer-overflow",
    "y[i - 1] <- x[i] : f32;": "heap-buffer-overflow",
}


@pytest.mark.parametrize("store", sampled(WRONG_C, 0, slow=0))
def test_what_sanitizers_report_disagrees(store: str) -> None:
    """And their process, which died of it, has a successor; this one has lost nothing."""
    for _ in range(2):
        bad = parse_imp(
            "entry f [n] (k : i64) (x : [n]f32) { var y : mem; y <- alloc 4*n;"
            f" kernel i < n do {store} done return (y : [n]f32) }}"
        )
        with pytest.raises(Disagrees) as raised:
            judge_on(Device.SANITIZED, bad, case(0), ())
        assert (raised.value.engine, raised.value.code) == ("c sanitized", WRONG_C[store])
        t = run_trial(case(-1), PASSES, devices=(Device.SANITIZED,))
        assert (t.disagreements, t.engines["c sanitized"]) == ([], 1)


def test_a_process_that_dies_without_a_word_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "funmem.testing.judge.isolated.preloaded", lambda: {**os.environ, "PYTHONHOME": "x"}
    )
    _device_process.cache_clear()
    try:
        t = run_trial(case(0), PASSES, devices=(Device.SANITIZED,))
    finally:
        _device_process.cache_clear()
    (d,) = t.disagreements
    assert (d.engine, d.code) == ("c sanitized", "died")


def test_a_process_that_takes_too_long_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the report should look for a loop, or for who stopped the machine."""
    monkeypatch.setattr("funmem.testing.judge.isolated.SECONDS", 0.0)
    t = run_trial(case(0), PASSES, devices=(Device.SANITIZED,))
    (d,) = t.disagreements
    assert (d.engine, d.code) == ("c sanitized", "too slow")


ENDLESS = """\
entry f [n] (k : i64) (x : [n]f32) {
  var c : bool;
  c <- k < 9;
  while c do
    c <- k < 9;
  done
  return
}
"""


def test_machine_code_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """No signal stops it: C returns to Python when it is done."""
    judge_on(Device.C, parse_imp(ENDLESS), case(9), ())
    monkeypatch.setattr("funmem.testing.judge.isolated.SECONDS", 2.0)
    with pytest.raises(Disagrees) as raised:
        judge_on(Device.C, parse_imp(ENDLESS), case(0), ())
    assert (raised.value.engine, raised.value.code) == ("c", "too slow")


def test_no_simulator_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not a campaign without it; no sanitizers neither."""
    monkeypatch.setattr("funmem.codegen.device.list_devices", lambda: ())
    assert say("funmem fuzz -n 1 --oclgrind 1").code == 4
    monkeypatch.setenv("CC", "echo libasan.so")
    assert say("funmem fuzz -n 1 --c 1").code == 4


@needs_oclgrind
def test_what_it_reports_is_reduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And repeated, by a file that says on which device it failed."""

    def racy(_: Device, p: ImpProgram, *__: object) -> tuple[Value, ...]:
        assert "kernel" in show(p)  # without one there is no race
        raise Disagrees("oclgrind", "data race", "Write-write data race at 0x1")

    monkeypatch.setattr("funmem.testing.judge.isolated.run_apart", racy)
    found = reduce(case(0), PASSES, devices=(Device.OCLGRIND,))
    assert found is not None
    assert found.failure.kind == ("oclgrind", "data race")
    assert found.statements < 3
    file = tmp_path / "small.fun"
    file.write_text(reproducer(found, str(file)))
    again = say(f"funmem reduce --replay {file}")
    assert (again.code, again.out.splitlines()[0]) == (3, "fails: oclgrind: data race")


def test_what_is_a_report() -> None:
    """What the compiler says is none, and no race at the status buffer; a race beside it is one."""
    race = "Write-write data race at global memory address 0x1\n  At line 3:\n    {};\n"
    assert reports_in("12 warnings generated.\n" + race.format("status[1] = launch")) == ""
    both = race.format("status[1] = launch") + "\n" + race.format("b[i] = 3")
    assert reports_in(both) == race.format("b[i] = 3").strip()
    assert reports_in("OCLGRIND FATAL ERROR\n") == "OCLGRIND FATAL ERROR"


def test_a_reproducer_says_how_to_see_it() -> None:
    failure = Failure(len(PASSES.steps), "oclgrind", "data race", "Write-write data race at 0x1")
    text = reproducer(Reduced(case(0), PASSES, failure), "small.fun")
    (line,) = (x for x in text.splitlines() if x.startswith("-- by hand: "))
    assert line.startswith("-- by hand: env OCLGRIND_DATA_RACES=1 OCLGRIND_UNIFORM_WRITES=1 ")
    assert "--via opencl --device oclgrind --safe" in line
