"""The buffers that a run of a host plan holds, and how many bytes they have.

Several block variables may name one buffer.  It is given back when the last of them names another.
"""

from attrs import field

from funmem.ir.names import Name
from funmem.ir.record import define


@define(eq=False)
class Buffer:
    """``size`` bytes, allocated at ``site``, that ``holders`` variables name."""

    size: int
    site: int
    holders: int = 1


@define(eq=False)
class Held:
    """Which buffer each block variable names; ``live`` bytes are held in all."""

    buffers: dict[Name, Buffer] = field(factory=dict)
    live: int = 0

    def take(self, x: Name, size: int, site: int = 0) -> None:
        """``x`` names a new buffer."""
        self.drop(x)
        self.buffers[x] = Buffer(size, site)
        self.live += size

    def drop(self, x: Name) -> None:
        """``x`` names no buffer any more."""
        buffer = self.buffers.pop(x, None)
        if buffer is not None:
            buffer.holders -= 1
            if not buffer.holders:
                self.live -= buffer.size

    def alias(self, x: Name, y: Name) -> None:
        """``x`` names what ``y`` names."""
        new = self.buffers.get(y)
        if new is not None:
            new.holders += 1
        self.drop(x)
        if new is not None:
            self.buffers[x] = new
