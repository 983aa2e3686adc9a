"""The traps that expressions may raise, to decide whether two computations commute.

Iterations of one kernel have no order, but two statements have one: if the first may divide by zero
and the second may be out of bounds, running the second one first could raise another trap.

    commute(a, b)     True if both together may raise at most one kind of trap, or one of them none
    any_order(a)      True if the iterations of a kernel may be reordered
"""

from collections.abc import Iterable

from funmem.ir.diagnostics import TrapKind
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    Assert,
    Bin,
    Call,
    Compound,
    Concat,
    Const,
    Convert,
    Copy,
    DerivedArray,
    Exp,
    FlatSlice,
    If,
    Index,
    Iota,
    Kernel,
    Loop,
    RaggedKernel,
    Replicate,
    Reshape,
    ScalarExp,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Un,
    Update,
    Var,
    While,
)
from funmem.ir.logic.facts import DIVISIONS, PointFacts
from funmem.ir.logic.may_trap import reads_uninitialised, why_rows_trap, why_traps
from funmem.ir.record import evolve
from funmem.ir.scalars import BinOp
from funmem.ir.traverse import sub_bodies

Effects = frozenset[TrapKind | None]
"""The kinds of trap that may be raised; None stands for not terminating."""

NO_EFFECTS: Effects = frozenset()


def commute(a: Effects, b: Effects) -> bool:
    """True if the outcome is the same if ``b`` runs before ``a``, or the two are interleaved.

    Two assertions do not commute, because their messages differ.
    """
    return not a or not b or (len(a | b) == 1 and TrapKind.ASSERTION not in a)


def any_order(a: Effects) -> bool:
    """True if the outcome is the same for any order of iterations."""
    return commute(a, a)


def bound_only(s: Stm[Ann], known: PointFacts) -> PointFacts:
    """Return the facts with a statement's names bound, but without what follows if it does not trap
    (that sizes are not negative, and that offsets are those of rows).
    """
    return evolve(known.after(s), facts=known.facts, rows=known.rows)


def effects_of_all(stms: Iterable[Stm[Ann]], known: PointFacts) -> Effects:
    """Return the traps that a sequence of statements may raise."""
    found: set[TrapKind | None] = set()
    for s in stms:
        found |= effects(s, known)
        known = known.after(s)
    return frozenset(found)


def effects(s: Stm[Ann], known: PointFacts) -> Effects:
    """Return the traps that a statement may raise; ``known`` are the facts before it."""
    e = s.exp
    found: set[TrapKind | None] = set()
    if isinstance(e, Kernel):
        if not all(known.nonneg(d.size) for d in e.dims) or why_rows_trap(s, known) is not None:
            found.add(TrapKind.NEGATIVE_SIZE)
        if reads_uninitialised(e, known) is not None:
            found.add(TrapKind.UNINITIALISED)
    elif isinstance(e, RaggedKernel):
        if not all(map(known.nonneg, (e.row.size, e.total))) or why_rows_trap(s, known) is not None:
            found.add(TrapKind.NEGATIVE_SIZE)
        if (e.offsets, e.total) not in known.rows:
            found.add(TrapKind.ASSERTION)
            if e.offsets in known.uninitialised:
                found.add(TrapKind.UNINITIALISED)
    elif isinstance(e, Loop) and isinstance(e.form, While):
        found.add(None)
    elif not isinstance(e, If | Loop) and why_traps(e, known) is not None:
        return _kinds(e, known)
    for b, inside in zip(sub_bodies(e), known.inside(e), strict=True):
        found |= effects_of_all(b.stms, inside)
    return frozenset(found)


def _kinds(e: Exp[Ann], known: PointFacts) -> Effects:
    """Return the traps that an expression without bodies may raise, if it may raise any."""
    match e:
        case Const() | Var() | Bin() | Un() | Convert():
            return _operator_kinds(e)
        case Call():
            return frozenset({TrapKind.ASSERTION, TrapKind.DIVISION, TrapKind.EXPONENT, None})
        case Index(x):
            holes = {TrapKind.UNINITIALISED} if x in known.uninitialised else set[TrapKind]()
            return frozenset({TrapKind.INDEX, *holes})
        case Slice() | FlatSlice():
            return frozenset({TrapKind.SLICE})
        case Update():
            return frozenset({TrapKind.SLICE, TrapKind.INDEX, TrapKind.OVERLAP})
        case Reshape():
            return frozenset({TrapKind.SHAPE, TrapKind.NEGATIVE_SIZE})
        case Assert():
            return frozenset({TrapKind.ASSERTION})
        case Scatter():
            return frozenset({TrapKind.UNINITIALISED})
        case Iota() | Replicate() | Scratch():
            return frozenset({TrapKind.NEGATIVE_SIZE})
        case ArrayLit() | Copy() | Concat() | DerivedArray() | Alloc() | Compound():
            return frozenset({TrapKind.NEGATIVE_SIZE, TrapKind.SHAPE, TrapKind.SLICE})


def _operator_kinds(e: ScalarExp) -> Effects:
    match e:
        case Bin(op, a, b):
            own = NO_EFFECTS
            if op is BinOp.POW:
                own = frozenset({TrapKind.EXPONENT})
            elif op in DIVISIONS:
                own = frozenset({TrapKind.DIVISION})
            return own | _operator_kinds(a) | _operator_kinds(b)
        case Un(_, a) | Convert(_, a):
            return _operator_kinds(a)
        case Const() | Var():
            return NO_EFFECTS
