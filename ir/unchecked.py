"""IMP without some of its checks: bounds in kernels for a fast build, or others."""

from collections.abc import Callable
from typing import TypeAlias

from attrs import evolve

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

    def block(stms: Block, *, kernel: bool = False) -> Block:
        kept = (s for s in stms if not (isinstance(s, Check) and unwanted(s, kernel)))
        return tuple(statement(s, kernel=kernel) for s in kept)

    def statement(s: ImpStm, *, kernel: bool) -> ImpStm:
        match s:
            case IfStm(_, then, orelse):
                branches = [block(b, kernel=kernel) for b in (then, orelse)]
                return evolve(s, then=branches[0], orelse=branches[1])
            case ForStm(_, _, body) | WhileStm(_, body):
                return evolve(s, body=block(body, kernel=kernel))
            case KernelStm(_, body):
                return evolve(s, body=block(body, kernel=True))
            case _:
                return s

    return evolve(e, body=block(e.body))
