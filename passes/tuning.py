"""Tuning parameters: the sizes of chunks, strips, tiles and groups.

They do not change the meaning of a program, nor the iterations of a kernel, but how iterations are
grouped and distributed.  The best values depend on the program, its sizes, the device and its
compiler.  The defaults are good for processors with vectors of 64 bytes; ``funmem tune`` searches
for better ones.

    threads   schedule         chunks of a top-level collective, one per thread
    strip     schedule         elements that are folded in parallel if a reduction commutes
    piece     schedule         elements of a piece of a long row of a ragged array
    tall      tile             rows of a tile
    wide      tile             columns of a tile
    width     vectorise        iterations of a group; 0: 64, 48, 32, 16 or 8, as registers permit
    rounds    vectorise        iterations of a while-loop between two tests for active lanes
    rows      unroll-and-jam   largest unroll factor, as registers permit
    group     kernel launch    work-items of a work-group on a GPU; 0: by the length of the range
"""

from collections.abc import Mapping
from types import MappingProxyType

from attrs import asdict

from funmem.ir.record import frozen


@frozen
class Tuning:
    """A value for each parameter."""

    threads: int = 128
    strip: int = 64
    piece: int = 4096
    tall: int = 64
    wide: int = 8
    width: int = 0
    rounds: int = 4
    rows: int = 8
    group: int = 0

    def changes(self) -> dict[str, int]:
        """Return the parameters that differ from the defaults."""
        plain = asdict(DEFAULT)
        return {x: n for x, n in asdict(self).items() if n != plain[x]}

    def __str__(self) -> str:
        return ", ".join(f"{x}={n}" for x, n in self.changes().items()) or "defaults"


DEFAULT = Tuning()

GPU_PIECE = 256
"""The value of ``piece`` on a GPU."""

PASSES: Mapping[str, str] = MappingProxyType(
    {
        "threads": "schedule",
        "strip": "schedule",
        "piece": "schedule",
        "tall": "tile",
        "wide": "tile",
        "width": "vectorise",
        "rounds": "vectorise",
        "rows": "unroll-and-jam",
    }
)
"""Parameter -> the pass whose option of that name it is."""
