"""A limit on processor time: what hangs is a failure as well, and a campaign goes on."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTime(BaseException):
    """A piece of work took longer than it may.  No ``except Exception`` in it holds this up."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Within, OutOfTime is raised after so many seconds of this process's time.

    Of the process and not of the clock, so that a busy machine changes nothing.  Limits do not
    nest.  Without effect outside the main thread and where the system has no such timer.
    """
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def late(_: int, __: FrameType | None) -> None:
        raise OutOfTime(f"it takes more than {seconds:g} seconds")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
