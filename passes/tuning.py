"""The free parameters: how long chunks, strips, tiles and groups are.

None of them changes what a program means, nor which iterations a kernel has; they say how many of
these are done together, and by whom.  Which numbers are best depends on the program, its sizes, the
device and its compiler.  The defaults are good on processors with vectors of 64 bytes;
``funmem tune`` looks for better ones.

    threads   schedule   chunks of a top-level collective, one to a thread
    strip     schedule   neighbours that fold side by side where a reduction commutes
    tall      tiles      rows of a tile
    wide      tiles      columns of a tile
    width     lanes      iterations of a group; 0: 64, 48, 32 or 16, as there is room
    rounds    lanes      how often lanes go on before anybody looks whether one still does
    rows      jam        rows that run together, at most, as there is room in registers
    group     launches   work-items of a group in OpenCL; 0: as a range is long
"""

from collections.abc import Mapping
from types import MappingProxyType

from attrs import asdict

from funmem.ir.record import frozen


@frozen
class Tuning:
    """A choice of all of them."""

    threads: int = 128
    strip: int = 64
    tall: int = 64
    wide: int = 8
    width: int = 0
    rounds: int = 4
    rows: int = 8
    group: int = 0

    def changes(self) -> dict[str, int]:
        """What differs from the defaults."""
        plain = asdict(DEFAULT)
        return {x: n for x, n in asdict(self).items() if n != plain[x]}

    def __str__(self) -> str:
        return ", ".join(f"{x}={n}" for x, n in self.changes().items()) or "defaults"


DEFAULT = Tuning()

PASSES: Mapping[str, str] = MappingProxyType(
    {
        "threads": "schedule",
        "strip": "schedule",
        "tall": "tile",
        "wide": "tile",
        "width": "vectorise",
        "rounds": "vectorise",
        "rows": "unroll-and-jam",
    }
)
"""Parameter -> the pass whose option of that name it is."""
