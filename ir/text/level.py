"""Which of the languages a program is written in."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING

from funmem.ir.fun import (
    Alloc,
    Ann,
    Binder,
    Body,
    Entry,
    Exp,
    Hist,
    If,
    Kernel,
    Loop,
    Map,
    MemType,
    Program,
    Reduce,
    Scan,
)

if TYPE_CHECKING:  # not loaded for programs that are not written in it
    from funmem.ir.imp import ImpProgram


class Level(Enum):
    FUN = "FUN"
    FUNMEM = "FUNMEM"
    IMP = "IMP"


def level_of(program: Program[Ann] | ImpProgram) -> Level:
    """FUNMEM if any block is named: a home, a binder of type mem, an alloc."""
    if not isinstance(program, Program):
        return Level.IMP
    return Level.FUNMEM if any(map(_mentions_memory, program.entries)) else Level.FUN


def _mentions_memory(e: Entry[Ann]) -> bool:
    border = (*e.implicit, *(p.binder for p in e.params), *e.implicit_results, *e.results)
    return any(map(_is_memory, border)) or any(map(_is_memory, _parts(e.body)))


def _is_memory(part: Binder[Ann] | Alloc) -> bool:
    return isinstance(part, Alloc) or part.home is not None or isinstance(part.type, MemType)


def _parts(b: Body[Ann]) -> Iterator[Binder[Ann] | Alloc]:
    """The binders and allocations of a body and of all bodies inside it."""
    for s in b.stms:
        yield from s.pat
        if isinstance(s.exp, Alloc):
            yield s.exp
        yield from _own_binders(s.exp)
        for inner in _bodies(s.exp):
            yield from _parts(inner)


def _own_binders(e: Exp[Ann]) -> tuple[Binder[Ann], ...]:
    match e:
        case Loop(params, _, _):
            return tuple(p.binder for p in params)
        case Kernel(_, Reduce(op) | Scan(op) | Hist(_, op), _):
            return op.params
        case _:
            return ()


def _bodies(e: Exp[Ann]) -> tuple[Body[Ann], ...]:
    match e:
        case If(_, then, orelse):
            return then, orelse
        case Loop(_, _, body) | Kernel(_, Map(), body):
            return (body,)
        case Kernel(_, Reduce(op) | Scan(op) | Hist(_, op), body):
            return op.body, body
        case _:
            return ()
