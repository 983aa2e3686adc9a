"""unroll-and-jam: rows of a kernel that read the same are done together, loop by loop.

*Why.*  In the product of two matrices every row of the result reads all of the second matrix.  What
has been read once into a register may as well serve for eight rows.

*Before -> after.*

    kernel i < n, g < q do                      rows <- n // 8;
      accs <- alloc.private 256; …              kernel b < rows, g < q do
      for k < m do                                accs_0 <- alloc.private 256; …  accs_7 …
        var a : f32;                              for k < m do
        a <- as[i*m + k] : f32;                     var a_0 : f32; …
        kernel l < 64 do                ->          a_0 <- as[8*b*m + k] : f32; …  a_7 …
          var x : f32;                              kernel l < 64 do
          x <- bs[k*p + 64*g + l] : f32;              var x : f32;
          … accs[l] … a * x …                         x <- bs[k*p + 64*g + l] : f32;
        done                                          … accs_0[l] … a_0 * x …  … accs_7[l] …
      done                                          done
      …                                           done
    done                                          …
                                                done
                                                kernel r < n - 8*rows, g < q do … 8*rows + r … done

This is unroll-and-jam (Callahan, Carr and Kennedy 1990) of a parallel dimension.

*Chains.*  A loop whose every step waits for the result of the step before leaves a processor idle.
So two iterations of the innermost dimension run together where they contain such a loop: two blocks
of an antidiagonal, for instance, whose scores depend on their neighbours to the left.  More would
need more registers than there are for addresses.

*Correct* because a kernel's iterations are independent: any interleaving of them will do.  What is
the same in all rows is done once; a block of a thread's own is different in each.

*Conditions.*

    (1) control_is_alike  loops, branches and kernels inside run alike for all rows
    (2) checks_nothing    so that the first iteration that fails is no other
    (3) shares            in a loop, lanes read elements that are the same for all rows; or the
                          dimension is the innermost one, and a loop is a chain
    (4) fits_registers    at least two rows' own blocks do, and their sizes are known
    (5) enough_rows       the dimension is not known to be shorter

*Precondition*: IMP, best after ``vectorise``.  *Postcondition*: the same statements on each
element, in the same order.
"""

from collections.abc import Callable, Iterator
from functools import partial

from funmem.ir.arith import size_exp
from funmem.ir.fun import Bin, Const, MemType, Space, Var
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpProgram,
    ImpStm,
    KernelStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import bound_names, children, nested, own_assigns, own_uses, subst
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import Size, const, var
from funmem.passes.context import usage_error
from funmem.passes.framework import Context, Option, imp_pass
from funmem.passes.imp.host_kernels import Names, at, map_host
from funmem.passes.imp.tile import checks_nothing
from funmem.passes.imp.vectorise.varying import varying_names
from funmem.passes.tuning import DEFAULT

REGISTERS = 2048
"""Bytes of all vector registers together, where there are 32 of 64 bytes."""


@imp_pass(
    "unroll-and-jam",
    summary="rows of a kernel that read the same run together",
    options=(
        Option("rows", DEFAULT.rows, help="at most so many, as there is room in registers"),
        Option("chains", 2, help="so many of the innermost dimension, if they wait; 0: none"),
    ),
)
def unroll_and_jam(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Every kernel of the host that meets the conditions.  Raises UsageError for a bad number."""
    rows, chains = ctx.number("rows"), ctx.number("chains")
    if rows < 2:
        raise usage_error("unroll-and-jam{rows=…} is a number of rows, at least 2")
    if chains < 0 or chains == 1:
        raise usage_error(
            "unroll-and-jam{chains=…} is a number of iterations, at least 2, or 0 for none"
        )
    return map_host(
        p, lambda names: partial(_kernel, rows=rows, chains=chains, names=names, ctx=ctx)
    )


def _kernel(s: KernelStm, rows: int, chains: int, names: Names, ctx: Context) -> Block:
    """The innermost dimension that meets the conditions; the last one only if it waits."""
    last = len(s.dims) - 1
    tried = [Candidate.of(s, dim, rows) for dim in reversed(range(last))]
    if chains and waits(s.body):
        tried.insert(0, Candidate.of(s, last, chains))
    for k in tried:
        why = next((w for c in CONDITIONS if (w := c(k)) is not None), None)
        if why is None:
            return _jammed(k, names)
        ctx.remark(f"kernel over {s.dims[k.dim].index}", *why)
    return (s,)


@frozen
class Candidate:
    """A kernel, and a dimension of it of which ``rows`` may run together."""

    kernel: KernelStm
    dim: int
    own: frozenset[Name]
    """The blocks that each iteration has of its own."""
    varying: frozenset[Name]
    """What may differ between the rows."""
    bytes: int | None
    """What a row's own blocks take; None: that is not known."""
    rows: int

    @staticmethod
    def of(s: KernelStm, dim: int, most: int) -> "Candidate":
        """At most so many rows, as many as there is room for."""
        every = tuple(nested(s.body))
        own = frozenset(
            t.x for t in every if isinstance(t, Declare) and isinstance(t.type, MemType)
        )
        bytes_ = _bytes(every)
        rows = min(most, REGISTERS // max(bytes_ or 0, 1))
        varying = varying_names(s.body, s.dims[dim].index, own)
        return Candidate(s, dim, own, varying, bytes_, rows)


def _bytes(stms: Block) -> int | None:
    total = 0
    for s in stms:
        if isinstance(s, Allocate):
            if s.space is not Space.PRIVATE or s.size.as_const is None:
                return None
            total += s.size.as_const
    return total


# ---------------------------------------------------------------------- conditions

Refusal = tuple[str, str]
"""The condition, and why it does not hold."""


def control_is_alike(c: Candidate) -> Refusal | None:
    """(1) How often something runs does not depend on the row."""
    for s in nested(c.kernel.body):
        if not _controls(s).isdisjoint(c.varying):
            return "control_is_alike", f"rows differ in {', '.join(_controls(s) & c.varying)}"
    return None


def _controls(s: ImpStm) -> frozenset[Name]:
    """The names on which it depends how often what is inside a statement runs."""
    match s:
        case ForStm(_, bound):
            return bound.free()
        case WhileStm(cond) | IfStm(Var(cond)):
            return frozenset((cond,))
        case KernelStm(dims):
            return frozenset().union(*(d.bound.free() for d in dims))
        case _:
            return frozenset()


def fails_alike(c: Candidate) -> Refusal | None:
    """(2) In another order another iteration than the first might fail first."""
    why = checks_nothing(c.kernel)
    return None if why is None else ("checks_nothing", why)


def shares(c: Candidate) -> Refusal | None:
    """(3) Else no row has anything of the others, nor time to spend on them."""
    if c.dim == len(c.kernel.dims) - 1 or any(
        s.x not in c.varying for s in _read_by_lanes(c.kernel.body)
    ):
        return None
    return "shares", "no lane reads in a loop what it reads in the other rows"


def _read_by_lanes(body: Block, *, looping: bool = False) -> Iterator[Read]:
    """What kernels in loops read."""
    for s in body:
        if looping and isinstance(s, KernelStm):
            yield from (t for t in nested(s.body) if isinstance(t, Read))
        inside = looping or isinstance(s, ForStm | WhileStm)
        for inner in children(s):
            yield from _read_by_lanes(inner, looping=inside)


def waits(body: Block) -> bool:
    """Whether a loop computes a scalar from what it was, and writes what comes of it."""
    return any(isinstance(s, ForStm) and _chain(s.body) for s in nested(body))


def _chain(body: Block) -> bool:
    """A loop without writes is a reduction, of which the C compiler may make vectors."""
    every = tuple(nested(body))
    if any(isinstance(s, ForStm | WhileStm | KernelStm) for s in every):
        return False
    known = {s.x for s in every if isinstance(s, Declare)}
    carried = {x for s in every for x in own_assigns(s)} - known
    before: set[Name] = set()  # what is used as the step before has left it
    for s in body:
        before.update(*(own_uses(t) - known for t in nested((s,))))
        known.update(own_assigns(s))
    return not carried.isdisjoint(before) and any(isinstance(s, Write) for s in every)


def fits_registers(c: Candidate) -> Refusal | None:
    """(4) Sums that do not fit are read and written instead of what is shared."""
    if c.bytes is None:
        return "fits_registers", "how much a row keeps is not known"
    return None if c.rows >= 2 else ("fits_registers", f"a row keeps {c.bytes} bytes")


def enough_rows(c: Candidate) -> Refusal | None:
    """(5) Otherwise all of them would be those that are left over."""
    bound = c.kernel.dims[c.dim].bound.as_const
    few = bound is not None and bound < c.rows
    return ("enough_rows", f"there are {bound}") if few else None


CONDITIONS: tuple[Callable[[Candidate], Refusal | None], ...] = (
    control_is_alike,
    fails_alike,
    shares,
    fits_registers,
    enough_rows,
)


# ---------------------------------------------------------------------- the kernels


def _jammed(c: Candidate, names: Names) -> Block:
    """The rows together, and those that are left over."""
    s, rows = c.kernel, c.rows
    bound = s.dims[c.dim].bound
    whole = bound.as_const
    if whole is not None and whole % rows == 0:
        return (_together(c, const(whole // rows), names),)
    count = names.fresh("rows")
    names.types[count] = I64
    left = names.copy(s)
    r = names.another(left.dims[c.dim].index)
    return (
        Declare(count, I64, s.at),
        Assign(count, Bin(BinOp.QUOT, size_exp(bound), Const(rows, I64)), s.at),
        _together(c, var(count), names),
        at(left, c.dim, var(count) * rows + var(r), r, bound - var(count) * rows),
    )


def _together(c: Candidate, count: Size, names: Names) -> KernelStm:
    s, row = c.kernel, c.kernel.dims[c.dim].index
    b = names.another(row)
    mine = sorted(c.varying & frozenset(bound_names(s.body)))
    images: list[dict[Name, Size]] = []
    for k in range(c.rows):
        image = {x: var(x if k == 0 else names.another(x)) for x in mine}
        images.append({**image, row: var(b) * c.rows + k})
    dims = (*s.dims[: c.dim], ImpDim(b, count), *s.dims[c.dim + 1 :])
    return evolve(s, dims=dims, body=_rows(s.body, c.varying, images))


def _rows(body: Block, varying: frozenset[Name], images: list[dict[Name, Size]]) -> Block:
    """What all rows do: loops once around all of them, and once what is the same in all."""
    done: list[ImpStm] = []
    for s in body:
        match s:
            case ForStm() | WhileStm() | KernelStm():
                done.append(evolve(s, body=_rows(s.body, varying, images)))
            case IfStm():
                then, orelse = (_rows(b, varying, images) for b in (s.then, s.orelse))
                done.append(evolve(s, then=then, orelse=orelse))
            case Write() | CopyElement():
                done += (t for image in images for t in subst((s,), image))
            case _ if {*own_assigns(s), *bound_names((s,))}.isdisjoint(varying):
                done.append(s)
            case _:
                done += (t for image in images for t in subst((s,), image))
    return tuple(done)
