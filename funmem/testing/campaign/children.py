"""Processes that do portions: those of a campaign on this machine, and those of a Dask worker.

A program may kill the process that it runs in, as C does; and only in its main thread a process can
limit how long a program takes.  So portions are done in processes of their own, each of which does
one after the other, in pickles:

    -> Task, range
    <- Done | str (the traceback of what nobody expected)
"""

import gc
import os
import pickle
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

from funmem.testing.campaign.batch import Done, Settings, Task
from funmem.testing.campaign.process import answering, serving
from funmem.testing.campaign.trial import Disagreement, Trial

IDLE = 60.0
"""Seconds that a process waits for the next portion; then it is ended."""

Answer: TypeAlias = Done | str


class Died(Exception):
    """A process ended without an answer."""


class Failed(Exception):
    """A portion raised what nobody expected; the message is its traceback."""


class Closed(Exception):
    """The campaign is over: nobody would read the answer."""


class Children:
    """Processes for any number of threads, started when needed; killed at the end of ``with``."""

    def __init__(self) -> None:
        self._busy: set[_BatchProcess] = set()
        self._idle: dict[_BatchProcess, threading.Timer] = {}
        self._closed = False
        self._lock = threading.RLock()

    def do(self, task: Task, seeds: range) -> Done:
        """A portion; if its process dies, each of its programs in a process of its own.

        Raises Failed; Closed.
        """
        try:
            with self._child() as child:
                return child.ask(task, seeds)
        except Died:
            return self._one_by_one(task, seeds)

    def __enter__(self) -> "Children":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
            for child in (*self._idle, *self._busy):
                child.kill()
            for timer in self._idle.values():
                timer.cancel()

    def _one_by_one(self, task: Task, seeds: range) -> Done:
        total = Trial()
        reduced: dict[int, str] = {}
        for seed in seeds:
            try:
                with self._child(alone=True) as child:
                    done = child.ask(task, range(seed, seed + 1))
            except Died:
                done = Done(Trial(programs=1, disagreements=[_death(seed, task.settings)]))
            total.add(done.trial)
            reduced.update(done.reduced)
        return Done(total, reduced)

    @contextmanager
    def _child(self, *, alone: bool = False) -> "Iterator[_BatchProcess]":
        """A process to ask; ``alone``: a new one, which nobody asks again."""
        child = self._taken(alone)
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

    def _taken(self, alone: bool) -> "_BatchProcess":
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
    """A process, and the conversation with it."""

    def __init__(self) -> None:
        self._process = serving(__name__, os.environ)

    def ask(self, task: Task, seeds: range) -> Done:
        """A portion.  Raises Died, Failed."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((task, seeds), process.stdin)
            process.stdin.flush()
            answer: Answer = pickle.load(process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):  # closed, or cut off
            raise Died from None
        match answer:
            case Done():
                return answer
            case str():
                raise Failed(answer)

    def lives(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """The end, also of what it does just now; who waits for an answer hears that it died."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with suppress(OSError):  # what was not sent
                self._process.stdin.close()


def _death(seed: int, settings: Settings) -> Disagreement:
    passes = settings.orders.pipelines(seed)[-1]
    message = "the process died; what it printed last says more"
    return Disagreement(seed, str(passes), len(passes.steps), "process", "died", message)


# ---------------------------------------------------------------------- in the process


def serve() -> None:
    """Answers until standard input ends."""
    gc.set_threshold(20_000, 20, 20)  # little of what a trial makes is garbage in cycles

    def answer(portion: tuple[Task, range]) -> Answer:
        done = _answer(*portion)
        if not gc.get_freeze_count():  # all modules are imported: none of that is ever garbage
            gc.collect()
            gc.freeze()
        return done

    answering(answer)


def _answer(task: Task, seeds: range) -> Answer:
    try:
        return task.do(seeds)
    except Exception:
        return traceback.format_exc()
