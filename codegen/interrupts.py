"""Ctrl-C while compiled code runs, which Python's own handler does not see before it returns.

    the first     the run ends at the next launch, round of a loop of the host, or iteration of a
                  kernel that looks (in C: those that have long loops); KeyboardInterrupt is raised
    the second    the process ends at once, with exit code 130; not in an interactive session

Python's handler in C writes the signal's number to a socket, and a thread reads it: it can, as
whoever waits for compiled code has given the interpreter's lock back.  Nothing of this happens
where somebody else handles the signal, nor outside the main thread.
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

from funmem.ir.record import define

INTERRUPTED = 128 + signal.SIGINT
PATIENCE = 1.0
"""Seconds after which somebody who has interrupted is told what is waited for."""

_WAITING = b"interrupted; waiting for the kernel that runs%s\n"
_AGAIN = b" (once more: end at once)"


@define(eq=False)
class Interruptible:
    """While it is entered the first SIGINT calls ``stop``, in another thread."""

    stop: Callable[[], object]
    _watcher: "_Watcher | None" = None
    _before: int = -1

    def __enter__(self) -> None:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            self._watcher = _watcher(os.getpid())
            self._watcher.begin(self.stop)
            self._before = self._watcher.listen()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watcher is not None:
            signal.set_wakeup_fd(self._before)
            self._watcher.end()


class _Watcher:
    """The thread that reads what signals there were."""

    def __init__(self) -> None:
        self._read, self._write = socket.socketpair()
        self._write.setblocking(False)
        self._lock = threading.Lock()
        self._stop: Callable[[], object] | None = None
        self._count = 0
        self._before = -1
        threading.Thread(target=self._watch, name="funmem-interrupts", daemon=True).start()

    def begin(self, stop: Callable[[], object]) -> None:
        """A run begins that ``stop`` ends."""
        with self._lock:
            self._stop, self._count = stop, 0

    def end(self) -> None:
        """It has ended; interrupts are Python's again."""
        with self._lock:
            self._stop = None

    def listen(self) -> int:
        """Has signals reported here; answers where they were reported before."""
        self._before = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        return self._before

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
                with suppress(OSError):  # whoever listened before is not there any more
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
def _watcher(process: int) -> _Watcher:  # noqa: ARG001  # a fork has no thread of its parent's
    return _Watcher()


def _interactive() -> bool:
    return hasattr(sys, "ps1")
