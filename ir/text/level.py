"""The language in which a program is written: Core, FUN, FUNMEM or IMP."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING

from funmem.ir.fun import Alloc, Ann, Binder, Body, Entry, MemType, Program
from funmem.ir.traverse import inner_binders, sub_bodies

if TYPE_CHECKING:  # programs in other languages do not load the modules
    from funmem.ir.core import CoreProgram
    from funmem.ir.imp import ImpProgram


class Level(Enum):
    """The languages of the compiler."""

    CORE = "Core"
    FUN = "FUN"
    FUNMEM = "FUNMEM"
    IMP = "IMP"


def level_of(program: CoreProgram | Program[Ann] | ImpProgram) -> Level:
    """Return FUNMEM if a program mentions a block: a home, a binder of type mem, an alloc."""
    if not isinstance(program, Program):
        from funmem.ir.imp import ImpProgram

        return Level.IMP if isinstance(program, ImpProgram) else Level.CORE
    return Level.FUNMEM if any(map(_mentions_memory, program.entries)) else Level.FUN


def _mentions_memory(e: Entry[Ann]) -> bool:
    border = (*e.implicit, *(p.binder for p in e.params), *e.implicit_results, *e.results)
    return any(map(_is_memory, border)) or any(map(_is_memory, _parts(e.body)))


def _is_memory(part: Binder[Ann] | Alloc) -> bool:
    return isinstance(part, Alloc) or part.home is not None or isinstance(part.type, MemType)


def _parts(b: Body[Ann]) -> Iterator[Binder[Ann] | Alloc]:
    """Yield the binders and allocations of a body and of all bodies inside it."""
    for s in b.stms:
        yield from s.pat
        if isinstance(s.exp, Alloc):
            yield s.exp
        yield from inner_binders(s.exp)
        for inner in sub_bodies(s.exp):
            yield from _parts(inner)
