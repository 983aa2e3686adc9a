"""What a seeded bug is."""

from enum import Enum

from attrs import field, frozen

from funmem.ir.values import ArgValue


class Caught(Enum):
    """The check that catches a bug."""

    TYPES = "types after the pass"
    VALUE = "the erased program means something else"
    TRAP = "the erased program traps differently"
    HEAP = "value and heap differ"
    RACE = "data race"
    POISON = "read of what was never written"
    OUTSIDE = "access outside its block"
    INCOHERENT = "annotation differs from the array's real place"
    OVERLAP = "copy source and destination overlap partly"
    CLOBBERED = "live array overwritten"
    TOO_LARGE = "a block that no memory holds"
    CRASH = "the pass itself fails"


@frozen
class SeededBug:
    """``old`` becomes ``new`` in ``module``; ``what`` says what is then wrong."""

    name: str
    what: str
    module: str
    old: str
    new: str
    pass_name: str
    """The pass that runs patched, wherever the pipeline uses it."""
    pipeline: str
    program: str
    """A file of ``programs/``, on which the bug shows."""
    args: tuple[ArgValue, ...]
    caught: Caught
    rule: str = field(default="")
    """For TYPES: the type rule that notices."""
