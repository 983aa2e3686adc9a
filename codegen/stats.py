"""The cost of a call."""

from funmem.ir.record import frozen


@frozen
class Seconds:
    """The seconds that a call spent on passing arguments, running kernels, returning results.

    They are not measured for a call that does not wait.
    """

    pass_in: float = 0.0
    run: float = 0.0
    hand_back: float = 0.0


@frozen
class Stats:
    """The cost of the last call: launches, peak memory (bytes of all held blocks), and time.

    A call of a C library measures its memory only.
    """

    launches: int = 0
    peak_bytes: int = 0
    seconds: Seconds = Seconds()
