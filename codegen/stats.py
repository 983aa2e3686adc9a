"""The cost of a call."""

from funmem.ir.record import define, frozen


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


@define(eq=False)
class Transfers:
    """The arrays that moved between the host and a device since it was opened, and their bytes.

    An array counts where the device shares the host's memory as well, so that nothing is copied.
    Single elements and statuses, which the host reads during a call, do not count.
    """

    to_device: int = 0
    to_host: int = 0
    bytes_to_device: int = 0
    bytes_to_host: int = 0

    @property
    def count(self) -> int:
        """The number of arrays."""
        return self.to_device + self.to_host

    @property
    def bytes(self) -> int:
        """The bytes of all arrays."""
        return self.bytes_to_device + self.bytes_to_host

    def sent(self, size: int) -> None:
        """Count an array that goes to the device; an empty one does not move."""
        self.to_device += size > 0
        self.bytes_to_device += size

    def fetched(self, size: int) -> None:
        """Count an array that goes to the host."""
        self.to_host += size > 0
        self.bytes_to_host += size
