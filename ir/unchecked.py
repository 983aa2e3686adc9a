"""IMP without some of its checks: bounds in kernels for a fast build, or others."""

from collections.abc import Callable
from typing import TypeAlias

from funmem.ir.diagnostics import TrapKind
from funmem.ir.imp import (
    Block,
    Check,
    ForStm,
    IfStm,
    ImpEntry,
    ImpProgram,
    ImpStm,
    KernelStm,
    WhileStm,
)
from funmem.ir.record import evolve

DROPPED = frozenset(
    (TrapKind.INDEX, TrapKind.SLICE, TrapKind.OVERLAP, TrapKind.NEGATIVE_SIZE, TrapKind.SHAPE)
)
"""The kinds of checks that leave kernels."""


Unwanted: TypeAlias = Callable[[Check, bool], bool]
"""Whether a check goes; the second argument says whether it is in a kernel."""


def drop_checks(p: ImpProgram) -> ImpProgram:
    """The program without checks of these kinds in its kernels."""
    entries = (without(e, lambda c, kernel: kernel and c.kind in DROPPED) for e in p.entries)
    return ImpProgram(tuple(entries))


def without(e: ImpEntry, unwanted: Unwanted) -> ImpEntry:
    """The entry point without some of its checks."""
    return evolve(e, body=without_in(e.body, unwanted, kernel=False))


def without_in(stms: Block, unwanted: Unwanted, *, kernel: bool) -> Block:
    """Statements, of the host or of a ``kernel``, without some of their checks."""

    def inside(b: Block, *, kernel: bool = kernel) -> Block:
        return without_in(b, unwanted, kernel=kernel)

    def statement(s: ImpStm) -> ImpStm:
        match s:
            case IfStm(_, then, orelse):
                return evolve(s, then=inside(then), orelse=inside(orelse))
            case ForStm(_, _, body) | WhileStm(_, body):
                return evolve(s, body=inside(body))
            case KernelStm(_, body):
                return evolve(s, body=inside(body, kernel=True))
            case _:
                return s

    kept = (s for s in stms if not (isinstance(s, Check) and unwanted(s, kernel)))
    return tuple(map(statement, kept))
