"""The default pipeline, level by level: read it from top to bottom."""

from funmem.ir.fun import FunProgram, MemProgram
from funmem.ir.imp import ImpProgram
from funmem.passes.framework import Report, as_imp, as_tree
from funmem.passes.runner import After, Pipeline

FUN = "simplify,fuse,nest,schedule,simplify"
"""FUN -> FUN: kernels are fused, nests become kernels, and these become threads."""

ALLOCATE = "allocate,simplify"
"""FUN -> FUNMEM: every array gets a home."""

_PLACES = (
    "hoist,short-circuit",  # arrays are built where they will end
    "double-buffer,hoist",  # loops do not allocate
    "short-circuit,simplify",  # what that has made possible
    "expand,sequentialise",  # kernels do not allocate; one that still does is none
)
_SHARING = ("merge",)  # blocks have one owner after the other

MEMORY = ",".join((*_PLACES, *_SHARING))
"""FUNMEM -> FUNMEM: fewer copies, fewer blocks, and no allocation in loops and kernels."""

GPU_MEMORY = ",".join((*_PLACES, "coalesce", *_SHARING))
"""The same for a GPU, where arrays are also put in the order in which threads read them."""

LOWER = "lower"
"""FUNMEM -> IMP."""

VERIFIED = "lower-verified"
"""The same without the checks that the verifier proves."""

FAST = "unchecked"
"""IMP -> IMP, if kernels shall not check bounds."""

CPU = "peel,tile,vectorise,unroll-and-jam,loop-versioning"
"""IMP -> IMP, for processors with caches and vectors: neighbours run side by side."""

DEFAULT = ",".join((FUN, ALLOCATE, MEMORY, LOWER, CPU))
"""What ``funmem compile`` runs."""


def to_funmem(
    p: FunProgram,
    *,
    verify: bool = True,
    report: Report | None = None,
    after: After | None = None,
) -> MemProgram:
    """FUN to FUNMEM by the default pipeline, all memory passes included."""
    pipeline = Pipeline.parse(",".join((FUN, ALLOCATE, MEMORY)))
    return as_tree(pipeline.run(p, verify=verify, report=report, after=after))


def to_imp(
    p: FunProgram,
    *,
    verify: bool = True,
    report: Report | None = None,
    after: After | None = None,
) -> ImpProgram:
    """FUN to IMP by the default pipeline."""
    pipeline = Pipeline.parse(DEFAULT)
    return as_imp(pipeline.run(p, verify=verify, report=report, after=after))
