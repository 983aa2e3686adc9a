"""Remove checks from IMP: bounds checks in kernels for a fast build, or a given set."""

from collections.abc import Callable
from typing import TypeAlias

from funmem.ir.diagnostics import TrapKind
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpEntry,
    ImpProgram,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
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
            case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
                return s
            case CallStm() | Check() | OpaqueStm():
                return s

    kept = (s for s in stms if not (isinstance(s, Check) and unwanted(s, kernel)))
    return tuple(map(statement, kept))
