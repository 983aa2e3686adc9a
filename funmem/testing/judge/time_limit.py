"""A limit on processor time.  A program that hangs is a failure, and the campaign continues."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTime(BaseException):
    """Raised when work exceeds its time limit.  ``except Exception`` in the work
    does not catch it.
    """


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the body of ``with`` after this many seconds of processor time.

    Processor time, not wall-clock time, so that a busy machine does not change the outcome.  Limits
    do not nest.  There is no limit outside the main thread, nor on systems without such a timer.

    Python ignores an exception that is raised while it runs a destructor or a callback of the
    garbage collector, so the timer goes off again every half second.
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
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
