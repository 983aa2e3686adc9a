"""Measure latencies: commands as whole processes, and Python's part of a kernel launch.

    python papers/benchmarks/latency.py
    python papers/benchmarks/latency.py papers/funmem/benchmarks/lud --rounds 9 --json latency.json

    numpy          `python -c "import numpy"`, from start to end, the unit of the goals
    check          `funmem check`, from start to end
    compile        `funmem compile`, to OpenCL, from start to end
    first, warm    `funmem run --via opencl`, until the result is printed; kernels are cached
    first, cold    the same with empty caches; the goal is for up to five kernels
    kernels        number of kernels of the program
    launch         Python's part of a launch in a loop on the host: the arguments of the kernel are
                   set, but it is not enqueued

Times are medians of rounds; each round runs every process once.  Printed are wall-clock time and
processor time, which is more reliable on a shared machine (for a launch only processor time).
The goals of axpy are ratios of processor times to those of Python with numpy in the same rounds;
the other goals were set for a machine with two idle cores.  With --gate, the exit code is 1 if a
ratio exceeds its goal.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter, thread_time
from unittest.mock import patch

import numpy as np
import pyopencl as cl
from attrs import asdict, evolve, field, frozen

import funmem
from funmem.bench.tasks import Choice, Task, load_module, tasks
from funmem.codegen.artifact import loads_plan
from funmem.codegen.files import write_file
from funmem.driver.source import read
from funmem.ir.values import bind
from funmem.suite.files import find_programs
from funmem.values.arguments import save

DEFAULT = ("axpy", "black_scholes", "hotspot", "lu", "needleman_wunsch")
LOOP = "hotspot"
"""A program in which each step makes one or two launches, each step with other arguments."""

FEW_KERNELS = 5
GOALS = {
    "check": 0.15,
    "compile": 0.25,
    "first, warm": 0.25,
    "first, cold": 1.2,
    "kernels": 10,
    "launch": 2e-6,
}
"""Largest allowed values, in seconds; for ``kernels`` a number."""

SMALL = "axpy"
RATIOS = {"check": 1.5, "compile": 2.5, "first, warm": 2.5}
"""Largest allowed ratios of SMALL's processor times to those of Python with numpy."""

NUMPY = "numpy"

UNITS = {"launch": ("us", 1e6), "kernels": ("", 1.0)}
"""Units that are printed instead of milliseconds, and their factors."""


@frozen
class Row:
    """A measured value and its goal, if there is one; ``cpu``: processor time in seconds."""

    program: str
    what: str
    goal: float | None
    figure: float
    cpu: float | None = None
    rounds: tuple[float, ...] = ()
    ratio: float | None = None
    """The processor time over that of Python with numpy."""

    @property
    def met(self) -> bool | None:
        if self.gate is not None and self.ratio is not None:
            return self.ratio <= self.gate
        return None if self.goal is None else self.figure <= self.goal

    @property
    def gate(self) -> float | None:
        """The largest allowed ratio, or None."""
        return RATIOS.get(self.what) if self.program == SMALL else None


@frozen(eq=False)
class Process:
    """A command that is measured, and its environment.  With ``to_output`` the time ends at the
    first byte of output.
    """

    program: str
    what: str
    words: tuple[str, ...]
    environment: Callable[[], Mapping[str, str]]
    to_output: bool = False
    seconds: list[float] = field(factory=list)
    cpu: list[float] = field(factory=list)

    def run(self) -> None:
        """Run the command once.  Raises SystemExit if it fails."""
        start = perf_counter()
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [sys.executable, *self.words],
                stdout=subprocess.PIPE,
                stderr=errors,
                env=dict(self.environment()),
            )
            assert process.stdout is not None
            process.stdout.read(1)
            first = perf_counter() - start
            process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            whole = perf_counter() - start
            if process.returncode:
                errors.seek(0)
                said = errors.read().decode("utf-8", "replace")
                raise SystemExit(f"{' '.join(self.words)}: {said}")
        self.seconds.append(first if self.to_output else whole)
        self.cpu.append(usage.ru_utime + usage.ru_stime)

    def row(self, goal: float | None, unit: "Process | None" = None) -> Row:
        middle, busy = statistics.median(self.seconds), statistics.median(self.cpu)
        ratio = None
        if unit is not None:
            ratio = statistics.median(x / y for x, y in zip(self.cpu, unit.cpu, strict=True))
        return Row(self.program, self.what, goal, middle, busy, tuple(self.seconds), ratio)


# ---------------------------------------------------------------------- processes


def processes(path: str, folder: Path) -> tuple[Process, ...]:
    """Return the four commands for a program, with small arguments."""
    name = Path(path).stem
    call = task(path)
    arguments = folder / f"{name}.in"
    _, values = bind(call.signature, call.args)
    save(list(zip(values, call.signature.params, strict=True)), arguments)
    once = ("run", path, "--via", "opencl", "--entry", call.signature.name, "--summary")
    run = (*once, "-i", str(arguments))
    warm = _caches(folder / "warm")
    funmem = ("-m", "funmem")
    compiling = (*funmem, "compile", path, "-o", str(folder / name))
    return (
        Process(name, "check", (*funmem, "check", path), lambda: warm),
        Process(name, "compile", compiling, lambda: warm),
        Process(name, "first, warm", (*funmem, *run), lambda: warm, to_output=True),
        Process(name, "first, cold", (*funmem, *run), lambda: _fresh(folder), to_output=True),
    )


def task(path: str) -> Task:
    """Return a call of a program with small arguments."""
    r = load_module(Path(path).parent / "reference.py")
    (found,) = tasks(read(path), Choice())
    return evolve(found, args=tuple(r.inputs(max(r.SIZES), 0)))


def _fresh(folder: Path) -> Mapping[str, str]:
    return _caches(Path(tempfile.mkdtemp(dir=folder)))


def _caches(folder: Path) -> Mapping[str, str]:
    """Return an environment with separate caches for funmem and for PoCL."""
    root = str(Path(funmem.__file__).parent.parent)
    (folder / "pocl").mkdir(parents=True, exist_ok=True)
    bytecode = {}
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):  # an installation has bytecode
        place = str(folder.parent / "bytecode")
        bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": place}
    return {
        **os.environ,
        **bytecode,
        "FUNMEM_CACHE": str(folder / "funmem"),
        "POCL_CACHE_DIR": str(folder / "pocl"),
        "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH")))),
    }


def measure(paths: Sequence[str], rounds: int) -> Iterator[Row]:
    """Measure all programs in turns."""
    with tempfile.TemporaryDirectory(prefix="funmem-latency-") as name:
        folder = Path(name)
        found = [processes(path, folder) for path in paths]
        unit = Process(NUMPY, "python", ("-c", "import numpy"), lambda: os.environ)
        unit.run()
        unit.cpu.clear()
        unit.seconds.clear()
        for _, make, warm, _ in found:
            for p in (make, warm):  # fill the caches, and compile bytecode
                p.run()
                p.seconds.clear()
                p.cpu.clear()
        for _ in range(rounds):
            unit.run()
            for p in (p for each in found for p in each):
                p.run()
        yield unit.row(None)
        for each in found:
            name = each[0].program
            entries = loads_plan(folder / name, name).entries
            kernels = sum(len(e.kernels) for e in entries)
            for p in each:
                too_many = p.what == "first, cold" and kernels > FEW_KERNELS
                yield p.row(None if too_many else GOALS[p.what], unit)
            yield Row(each[0].program, "kernels", GOALS["kernels"], kernels)


# ---------------------------------------------------------------------- launches


def launch(path: str, rounds: int) -> Row:
    """Return the thread time of a launch in seconds: the difference of many and few steps."""
    call = task(path)

    def seconds(steps: int) -> tuple[float, int]:
        start = thread_time()
        entry.run((np.int32(steps), *call.args[1:]))
        return thread_time() - start, entry.stats.launches

    each = []
    ignored: list[object] = []
    # the host code of an entry point keeps the function that it found when it was generated
    with patch.object(cl, "enqueue_nd_range_kernel", lambda *given: ignored.append(given)):
        entry = funmem.compile(call.program, safe=True, cache=False).entry(call.signature.name)
        _, launches = seconds(10)
        assert len(ignored) == launches, "kernels were enqueued"
        for _ in range(rounds):
            (short, few), (long, many) = seconds(100), seconds(2100)
            each.append((long - short) / (many - few))
    middle = statistics.median(each)
    return Row(Path(path).stem, "launch", GOALS["launch"], middle, middle, tuple(each))


# ---------------------------------------------------------------------- what is printed


def line(r: Row) -> str:
    """Return the printed line of a row."""
    unit, factor = UNITS.get(r.what, ("ms", 1e3))
    digits = 1 if unit == "us" else 0
    shown = [
        "-" if x is None else f"{factor * x:.{digits}f} {unit}".rstrip()
        for x in (r.goal, r.figure, r.cpu)
    ]
    met = "" if r.met is None else "met" if r.met else "missed"
    goal, figure, cpu = (s.rjust(10) for s in shown)
    goal = goal if r.gate is None else f"{r.gate:8.1f} x"
    ratio = " " * 8 if r.ratio is None else f"{r.ratio:6.2f} x"
    return f"{r.program:17} {r.what:12} {goal} {figure} {cpu} {ratio}   {met}".rstrip()


def main(args: Sequence[str] | None = None) -> None:
    """Print a line for each goal."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    here = Path(__file__).parent
    parser.add_argument("paths", nargs="*", default=[str(here / x) for x in DEFAULT])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the values, in seconds")
    parser.add_argument("--gate", action="store_true", help="fail if a ratio exceeds its goal")
    asked = parser.parse_args(args)
    print(f"{'':17} {'':12} {'goal':>10} {'figure':>10} {'processor':>10} {'/ numpy':>8}")
    found = [launch(str(here / LOOP / f"{LOOP}.fut"), asked.rounds)]
    print(line(found[0]), flush=True)
    for row in measure(find_programs(asked.paths), asked.rounds):
        found.append(row)
        print(line(row), flush=True)
    if asked.json is not None:
        rows = [{**asdict(r), "gate": r.gate, "met": r.met} for r in found]
        write_file(asked.json, json.dumps({"format": 1, "rows": rows}, indent=1) + "\n")
    if asked.gate and any(r.met is False for r in found if r.gate is not None):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
