"""Kernels on Oclgrind, which simulates a device and looks at every access of every work-item.

It writes what it finds (races, accesses outside of buffers) to standard error, and reads from the
environment what to look for.  It therefore runs in a process of its own, which answers one program
after the other, in JSON:

    -> {"engine": "oclgrind", "program": "entry main …", "entry": "main", "args": […]}
    <- {"values": […], "trap": null, "error": null, "report": ""}

Two work-items that write the same value to one place race as well: ``OCLGRIND_UNIFORM_WRITES``.

PoCL needs such a process where sanitizers are: their library breaks OpenCL's.
"""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Timer
from typing import IO, Any

import numpy as np

from funmem.ir.diagnostics import FunmemError, Trap, TrapKind
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.signature import signature
from funmem.ir.text import parse_imp, show
from funmem.ir.values import ArgValue, ArrayValue, Value, bind
from funmem.testing.judge import Disagrees
from funmem.testing.process import only_answers, serving

ENGINE = "oclgrind"
ENVIRONMENT = {
    "OCLGRIND_DATA_RACES": "1",
    "OCLGRIND_UNIFORM_WRITES": "1",
    "OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable",  # optimised kernels call what it does not know
}
SECONDS = 600.0
"""Of the clock, for one program; it computes some 10^6 instructions in a second."""

REPORTS = (
    (re.compile(r"data race"), "data race"),
    (re.compile(r"Invalid (read|write)"), "access outside its block"),
)
"""What Oclgrind says, and what funmem calls it; anything else that it says is a report, too."""

_NOTHING = re.compile(r"\d+ warnings? generated\.\s*")
_REPORT = re.compile(r"^(?=\S.* data race at |Invalid )", re.MULTILINE)


@frozen
class Answer:
    """What became of one program: its results, the trap, or an error; and what Oclgrind said."""

    values: tuple[Value, ...] = ()
    trap: tuple[str, str] | None = None
    error: tuple[str, str] | None = None
    report: str = ""

    def to_json(self) -> dict[str, object]:
        """As data; ``from_json`` reads it."""
        values = [_to_json(v) for v in self.values]
        return {"values": values, "trap": self.trap, "error": self.error, "report": self.report}

    @staticmethod
    def from_json(data: dict[str, Any]) -> "Answer":
        """What ``to_json`` made."""
        values = tuple(_from_json(v) for v in data["values"])
        trap, error = (tuple(data[k]) if data[k] else None for k in ("trap", "error"))
        return Answer(values, trap, error, data["report"])


def simulate(
    p: ImpProgram, entry: Name, args: tuple[ArgValue, ...], engine: str = ENGINE
) -> tuple[Value, ...]:
    """The results of an entry point on Oclgrind, with all bounds checks in the kernels; or on PoCL.

    Raises Trap; Disagrees if Oclgrind has anything to report, or the device fails.
    """
    (e,) = (e for e in p.entries if e.name == entry)
    _, values = bind(signature(e), args)
    given = [_to_json(v) for v in values]
    question = {"engine": engine, "program": show(p), "entry": entry, "args": given}
    answer = _child().ask(question)
    if answer.report and engine == ENGINE:
        code = next((code for what, code in REPORTS if what.search(answer.report)), "report")
        raise Disagrees(ENGINE, code, answer.report)
    if answer.error is not None:
        raise Disagrees(engine, *answer.error)
    if answer.trap is not None:
        kind, message = answer.trap
        raise Trap(TrapKind(kind), message)
    return answer.values


class _Child:
    """The process, and the conversation with it; a new one takes over from one that has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process)

    def ask(self, question: Mapping[str, object]) -> Answer:
        """What becomes of a program."""
        if self._process is None:
            self._process = self._started()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        late = Timer(SECONDS, process.kill)
        late.daemon = True
        late.start()
        try:
            process.stdin.write(f"{json.dumps(question)}\n".encode())
            process.stdin.flush()
            return Answer.from_json(json.loads(process.stdout.readline()))
        except (OSError, ValueError):  # it has ended, perhaps in the middle of a line
            answer = Answer(error=("died", self._last_words(process.wait())))
            self._process = None
            return answer
        except BaseException:  # somebody interrupts: nobody will read the answer
            process.kill()
            self._process = None
            raise
        finally:
            late.cancel()

    def _started(self) -> "subprocess.Popen[bytes]":
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}  # no sanitizers
        return serving(__name__, {**environment, **ENVIRONMENT}, self._errors)

    def _last_words(self, code: int) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return f"exit code {code}: {lines[-1] if lines else 'it said nothing'}"


@cache
def _child() -> _Child:
    """The one of this process."""
    return _Child()


def reported(said: str) -> str:
    """What of it is a report.

    Of work-items that fail a check, or look whether another one did, one is meant to be first:
    those races at the status buffer are none (``rt_fail`` of :mod:`funmem.codegen.opencl`).
    """
    parts = _REPORT.split(_NOTHING.sub("", said))
    return "\n".join(x.strip() for x in parts if x.strip() and "status[" not in x)


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
    answers = only_answers()
    with tempfile.TemporaryDirectory() as folder:
        said = _Said(Path(folder, "said"))
        for line in sys.stdin:
            question = json.loads(line)
            args = tuple(map(_from_json, question["args"]))
            what = (question["engine"], question["program"], question["entry"])
            answer = _answered(*what, args, said)
            answers.write(f"{json.dumps(answer.to_json())}\n".encode())
            answers.flush()


class _Said:
    """Standard error as a file, of which :meth:`new` is what was not read yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def __enter__(self) -> None:
        self._before = os.dup(2)
        with self._path.open("ab") as f:
            os.dup2(f.fileno(), 2)

    def __exit__(self, *_: object) -> None:
        os.dup2(self._before, 2)
        os.close(self._before)

    def new(self) -> str:
        """What was written since."""
        content = self._path.read_bytes()[self._read :]
        self._read += len(content)
        return content.decode("utf-8", "replace").strip()


def _answered(engine: str, text: str, entry: str, args: tuple[Value, ...], said: _Said) -> Answer:
    from funmem.codegen.device import POCL, open_device
    from funmem.codegen.opencl import compile_imp
    from funmem.codegen.runtime import Executable

    with said:
        try:
            compiled = compile_imp(parse_imp(text), safe=True)
            device = open_device(ENGINE if engine == ENGINE else POCL)
            executable = Executable.load(compiled, device, None)
            answer = Answer(executable.entry(entry).run(args))
        except Trap as t:
            answer = Answer(trap=(t.kind.value, t.diagnostic.message))
        except FunmemError as e:
            answer = Answer(error=(e.diagnostic.code, str(e)))
        except Exception as e:
            answer = Answer(error=(type(e).__name__, str(e)))
    return evolve(answer, report=reported(said.new()))
