"""Definite assignment in IMP: every variable has a value before it is used (T-IMP-SET).

    U ⊢ s ⊣ U'    U ⊢ (x : t)

U is the set of declared variables that have no value yet on some path from the beginning of the
entry point: a declaration adds a variable, an assignment removes it.  A variable that only one
branch assigns is still in U after both.  The body of a loop may run zero times, unless the loop
counts to a positive constant.  On a device, a variable without a value holds whatever the register
contained.
"""

from attrs import field

from funmem.ir.check.rules import Report, require
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpEntry,
    ImpFunction,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Port,
    Read,
    ScalarPort,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import own_assigns, own_uses, sizes_names
from funmem.ir.names import Name
from funmem.ir.record import define

Unset = frozenset[Name]
"""U."""


@define
class Found:
    """The errors so far, and the variables that they name; each variable is reported once."""

    report: Report = field(factory=Report)
    named: set[Name] = field(factory=set)


def entry(e: ImpEntry | ImpFunction) -> tuple[Diagnostic, ...]:
    """⊢ entry, ⊢ def: return the errors in the statements and results."""
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
    """U ⊢ s ⊣ U', except that the uses of s itself have been checked."""
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
        case OpaqueStm():
            return unset
        case Assign() | Allocate() | Read() | Write() | CopyElement() | CallStm() | Check():
            return unset.difference(own_assigns(stm))


def port_uses(p: Port) -> frozenset[Name]:
    """Return the variables of a result."""
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
