"""Handles Ctrl-C while compiled code runs; Python's own handler would wait until it returns.

    the first     the call ends at the next launch, iteration of a host loop, or iteration of a
                  kernel with long loops (in C); then KeyboardInterrupt is raised
    the second    the process ends at once with exit code 130, except in an interactive session

Python's low-level signal handler writes the signal's number to a socket, and a thread reads it.
The thread can run, since the interpreter lock is released while compiled code runs.  All this is
inactive outside the main thread, and if the application has its own handler for the signal.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import TracebackType

_handler: Callable[[int], object] = sys.modules["_signal"].getsignal
"""``signal.getsignal`` without its conversion to an enum, which takes longer than all else here."""

_SIGINT = int(signal.SIGINT)

INTERRUPTED = 128 + signal.SIGINT
PATIENCE = 1.0
"""Seconds after an interrupt until a message says that a kernel is still running."""

_WAITING = b"interrupted; waiting for the kernel that runs%s\n"
_AGAIN = b" (once more: end at once)"


def nothing() -> None:
    """Do nothing after an interrupt: the run ends when the kernels that run have ended."""


class Interruptible:
    """A context in which the first SIGINT calls ``stop`` in another thread."""

    __slots__ = ("_watcher", "stop")

    def __init__(self, stop: Callable[[], object]) -> None:
        self.stop = stop
        self._watcher: _Watcher | None = None

    def __enter__(self) -> None:
        if (
            threading.get_ident() == threading.main_thread().ident
            and _handler(_SIGINT) is signal.default_int_handler
        ):
            self._watcher = _watcher(os.getpid())
            self._watcher.begin(self.stop)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watcher is not None:
            self._watcher.end()


class _Watcher:
    """The thread that reads the signals that have arrived."""

    def __init__(self) -> None:
        self._read, self._write = socket.socketpair()
        self._write.setblocking(False)
        self._number = self._write.fileno()
        self._lock = threading.Lock()
        self._stop: Callable[[], object] | None = None
        self._count = 0
        self._before = -1
        threading.Thread(target=self._watch, name="funmem-interrupts", daemon=True).start()

    def begin(self, stop: Callable[[], object]) -> None:
        """Begin a run that ``stop`` ends; signals are reported to this thread."""
        with self._lock:
            self._stop, self._count = stop, 0
        self._before = signal.set_wakeup_fd(self._number, warn_on_full_buffer=False)

    def end(self) -> None:
        """End a run; Python handles interrupts again."""
        signal.set_wakeup_fd(self._before)
        with self._lock:
            self._stop = None

    def _watch(self) -> None:
        patience: float | None = None
        while True:
            self._read.settimeout(patience)
            try:
                numbers = self._read.recv(64)
            except TimeoutError:
                self._say()
                patience = None
                continue
            patience = PATIENCE
            if self._before >= 0:
                with suppress(OSError):  # the previous listener has closed its socket
                    os.write(self._before, numbers)
            for number in numbers:
                if number == signal.SIGINT:
                    self._interrupt()

    def _interrupt(self) -> None:
        with self._lock:
            if self._stop is None:
                return
            self._count += 1
            if self._count == 1:
                self._stop()
            elif not _interactive():
                os._exit(INTERRUPTED)

    def _say(self) -> None:
        with self._lock:
            if self._stop is not None and self._count == 1:
                os.write(2, _WAITING % (b"" if _interactive() else _AGAIN))


@cache
def _watcher(process: int) -> _Watcher:  # noqa: ARG001  # a fork needs a thread of its own
    return _Watcher()


def _interactive() -> bool:
    return hasattr(sys, "ps1")
