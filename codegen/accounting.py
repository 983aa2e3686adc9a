"""Counts the buffers that a run of a host plan holds, and their bytes.

Several block variables may name one buffer.  It is freed when the last of them stops naming it.
"""

from attrs import field

from funmem.ir.names import Name
from funmem.ir.record import define


@define(eq=False)
class HeldBuffer:
    """A buffer of ``size`` bytes, allocated at step ``site`` and named by ``holders`` variables."""

    size: int
    site: int
    holders: int = 1


@define(eq=False)
class Held:
    """Maps block variables to the buffers that they name; ``live``: the bytes held in total."""

    buffers: dict[Name, HeldBuffer] = field(factory=dict)
    live: int = 0

    def take(self, x: Name, size: int, site: int = 0) -> None:
        """Let ``x`` name a new buffer of ``size`` bytes."""
        self.drop(x)
        self.buffers[x] = HeldBuffer(size, site)
        self.live += size

    def drop(self, x: Name) -> None:
        """Let ``x`` name no buffer; a buffer without names is freed."""
        buffer = self.buffers.pop(x, None)
        if buffer is not None:
            buffer.holders -= 1
            if not buffer.holders:
                self.live -= buffer.size

    def alias(self, x: Name, y: Name) -> None:
        """Let ``x`` name the buffer that ``y`` names."""
        new = self.buffers.get(y)
        if new is not None:
            new.holders += 1
        self.drop(x)
        if new is not None:
            self.buffers[x] = new
