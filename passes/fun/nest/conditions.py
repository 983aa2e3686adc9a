"""Conditions for flattening, distributing and interchanging nested kernels: one function each."""

from collections.abc import Iterable, Sequence

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Binder,
    Body,
    Call,
    Compound,
    DerivedArray,
    Exp,
    For,
    FreshArray,
    Hist,
    Index,
    InPlace,
    Kernel,
    Loop,
    Map,
    Reduce,
    Scalar,
    Scan,
    Stm,
    Var,
)
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.may_trap import why_traps
from funmem.ir.names import Name
from funmem.ir.traverse import (
    binder_uses,
    bound_in_stms,
    free_in_body,
    walk,
)
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.conditions import Refusal, consumed_by
from funmem.passes.fun.fuse.traps import Effects, commute

PERFECT = "(1) the body is one kernel, after cheap statements that cannot trap"
REGULAR = "(2) sizes are the same in every iteration"
OPERATOR = "(3) operator and neutral elements do not depend on the iteration"
NO_HIST = "(4) the inner kernel is not a histogram"
NONNEG = "(5) no size is negative if the outer kernel is empty"
OWN = "(6) an array is consumed in the part that makes it"
ONE_TRAP = "(7) all parts raise the same kind of trap"
WORTH = "(8) the body contains a map over more than a few iterations"
COUNTED = "(9) the loop is counted, with the same trip count in every iteration"

CHEAP = 16
"""Largest number of operations and reads that every inner iteration repeats."""

FEW = 8
"""A dimension with at most this trip count is not worth parallelising."""


def again(e: Exp[Ann]) -> int | None:
    """Return the cost of repeating an expression in every inner iteration; None if that is not
    allowed.
    """
    match e:
        case Call():
            return None
        case Scalar() | Index():
            return 1
        case DerivedArray():
            return 0
        case FreshArray() | InPlace() | Compound() | Assert() | Alloc():
            return None


def repeatable(s: Stm[Ann], known: PointFacts) -> str | None:
    """(1) A statement before the inner kernel is cheap and cannot trap.  The inner kernel may be
    empty, and then the trap would be lost.
    """
    if again(s.exp) is None:
        return f"{_name(s)} is computed only once per iteration"
    return why_traps(s.exp, known)


def cheap(stms: Iterable[Stm[Ann]], inner: Kernel[Ann], known: PointFacts) -> Refusal | None:
    """(1) for all statements before the inner kernel; ``known`` are the facts before them.

    A collective folds in order, so the statements before it run once, not once per element: only
    views may move into it.
    """
    most = CHEAP if isinstance(inner.collective, Map) else 0
    cost = 0
    for s in stms:
        why = repeatable(s, known)
        if why is not None:
            return Refusal(PERFECT, why)
        cost += again(s.exp) or 0
        known = known.after(s)
    if cost > most:
        return Refusal(PERFECT, f"{cost} operations would be repeated")
    return None


def regular(kernel: Kernel[Ann], own: frozenset[Name]) -> Refusal | None:
    """(2) The inner kernel's sizes use no name that the outer iteration binds."""
    for d in kernel.dims:
        if not d.size.free().isdisjoint(own):
            return Refusal(REGULAR, f"{d.size} depends on the iteration")
    return None


def regular_types(binders: Iterable[Binder[Ann]], own: frozenset[Name]) -> Refusal | None:
    """(2) for arrays that are stored for all iterations."""
    for b in binders:
        if not binder_uses(b).isdisjoint(own):
            return Refusal(REGULAR, f"the size of {b.name} depends on the iteration")
    return None


def operator_free(
    kernel: Kernel[Ann], bound: frozenset[Name], indices: frozenset[Name]
) -> Refusal | None:
    """(3) The operator uses no name of the outer iteration but its indices; neutral elements use
    not even these.
    """
    match kernel.collective:
        case Map():
            return None
        case Reduce(op, ne) | Scan(op, ne):
            sees = free_in_body(op.body)
            starts = {a.name for a in ne if isinstance(a, Var)}
            if not sees.isdisjoint(bound):
                return Refusal(OPERATOR, f"the operator uses {min(sees & bound)}")
            if not starts.isdisjoint(bound | indices):
                return Refusal(OPERATOR, "a neutral element is computed in the iteration")
            return None
        case Hist():
            return Refusal(NO_HIST, "every iteration has its own buckets")


def sizes_nonneg(
    kernel: Kernel[Ann], results: Sequence[Binder[Ann]], known: PointFacts
) -> Refusal | None:
    """(5) No inner size is negative.  Otherwise, if the outer kernel is empty, the new kernel would
    trap, unless results have that size as well: then the old one traps, too.
    """
    mapped = isinstance(kernel.collective, Map | Scan) and bool(results)
    for d in kernel.dims:
        if not mapped and not known.nonneg(d.size):
            return Refusal(NONNEG, f"{d.size} may be negative")
    return None


def types_nonneg(binders: Iterable[Binder[Ann]], known: PointFacts) -> Refusal | None:
    """(5) for arrays that are stored for all iterations."""
    for b in binders:
        for d in b.type.shape if isinstance(b.type, ArrayType) else ():
            if not known.nonneg(d):
                return Refusal(NONNEG, f"{d} may be negative")
    return None


def consumes_own(stms: Sequence[Stm[Ann]], aliases: Aliases) -> Refusal | None:
    """(6) The arrays that a part consumes are made in that part."""
    own = bound_in_stms(stms)
    for s in stms:
        for x in consumed_by(s):
            if not aliases.of(x) <= own:
                return Refusal(OWN, f"{x} is consumed in one part and made in another")
    return None


def one_trap(parts: Sequence[Effects]) -> Refusal | None:
    """(7) The parts raise the same kind of trap, because all iterations of one part will precede
    those of the next.
    """
    total: Effects = frozenset()
    for e in parts:
        if not commute(total, e):
            return Refusal(ONE_TRAP, "two parts may raise different kinds of trap")
        total |= e
    return None


def worth(stms: Iterable[Stm[Ann]]) -> bool:
    """(8) True if one of the statements is a map over more than a few iterations."""
    return any(is_map(s) for s in stms)


def is_map(s: Stm[Ann]) -> bool:
    """True if a statement is a map over more than a few iterations."""
    match s.exp:
        case Kernel(dims, Map(), _):
            return any((d.size.as_const or FEW + 1) > FEW for d in dims)
        case _:
            return False


def counted(s: Stm[Ann], own: frozenset[Name]) -> Refusal | None:
    """(9) A statement is a counted loop whose trip count is known outside the kernel, with a map in
    its body.
    """
    match s.exp:
        case Loop(params, For(_, bound), body):
            if not bound.free().isdisjoint(own):
                return Refusal(COUNTED, f"{bound} depends on the iteration")
            if not worth(body.stms):
                return Refusal(WORTH, "no map in the loop")
            if not any(isinstance(p.binder.type, ArrayType) for p in params):
                return Refusal(WORTH, "the loop carries scalars only")
            if any(p.unique for p in params):
                return Refusal(OWN, "the loop updates an array of the iteration")
            return regular_types((p.binder for p in params), own)
        case _:
            return Refusal(COUNTED, "the body does not end with a counted loop")


def has_inner_kernel(b: Body[Ann]) -> bool:
    """True if a body contains a kernel, at any depth."""
    return any(isinstance(s.exp, Kernel) for s in walk(b))


def _name(s: Stm[Ann]) -> str:
    return " ".join(p.name for p in s.pat) or type(s.exp).__name__.lower()
