"""Fault attribution: the smallest piece of IR that shows a failure of a pass.

Generated statements have no position in a source text.  So the failing check is repeated on a copy
of the program in which every node has a number as its position.  The number in the diagnostic
identifies the statement, and its names identify the statement before the pass.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from funmem.ir import core
from funmem.ir.core import CoreProgram
from funmem.ir.core_traverse import map_parts
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.fun import Ann, Binder, Body, Entry, Exp, Param, Program, Stm
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
from funmem.ir.record import evolve, frozen
from funmem.ir.text import show_binder, show_imp_stm, show_stm
from funmem.ir.traverse import Mapper, entry_binders, map_exp, map_sub_bodies, sub_bodies
from funmem.passes.framework import AnyProgram, StageProgram

MARK = "<number>"
LINES = 24
"""The largest number of lines that are shown of a statement."""

Failing: TypeAlias = Callable[[StageProgram], Diagnostic | None]
"""A check: returns None or the error."""


@frozen
class Place:
    """A statement and the statements around it, outermost first.  Without a statement, it is the
    entry point itself.
    """

    entry: Entry[Ann] | ImpEntry
    around: tuple[Stm[Ann], ...] = ()
    stm: Stm[Ann] | ImpStm | None = None


def smallest_piece(before: StageProgram, after: StageProgram, fails: Failing) -> str:
    """Return the text of the faulty statement in ``after``, and of its
    counterpart in ``before``; of Core, the definition or entry point.
    """
    if isinstance(after, CoreProgram):
        return _definition(before, after, fails)
    place = find(after, fails)
    if place is None:
        return ""
    found = f"after, in entry {place.entry.name}:\n{_indented(show_place(place))}"
    if not isinstance(before, Program) or not isinstance(place.stm, Stm):
        return found
    old = _old(before, place)
    return found if old is None else f"before:\n{_indented(show_place(old))}\n{found}"


def find(program: AnyProgram, fails: Failing) -> Place | None:
    """Return the place where a check fails; None if its diagnostic has no position."""
    numbers = _Numbers()
    numbered = (
        ImpProgram(tuple(map(numbers.imp_entry, program.entries)), program.functions)
        if isinstance(program, ImpProgram)
        else Program(tuple(map(numbers.entry, program.entries)), program.functions)
    )
    wrong = fails(numbered)
    if wrong is None or wrong.at.file != MARK:
        return None
    return numbers.places.get(wrong.at.line)


def _old(before: Program[Ann], place: Place) -> Place | None:
    """Return the statement of the old program that binds a name of the faulty statement, or else of
    the innermost enclosing statement that has a counterpart.
    """
    assert isinstance(place.stm, Stm)
    for s in (place.stm, *reversed(place.around)):
        names = {p.name for p in s.pat}
        for e in before.entries:
            for around, old in _all(e.body, ()):
                if e.name == place.entry.name and not names.isdisjoint(p.name for p in old.pat):
                    return Place(e, around, old)
    return None


def _all(
    b: Body[Ann], around: tuple[Stm[Ann], ...]
) -> Iterator[tuple[tuple[Stm[Ann], ...], Stm[Ann]]]:
    for s in b.stms:
        yield around, s
        for inner in sub_bodies(s.exp):
            yield from _all(inner, (*around, s))


# ---------------------------------------------------------------------- Core


def _definition(before: StageProgram, after: CoreProgram, fails: Failing) -> str:
    """Return the text of the faulty definition, after and before."""
    wrong = fails(_numbered(after))
    if wrong is None or wrong.at.file != MARK:
        return ""
    faulty = _tops(after)[wrong.at.line - 1]
    found = f"after:\n{_indented(_core_text(faulty))}"
    if not isinstance(before, CoreProgram):
        return found
    same = (x for x in _tops(before) if type(x) is type(faulty))
    old = next((x for x in same if x.name == faulty.name), None)
    return found if old is None else f"before:\n{_indented(_core_text(old))}\n{found}"


def _tops(p: CoreProgram) -> Sequence[core.DataDef | core.ForeignDef | core.Def | core.Entry]:
    return (*p.data, *p.foreign, *p.defs, *p.entries)


def _numbered(p: CoreProgram) -> CoreProgram:
    """Return the program with the number of a definition as the position of each of its nodes."""
    count = 0

    def at() -> Span:
        nonlocal count
        count += 1
        return Span(MARK, count, 1, 2)

    def marked(e: core.Exp, here: Span) -> core.Exp:
        return evolve(core.closed(map_parts(e, lambda x: marked(x, here), lambda t: t)), at=here)

    data = tuple(evolve(d, at=at()) for d in p.data)
    foreign = tuple(evolve(f, at=at()) for f in p.foreign)
    defs = tuple(evolve(d, at=(here := at()), exp=marked(d.exp, here)) for d in p.defs)
    entries = tuple(evolve(e, at=(here := at()), exp=marked(e.exp, here)) for e in p.entries)
    return CoreProgram(entries, defs, data, foreign)


def _core_text(x: core.DataDef | core.ForeignDef | core.Def | core.Entry) -> str:
    from funmem.ir.text.print_core import show_core

    return "\n".join(_shortened(show_core(x)))


# ---------------------------------------------------------------------- numbers


class _Numbers:
    """Copies programs with a number as the position of every node, and records their places."""

    def __init__(self) -> None:
        self.places: dict[int, Place] = {}

    def number(self, place: Place) -> Span:
        k = len(self.places) + 1
        self.places[k] = place
        return Span(MARK, k, 1, 2)

    # -- FUN, FUNMEM

    def entry(self, e: Entry[Ann]) -> Entry[Ann]:
        here = Place(e)

        def binders(bs: tuple[Binder[Ann], ...]) -> tuple[Binder[Ann], ...]:
            return tuple(evolve(b, at=self.number(here)) for b in bs)

        return evolve(
            e,
            implicit=binders(e.implicit),
            params=tuple(Param(evolve(p.binder, at=self.number(here)), p.unique) for p in e.params),
            implicit_results=binders(e.implicit_results),
            results=binders(e.results),
            body=self.body(e.body, here),
            at=self.number(here),
        )

    def body(self, b: Body[Ann], outside: Place) -> Body[Ann]:
        around = outside.around
        if isinstance(outside.stm, Stm):
            around = (*around, outside.stm)
        stms = tuple(self.stm(s, Place(outside.entry, around, s)) for s in b.stms)
        return Body(stms, b.result, self.number(outside))

    def stm(self, s: Stm[Ann], here: Place) -> Stm[Ann]:
        def binder(b: Binder[Ann]) -> Binder[Ann]:
            return evolve(b, at=self.number(here))

        m = Mapper(binder=binder, body=lambda b: self.body(b, here))
        return Stm(tuple(map(binder, s.pat)), map_exp(s.exp, m), self.number(here))

    # -- IMP

    def imp_entry(self, e: ImpEntry) -> ImpEntry:
        here = Place(e)
        return evolve(e, body=self.block(e.body, e), at=self.number(here))

    def block(self, b: Block, e: ImpEntry) -> Block:
        return tuple(self.imp_stm(s, e) for s in b)

    def imp_stm(self, s: ImpStm, e: ImpEntry) -> ImpStm:
        at = self.number(Place(e, (), s))
        match s:
            case IfStm(cond, then, orelse):
                return IfStm(cond, self.block(then, e), self.block(orelse, e), at)
            case ForStm() | WhileStm() | KernelStm():
                return evolve(s, body=self.block(s.body, e), at=at)
            case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
                return evolve(s, at=at)
            case CallStm() | Check() | OpaqueStm():
                return evolve(s, at=at)


# ---------------------------------------------------------------------- text


def show_place(p: Place) -> str:
    """Return the heads of the enclosing statements, and the statement, as text."""
    if p.stm is None:
        return _entry_head(p.entry)
    lines: list[str] = []
    depth = 0
    for s in p.around:
        lines += _shifted(_head(s), depth)
        depth = len(lines[-1]) - len(lines[-1].lstrip()) + 2
    text = show_stm(p.stm) if isinstance(p.stm, Stm) else show_imp_stm(p.stm)
    return "\n".join([*lines, *_shifted(_shortened(text), depth)])


def _entry_head(e: Entry[Ann] | ImpEntry) -> str:
    binders = map(show_binder, entry_binders(e)) if isinstance(e, Entry) else e.sizes
    return " ".join(("entry", e.name, *binders))


def _head(s: Stm[Ann]) -> list[str]:
    """Return the lines of a statement with empty bodies."""

    def emptied(b: Body[Ann]) -> Body[Ann]:
        return Body((), (), b.at)

    exp: Exp[Ann] = map_sub_bodies(s.exp, emptied)
    lines = show_stm(Stm(s.pat, exp)).split("\n")
    return [x for x in lines if x.strip() not in ("in ()", "else")]


def _shortened(text: str) -> list[str]:
    lines = text.split("\n")
    return lines if len(lines) <= LINES else [*lines[:LINES], "…"]


def _shifted(lines: list[str], depth: int) -> list[str]:
    return [" " * depth + x for x in lines]


def _indented(text: str) -> str:
    return "\n".join(_shifted(text.split("\n"), 2))
