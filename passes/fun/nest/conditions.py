"""When nested kernels become one, are split, or change places with a loop: one function each."""

from collections.abc import Iterable, Sequence

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Bin,
    Binder,
    Body,
    Const,
    Convert,
    Exp,
    FlatSlice,
    For,
    Hist,
    Index,
    Kernel,
    Loop,
    Map,
    Permute,
    Reduce,
    Reshape,
    Reverse,
    Scan,
    Slice,
    Stm,
    Un,
    Var,
)
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.may_trap import why_traps
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.traverse import (
    binder_uses,
    bound_in_stms,
    free_in_body,
    walk,
)
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.conditions import consumed_by
from funmem.passes.fun.fuse.traps import Effects, commute

PERFECT = "(1) the body is one kernel, after what is cheap and cannot trap"
REGULAR = "(2) sizes are the same in every iteration"
OPERATOR = "(3) operator and neutral elements need nothing of the iteration"
NO_HIST = "(4) a histogram's destination is an iteration's own"
NONNEG = "(5) no size is negative where the outer kernel is empty"
OWN = "(6) an array is consumed where it is made"
ONE_TRAP = "(7) the parts trap in one way"
WORTH = "(8) there is a map to gain, over more than a few iterations"
COUNTED = "(9) the loop is counted, as often in every iteration"

CHEAP = 16
"""Operations and reads that every inner iteration may do again."""

FEW = 8
"""A dimension of at most so many iterations is no parallelism."""


@frozen
class Refusal:
    """A condition that does not hold, and why."""

    condition: str
    reason: str


def again(e: Exp[Ann]) -> int | None:
    """What doing an expression in every inner iteration costs; None: it must not be repeated."""
    match e:
        case Const() | Var() | Bin() | Un() | Convert() | Index():
            return 1
        case Slice() | Permute() | Reverse() | Reshape() | FlatSlice():
            return 0
        case _:
            return None


def repeatable(s: Stm[Ann], known: PointFacts) -> str | None:
    """(1) A statement before the inner kernel is cheap, and cannot trap: there may be no inner
    iteration to meet the trap.
    """
    if again(s.exp) is None:
        return f"{_name(s)} is computed once per iteration"
    return why_traps(s.exp, known)


def cheap(stms: Iterable[Stm[Ann]], inner: Kernel[Ann], known: PointFacts) -> Refusal | None:
    """(1) for all statements before the inner kernel; ``known`` holds before them.

    A collective folds in order, so what stands before it is done once, not once per element:
    only views may move into it.
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
    """(2) The inner kernel's sizes need none of the names that the outer iteration binds."""
    for d in kernel.dims:
        if not d.size.free().isdisjoint(own):
            return Refusal(REGULAR, f"{d.size} depends on the iteration")
    return None


def regular_types(binders: Iterable[Binder[Ann]], own: frozenset[Name]) -> Refusal | None:
    """(2) for arrays that are kept for all iterations at once."""
    for b in binders:
        if not binder_uses(b).isdisjoint(own):
            return Refusal(REGULAR, f"{b.name} has a size of its own in every iteration")
    return None


def operator_free(
    kernel: Kernel[Ann], bound: frozenset[Name], indices: frozenset[Name]
) -> Refusal | None:
    """(3) The operator sees the outer indices only, neutral elements not even these."""
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
            return Refusal(NO_HIST, "every iteration fills buckets of its own")


def sizes_nonneg(
    kernel: Kernel[Ann], results: Sequence[Binder[Ann]], known: PointFacts
) -> Refusal | None:
    """(5) The outer kernel may be empty, and then the inner size traps now and did not before;
    unless results have that size as well.
    """
    mapped = isinstance(kernel.collective, Map | Scan) and bool(results)
    for d in kernel.dims:
        if not mapped and not known.nonneg(d.size):
            return Refusal(NONNEG, f"{d.size} may be")
    return None


def types_nonneg(binders: Iterable[Binder[Ann]], known: PointFacts) -> Refusal | None:
    """(5) for arrays that are kept for all iterations at once."""
    for b in binders:
        for d in b.type.shape if isinstance(b.type, ArrayType) else ():
            if not known.nonneg(d):
                return Refusal(NONNEG, f"{d} may be")
    return None


def consumes_own(stms: Sequence[Stm[Ann]], aliases: Aliases) -> Refusal | None:
    """(6) What a part of a body consumes is made in that part."""
    own = bound_in_stms(stms)
    for s in stms:
        for x in consumed_by(s):
            if not aliases.of(x) <= own:
                return Refusal(OWN, f"{x} is consumed in one part and made in another")
    return None


def one_trap(parts: Sequence[Effects]) -> Refusal | None:
    """(7) All iterations of one part come before those of the next: the parts must trap alike."""
    total: Effects = frozenset()
    for e in parts:
        if not commute(total, e):
            return Refusal(ONE_TRAP, "two parts may trap differently")
        total |= e
    return None


def worth(stms: Iterable[Stm[Ann]]) -> bool:
    """(8) Whether among the statements is a map over more than a few iterations."""
    return any(is_map(s) for s in stms)


def is_map(s: Stm[Ann]) -> bool:
    """Whether a statement is a map that is worth being spread over threads."""
    match s.exp:
        case Kernel(dims, Map(), _):
            return any((d.size.as_const or FEW + 1) > FEW for d in dims)
        case _:
            return False


def counted(s: Stm[Ann], own: frozenset[Name]) -> Refusal | None:
    """(9) A loop whose number of iterations is known outside the kernel, with a map in it."""
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
            return Refusal(COUNTED, "it is no counted loop")


def has_inner_kernel(b: Body[Ann]) -> bool:
    """Whether there is a kernel anywhere inside a body."""
    return any(isinstance(s.exp, Kernel) for s in walk(b))


def _name(s: Stm[Ann]) -> str:
    return " ".join(p.name for p in s.pat) or type(s.exp).__name__.lower()
