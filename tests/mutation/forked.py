"""Many mutants for one collection of the tests: each is judged in a fork.

To start pytest and import the compiler takes longer than most tests do.  Here that is done once.
For each mutant a child is forked, in which the function that it changes gets the changed code
object: whoever holds the function, under whatever name, calls the changed one.  Tests run there
until the first fails: those that call the function, and of these first what noticed its mutants
before.

A mutant under which one of them takes several times as long is noticed, too.  What is not noticed
here is judged once more from scratch, by all tests in fresh processes (a test may start one of its
own, which has the code as it is), unless it is known to mean the same.  The mutants of functions
that were called while the tests were imported are not judged here: what was left behind then is not
the mutant's.
"""

import gc
import importlib
import os
import resource
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import process_time
from types import CodeType, FrameType, FunctionType

import pytest
from attrs import define, field, frozen

from tests.mutation.operators import Mutant, mutants
from tests.mutation.targets import TARGETS, Target

LARGEST = 16 << 30
"""Bytes of address space; a mutant that needs more is judged elsewhere."""
FORK = get_context("fork")


def verdicts(
    root: Path, group: str, number: int, places: Sequence[int], jobs: int
) -> dict[int, bool]:
    """Whether mutants of a group's ``number``-th target are noticed: those at some places among
    all of them.  Nothing is said of a mutant that cannot be judged here.
    """
    found: dict[int, bool] = {}
    for tests in TARGETS[group][number].tests:
        left = [k for k in places if not found.get(k)]
        reads, writes = os.pipe()
        given = (group, str(number), ",".join(map(str, left)), tests, str(jobs), str(writes))
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutation.forked", *given],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            pass_fds=(writes,),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(writes)
        with process, open(reads, encoding="ascii") as said:
            for line in said:
                k, verdict = line.split()
                found[int(k)] = verdict == "True"
    return found


def mutants_of(target: Target, root: Path) -> list[Mutant]:
    """All mutants of a target."""
    source = (root / target.path).read_text(encoding="utf-8")
    return list(mutants(target.path, source, target.wants))


@define
class Calls:
    """Notes which functions of a module are called; one inside another counts as that other."""

    path: str
    seen: set[str] = field(factory=set)

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.endswith(self.path):
            self.seen.add(_outer(code))

    @contextmanager
    def noted(self) -> Iterator[None]:
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)


def _outer(code: CodeType) -> str:
    return code.co_qualname.partition(".<locals>")[0]


@frozen
class Child:
    """A fork that judges the ``k``-th mutant."""

    k: int
    function: str
    process: BaseProcess


@define
class Judge:
    """A plugin of pytest: it takes the place of running the tests that were collected."""

    target: Target
    places: Sequence[int]
    jobs: int
    said: int
    """A file descriptor, for places and verdicts."""
    calls: Calls
    failed: bool = False
    items: Sequence[pytest.Item] = ()
    of: dict[str, list[FunctionType]] = field(factory=dict)
    seconds: dict[int, float] = field(factory=dict)
    """Of a processor, that a test takes without any mutant."""
    killers: dict[str, list[int]] = field(factory=lambda: defaultdict(list))
    """Of each function the tests that noticed a mutant, the last one first."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Judges all mutants, ``jobs`` at a time."""
        sys.setprofile(None)
        module = self.target.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        importlib.import_module(f"funmem.{module}")
        early = set(self.calls.seen)
        self.items = session.items
        self.of = _functions(self.target.path)
        reads, process = _fork(self.callers)
        try:
            callers, self.seconds = reads.recv()
        except EOFError:
            return True
        process.join()
        running: dict[Connection, Child] = {}
        every = mutants_of(self.target, Path())
        for k in self.places:
            m = every[k]
            if m.function in early or len(self.of.get(m.function, ())) != 1:
                continue
            while len(running) >= self.jobs:
                self.reap(running)
            recent = self.killers[m.function]
            order = [*recent, *(i for i in callers.get(m.function, ()) if i not in recent)]
            reads, process = _fork(partial(self.judged, m, order))
            running[reads] = Child(k, m.function, process)
        while running:
            self.reap(running)
        return True

    def reap(self, running: dict[Connection, Child]) -> None:
        """Waits for some children."""
        for reads in wait(list(running)):
            assert isinstance(reads, Connection)
            child = running.pop(reads)
            killer: int | None = None
            with suppress(EOFError):  # it died
                killer = reads.recv()
            reads.close()
            child.process.join()
            recent = [i for i in self.killers[child.function] if i != killer]
            if killer is not None:
                self.killers[child.function] = [killer, *recent]
            endless = child.process.exitcode == -signal.SIGXCPU
            if endless or child.process.exitcode == 0:
                os.write(self.said, f"{child.k} {endless or killer is not None}\n".encode())

    # -- in a child

    def callers(self) -> tuple[dict[str, list[int]], dict[int, float]]:
        """The tests that call each function, the quick ones first, and how long each takes.
        Raises AssertionError if one fails without any mutant: then nothing is judged.
        """
        found: dict[str, list[tuple[float, int]]] = defaultdict(list)
        seconds: dict[int, float] = {}
        for i in range(len(self.items)):
            self.calls.seen.clear()
            start = process_time()
            with self.calls.noted():
                self.run([i])
            seconds[i] = process_time() - start
            for name in self.calls.seen:
                found[name].append((seconds[i], i))
        assert not self.failed
        return {name: [i for _, i in sorted(tests)] for name, tests in found.items()}, seconds

    def judged(self, m: Mutant, order: Sequence[int]) -> int | None:
        """The test that notices a mutant."""
        (function,) = self.of[m.function]
        function.__code__ = _code(m)
        return self.run(order)

    def run(self, order: Sequence[int]) -> int | None:
        """Runs tests until one fails: that one."""
        for k, i in enumerate(order):
            item = self.items[i]
            if i in self.seconds:
                _limit(resource.RLIMIT_CPU, int(process_time() + 10 + 3 * self.seconds[i]))
            following = self.items[order[k + 1]] if k + 1 < len(order) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return i
        return None


def _fork(work: Callable[[], object]) -> tuple[Connection, BaseProcess]:
    """A child that sends the result of ``work``."""
    reads, writes = FORK.Pipe(duplex=False)

    def child() -> None:
        _limit(resource.RLIMIT_AS, LARGEST)
        writes.send(work())

    process = FORK.Process(target=child)
    process.start()
    writes.close()
    return reads, process


def _limit(what: int, most: int) -> None:
    """The most that this process may use."""
    resource.setrlimit(what, (most, resource.getrlimit(what)[1]))


def _functions(path: str) -> dict[str, list[FunctionType]]:
    """The functions of a module that was imported, by their dotted names."""
    found: dict[str, list[FunctionType]] = defaultdict(list)
    gc.unfreeze()  # tests/conftest.py hides what was imported from the garbage collector
    for f in gc.get_objects():
        if isinstance(f, FunctionType) and f.__code__.co_filename.endswith(f"/{path}"):
            found[f.__code__.co_qualname].append(f)
    return found


def _code(m: Mutant) -> CodeType:
    """The code object of the function that a mutant changes."""
    todo = [compile(m.source, m.path, "exec")]
    while todo:
        code = todo.pop()
        if code.co_qualname == m.function:
            return code
        todo += (c for c in code.co_consts if isinstance(c, CodeType))
    raise AssertionError(m.function)


def main(args: Sequence[str]) -> None:
    """``group number places tests jobs fd``: writes places and verdicts to a file descriptor."""
    group, number, places, tests, jobs, fd = args
    target = TARGETS[group][int(number)]
    calls = Calls(f"/{target.path}")
    judge = Judge(target, [int(k) for k in places.split(",")], int(jobs), int(fd), calls)
    options = ["-n0", "-m", "", "-p", "no:cacheprovider", "-p", "no:terminal"]
    with calls.noted():
        pytest.main([*options, *tests.split()], plugins=[judge])


if __name__ == "__main__":
    main(sys.argv[1:])
