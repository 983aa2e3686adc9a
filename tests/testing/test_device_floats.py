"""fuzz --device: what is compared on a device that computes floats otherwise, and what stops it.

No test needs a GPU: its arithmetic is that of the IMP interpreter, with changed results.
"""

from collections.abc import Callable

import numpy as np
import pytest

from funmem.interp.imp import run_imp
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.scalars import F32, F64
from funmem.ir.text import parse_fun, parse_imp, show
from funmem.ir.values import ArgValue, ArrayValue, Value
from funmem.passes.runner import Pipeline
from funmem.testing.campaign.reproducer import reproducer
from funmem.testing.campaign.trial import run_trial
from funmem.testing.judge import isolated
from funmem.testing.judge.device_floats import FloatPolicy, probe
from funmem.testing.judge.devices import Device, NamedDevice, device_of
from funmem.testing.judge.isolated import judge_on, policy_of
from funmem.testing.judge.program import Case, Disagrees, define_outcome
from funmem.testing.reduce import Failure, Reduced
from tests.support.command_line import say

GPU = NamedDevice("gpu")
PASSES = Pipeline.parse("allocate,simplify,expand,sequentialise,lower")
TEXT = """\
entry f [n] (x : [n]{t}) (m : [n]i32) -> (y : [n]{t}) (k : [n]i32) =
  let (y1 : [n]{t}) (k1 : [n]i32) = kernel i < n do
    let (v : {t}) = x[i]
    let (j : i32) = m[i]
    let (w : {t}) = v + {one}
    in (w, j)
  in (y1, k1)
"""
KINDS = {"f32": np.float32, "f64": np.float64, "i64": np.int64}
Change = Callable[[np.ndarray, int], np.ndarray]  # type: ignore[type-arg]


def case(t: str) -> Case:
    program = parse_fun(TEXT.format(t=t, one={"f32": "1.0f32", "f64": "1.0", "i64": "1"}[t]))
    x, m = np.array([1, 2, 3], KINDS[t]), np.array([4, 5, 6], np.int32)
    return Case(program, Name("f"), (ArrayValue(x), ArrayValue(m)))


def device(
    monkeypatch: pytest.MonkeyPatch, policy: FloatPolicy, change: Change = lambda a, _: a
) -> None:
    """The named device has this policy; ``change`` makes its results of the right ones."""

    def run(
        _: object, p: ImpProgram, entry: Name, args: tuple[ArgValue, ...], *__: object
    ) -> object:
        found = run_imp(p, entry, args)
        arrays = [v.data if isinstance(v, ArrayValue) else v for v in found]
        return tuple(ArrayValue(change(np.asarray(a), k)) for k, a in enumerate(arrays))

    monkeypatch.setattr(isolated, "run_apart", run)
    monkeypatch.setattr(isolated, "policy_of", lambda _: policy)


def on_device(t: str) -> str | None:
    c, p = case(t), lowered(case(t))
    return judge_on(GPU, p, c, define_outcome(c))


def lowered(c: Case) -> ImpProgram:
    p = PASSES.run(c.program)
    assert isinstance(p, ImpProgram)
    return p


# ---------------------------------------------------------------------- probes


def imp(p: ImpProgram, entry: Name, args: tuple[ArgValue, ...]) -> tuple[Value, ...]:
    return tuple(run_imp(p, entry, args))


def fused(p: ImpProgram, entry: Name, args: tuple[ArgValue, ...]) -> tuple[Value, ...]:
    """f32: a * b - c is rounded once."""
    if "f32" not in show(p) or "x * y - z" not in show(p):
        return imp(p, entry, args)
    a, b, c = (np.asarray(v.data, np.float64) for v in args if isinstance(v, ArrayValue))
    return (ArrayValue((a * b - c).astype(np.float32)),)


def flushing(p: ImpProgram, entry: Name, args: tuple[ArgValue, ...]) -> tuple[Value, ...]:
    (r,) = imp(p, entry, args)
    assert isinstance(r, ArrayValue)
    small = np.abs(r.data) < np.finfo(r.data.dtype).tiny
    return (ArrayValue(np.where(small, np.zeros_like(r.data), r.data)),)


def dividing(p: ImpProgram, entry: Name, args: tuple[ArgValue, ...]) -> tuple[Value, ...]:
    """f64: quotients are off by one unit."""
    (r,) = imp(p, entry, args)
    assert isinstance(r, ArrayValue)
    off = "x / y" in show(p) and r.data.dtype == np.float64
    return (ArrayValue(np.nextafter(r.data, np.inf) if off else r.data),)


def test_probes_find_how_a_device_computes() -> None:
    none = frozenset[object]()
    for run, want in (
        (imp, (none, none, none)),
        (fused, ({F32}, none, none)),
        (flushing, (none, {F32, F64}, none)),
        (dividing, (none, none, {F64})),
    ):
        found = probe(run, f64=True)
        assert (found.contracts, found.flushes, found.divides) == want, run.__name__
    assert probe(flushing, f64=False) == FloatPolicy(flushes=frozenset({F32}), f64=False)


def test_what_is_compared_is_stated() -> None:
    assert list(FloatPolicy().lines()) == [
        "  integers and traps: equal",
        "  f32, f64: bit by bit (no contraction, subnormal numbers are kept)",
    ]
    some = FloatPolicy(contracts=frozenset({F32}), f64=False)
    assert list(some.lines()) == [
        "  integers and traps: equal, in programs without f32",
        "  f32: a * b + c is rounded once: within 64 ulp, else undecided",
        "  f64: the device has none; programs with f64 do not run",
    ]


# ---------------------------------------------------------------------- comparisons


def test_an_exact_device_is_compared_bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    device(monkeypatch, FloatPolicy())
    assert on_device("f32") == "device gpu"
    device(monkeypatch, FloatPolicy(), lambda a, k: np.nextafter(a, 9) if k == 0 else a)
    with pytest.raises(Disagrees):
        on_device("f32")


def test_an_inexact_device_may_differ_a_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the types that it rounds; a larger difference decides nothing, and one of a program
    without these types is a disagreement.
    """
    policy = FloatPolicy(contracts=frozenset({F32}))
    for change, said in (
        (lambda a, k: a if k else np.nextafter(a, 9), "device gpu: rounded"),
        (lambda a, k: a if k else a + 1, "device gpu: undecided"),
        (lambda a, k: a + 1 if k else a, "device gpu: undecided"),
    ):
        device(monkeypatch, policy, change)
        assert on_device("f32") == said
    for t in ("f64", "i64"):
        device(monkeypatch, policy, lambda a, k: a if k else a + 1)
        with pytest.raises(Disagrees):
            on_device(t)
    device(monkeypatch, FloatPolicy(f64=False))
    assert on_device("f64") == "device gpu: no f64"
    assert on_device("f32") == "device gpu"


@pytest.mark.parametrize("code", ["too slow", "died", "device"])
def test_failures_are_no_rounding(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted and written out, with the device in the command that repeats them."""
    device(monkeypatch, FloatPolicy(contracts=frozenset({F32})))

    def fail(*_: object) -> object:
        raise Disagrees(GPU.value, code, "no answer")

    monkeypatch.setattr(isolated, "run_apart", fail)
    c = case("f32")
    (found,) = run_trial(c, PASSES, devices=(GPU,)).disagreements
    assert (found.engine, found.code) == ("device gpu", code)
    assert device_of(found.engine) == GPU
    text = reproducer(Reduced(c, PASSES, Failure(5, found.engine, code, "no answer")), "x.fun")
    assert "--via opencl --device gpu --against value" in text
    assert device_of("c sanitized") is Device.SANITIZED
    assert device_of("heap") is None


# ---------------------------------------------------------------------- processes


ENDLESS = """\
entry f [n] (x : [n]i64) (m : [n]i32) {
  kernel i < n do
    var c : bool;
    var v : i64;
    v <- x[i] : i64;
    c <- v < 9;
    while c do
      v <- x[i] : i64;
      c <- v < 9;
    done
  done
  return
}
"""


@pytest.mark.opencl
@pytest.mark.exhaustive
def test_a_kernel_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process is killed, also if it does not end of that, and the next program has another."""
    pocl = NamedDevice("portable")
    c = case("i64")
    assert judge_on(pocl, lowered(c), c, define_outcome(c)) == pocl.value
    assert policy_of(pocl) == FloatPolicy()
    monkeypatch.setattr(isolated, "SECONDS_NAMED", 3.0)
    with pytest.raises(Disagrees) as raised:
        judge_on(pocl, parse_imp(ENDLESS), c, ())
    assert (raised.value.engine, raised.value.code) == (pocl.value, "too slow")
    monkeypatch.setattr(isolated, "SECONDS_NAMED", 60.0)
    assert judge_on(pocl, lowered(c), c, define_outcome(c)) == pocl.value


def test_a_process_serves_many_programs_and_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that cannot be killed is abandoned."""
    started: list[Stub] = []

    def start(*_: object, **__: object) -> Stub:
        started.append(Stub())
        return started[-1]

    monkeypatch.setattr(isolated, "start_process", start)
    monkeypatch.setattr(isolated, "PER_PROCESS", 2)
    monkeypatch.setattr(isolated, "PATIENCE", 0.01)
    limit = 10.0
    process = isolated._DeviceProcess({}, lambda: limit)
    answers = [process.ask({"value": k})[0] for k in range(5)]
    assert [a.values for a in answers] == [(7,)] * 5
    assert (len(started), [s.killed for s in started]) == (3, [True, True, False])
    started[-1].silent, limit = True, 0.05
    answer, _ = process.ask({"value": 5})
    assert answer.error is not None
    assert answer.error[0] == "too slow"
    assert started[-1].killed
    assert process.ask({"value": 6})[0].values == (7,)


class Stub:
    """A process that answers each line of its input at once, and that no signal ends."""

    def __init__(self) -> None:
        import os

        self.killed = self.silent = False
        read, write = os.pipe()
        self.stdout = os.fdopen(read, "rb", buffering=0)
        self._answers = os.fdopen(write, "wb", buffering=0)
        self.stdin = self

    def write(self, _: bytes) -> None:
        if not self.silent:
            self._answers.write(b'{"values": [7], "trap": null, "error": null}\n')

    def flush(self) -> None:
        pass

    def kill(self) -> None:
        self.killed = True

    def wait(self, seconds: float) -> None:
        import subprocess

        raise subprocess.TimeoutExpired("stub", seconds)


# ---------------------------------------------------------------------- the command


def test_the_command_refuses_what_it_cannot_do(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--device is for this machine" in say("funmem fuzz --device 0 --scheduler tcp://x:1").err
    assert say("funmem fuzz --jit --device 0").code == 2
    monkeypatch.setattr("funmem.codegen.device.list_devices", lambda: ())
    assert say("funmem fuzz -n 1 --device 0").code == 4


@pytest.mark.opencl
@pytest.mark.exhaustive
def test_the_command_runs_programs_on_a_named_device() -> None:
    said = say("funmem fuzz -n 2 --device portable --jobs 1 --json")
    assert (said.code, said.json["disagreements"]) == (0, 0)
    assert said.json["engines"]["device portable"] >= 2
    assert "f32, f64: bit by bit" in said.err
