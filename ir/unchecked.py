"""Remove checks from IMP: bounds checks in kernels for a fast build, or a given set."""

from collections.abc import Callable
from typing import TypeAlias

from funmem.ir.diagnostics import TrapKind
from funmem.ir.imp import (
    Block,
    Check,
    ImpEntry,
    ImpProgram,
    ImpStm,
    KernelStm,
)
from funmem.ir.imp_traverse import map_children
from funmem.ir.record import evolve

DROPPED = frozenset(
    (TrapKind.INDEX, TrapKind.SLICE, TrapKind.OVERLAP, TrapKind.NEGATIVE_SIZE, TrapKind.SHAPE)
)
"""The kinds of checks that :func:`drop_checks` removes from kernels."""


Unwanted: TypeAlias = Callable[[Check, bool], bool]
"""True if a check is removed; the second argument is true inside a kernel."""


def drop_checks(p: ImpProgram) -> ImpProgram:
    """Return the program without checks of the kinds DROPPED in its kernels."""
    entries = (without(e, lambda c, kernel: kernel and c.kind in DROPPED) for e in p.entries)
    return evolve(p, entries=tuple(entries))


def without(e: ImpEntry, unwanted: Unwanted) -> ImpEntry:
    """Return the entry point without the checks for which ``unwanted`` holds."""
    return evolve(e, body=without_in(e.body, unwanted, kernel=False))


def without_in(stms: Block, unwanted: Unwanted, *, kernel: bool) -> Block:
    """Return statements, of the host or of a ``kernel``, without unwanted checks."""

    def inside(b: Block) -> Block:
        return without_in(b, unwanted, kernel=kernel)

    def inside_kernel(b: Block) -> Block:
        return without_in(b, unwanted, kernel=True)

    def statement(s: ImpStm) -> ImpStm:
        return map_children(s, inside_kernel if isinstance(s, KernelStm) else inside)

    kept = (s for s in stms if not (isinstance(s, Check) and unwanted(s, kernel)))
    return tuple(map(statement, kept))
