"""How long one waits: commands as whole processes, and Python's part of a launch.

    python papers/benchmarks/latency.py
    python papers/benchmarks/latency.py papers/funmem/benchmarks/lud --rounds 9 --json latency.json

    check          `funmem check`, from start to end
    compile        `funmem compile`, to OpenCL, from start to end
    first, warm    `funmem run --via opencl`, until the result is printed; built before
    first, cold    the same, nothing of it in any cache; the goal is for up to five kernels
    kernels        how many kernels the program has
    launch         what Python does for a launch in a loop of the host: the kernel's arguments are
                   set, but it is not enqueued

Times are medians of rounds, in each of which every process ran once: by the clock, and of the
processor, which says more where others use the machine too (a launch is measured by it only).
Nothing depends on whether a goal is met; they were set for a machine with two quiet cores.
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
"""Each step of it is a launch or two, with other arguments than the one before."""

FEW_KERNELS = 5
GOALS = {
    "check": 0.15,
    "compile": 0.25,
    "first, warm": 0.25,
    "first, cold": 1.2,
    "kernels": 10,
    "launch": 2e-6,
}
"""Seconds, and a number of kernels."""

UNITS = {"launch": ("us", 1e6), "kernels": ("", 1.0)}
"""What is printed instead of milliseconds."""


@frozen
class Row:
    """A figure and its goal, None where there is none; ``cpu``: seconds of the processor."""

    program: str
    what: str
    goal: float | None
    figure: float
    cpu: float | None = None
    rounds: tuple[float, ...] = ()

    @property
    def met(self) -> bool | None:
        return None if self.goal is None else self.figure <= self.goal


@frozen(eq=False)
class Process:
    """A command whose time counts, and the environment that it gets; ``to_output``: what counts
    ends with the first thing that it prints.
    """

    program: str
    what: str
    words: tuple[str, ...]
    environment: Callable[[], Mapping[str, str]]
    to_output: bool = False
    seconds: list[float] = field(factory=list)
    cpu: list[float] = field(factory=list)

    def run(self) -> None:
        """Once.  Ends the script if the command fails."""
        start = perf_counter()
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "funmem", *self.words],
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
                raise SystemExit(f"funmem {' '.join(self.words)}: {said}")
        self.seconds.append(first if self.to_output else whole)
        self.cpu.append(usage.ru_utime + usage.ru_stime)

    def row(self, goal: float | None) -> Row:
        middle, busy = statistics.median(self.seconds), statistics.median(self.cpu)
        return Row(self.program, self.what, goal, middle, busy, tuple(self.seconds))


# ---------------------------------------------------------------------- processes


def processes(path: str, folder: Path) -> tuple[Process, ...]:
    """The four commands for a program, at its smallest size that has something to do."""
    name = Path(path).stem
    call = task(path)
    arguments = folder / f"{name}.in"
    _, values = bind(call.signature, call.args)
    save(list(zip(values, call.signature.params, strict=True)), arguments)
    once = ("run", path, "--via", "opencl", "--entry", call.signature.name, "--summary")
    run = (*once, "-i", str(arguments))
    warm = _caches(folder / "warm")
    return (
        Process(name, "check", ("check", path), lambda: warm),
        Process(name, "compile", ("compile", path, "-o", str(folder / name)), lambda: warm),
        Process(name, "first, warm", run, lambda: warm, to_output=True),
        Process(name, "first, cold", run, lambda: _fresh(folder), to_output=True),
    )


def task(path: str) -> Task:
    """A small call of a program."""
    r = load_module(Path(path).parent / "reference.py")
    (found,) = tasks(read(path), Choice())
    return evolve(found, args=tuple(r.inputs(max(r.SIZES), 0)))


def _fresh(folder: Path) -> Mapping[str, str]:
    return _caches(Path(tempfile.mkdtemp(dir=folder)))


def _caches(folder: Path) -> Mapping[str, str]:
    """An environment with caches of its own, ours and PoCL's."""
    root = str(Path(funmem.__file__).parent.parent)
    (folder / "pocl").mkdir(parents=True, exist_ok=True)
    bytecode = {}
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):  # there is some after an installation
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
    """All programs in turns."""
    with tempfile.TemporaryDirectory(prefix="funmem-latency-") as name:
        folder = Path(name)
        found = [processes(path, folder) for path in paths]
        for _, make, warm, _ in found:
            for p in (make, warm):  # caches, and bytecode
                p.run()
                p.seconds.clear()
                p.cpu.clear()
        for _ in range(rounds):
            for p in (p for each in found for p in each):
                p.run()
        for each in found:
            name = each[0].program
            entries = loads_plan(folder / name, name).entries
            kernels = sum(len(e.kernels) for e in entries)
            for p in each:
                too_many = p.what == "first, cold" and kernels > FEW_KERNELS
                yield p.row(None if too_many else GOALS[p.what])
            yield Row(each[0].program, "kernels", GOALS["kernels"], kernels)


# ---------------------------------------------------------------------- launches


def launch(path: str, rounds: int) -> Row:
    """Seconds of this thread for a launch: the difference of many steps and few."""
    call = task(path)
    entry = funmem.compile(call.program, safe=True, cache=False).entry(call.signature.name)

    def seconds(steps: int) -> tuple[float, int]:
        start = thread_time()
        entry.run((np.int32(steps), *call.args[1:]))
        return thread_time() - start, entry.stats.launches

    each = []
    with patch.object(cl, "enqueue_nd_range_kernel", lambda *_: None):
        seconds(10)
        for _ in range(rounds):
            (short, few), (long, many) = seconds(100), seconds(2100)
            each.append((long - short) / (many - few))
    middle = statistics.median(each)
    return Row(Path(path).stem, "launch", GOALS["launch"], middle, middle, tuple(each))


# ---------------------------------------------------------------------- what is printed


def line(r: Row) -> str:
    """A row for people."""
    unit, factor = UNITS.get(r.what, ("ms", 1e3))
    digits = 1 if unit == "us" else 0
    shown = [
        "-" if x is None else f"{factor * x:.{digits}f} {unit}".rstrip()
        for x in (r.goal, r.figure, r.cpu)
    ]
    met = "" if r.met is None else "met" if r.met else "missed"
    goal, figure, cpu = (s.rjust(10) for s in shown)
    return f"{r.program:17} {r.what:12} {goal} {figure} {cpu}   {met}".rstrip()


def main(args: Sequence[str] | None = None) -> None:
    """Prints a line for each goal."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    here = Path(__file__).parent
    parser.add_argument("paths", nargs="*", default=[str(here / x) for x in DEFAULT])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures, in seconds")
    asked = parser.parse_args(args)
    print(f"{'':17} {'':12} {'goal':>10} {'figure':>10} {'processor':>10}")
    found = [launch(str(here / LOOP / f"{LOOP}.fut"), asked.rounds)]
    print(line(found[0]), flush=True)
    for row in measure(find_programs(asked.paths), asked.rounds):
        found.append(row)
        print(line(row), flush=True)
    if asked.json is not None:
        rows = [{**asdict(r), "met": r.met} for r in found]
        write_file(asked.json, json.dumps({"format": 1, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
