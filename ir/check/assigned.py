"""Definite assignment in IMP: every variable has a value before it is used (T-IMP-SET).

    U ⊢ s ⊣ U'    U ⊢ (x : t)

U is the set of declared variables that have no value yet on some path from the beginning to here:
a declaration adds to it, an assignment takes away.  What only one branch assigns has no value after
both; and a loop's body may not run at all, unless the loop counts to a positive constant.  A device
has no such state: there a variable without a value is whatever a register holds.
"""

from attrs import field

from funmem.ir.check.rules import Report, require
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.imp import (
    ArrayPort,
    Block,
    Declare,
    ForStm,
    IfStm,
    ImpEntry,
    ImpStm,
    KernelStm,
    Port,
    ScalarPort,
    WhileStm,
)
from funmem.ir.imp_traverse import own_assigns, own_uses, sizes_names
from funmem.ir.names import Name
from funmem.ir.record import define

Unset = frozenset[Name]
"""U."""


@define
class Found:
    """The errors so far, and the variables that they name: each is named once."""

    report: Report = field(factory=Report)
    named: set[Name] = field(factory=set)


def entry(e: ImpEntry) -> tuple[Diagnostic, ...]:
    """⊢ entry: statements and results; the errors found."""
    found = Found()
    unset = statements(found, frozenset(), e.body)
    for p in e.results:
        with found.report.on():
            used(found, unset, port_uses(p), e.at)
    return tuple(found.report.errors)


def statements(found: Found, unset: Unset, b: Block) -> Unset:
    """U ⊢ s; …; s ⊣ U'."""
    for stm in b:
        with found.report.on():
            used(found, unset, own_uses(stm), stm.at)
        unset = statement(found, unset, stm)
    return unset


def statement(found: Found, unset: Unset, stm: ImpStm) -> Unset:
    """U ⊢ s ⊣ U', but for what s itself uses."""
    match stm:
        case Declare(x):
            return unset | {x}
        case IfStm(_, then, orelse):
            return statements(found, unset, then) | statements(found, unset, orelse)
        case ForStm(_, bound, body):
            after = statements(found, unset, body)
            count = bound.as_const
            return after if count is not None and count > 0 else unset
        case WhileStm(_, body) | KernelStm(_, body):
            statements(found, unset, body)
            return unset
        case _:
            return unset.difference(own_assigns(stm))


def port_uses(p: Port) -> frozenset[Name]:
    """The variables of a result."""
    match p:
        case ScalarPort(x):
            return frozenset((x,))
        case ArrayPort(m, _, shape):
            return sizes_names(shape) | {m}


def used(found: Found, unset: Unset, names: frozenset[Name], at: Span) -> None:
    """U ⊢ x …: each has a value (T-IMP-SET)."""
    missing = sorted(unset & names - found.named)
    found.named.update(missing)
    require(
        not missing,
        at,
        "T-IMP-SET",
        "{} may have no value here",
        ", ".join(missing),
        hint="assign it on every path that leads here; the body of a loop may not run",
    )
