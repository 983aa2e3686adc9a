"""IMP without the checks that a fast build does not pay for: bounds, in kernels."""

from attrs import evolve

from funmem.ir.diagnostics import TrapKind
from funmem.ir.imp import (
    Block,
    Check,
    ForStm,
    IfStm,
    ImpProgram,
    ImpStm,
    KernelStm,
    WhileStm,
)

DROPPED = frozenset(
    (TrapKind.INDEX, TrapKind.SLICE, TrapKind.OVERLAP, TrapKind.NEGATIVE_SIZE, TrapKind.SHAPE)
)
"""The kinds of checks that leave kernels."""


def drop_checks(p: ImpProgram) -> ImpProgram:
    """The program without checks of these kinds in its kernels."""
    return ImpProgram(tuple(evolve(e, body=_block(e.body, kernel=False)) for e in p.entries))


def _block(stms: Block, *, kernel: bool) -> Block:
    return tuple(_statement(s, kernel=kernel) for s in stms if not (kernel and _is_dropped(s)))


def _is_dropped(s: ImpStm) -> bool:
    return isinstance(s, Check) and s.kind in DROPPED


def _statement(s: ImpStm, *, kernel: bool) -> ImpStm:
    match s:
        case IfStm(_, then, orelse):
            return evolve(s, then=_block(then, kernel=kernel), orelse=_block(orelse, kernel=kernel))
        case ForStm(_, _, body) | WhileStm(_, body):
            return evolve(s, body=_block(body, kernel=kernel))
        case KernelStm(_, body):
            return evolve(s, body=_block(body, kernel=True))
        case _:
            return s
