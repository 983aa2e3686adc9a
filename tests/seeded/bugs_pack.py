"""Bugs of panels: what is copied, where, and how the kernel reads it."""

import numpy as np

from tests.seeded.bug import Caught, SeededBug

AS = np.arange(1, 31, dtype=np.int64).reshape(5, 6)
BS = np.arange(1, 61, dtype=np.int64).reshape(2, 6, 5) ** 2
LANES = "allocate,lower,vectorise{width=2},unroll-and-jam{rows=2},pack{reuse=2,least=0}"


def bug(
    name: str, what: str, old: str, new: str, caught: Caught = Caught.HEAP, rule: str = ""
) -> SeededBug:
    """A bug that a product of matrices notices."""
    module, program = "funmem.passes.imp.pack", "pack_product.fun"
    return SeededBug(
        f"pack-{name}", what, module, old, new, "pack", LANES, program, (AS, BS), caught, rule
    )


BUGS: tuple[SeededBug, ...] = (
    bug(
        "start-stays",
        "the kernel reads the panels from where the array began",
        "zip(variables, (ZERO, *strides), strict=True)",
        "zip(variables[1:], strides, strict=True)",
        Caught.OUTSIDE,
    ),
    bug(
        "strides-stay",
        "the kernel reads the panels with the strides of the array",
        "zip(variables, (ZERO, *strides), strict=True)",
        "zip(variables[:1], (ZERO,), strict=True)",
        Caught.OUTSIDE,
    ),
    bug(
        "panels-overlap",
        "the panels of all groups lie in the same place",
        "zip(dims, strides, strict=True)), var(lane))",
        "zip(dims[1:], strides[1:], strict=True)), var(lane))",
        Caught.RACE,
    ),
    bug(
        "panels-too-small",
        "there is no place for the panels of the last index of a dimension",
        "strides[0] * dims[0].bound * c.read.elem.bytes",
        "strides[0] * (dims[0].bound - 1) * c.read.elem.bytes",
        Caught.OUTSIDE,
    ),
    bug(
        "other-row",
        "the copy begins with the second row that the loop reads",
        "index = c.read.index.subst({**image,",
        "index = c.read.index.subst({**image, self.loop.index: image[self.loop.index] + 1,",
        Caught.OUTSIDE,
    ),
)
