"""The size of a thread's part: known outside the kernel, bounded, or the maximum over all threads.

    (1) known      it mentions names from outside only
    (2) bounded    it is monotonic in the thread's index: the maximum is at one end
    (3) largest    let (part : i64) = kernel i < n reduce comm (max) (0) do … in (size)

For (3) the statements that the size depends on are copied out of the body.  So they must be scalar,
must not trap, and may read only arrays from outside.  The maximum is 0 for an empty kernel and if
no size is positive.  The reduction has only the dimensions that the size depends on, as nested
loops. It is skipped if any dimension of the kernel is 0: such a kernel takes no time, however large
its other dimensions are, and neither may the reduction.
"""

from collections.abc import Sequence
from functools import reduce

from funmem.ir.fun import (
    Ann,
    Bin,
    Binder,
    Body,
    Const,
    If,
    Kernel,
    KernelDim,
    Lambda,
    Reduce,
    ScalarExp,
    Stm,
    Var,
)
from funmem.ir.logic.facts import PointFacts, upper_bound
from funmem.ir.logic.may_trap import why_traps
from funmem.ir.logic.saturated import saturated
from funmem.ir.names import Fresh, Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import Size, product, var
from funmem.ir.substitute import freshen_body
from funmem.ir.traverse import atom_size, free_in_stm, inner_binders, sub_bodies, walk
from funmem.passes.mem.refusal import Refusal


@frozen
class Part:
    """A size in units, and the statements in front of the kernel that compute it."""

    size: Size
    before: tuple[Stm[Ann], ...] = ()


@frozen
class Inside:
    """A body of a kernel: the dimensions that number the threads that run it, and the statements
    before the allocation.
    """

    dims: tuple[KernelDim, ...]
    local: frozenset[Name]
    """All names that the kernel binds."""
    stms: tuple[Stm[Ann], ...]
    outside: PointFacts


def part_of(alloc: Stm[Ann], size: Size, unit: int, b: Inside, fresh: Fresh) -> Part | Refusal:
    """Return the number of units of ``unit`` bytes that a thread needs for ``size`` bytes."""
    ranges = tuple((d.index, d.size) for d in b.dims)
    bound = upper_bound(size, ranges, b.outside)
    if bound is not None and bound.free().isdisjoint(b.local):
        return _in_units(bound, unit, b.outside, fresh)
    condition = "the size can be computed in front of the kernel"
    needed = slice_of(size, b)
    if isinstance(needed, str):
        return Refusal(alloc, condition, needed)
    used = size.free().union(*map(free_in_stm, needed))
    few = tuple(d for d in b.dims if d.index in used)
    if why_not_before(needed, few, b) is None:
        return largest(needed, size, unit, few, b, fresh)
    if (why := why_not_before(needed, b.dims, b)) is None:
        return largest(needed, size, unit, b.dims, b, fresh)
    return Refusal(alloc, condition, why)


def _in_units(size: Size, unit: int, known: PointFacts, fresh: Fresh) -> Part:
    """Return a size known outside in units, rounded up: term by term, if that makes no value
    smaller.
    """
    if (units := size.divided_by(unit)) is not None:
        return Part(units)
    if _keeps_its_sign(size) or all(known.nonneg(product(map(var, m))) for m, _ in size.terms):
        return Part(Size.from_terms({m: -(-k // unit) for m, k in size.terms}))
    stms, rounded = _rounded_up(size, unit, fresh)
    name = fresh("units")
    return Part(var(name), (*stms, Stm((Binder(name, I64, None),), rounded)))


def _keeps_its_sign(size: Size) -> bool:
    """True for one term with a positive factor: rounding it up keeps its sign."""
    return len(size.terms) == 1 and size.terms[0][1] > 0


def _rounded_up(size: Size, unit: int, fresh: Fresh) -> tuple[tuple[Stm[Ann], ...], ScalarExp]:
    if (units := size.divided_by(unit)) is not None:
        return saturated(units, fresh)
    stms, exact = saturated(size, fresh)
    return stms, Bin(BinOp.DIV, Bin(BinOp.ADD, exact, Const(unit - 1, I64)), Const(unit, I64))


# ---------------------------------------------------------------------- slices


def slice_of(size: Size, b: Inside) -> tuple[Stm[Ann], ...] | str:
    """Return the statements that a size depends on, or why they cannot be copied out of the
    body.
    """
    needed = set(size.free() & b.local)
    found: list[Stm[Ann]] = []
    for s in reversed(b.stms):
        names = {p.name for p in s.pat}
        if names & needed:
            if (why := is_scalar(s)) is not None:
                return f"it depends on {', '.join(sorted(names & needed))}: {why}"
            found.append(s)
            needed = (needed - names) | (free_in_stm(s) & b.local)
    needed -= {d.index for d in b.dims}
    if needed:
        return f"it depends on {', '.join(sorted(needed))}"
    return tuple(reversed(found))


def why_not_before(stms: Sequence[Stm[Ann]], dims: Sequence[KernelDim], b: Inside) -> str | None:
    """Return the reason why statements cannot run for all indices of ``dims`` before the kernel."""
    known = b.outside.iterating((d.index, d.size) for d in dims)
    for s in stms:
        if (why := why_traps(s.exp, known)) is not None:
            return f"it depends on {s.pat[0].name}: {why}"
        known = known.after(s)
    return None


def is_scalar(s: Stm[Ann]) -> str | None:
    """Return the reason why a statement or its bodies compute something other than scalars."""
    inner = (t for b in sub_bodies(s.exp) for t in walk(b))
    for t in (s, *inner):
        if not all(isinstance(p.type, ScalarType) for p in (*t.pat, *inner_binders(t.exp))):
            return "it is not a scalar"
    return None


# ---------------------------------------------------------------------- the largest size


def largest(
    needed: Sequence[Stm[Ann]],
    size: Size,
    unit: int,
    dims: Sequence[KernelDim],
    b: Inside,
    fresh: Fresh,
) -> Part:
    """Return the largest size over all threads, in units: the maximum of one scalar, times a size
    known outside; or the maximum of the result of statements.
    """
    units = size.divided_by(unit)
    if units is not None and (factors := _one_scalar(units, b)) is not None:
        x, times = factors
        most, before = _most(needed, (), Var(x), dims, b, fresh)
        return Part(times * most, before)
    stms, rounded = _rounded_up(size, unit, fresh)
    return Part(*_most(needed, stms, rounded, dims, b, fresh))


def _one_scalar(units: Size, b: Inside) -> tuple[Name, Size] | None:
    """Return the factors of a product of one scalar of the kernel and a nonnegative size from
    outside.
    """
    if len(units.terms) != 1:
        return None
    ((monomial, k),) = units.terms
    mine = [x for x in monomial if x in b.local]
    rest = k * product(var(x) for x in monomial if x not in b.local)
    return (mine[0], rest) if len(mine) == 1 and b.outside.nonneg(rest) else None


def _most(
    needed: Sequence[Stm[Ann]],
    stms: Sequence[Stm[Ann]],
    value: ScalarExp,
    dims: Sequence[KernelDim],
    b: Inside,
    fresh: Fresh,
) -> tuple[Size, tuple[Stm[Ann], ...]]:
    """Return the maximum over all threads, computed by nested reductions that need no memory; 0 if
    there are no threads.
    """
    units = fresh("units")
    last: Stm[Ann] = Stm((Binder(units, I64, None),), value)
    body: Body[Ann] = Body((*needed, *stms, last), (Var(units),))
    for d in reversed(dims):
        best = fresh("most")
        kernel = Kernel((d,), Reduce(_maximum(fresh), (Const(0, I64),), comm=True), body)
        body = Body((Stm((Binder(best, I64, None),), kernel),), (Var(best),))
    body = freshen_body(body, fresh)
    others = [d.size for d in b.dims if d not in dims[:1]] if dims else []
    if maybe := [d for d in others if not b.outside.nonneg(d - 1)]:
        body = _if_all(maybe, body, fresh)
    return atom_size(body.result[0]), body.stms


def _if_all(sizes: Sequence[Size], body: Body[Ann], fresh: Fresh) -> Body[Ann]:
    """Return a body that computes ``body`` if all sizes are positive, and 0 otherwise."""
    stms: list[Stm[Ann]] = []

    def test(e: ScalarExp) -> Var:
        stms.append(Stm((Binder(fresh("some"), BOOL, None),), e))
        return Var(stms[-1].pat[0].name)

    def positive(d: Size) -> Var:
        before, value = saturated(d, fresh)
        stms.extend(before)
        return test(Bin(BinOp.GT, value, Const(0, I64)))

    every = reduce(lambda a, c: test(Bin(BinOp.LAND, a, c)), [positive(d) for d in sizes])
    most = Binder[Ann](fresh("most"), I64, None)
    stms.append(Stm((most,), If(every, body, Body((), (Const(0, I64),)))))
    return Body(tuple(stms), (Var(most.name),))


def _maximum(fresh: Fresh) -> Lambda[Ann]:
    a, b, c = (Binder[Ann](fresh("size"), I64, None) for _ in range(3))
    larger: Stm[Ann] = Stm((c,), Bin(BinOp.MAX, Var(a.name), Var(b.name)))
    return Lambda((a, b), Body((larger,), (Var(c.name),)))
