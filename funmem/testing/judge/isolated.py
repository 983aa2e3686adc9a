"""Run machine code in separate processes: kernels on OpenCL devices, C with sanitizers.

Oclgrind simulates a device and checks every access of every work-item.  It writes its reports
(races, out-of-bounds accesses) to standard error, and reads its options from the environment. With
``OCLGRIND_UNIFORM_WRITES``, two work-items that write the same value to one place race too.
Sanitizers also write to standard error, and end the process.  Their library has to be loaded before
Python, and slows Python down, so that such a process runs nothing else.

A process answers one request after another, so that many programs share the start of a driver.  It
is killed if a program takes too long, as when a kernel does not end.  In JSON:

    -> {"device": "oclgrind", "program": "entry main …", "entry": "main", "args": […],
        "foreign": ["pick_i32"]}
    <- {"values": […], "trap": null, "error": null}
"""

import base64
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import IO, Any

import numpy as np

from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, FunmemError, Trap, TrapKind
from funmem.ir.foreign import NONE, ForeignCode
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.signature import signature
from funmem.ir.text import parse_imp, show
from funmem.ir.values import ArgValue, ArrayValue, Value, bind
from funmem.testing.campaign.process import reserve_stdout, start_process
from funmem.testing.generator.foreign import library
from funmem.testing.judge.device_floats import FloatPolicy, probe
from funmem.testing.judge.devices import AnyDevice, Device, NamedDevice, device_of, run_here
from funmem.testing.judge.program import Case, Disagrees, Outcome, compare, result_types

OCLGRIND = {
    "OCLGRIND_DATA_RACES": "1",
    "OCLGRIND_UNIFORM_WRITES": "1",
    "OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable",  # optimised kernels call unknown functions
}
"""Oclgrind's options, as environment variables."""

LOOKED_AT = (Device.OCLGRIND, Device.SANITIZED)
"""Devices whose output on standard error is a report."""

SECONDS = 600.0
"""Wall-clock limit for one program, in seconds; Oclgrind runs some 10^6 instructions per second."""

SECONDS_NAMED = 60.0
"""The same on a device that a user names.  A GPU's kernel cannot be stopped otherwise."""

PER_PROCESS = 1000
"""Programs that one process runs: drivers keep memory of programs that are gone."""

PATIENCE = 5.0
"""Seconds until a killed process is abandoned, because its driver waits for a kernel."""

REPORTS = (
    (re.compile(r"()data race"), "data race"),
    (re.compile(r"()Invalid (?:read|write)"), "access outside its block"),
    (re.compile(r"AddressSanitizer: (\S+)"), ""),
    (re.compile(r"()runtime error:"), "undefined behaviour"),
)
"""Patterns in reports of Oclgrind and the sanitizers, and our code for each; an empty code takes
the matched group.  Any other output of Oclgrind is a report as well.
"""

_NOTHING = re.compile(r"\d+ warnings? generated\.\s*")
_REPORT = re.compile(r"^(?=\S.* data race at |Invalid )", re.MULTILINE)


@frozen
class Answer:
    """The outcome of one program: results, a trap, or an error."""

    values: tuple[Value, ...] = ()
    trap: tuple[str, str] | None = None
    error: tuple[str, str] | None = None

    def to_json(self) -> dict[str, object]:
        """Return the answer as JSON data, which ``from_json`` reads."""
        return {"values": [*map(_to_json, self.values)], "trap": self.trap, "error": self.error}

    @staticmethod
    def from_json(data: dict[str, Any]) -> "Answer":
        """Return the answer that ``to_json`` has encoded."""
        values = tuple(_from_json(v) for v in data["values"])
        trap, error = (tuple(data[k]) if data[k] else None for k in ("trap", "error"))
        return Answer(values, trap, error)


def run_apart(
    d: AnyDevice,
    p: ImpProgram,
    entry: Name,
    args: tuple[ArgValue, ...],
    foreign: ForeignCode = NONE,
) -> tuple[Value, ...]:
    """Return the results of an entry point on a device in a separate process, with all checks.

    ``foreign`` are functions of the generator's library: the process knows them by name.

    Raises Trap; Disagrees if the device reports anything or fails; DeviceError if there are no
    sanitizers.
    """
    (e,) = (e for e in p.entries if e.name == entry)
    _, values = bind(signature(e), args)
    given = [_to_json(v) for v in values]
    names = [*(f.name for f in foreign.functions), *(f.name for f in foreign.opaque)]
    question = {"device": d.value, "program": show(p), "entry": entry, "args": given}
    question["foreign"] = names
    answer, output = _device_process(d).ask(question)
    if d in LOOKED_AT and (report := reports_in(output)):
        code, _ = answer.error or ("report", "")
        raise Disagrees(d.value, code_of(report) or code, report)
    if answer.error is not None:
        raise Disagrees(d.value, *answer.error)
    if answer.trap is not None:
        kind, message = answer.trap
        raise Trap(TrapKind(kind), message)
    return answer.values


class _DeviceProcess:
    """A process and the communication with it; it is restarted after it ends."""

    def __init__(self, environment: Mapping[str, str], seconds: Callable[[], float]) -> None:
        self._environment, self._limit, self._asked = environment, seconds, 0
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process)

    def ask(self, question: Mapping[str, object]) -> tuple[Answer, str]:
        """Return the answer to a request, and the output on standard error meanwhile."""
        if self._process is None:
            self._process = start_process(__name__, self._environment, self._errors)
            self._asked = 0
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        before = os.fstat(self._errors.fileno()).st_size
        limit = self._limit()
        self._asked += 1
        try:
            process.stdin.write(f"{json.dumps(question)}\n".encode())
            process.stdin.flush()
            answer = Answer.from_json(json.loads(_line(process.stdout.fileno(), limit)))
        except TimeoutError:
            answer = Answer(error=("too slow", f"it took more than {limit:.0f} s by the clock"))
            self._stop(process)
        except (OSError, ValueError):  # the process ended, perhaps in the middle of a line
            answer = Answer(error=("died", f"exit code {process.wait()}"))
            self._process = None
        except BaseException:  # interrupted: the answer would stay unread
            process.kill()
            self._process = None
            raise
        else:
            if self._asked >= PER_PROCESS:
                self._stop(process)
        output = os.pread(self._errors.fileno(), 1 << 20, before)
        return answer, output.decode("utf-8", "replace")

    def _stop(self, process: "subprocess.Popen[bytes]") -> None:
        """Kill the process; abandon it if it does not end, since its driver waits for a kernel."""
        self._process = None
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)


def _line(stream: int, seconds: float) -> bytes:
    """Return a line of a stream; the rest of it is empty.  Raises TimeoutError.

    A process that was killed may keep its end of the stream open while its driver waits.
    """
    end, found = time.monotonic() + seconds, bytearray()
    waiting = select.poll()
    waiting.register(stream, select.POLLIN)
    while not found.endswith(b"\n"):
        if not waiting.poll(max(0.0, end - time.monotonic()) * 1000):
            raise TimeoutError
        some = os.read(stream, 1 << 20)
        if not some:
            break
        found += some
    return bytes(found)


@cache
def _device_process(d: AnyDevice) -> _DeviceProcess:
    """Return this process's child for a device.  Raises DeviceError if there are no sanitizers."""
    match d:
        case Device.OCLGRIND:
            return _DeviceProcess({**os.environ, **OCLGRIND}, lambda: SECONDS)
        case Device.SANITIZED:
            return _DeviceProcess(preloaded(), lambda: SECONDS)
        case Device.C | Device.OPENCL:
            return _DeviceProcess(os.environ, lambda: SECONDS)
        case NamedDevice():
            return _DeviceProcess({**os.environ, **OCLGRIND}, lambda: SECONDS_NAMED)


@cache
def policy_of(d: NamedDevice) -> FloatPolicy:
    """Return how exactly a device computes floats.

    Raises Disagrees if the probes fail on it, DeviceError if it is missing.
    """
    from funmem.codegen.device import choose

    return probe(partial(run_apart, d), f64=choose(d.spec).fp64)


def preloaded() -> Mapping[str, str]:
    """Return the environment of a process in which sanitized programs can run.

    Raises DeviceError if the C compiler has no sanitizers.
    """
    from funmem.codegen.c_library import find_compiler

    asked = [*find_compiler(), "-print-file-name=libasan.so"]
    library = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not os.path.isabs(library):
        message = "the C compiler has no address sanitizer"
        raise DeviceError(Diagnostic(NOWHERE, "compiler", message, "gcc has one: set CC=gcc"))
    return {
        **os.environ,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",
    }


def reports_in(output: str) -> str:
    """Return the parts of the output that are reports.

    When work-items fail checks concurrently, they race for the status buffer by design; these races
    are dropped (``rt_fail`` of :mod:`funmem.codegen.opencl`).
    """
    parts = _REPORT.split(_NOTHING.sub("", output))
    return "\n".join(x.strip() for x in parts if x.strip() and "status[" not in x)


def code_of(report: str) -> str:
    """Return the code of a report: that of the first match in :data:`REPORTS`, or
    the empty string.
    """
    found = ((what.search(report), code) for what, code in REPORTS)
    return next((code or m[1] for m, code in found if m), "")


def judge_on(d: AnyDevice, p: ImpProgram, case: Case, want: Outcome) -> str | None:
    """Compare a device's results with the expected outcome.

    Return the device's name in reports, with an addition unless it was compared bit by bit, or as
    ``case.tolerance`` says; None if it did not run, as in ``compare``.

    Raises Disagrees if the results differ; DeviceError if the device is missing.
    """
    run = partial(run_apart, d, p, case.entry, case.args, case.foreign)
    types = result_types(case)
    rounded = None
    if isinstance(d, NamedDevice):
        policy = policy_of(d)
        if not policy.runs(p):
            return f"{d.value}: no f64"
        rounded = policy.tolerance(p)
    if rounded is None:
        return d.value if compare(d.value, want, run, case.tolerance, types) else None
    try:
        return f"{d.value}: rounded" if compare(d.value, want, run, rounded, types) else None
    except Disagrees as e:
        if e.code not in ROUNDING:
            raise
        return f"{d.value}: undecided"


ROUNDING = ("values", "no trap", *(f"trap: {k.value}" for k in TrapKind))
"""Disagreements that other floats may cause."""


def require(devices: Collection[AnyDevice]) -> None:
    """Raise DeviceError if a device or the sanitizers are requested but missing."""
    for d in devices:
        if d is Device.SANITIZED:
            preloaded()
        if d in (Device.OPENCL, Device.OCLGRIND) or isinstance(d, NamedDevice):
            from funmem.codegen.device import POCL, choose

            spec = d.spec if isinstance(d, NamedDevice) else d.value
            choose(POCL if d is Device.OPENCL else spec)


# ---------------------------------------------------------------------- values


def _to_json(v: Value) -> Any:
    """Return a value as JSON data, exact to the bit; all NaNs are one value."""
    match v:
        case ArrayValue():
            data = base64.b64encode(np.ascontiguousarray(v.data).tobytes()).decode("ascii")
            return {"type": v.data.dtype.str, "shape": list(v.shape), "data": data}
        case float():
            return {"float": v.hex()}
        case _:
            return v


def _from_json(v: Any) -> Value:
    """Return the value that ``_to_json`` has encoded."""
    match v:
        case {"type": kind, "shape": shape, "data": data}:
            return ArrayValue(np.frombuffer(base64.b64decode(data), kind).reshape(shape))
        case {"float": text}:
            return float.fromhex(text)
        case bool() | int():
            return v
        case _:
            raise ValueError(f"{v!r} is not a value")


# ---------------------------------------------------------------------- in the child


def serve() -> None:
    """Answer requests until standard input ends."""
    os.environ.pop("LD_PRELOAD", None)  # the compilers started from here run without sanitizers
    answers = reserve_stdout()
    for line in sys.stdin:
        question = json.loads(line)
        args = tuple(map(_from_json, question["args"]))
        foreign = library(frozenset(map(Name, question["foreign"])))
        answer = _answered(
            question["device"], question["program"], question["entry"], args, foreign
        )
        answers.write(f"{json.dumps(answer.to_json())}\n".encode())
        answers.flush()


def _answered(
    device: str, text: str, entry: str, args: tuple[Value, ...], foreign: ForeignCode
) -> Answer:
    on = device_of(device)
    assert on is not None
    try:
        return Answer(run_here(on, parse_imp(text), Name(entry), args, foreign))
    except Trap as t:
        return Answer(trap=(t.kind.value, t.diagnostic.message))
    except FunmemError as e:
        return Answer(error=(e.diagnostic.code, str(e)))
    except Exception as e:
        return Answer(error=(type(e).__name__, str(e)))
