"""Peers in separate processes, so that a peer that takes too long can be killed.

A peer is foreign code, compiled by a foreign compiler.  It may run forever or crash its process.
Therefore each peer has a process.  The process and its children are killed when an answer takes
longer than the limit.  Times are measured in the peer's process.  The messages are pickles:

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
    """The peer to build and the call to compute; shapes and element types of the results; the path
    of Futhark's compiler; the number of threads.
    """

    unit: str
    call: Call
    shapes: tuple[tuple[tuple[int, ...], np.dtype[np.generic]], ...]
    futhark: str | None
    threads: int | None


class Question(Enum):
    """The requests to a peer that is ready."""

    RUN = auto()
    RESULTS = auto()


@frozen
class Ready:
    """The peer is built; ``prepared``: seconds of each one-time step, by name."""

    prepared: Mapping[str, float]


@frozen
class Ran:
    """Seconds of computing and of transferring arguments and results."""

    seconds: float
    transfer: float


@frozen
class Failure:
    """The message of an exception in the peer's process."""

    why: str


Request: TypeAlias = Order | Question
Reply: TypeAlias = Ready | Absent | Ran | Arrays | Failure


def contenders(
    task: Task,
    names: Sequence[str],
    expected: Arrays,
    futhark: str | None = None,
    threads: int | None = None,
    limit: float = LIMIT,
) -> Iterator[Contender | Absent]:
    """Yield the peers of a task, one after the other, as they become ready."""
    shapes = tuple((x.shape, x.dtype) for x in expected)
    for unit in units(task.folder, names, futhark):
        process = _Process(limit)
        try:
            reply = process.ask(Order(unit, task.call, shapes, futhark, threads), "building it")
        except Lost as lost:
            yield Absent(unit, lost.why)
            continue
        if isinstance(reply, Ready):
            yield Contender(unit, process.run, reply.prepared, process.kill)
            continue
        process.kill()
        assert isinstance(reply, Absent)
        yield reply


class _Process:
    """A peer's process, seen from the benchmark: requests and replies."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._process = start_process(__name__, os.environ, new_group=True)
        self._late = False

    def ask(self, request: Request, doing: str) -> Reply:
        """Send a request and return the reply.  ``doing`` names the work for messages.

        Raises Lost; the process has then ended.
        """
        to, replies = self._process.stdin, self._process.stdout
        assert to is not None
        assert replies is not None
        timer = threading.Timer(self._limit, self._stop)
        timer.start()
        try:
            pickle.dump(request, to, protocol=5)
            to.flush()
            reply: Reply = pickle.load(replies)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):  # closed or truncated
            timer.cancel()
            timer.join()
            self.kill()
            if self._late:
                raise Lost(f"timed out: {doing} takes more than {self._limit:g} s") from None
            raise Lost(f"its process died during {doing}") from None
        except BaseException:
            self.kill()
            raise
        finally:
            timer.cancel()
        if isinstance(reply, Failure):
            self.kill()
            raise Lost(f"{doing}: {reply.why}")
        return reply

    def run(self) -> Run:
        """Run the peer once.  The results are available until the next run.  Raises Lost."""
        ran = self.ask(Question.RUN, "a run")
        assert isinstance(ran, Ran)
        return Run(ran.seconds, self._results, ran.transfer)

    def _results(self) -> Arrays:
        found = self.ask(Question.RESULTS, "sending results")
        assert isinstance(found, tuple)
        return found

    def _stop(self) -> None:
        self._late = True
        self._end()

    def kill(self) -> None:
        """End the process and all its children."""
        self._end()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # flushing data that was not sent
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
    """Answer requests until standard input ends."""
    serve_pickles(_Server().answer)


def own(a: ArgValue) -> ArgValue:
    """Return a copy of an argument in memory that numpy allocated, as funmem's arguments are.

    Large numpy arrays lie in huge pages.  Arrays from a pickle lie in small pages, with which axpy
    takes 1.5 times as long.
    """
    match a:
        case np.ndarray():
            return np.array(a)
        case ArrayValue(data, defined):
            return ArrayValue(np.array(data), defined)
        case _:
            return a


class _Server:
    """The peer's process, seen from inside: the peer that was ordered, and its last run."""

    def __init__(self) -> None:
        self._peer: Contender | None = None
        self._last: Run | None = None

    def answer(self, request: Request) -> Reply:
        try:
            match request:
                case Order():
                    return self._build(request)
                case Question.RUN:
                    assert self._peer is not None
                    self._last = None  # free its memory for the next run
                    self._last = self._peer.run()
                    return Ran(self._last.seconds, self._last.transfer)
                case Question.RESULTS:
                    assert self._last is not None
                    return self._last.results()
        except Exception as error:  # a peer may raise any exception; it is then skipped
            return Failure(" ".join(f"{type(error).__name__}: {error}".split())[:200])

    def _build(self, o: Order) -> Ready | Absent:
        expected = tuple(np.empty(shape, t) for shape, t in o.shapes)
        call = evolve(o.call, args=tuple(map(own, o.call.args)))
        found = peer(o.unit, call, expected, o.futhark, o.threads)
        if isinstance(found, Absent):
            return found
        self._peer = found
        return Ready(dict(found.prepared))
