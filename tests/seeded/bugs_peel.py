"""Bugs of kernels split into an interior and edges, and of neighbours found without divisions."""

import numpy as np

from tests.seeded.bug import Caught, SeededBug

PEEL = "funmem.passes.imp.peel"
ROWS = (np.arange(1, 21, dtype=np.int64).reshape(4, 5),)
"""Rows of five elements: three iterations are edges, two are the interior."""


def bug(
    name: str, what: str, old: str, new: str, caught: Caught = Caught.HEAP, module: str = PEEL
) -> SeededBug:
    """A bug that the torus notices."""
    pipeline = "allocate,lower,peel"
    return SeededBug(
        f"peel-{name}", what, module, old, new, "peel", pipeline, "torus.fun", ROWS, caught
    )


BUGS: tuple[SeededBug, ...] = (
    bug(
        "remainder-of-anything",
        "a remainder by another number is taken for one by the dimension",
        "if p is None or divisor != dim.bound:",
        "if p is None or divisor is None:",
    ),
    bug(
        "neighbour-wraps-to-the-end",
        "a neighbour behind the end of its dimension is the last element",
        "end, other = (last, const(0)) if k == 1 else (const(0), last)",
        "end, other = (last, last) if k == 1 else (const(0), const(0))",
    ),
    bug(
        "neighbour-in-front",
        "a neighbour is looked for on the other side",
        "(evolve(s, value=size_exp(i + k)),)",
        "(evolve(s, value=size_exp(i - k)),)",
        Caught.OUTSIDE,
    ),
    bug(
        "neighbour-any-distance",
        "a neighbour that is two away is found as if it were one away",
        "if found is None or abs(found[1]) != 1 else",
        "if found is None else",
        Caught.OUTSIDE,
    ),
    bug(
        "edge-before-too-narrow",
        "the interior begins with an iteration that clamps",
        "yield _Clamp(t, var(last.index) + k, max(0, -k), max(0, k))",
        "yield _Clamp(t, var(last.index) + k, max(0, -k - 1), max(0, k))",
        Caught.OUTSIDE,
    ),
    bug(
        "edge-after-too-narrow",
        "the interior ends with an iteration that clamps",
        "yield _Clamp(t, var(last.index) + k, max(0, -k), max(0, k))",
        "yield _Clamp(t, var(last.index) + k, max(0, -k), 0)",
        Caught.OUTSIDE,
    ),
    bug(
        "interior-from-zero",
        "the interior's iterations begin with the first of the kernel",
        "at(interior, len(s.dims) - 1, var(k) + before, k, var(inner))",
        "at(interior, len(s.dims) - 1, var(k), k, var(inner))",
        Caught.OUTSIDE,
    ),
    bug(
        "edges-without-the-end",
        "the iterations behind the interior are left out",
        "ImpDim(e, last.bound - inner)",
        "ImpDim(e, const(before))",
    ),
    bug(
        "branch-as-on-the-edge",
        "the interior keeps the side of a branch that only the edge takes",
        "value, before, max(after, *(k for k in far if k is not None))",
        "not value, before, max(after, *(k for k in far if k is not None))",
        module="funmem.passes.imp.decided",
    ),
)
