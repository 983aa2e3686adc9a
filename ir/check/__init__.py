"""The type checker: which programs are programs (paper 002, figs. 3 and 8, and extensions).

    check(p)       FUN, FUNMEM:  types (fun.py, arrays.py, scalar.py), consumption
                   (uniqueness.py) and, if the program mentions memory, homes (mem.py)
    check_imp(p)   IMP: types (imp.py), and that variables have values (assigned.py)

Annotations are checked, never inferred.  The rules, where each is implemented and which figure it
comes from: ``papers/funmem/rules.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from funmem.ir.check import fun, uniqueness
from funmem.ir.check.rules import Report, require
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.fun import Ann, Entry, Program
from funmem.ir.text.level import Level, level_of

if TYPE_CHECKING:
    from funmem.ir.imp import ImpEntry, ImpProgram

__all__ = ["check", "check_all", "check_imp", "check_imp_all"]


def check(program: Program[Ann]) -> None:
    """Raise :class:`SourceError`, its code the broken rule, unless the program is well typed."""
    for d in check_all(program):
        raise SourceError(d)


def check_all(program: Program[Ann]) -> tuple[Diagnostic, ...]:
    """All errors: at most one per statement, and none that only follows from another.

    Consumption and homes are judged in entry points whose types are right.
    """
    errors = list(_entry_names(program.entries))
    in_memory = level_of(program) is Level.FUNMEM
    for e in program.entries:
        wrong = fun.entry(e)
        if not wrong:
            wrong = uniqueness.entry(e) + (_homes(e) if in_memory else ())
        errors.extend(wrong)
    return tuple(errors)


def _homes(e: Entry[Ann]) -> tuple[Diagnostic, ...]:
    from funmem.ir.check import mem  # here, like imp: a FUN program starts without it

    return mem.entry(e)


def check_imp(program: ImpProgram) -> None:
    """Raise :class:`SourceError`, its code the broken rule, unless the program is well typed."""
    for d in check_imp_all(program):
        raise SourceError(d)


def check_imp_all(program: ImpProgram) -> tuple[Diagnostic, ...]:
    """All errors: at most one per statement.

    Whether variables have values is judged in entry points whose types are right.
    """
    from funmem.ir.check import assigned, imp

    errors = list(_entry_names(program.entries))
    for e in program.entries:
        errors.extend(imp.entry(e) or assigned.entry(e))
    return tuple(errors)


def _entry_names(entries: Sequence[Entry[Ann] | ImpEntry]) -> tuple[Diagnostic, ...]:
    """⊢ program: entry points, each with a name of its own (T-ENTRIES)."""
    report = Report()
    for k, e in enumerate(entries):
        with report.on():
            require(
                all(e.name != other.name for other in entries[:k]),
                e.at,
                "T-ENTRIES",
                "there are two entry points {}",
                e.name,
                hint="give one of the two another name",
            )
    return tuple(report.errors)
