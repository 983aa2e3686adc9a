"""The type checker of FUN, FUNMEM and IMP (paper 002, figs. 3 and 8, and extensions).

    check(p)       FUN, FUNMEM:  types (fun.py, arrays.py, scalar.py), consumption
                   (uniqueness.py) and, if the program mentions memory, homes (mem.py)
    check_imp(p)   IMP: types (imp.py), and definite assignment (assigned.py)

Annotations are checked, never inferred.  ``papers/funmem/rules.md`` lists the rules, where each is
implemented, and the figure from which it comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from funmem.ir.check import fun, uniqueness
from funmem.ir.check.rules import Report, require
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.fun import Ann, Entry, Function, Program
from funmem.ir.names import Name
from funmem.ir.text.level import Level, level_of

if TYPE_CHECKING:
    from funmem.ir.imp import ImpEntry, ImpFunction, ImpProgram

__all__ = ["check", "check_all", "check_imp", "check_imp_all"]


def check(program: Program[Ann]) -> None:
    """Raise :class:`SourceError`, its code the broken rule, unless the program is well typed."""
    for d in check_all(program):
        raise SourceError(d)


def check_all(program: Program[Ann]) -> tuple[Diagnostic, ...]:
    """Return all errors: at most one per statement, none of which only follows from another.

    Consumption and homes are checked in entry points without type errors.
    """
    errors = list(_entry_names(program.entries))
    in_memory = level_of(program) is Level.FUNMEM
    functions: dict[Name, Function] = {}
    for f in program.functions:
        errors.extend(fun.function(f, functions))
        functions.setdefault(f.name, f)
    for e in program.entries:
        wrong = fun.entry(e, functions)
        if not wrong:
            wrong = uniqueness.entry(e) + (_homes(e) if in_memory else ())
        errors.extend(wrong)
    return tuple(errors)


def _homes(e: Entry[Ann]) -> tuple[Diagnostic, ...]:
    from funmem.ir.check import mem  # imported late, like imp: FUN programs do not need it

    return mem.entry(e)


def check_imp(program: ImpProgram) -> None:
    """Raise :class:`SourceError`, its code the broken rule, unless the program is well typed."""
    for d in check_imp_all(program):
        raise SourceError(d)


def check_imp_all(program: ImpProgram) -> tuple[Diagnostic, ...]:
    """Return all errors: at most one per statement.

    Definite assignment is checked in entry points without type errors.
    """
    from funmem.ir.check import assigned, imp

    errors = list(_entry_names(program.entries))
    functions: dict[Name, ImpFunction] = {}
    for f in program.functions:
        errors.extend(imp.function(f, functions) or assigned.entry(f))
        functions.setdefault(f.name, f)
    for e in program.entries:
        errors.extend(imp.entry(e, functions) or assigned.entry(e))
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
