"""The default pipelines, level by level, from top to bottom."""

from typing import cast

from funmem.ir.core import CoreProgram
from funmem.ir.fun import FunProgram, MemProgram
from funmem.ir.imp import ImpProgram
from funmem.passes.framework import Report, as_imp, as_tree
from funmem.passes.runner import After, AfterAny, Pipeline

CORE = (
    "entry-data,monomorphise,lambda-lift,closure-convert,defunctionalise,"
    "box-rows,tables,flatten-data,widen,recursion,flatten-nested,to-fun"
)
"""Core -> FUN: one feature that FUN lacks is removed at a time."""

FUN = "inline,simplify,fuse,nest,schedule,simplify"
"""FUN -> FUN: inline what passes need to see, fuse kernels, flatten nests, and divide collectives
among threads."""

ALLOCATE = "allocate,simplify"
"""FUN -> FUNMEM: every array gets a home, a block and an index function."""

_BUFFERS = (
    "unfill",  # arrays that loops fill have no other initial values
    "hoist,short-circuit",  # arrays are built in their destinations
    "double-buffer,hoist",  # loops do not allocate
)
_VECTORS = ("coalesce{sector=1,reuse=1}",)  # arrays in the order in which vectors read them
_PLACES = (
    "short-circuit,simplify",  # again, as double buffers permit more
    "expand,sequentialise",  # no allocation in kernels; a kernel that still allocates is a loop
)
_SHARING = ("merge",)  # arrays with disjoint live ranges share a block

MEMORY = ",".join((*_BUFFERS, *_VECTORS, *_PLACES, *_SHARING))
"""FUNMEM -> FUNMEM: fewer copies, fewer blocks, and no allocation in loops and kernels."""

GPU_MEMORY = ",".join((*_BUFFERS, *_PLACES, "coalesce", *_SHARING))
"""The same for a GPU, where array layouts are changed last, for coalesced accesses of all arrays
that kernels read."""

LOWER = "lower"
"""FUNMEM -> IMP."""

VERIFIED = "lower-verified"
"""The same without the checks that the verifier proves."""

FAST = "unchecked"
"""IMP -> IMP: remove bounds checks from kernels."""

CPU = "peel,tile,vectorise,unroll-and-jam,pack,loop-versioning"
"""IMP -> IMP: optimise loops for processors with caches and vector instructions."""

DEFAULT = ",".join((FUN, ALLOCATE, MEMORY, LOWER, CPU))
"""The pipeline of ``funmem compile`` for FUN; for Core, ``CORE`` precedes it."""


def to_fun(
    p: CoreProgram,
    *,
    verify: bool = True,
    report: Report | None = None,
    after: AfterAny | None = None,
) -> FunProgram:
    """Translate Core to FUN by the default pipeline.

    Raises SourceError (``not-supported``) for what FUN cannot express.
    """
    pipeline = Pipeline.parse(CORE)
    return cast("FunProgram", as_tree(pipeline.run(p, verify=verify, report=report, after=after)))


def to_funmem(
    p: FunProgram,
    *,
    verify: bool = True,
    report: Report | None = None,
    after: After | None = None,
) -> MemProgram:
    """Translate FUN to FUNMEM by the default pipeline, all memory passes included."""
    pipeline = Pipeline.parse(",".join((FUN, ALLOCATE, MEMORY)))
    return as_tree(pipeline.run(p, verify=verify, report=report, after=after))


def to_imp(
    p: FunProgram,
    *,
    verify: bool = True,
    report: Report | None = None,
    after: After | None = None,
) -> ImpProgram:
    """Translate FUN to IMP by the default pipeline."""
    pipeline = Pipeline.parse(DEFAULT)
    return as_imp(pipeline.run(p, verify=verify, report=report, after=after))
