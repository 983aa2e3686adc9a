"""Bugs of unfill, and of the proof that it relies on."""

from tests.seeded.bug import Caught, SeededBug

WRITTEN = "funmem.ir.verify.written"
PIPELINE = "allocate,simplify,unfill"


def bug(name: str, what: str, old: str, new: str, module: str = WRITTEN) -> SeededBug:
    """A bug that leaves out a fill whose elements are read."""
    program, args = "unfill.fun", ([3, 1, 4, 1],)
    return SeededBug(
        f"unfill-{name}", what, module, old, new, "unfill", PIPELINE, program, args, Caught.TRAP
    )


BUGS = (
    bug(
        "observed",
        "arrays whose first elements are read are not filled",
        "return candidates - visible(",
        "return candidates or visible(",
        "funmem.passes.mem.unfill",
    ),
    bug(
        "this-iteration",
        "the element that the present iteration is going to write counts as written",
        "nonneg(last - 1, facts)",
        "nonneg(last, facts)",
    ),
    bug(
        "exchanged",
        "an array counts as the one that the last iteration wrote, whichever that was",
        "and self._kept(x, around[last:])",
        "and self._kept(x, ())",
    ),
)
