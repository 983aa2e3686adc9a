"""Peers in processes of their own, so that one that takes too long can be stopped.

A peer is somebody else's code, compiled by somebody else's compiler: it may take for ever, or take
its process with it.  Each has a process, which is killed, with all that it has started, when an
answer takes longer than the limit.  Times are measured there, where the peer runs.  In pickles:

    -> Order                 <- Ready | Absent
    -> Question.RUN          <- Ran
    -> Question.RESULTS      <- the results of the last run
                             <- Failure, instead of any of these
"""

import os
import pickle
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum, auto
from typing import TypeAlias

import numpy as np

from funmem.bench.contenders import Absent, Contender, Lost, Run
from funmem.bench.peers import peer, units
from funmem.bench.tasks import Arrays, Call, Task
from funmem.ir.record import evolve, frozen
from funmem.ir.values import ArgValue, ArrayValue
from funmem.testing.campaign.process import serve_pickles, start_process

LIMIT = 60.0
"""Seconds that building a peer, or one run of it, may take."""


@frozen(eq=False)
class Order:
    """Who is to compute what; ``shapes`` and element types of the results; Futhark's compiler."""

    unit: str
    call: Call
    shapes: tuple[tuple[tuple[int, ...], np.dtype[np.generic]], ...]
    futhark: str | None
    threads: int | None


class Question(Enum):
    """What a peer that is ready is asked."""

    RUN = auto()
    RESULTS = auto()


@frozen
class Ready:
    """A peer is built: seconds of what happened once, by name."""

    prepared: Mapping[str, float]


@frozen
class Ran:
    """Seconds of computing and of moving arguments and results."""

    seconds: float
    transfer: float


@frozen
class Failure:
    """What a peer raised."""

    why: str


Asked: TypeAlias = Order | Question
Answer: TypeAlias = Ready | Absent | Ran | Arrays | Failure


def contenders(
    task: Task,
    names: Sequence[str],
    expected: Arrays,
    futhark: str | None = None,
    threads: int | None = None,
    limit: float = LIMIT,
) -> Iterator[Contender | Absent]:
    """The peers of a task, one after the other, as they become ready."""
    shapes = tuple((x.shape, x.dtype) for x in expected)
    for unit in units(task.folder, names, futhark):
        process = _Process(limit)
        try:
            answer = process.ask(Order(unit, task.call, shapes, futhark, threads), "building it")
        except Lost as lost:
            yield Absent(unit, lost.why)
            continue
        if isinstance(answer, Ready):
            yield Contender(unit, process.run, answer.prepared, process.kill)
            continue
        process.kill()
        assert isinstance(answer, Absent)
        yield answer


class _Process:
    """A peer's process, and the conversation with it."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._process = start_process(__name__, os.environ, new_group=True)
        self._late = False

    def ask(self, question: Asked, doing: str) -> Answer:
        """The answer; ``doing``: what it takes time for.  Raises Lost, after which it is gone."""
        to, answers = self._process.stdin, self._process.stdout
        assert to is not None
        assert answers is not None
        timer = threading.Timer(self._limit, self._stop)
        timer.start()
        try:
            pickle.dump(question, to, protocol=5)
            to.flush()
            answer: Answer = pickle.load(answers)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):  # closed, or cut off
            timer.cancel()
            timer.join()
            self.kill()
            if self._late:
                raise Lost(f"timed out: {doing} takes more than {self._limit:g} s") from None
            raise Lost(f"its process died of {doing}") from None
        except BaseException:
            self.kill()
            raise
        finally:
            timer.cancel()
        if isinstance(answer, Failure):
            self.kill()
            raise Lost(f"{doing}: {answer.why}")
        return answer

    def run(self) -> Run:
        """One run, whose results have to be asked for before the next.  Raises Lost."""
        ran = self.ask(Question.RUN, "a run")
        assert isinstance(ran, Ran)
        return Run(ran.seconds, self._results, ran.transfer)

    def _results(self) -> Arrays:
        found = self.ask(Question.RESULTS, "handing over results")
        assert isinstance(found, tuple)
        return found

    def _stop(self) -> None:
        self._late = True
        self._end()

    def kill(self) -> None:
        """The end of it and of all that it has started."""
        self._end()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent
                    pipe.close()

    def _end(self) -> None:
        if self._process.poll() is not None:
            return
        with suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()


# ---------------------------------------------------------------------- in the process


def serve() -> None:
    """Answers until standard input ends."""
    serve_pickles(_Server().answer)


def own(a: ArgValue) -> ArgValue:
    """An argument in memory that numpy has asked for, as ours are: large pages for what is large.
    What a pickle brings has small ones, with which axpy takes half as long again.
    """
    match a:
        case np.ndarray():
            return np.array(a)
        case ArrayValue(data, defined):
            return ArrayValue(np.array(data), defined)
        case _:
            return a


class _Server:
    """The peer, once there was an order, and its last run."""

    def __init__(self) -> None:
        self._peer: Contender | None = None
        self._last: Run | None = None

    def answer(self, asked: Asked) -> Answer:
        try:
            match asked:
                case Order():
                    return self._build(asked)
                case Question.RUN:
                    assert self._peer is not None
                    self._last = None  # whose memory the next run may want
                    self._last = self._peer.run()
                    return Ran(self._last.seconds, self._last.transfer)
                case Question.RESULTS:
                    assert self._last is not None
                    return self._last.results()
        except Exception as error:  # a peer may raise anything, and is left out for it
            return Failure(" ".join(f"{type(error).__name__}: {error}".split())[:200])

    def _build(self, o: Order) -> Ready | Absent:
        expected = tuple(np.empty(shape, t) for shape, t in o.shapes)
        call = evolve(o.call, args=tuple(map(own, o.call.args)))
        found = peer(o.unit, call, expected, o.futhark, o.threads)
        if isinstance(found, Absent):
            return found
        self._peer = found
        return Ready(dict(found.prepared))
