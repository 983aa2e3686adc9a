"""Processes that run batches, for a campaign on this machine and for a Dask worker.

A faulty program may kill its process, as C code does, and a time limit works only in the main
thread of a process.  Batches therefore run in child processes.  Each child runs one batch after
another, in pickles:

    -> Task, range
    <- BatchResult | str (the traceback of an unexpected exception)
"""

import gc
import os
import pickle
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

from funmem.testing.campaign.batch import BatchResult, Settings, Task
from funmem.testing.campaign.process import serve_pickles, start_process
from funmem.testing.campaign.trial import Disagreement, Trial

IDLE = 60.0
"""Idle time after which a process is ended, in seconds."""

Answer: TypeAlias = BatchResult | str


class Died(Exception):
    """A process ended without an answer."""


class Failed(Exception):
    """A batch raised an unexpected exception; the message is its traceback."""


class Closed(Exception):
    """The campaign is over, and no process is started any more."""


class BatchProcesses:
    """Processes for any number of threads: started on demand, killed at the end of ``with``."""

    def __init__(self) -> None:
        self._busy: set[_BatchProcess] = set()
        self._idle: dict[_BatchProcess, threading.Timer] = {}
        self._closed = False
        self._lock = threading.RLock()

    def do(self, task: Task, seeds: range) -> BatchResult:
        """Run a batch.  If its process dies, run each of its programs in a new process.

        Raises Failed, Closed.
        """
        try:
            with self._child() as child:
                return child.ask(task, seeds)
        except Died:
            return self._one_by_one(task, seeds)

    def __enter__(self) -> "BatchProcesses":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
            for child in (*self._idle, *self._busy):
                child.kill()
            for timer in self._idle.values():
                timer.cancel()

    def _one_by_one(self, task: Task, seeds: range) -> BatchResult:
        total = Trial()
        reduced: dict[int, str] = {}
        for seed in seeds:
            try:
                with self._child(alone=True) as child:
                    done = child.ask(task, range(seed, seed + 1))
            except Died:
                done = BatchResult(Trial(programs=1, disagreements=[_death(seed, task.settings)]))
            total.add(done.trial)
            reduced.update(done.reduced)
        return BatchResult(total, reduced)

    @contextmanager
    def _child(self, *, alone: bool = False) -> "Iterator[_BatchProcess]":
        """Provide a process; ``alone``: a new one that is not reused."""
        child = self._take(alone)
        keep = False
        try:
            yield child
            keep = not alone
        finally:
            with self._lock:
                self._busy.discard(child)
                if keep and not self._closed:
                    self._idle[child] = timer = threading.Timer(IDLE, self._expire, [child])
                    timer.daemon = True
                    timer.start()
                else:
                    child.kill()

    def _take(self, alone: bool) -> "_BatchProcess":
        with self._lock:
            if self._closed:
                raise Closed
            child = None
            if self._idle and not alone:
                child, timer = self._idle.popitem()
                timer.cancel()
            if child is None or not child.lives():
                child = _BatchProcess()
            self._busy.add(child)
            return child

    def _expire(self, child: "_BatchProcess") -> None:
        with self._lock:
            if self._idle.pop(child, None) is not None:
                child.kill()


class _BatchProcess:
    """A process, and the communication with it."""

    def __init__(self) -> None:
        self._process = start_process(__name__, os.environ)

    def ask(self, task: Task, seeds: range) -> BatchResult:
        """Run a batch.  Raises Died, Failed."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((task, seeds), process.stdin)
            process.stdin.flush()
            answer: Answer = pickle.load(process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):  # closed or truncated
            raise Died from None
        match answer:
            case BatchResult():
                return answer
            case str():
                raise Failed(answer)

    def lives(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill the process, also during a batch; a thread that waits for its answer gets Died."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with suppress(OSError):  # unsent data
                self._process.stdin.close()


def _death(seed: int, settings: Settings) -> Disagreement:
    passes = settings.orders.pipelines(seed)[-1]
    message = "the process died; see its last output"
    return Disagreement(seed, str(passes), len(passes.steps), "process", "died", message)


# ---------------------------------------------------------------------- in the process


def serve() -> None:
    """Answer requests until standard input ends."""
    gc.set_threshold(500_000, 20, 100)  # trials create little cyclic garbage

    def answer(request: tuple[Task, range]) -> Answer:
        done = _answer(*request)
        if not gc.get_freeze_count():  # all modules are imported, and stay alive
            gc.collect()
            gc.freeze()
        return done

    serve_pickles(answer)


def _answer(task: Task, seeds: range) -> Answer:
    try:
        return task.do(seeds)
    except Exception:
        return traceback.format_exc()
