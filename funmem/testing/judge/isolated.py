"""Machine code in processes of its own: kernels on PoCL and Oclgrind, C, also under sanitizers.

Oclgrind simulates a device and looks at every access of every work-item; it writes what it finds
(races, accesses outside of buffers) to standard error, and reads from the environment what to look
for.  Two work-items that write the same value to one place race as well:
``OCLGRIND_UNIFORM_WRITES``.  Sanitizers write there as well, and end the process; their library
has to be in it before Python is, and makes Python slow, so that nothing else runs there.

Such a process answers one program after the other, in JSON:

    -> {"device": "oclgrind", "program": "entry main …", "entry": "main", "args": […]}
    <- {"values": […], "trap": null, "error": null}
"""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from functools import cache, partial
from threading import Event, Timer
from typing import IO, Any

import numpy as np

from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, FunmemError, Trap, TrapKind
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.signature import signature
from funmem.ir.text import parse_imp, show
from funmem.ir.values import ArgValue, ArrayValue, Value, bind
from funmem.testing.campaign.process import only_answers, serving
from funmem.testing.judge.devices import DEVICES, Device, run_here
from funmem.testing.judge.program import Case, Disagrees, Outcome, compare, result_types

OCLGRIND = {
    "OCLGRIND_DATA_RACES": "1",
    "OCLGRIND_UNIFORM_WRITES": "1",
    "OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable",  # optimised kernels call what it does not know
}
"""What it reads from the environment."""

LOOKED_AT = (Device.OCLGRIND, Device.SANITIZED)
"""What these say is a report of what is wrong."""

SECONDS = 600.0
"""Of the clock, for one program; it computes some 10^6 instructions in a second."""

REPORTS = (
    (re.compile(r"()data race"), "data race"),
    (re.compile(r"()Invalid (?:read|write)"), "access outside its block"),
    (re.compile(r"AddressSanitizer: (\S+)"), ""),
    (re.compile(r"()runtime error:"), "undefined behaviour"),
)
"""What Oclgrind and sanitizers say, and what it is called here if they have no word for it;
anything else that Oclgrind says is a report, too.
"""

_NOTHING = re.compile(r"\d+ warnings? generated\.\s*")
_REPORT = re.compile(r"^(?=\S.* data race at |Invalid )", re.MULTILINE)


@frozen
class Answer:
    """What became of one program: its results, the trap, or an error."""

    values: tuple[Value, ...] = ()
    trap: tuple[str, str] | None = None
    error: tuple[str, str] | None = None

    def to_json(self) -> dict[str, object]:
        """As data; ``from_json`` reads it."""
        return {"values": [*map(_to_json, self.values)], "trap": self.trap, "error": self.error}

    @staticmethod
    def from_json(data: dict[str, Any]) -> "Answer":
        """What ``to_json`` made."""
        values = tuple(_from_json(v) for v in data["values"])
        trap, error = (tuple(data[k]) if data[k] else None for k in ("trap", "error"))
        return Answer(values, trap, error)


def run_apart(
    d: Device, p: ImpProgram, entry: Name, args: tuple[ArgValue, ...]
) -> tuple[Value, ...]:
    """The results of an entry point on a device of its own process, with all checks in the kernels.

    Raises Trap; Disagrees if there is anything to report, or the device fails; DeviceError if there
    are no sanitizers.
    """
    (e,) = (e for e in p.entries if e.name == entry)
    _, values = bind(signature(e), args)
    given = [_to_json(v) for v in values]
    question = {"device": d.value, "program": show(p), "entry": entry, "args": given}
    answer, said = _child(d).ask(question)
    if d in LOOKED_AT and (report := reported(said)):
        code, _ = answer.error or ("report", "")
        raise Disagrees(d.value, called(report) or code, report)
    if answer.error is not None:
        raise Disagrees(d.value, *answer.error)
    if answer.trap is not None:
        kind, message = answer.trap
        raise Trap(TrapKind(kind), message)
    return answer.values


class _DeviceProcess:
    """A process, and the conversation with it; a new one takes over from one that has died."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process)

    def ask(self, question: Mapping[str, object]) -> tuple[Answer, str]:
        """What becomes of a program, and what was said meanwhile."""
        if self._process is None:
            self._process = serving(__name__, self._environment, self._errors)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        before = os.fstat(self._errors.fileno()).st_size
        expired = Event()

        def stop() -> None:
            expired.set()
            process.kill()

        late = Timer(SECONDS, stop)
        late.daemon = True
        late.start()
        try:
            process.stdin.write(f"{json.dumps(question)}\n".encode())
            process.stdin.flush()
            answer = Answer.from_json(json.loads(process.stdout.readline()))
        except (OSError, ValueError):  # it has ended, perhaps in the middle of a line
            code = process.wait()
            slow = ("too slow", f"it took more than {SECONDS:.0f} s by the clock")
            answer = Answer(error=slow if expired.is_set() else ("died", f"exit code {code}"))
            self._process = None
        except BaseException:  # somebody interrupts: nobody will read the answer
            process.kill()
            self._process = None
            raise
        finally:
            late.cancel()
        said = os.pread(self._errors.fileno(), 1 << 20, before)
        return answer, said.decode("utf-8", "replace")


@cache
def _child(d: Device) -> _DeviceProcess:
    """The one of this process for a device.  Raises DeviceError if there are no sanitizers."""
    match d:
        case Device.OCLGRIND:
            return _DeviceProcess({**os.environ, **OCLGRIND})
        case Device.SANITIZED:
            return _DeviceProcess(preloaded())
        case Device.C | Device.OPENCL:
            return _DeviceProcess(os.environ)


def preloaded() -> Mapping[str, str]:
    """The environment of a process in which sanitized programs can run.

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


def reported(said: str) -> str:
    """What of it is a report.

    Of work-items that fail a check, or look whether another one did, one is meant to be first:
    those races at the status buffer are none (``rt_fail`` of :mod:`funmem.codegen.opencl`).
    """
    parts = _REPORT.split(_NOTHING.sub("", said))
    return "\n".join(x.strip() for x in parts if x.strip() and "status[" not in x)


def called(report: str) -> str:
    """What kind of failure a report is of, if it is known: the first in :data:`REPORTS`."""
    found = ((what.search(report), code) for what, code in REPORTS)
    return next((code or m[1] for m, code in found if m), "")


def judge_on(d: Device, p: ImpProgram, case: Case, want: Outcome) -> bool:
    """Whether a device was asked, as by ``compare``.

    Raises Disagrees if it answers something else; DeviceError if there is none.
    """
    run = partial(run_apart, d, p, case.entry, case.args)
    return compare(d.value, want, run, case.tolerance, result_types(case))


def require(devices: Collection[Device]) -> None:
    """Raises DeviceError if PoCL, the simulator or the sanitizers are asked for and not there."""
    for d in devices:
        if d is Device.SANITIZED:
            preloaded()
        if d in (Device.OPENCL, Device.OCLGRIND):
            from funmem.codegen.device import POCL, choose

            choose(POCL if d is Device.OPENCL else d.value)


# ---------------------------------------------------------------------- values


def _to_json(v: Value) -> Any:
    """A value as data, to the bit: but for NaNs, which are one value."""
    match v:
        case ArrayValue():
            data = base64.b64encode(np.ascontiguousarray(v.data).tobytes()).decode("ascii")
            return {"type": v.data.dtype.str, "shape": list(v.shape), "data": data}
        case float():
            return {"float": v.hex()}
        case _:
            return v


def _from_json(v: Any) -> Value:
    """What ``_to_json`` made."""
    match v:
        case {"type": kind, "shape": shape, "data": data}:
            return ArrayValue(np.frombuffer(base64.b64decode(data), kind).reshape(shape))
        case {"float": text}:
            return float.fromhex(text)
        case bool() | int():
            return v
        case _:
            raise ValueError(f"{v!r} is no value")


# ---------------------------------------------------------------------- in the child


def serve() -> None:
    """Answers until standard input ends."""
    os.environ.pop("LD_PRELOAD", None)  # the compilers that are started here need no sanitizers
    answers = only_answers()
    for line in sys.stdin:
        question = json.loads(line)
        args = tuple(map(_from_json, question["args"]))
        answer = _answered(question["device"], question["program"], question["entry"], args)
        answers.write(f"{json.dumps(answer.to_json())}\n".encode())
        answers.flush()


def _answered(device: str, text: str, entry: str, args: tuple[Value, ...]) -> Answer:
    try:
        return Answer(run_here(DEVICES[device], parse_imp(text), Name(entry), args))
    except Trap as t:
        return Answer(trap=(t.kind.value, t.diagnostic.message))
    except FunmemError as e:
        return Answer(error=(e.diagnostic.code, str(e)))
    except Exception as e:
        return Answer(error=(type(e).__name__, str(e)))
