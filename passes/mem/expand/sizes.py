"""The size of a thread's part: known outside the kernel, bounded, or the largest of all threads'.

    (1) known      it mentions names from outside only
    (2) bounded    it grows or falls with the thread's index: its largest value is at one end
    (3) largest    let (part : i64) = kernel i < n reduce comm (max) (0) do … in (size)

For (3) the statements that the size depends on are copied out of the body, so they have to be
scalar, must not trap, and may read arrays from outside only.  An empty kernel gives 0, and so does
a size below 0.
"""

from collections.abc import Sequence

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Ann,
    Bin,
    Binder,
    Body,
    Const,
    Kernel,
    KernelDim,
    Lambda,
    Reduce,
    ScalarExp,
    Stm,
    Var,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import (
    atom_size,
    free_in_stm,
    freshen_body,
    inner_binders,
    sub_bodies,
    walk,
)
from funmem.passes.facts import Known, upper_bound, why_traps


@frozen
class Part:
    """A size in units, and the statements in front of the kernel that compute it."""

    size: Size
    before: tuple[Stm[Ann], ...] = ()


@frozen
class Refusal:
    """Why an allocation stays where it is."""

    at: Stm[Ann]
    condition: str
    reason: str


@frozen
class Inside:
    """A body of a kernel: its dimensions as far as they number its threads, and the statements
    before the allocation.
    """

    dims: tuple[KernelDim, ...]
    local: frozenset[Name]
    """All that the kernel binds."""
    stms: tuple[Stm[Ann], ...]
    outside: Known


def part_of(alloc: Stm[Ann], size: Size, unit: int, b: Inside, fresh: Fresh) -> Part | Refusal:
    """How many units of ``unit`` bytes a thread needs for ``size`` bytes."""
    ranges = tuple((d.index, d.size) for d in b.dims)
    bound = upper_bound(size, ranges, b.outside)
    if bound is not None and bound.free().isdisjoint(b.local):
        return _in_units(bound, unit, fresh)
    condition = "the size can be computed in front of the kernel"
    needed = slice_of(size, b)
    if isinstance(needed, str):
        return Refusal(alloc, condition, needed)
    used = size.free().union(*map(free_in_stm, needed))
    few = tuple(d for d in b.dims if d.index in used)
    if why_not_before(needed, few, b) is None:
        return largest(needed, size, unit, few, fresh)
    if (why := why_not_before(needed, b.dims, b)) is None:
        return largest(needed, size, unit, b.dims, fresh)
    return Refusal(alloc, condition, why)


def _in_units(size: Size, unit: int, fresh: Fresh) -> Part:
    """A size known outside, in units, rounded up: its factor if it has one term, for what ``let``
    computes may wrap around, and then the block would be small.
    """
    if (units := size.divided_by(unit)) is not None:
        return Part(units)
    if len(size.terms) == 1:
        ((monomial, k),) = size.terms
        return Part(Size(((monomial, -(-k // unit)),)))
    name = fresh("units")
    return Part(var(name), (Stm((Binder(name, I64, None),), _rounded_up(size, unit)),))


def _rounded_up(size: Size, unit: int) -> ScalarExp:
    if (units := size.divided_by(unit)) is not None:
        return size_exp(units)
    return Bin(BinOp.DIV, size_exp(size + (unit - 1)), Const(unit, I64))


# ---------------------------------------------------------------------- slices


def slice_of(size: Size, b: Inside) -> tuple[Stm[Ann], ...] | str:
    """The statements of the body that a size depends on, or why they cannot be copied out."""
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
    """Why statements cannot run for all indices of ``dims`` in front of the kernel."""
    known = b.outside.iterating((d.index, d.size) for d in dims)
    for s in stms:
        if (why := why_traps(s.exp, known)) is not None:
            return f"it depends on {s.pat[0].name}: {why}"
        known = known.after(s)
    return None


def is_scalar(s: Stm[Ann]) -> str | None:
    """Why a statement, its bodies included, computes anything but scalars."""
    inner = (t for b in sub_bodies(s.exp) for t in walk(b))
    for t in (s, *inner):
        if not all(isinstance(p.type, ScalarType) for p in (*t.pat, *inner_binders(t.exp))):
            return "it is no scalar"
    return None


# ---------------------------------------------------------------------- the largest size


def largest(
    needed: Sequence[Stm[Ann]], size: Size, unit: int, dims: Sequence[KernelDim], fresh: Fresh
) -> Part:
    """The largest size of all threads, in units, by nested reductions that need no memory."""
    value = fresh("units")
    last: Stm[Ann] = Stm((Binder(value, I64, None),), _rounded_up(size, unit))
    body: Body[Ann] = Body((*needed, last), (Var(value),))
    for d in reversed(dims):
        best = fresh("most")
        kernel = Kernel((d,), Reduce(_maximum(fresh), (Const(0, I64),), comm=True), body)
        body = Body((Stm((Binder(best, I64, None),), kernel),), (Var(best),))
    body = freshen_body(body, fresh)
    return Part(atom_size(body.result[0]), body.stms)


def _maximum(fresh: Fresh) -> Lambda[Ann]:
    a, b, c = (Binder[Ann](fresh("size"), I64, None) for _ in range(3))
    larger: Stm[Ann] = Stm((c,), Bin(BinOp.MAX, Var(a.name), Var(b.name)))
    return Lambda((a, b), Body((larger,), (Var(c.name),)))
