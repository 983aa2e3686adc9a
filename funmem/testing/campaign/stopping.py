"""SIGINT and SIGTERM end a campaign early; its totals so far are still reported."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from funmem.ir.record import define


@define
class Stop:
    """Which signal has ended a block; None if it ran to its end."""

    signal: int | None = None

    def exit_code(self, code: int) -> int:
        """Return ``code``, or what a shell reports of a process that the signal ended."""
        return code if self.signal is None else 128 + self.signal


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Run the block until SIGINT or SIGTERM arrives; the statement after the block then follows.

    Also for a process that a shell has started in the background: it ignores SIGINT at first.  The
    handlers are those from before again when the block ends.  Outside the main thread, which alone
    may set handlers, signals do what they did.
    """
    stop = Stop()

    def end(number: int, _: FrameType | None) -> None:
        stop.signal = number
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        # compiled code ends at SIGINT only if Python's own handler is installed
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
        before[signal.SIGTERM] = signal.signal(signal.SIGTERM, end)
    try:
        yield stop
    except KeyboardInterrupt:
        stop.signal = stop.signal or int(signal.SIGINT)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
