"""unroll-and-jam: iterations of an outer dimension that read the same elements share loops.

*Why.*  In a product of two matrices, every row of the result reads the whole second matrix.  An
element that has been loaded into a register can be used for eight rows.

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

This is unroll-and-jam (Callahan, Carr and Kennedy 1990) of a parallel dimension; the unroll factor
is the number of rows, by default at most 8.

*Chains.*  A loop in which every iteration depends on the one before (a recurrence) is bound by
latency and leaves functional units idle.  So two iterations of the innermost dimension are
interleaved if they contain such a loop: for instance two blocks of an antidiagonal, whose scores
depend on their neighbours to the left.  A larger factor would need more address registers than
there are.

*Correct* because a kernel's iterations are independent, so they may be interleaved in any way.  A
statement that is the same for all rows runs once; private blocks are replicated for each row.

*Conditions.*

    (1) uniform_control  loops, kernels, and branches that contain such or uniform statements, have
                         the same trip counts and conditions for all rows
    (2) checks_nothing   its body has no checks: interleaving could make another check fail first
    (3) shares           in a loop, lanes read elements that are the same for all rows; or the
                         dimension is the innermost one, and a loop is a recurrence
    (4) fits_registers   the private blocks have constant sizes, and those of two rows fit
    (5) enough_rows      the trip count of the dimension is not a constant below the unroll factor

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
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpProgram,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import (
    bound_names,
    children,
    is_recurrence,
    nested,
    own_assigns,
    subst,
)
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
"""Bytes of all vector registers together: 32 registers of 64 bytes."""


@imp_pass(
    "unroll-and-jam",
    summary="unroll an outer dimension of kernels and fuse the copies' loops",
    options=(
        Option("rows", DEFAULT.rows, help="largest unroll factor, as registers permit"),
        Option("chains", 2, help="unroll factor of the innermost dimension around recurrences"),
    ),
)
def unroll_and_jam(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Rewrite every kernel of the host that meets the conditions.

    Raises UsageError for an option out of range.
    """
    rows, chains = ctx.number("rows"), ctx.number("chains")
    if rows < 2:
        raise usage_error("unroll-and-jam{rows=…} is an unroll factor, at least 2")
    if chains < 0 or chains == 1:
        raise usage_error("unroll-and-jam{chains=…} is an unroll factor, at least 2, or 0 for none")
    return map_host(
        p, lambda names: partial(_kernel, rows=rows, chains=chains, names=names, ctx=ctx)
    )


def _kernel(s: KernelStm, rows: int, chains: int, names: Names, ctx: Context) -> Block:
    """Unroll the innermost dimension that meets the conditions; the last one only if the kernel
    contains a recurrence.
    """
    last = len(s.dims) - 1
    tried = [Candidate.of(s, dim, rows) for dim in reversed(range(last))]
    if chains and has_recurrence(s.body):
        tried.insert(0, Candidate.of(s, last, chains))
    for k in tried:
        why = next((w for c in CONDITIONS if (w := c(k)) is not None), None)
        if why is None:
            return _jammed(k, names)
        ctx.remark(f"kernel over {s.dims[k.dim].index}", *why)
    return (s,)


@frozen
class Candidate:
    """A kernel, one of its dimensions, and an unroll factor, ``rows``."""

    kernel: KernelStm
    dim: int
    own: frozenset[Name]
    """The blocks that the body declares: each iteration has its own."""
    varying: frozenset[Name]
    """The variables that may differ between the rows."""
    bytes: int | None
    """The size of a row's own blocks in bytes; None if it is not a constant."""
    rows: int

    @staticmethod
    def of(s: KernelStm, dim: int, most: int) -> "Candidate":
        """Return the candidate with the largest unroll factor for which the blocks fit registers,
        but not above ``most``.
        """
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
"""The name of the condition, and the reason why it does not hold."""


def uniform_control(c: Candidate) -> Refusal | None:
    """(1) Trip counts and conditions inside do not depend on the row, except those of branches that
    are replicated as a whole.
    """
    for s in nested(c.kernel.body):
        if not _controls(s).isdisjoint(c.varying) and not _replicated(s):
            return "uniform_control", f"rows differ in {', '.join(_controls(s) & c.varying)}"
    return None


def _replicated(s: ImpStm) -> bool:
    """True for a branch without loops, kernels and blocks; if its condition differs between rows,
    each row gets its own.  Then all that it assigns differs, too.
    """
    return isinstance(s, IfStm) and not any(
        isinstance(t, ForStm | WhileStm | KernelStm | Allocate) for t in nested((s,))
    )


def _controls(s: ImpStm) -> frozenset[Name]:
    """Return the names that determine how often the statements inside ``s`` run."""
    match s:
        case ForStm(_, bound):
            return bound.free()
        case WhileStm(cond) | IfStm(Var(cond)):
            return frozenset((cond,))
        case KernelStm(dims):
            return frozenset().union(*(d.bound.free() for d in dims))
        case IfStm():
            return frozenset()
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
            return frozenset()
        case CallStm() | Check() | OpaqueStm():
            return frozenset()


def check_free(c: Candidate) -> Refusal | None:
    """(2) The body has no checks: in another order, another iteration could fail first."""
    why = checks_nothing(c.kernel)
    return None if why is None else ("checks_nothing", why)


def shares(c: Candidate) -> Refusal | None:
    """(3) Rows read the same elements, or the kernel contains a recurrence (checked earlier)."""
    if c.dim == len(c.kernel.dims) - 1 or any(
        s.x not in c.varying for s in _read_by_lanes(c.kernel.body)
    ):
        return None
    return "shares", "in loops, lanes read different elements in each row"


def _read_by_lanes(body: Block, *, looping: bool = False) -> Iterator[Read]:
    """Yield the reads of kernels inside loops."""
    for s in body:
        if looping and isinstance(s, KernelStm):
            yield from (t for t in nested(s.body) if isinstance(t, Read))
        inside = looping or isinstance(s, ForStm | WhileStm)
        for inner in children(s):
            yield from _read_by_lanes(inner, looping=inside)


def has_recurrence(body: Block) -> bool:
    """True if a loop contains a recurrence of scalars and writes memory."""
    return any(isinstance(s, ForStm) and is_recurrence(s.body) for s in nested(body))


def fits_registers(c: Candidate) -> Refusal | None:
    """(4) The private blocks of two rows fit: otherwise accumulators are spilled to memory."""
    if c.bytes is None:
        return "fits_registers", "the size of a row's private blocks is not a constant"
    if c.rows < 2:
        return "fits_registers", f"the private blocks of a row take {c.bytes} bytes"
    return None


def enough_rows(c: Candidate) -> Refusal | None:
    """(5) There are at least as many rows as the unroll factor; otherwise all are remainder."""
    bound = c.kernel.dims[c.dim].bound.as_const
    few = bound is not None and bound < c.rows
    return ("enough_rows", f"the dimension has only {bound} rows") if few else None


CONDITIONS: tuple[Callable[[Candidate], Refusal | None], ...] = (
    uniform_control,
    check_free,
    shares,
    fits_registers,
    enough_rows,
)


# ---------------------------------------------------------------------- the kernels


def _jammed(c: Candidate, names: Names) -> Block:
    """Return the kernel of unrolled rows, and the kernel of the remainder if there may be one."""
    s, rows = c.kernel, c.rows
    bound = s.dims[c.dim].bound
    whole = bound.as_const
    if whole is not None and whole % rows == 0:
        return (_unrolled(c, const(whole // rows), names),)
    count = names.fresh("rows")
    names.types[count] = I64
    left = names.copy(s)
    r = names.another(left.dims[c.dim].index)
    return (
        Declare(count, I64, s.at),
        Assign(count, Bin(BinOp.QUOT, size_exp(bound), Const(rows, I64)), s.at),
        _unrolled(c, var(count), names),
        at(left, c.dim, var(count) * rows + var(r), r, bound - var(count) * rows),
    )


def _unrolled(c: Candidate, count: Size, names: Names) -> KernelStm:
    s, row = c.kernel, c.kernel.dims[c.dim].index
    b = names.another(row)
    mine = sorted(c.varying & frozenset(bound_names(s.body)))
    images: list[dict[Name, Size]] = []
    for k in range(c.rows):
        image = {x: var(x if k == 0 else names.another(x)) for x in mine}
        images.append({**image, row: var(b) * c.rows + k})
    dims = (*s.dims[: c.dim], ImpDim(b, count), *s.dims[c.dim + 1 :])
    return evolve(s, dims=dims, body=_jam(s.body, c.varying, images))


def _jam(body: Block, varying: frozenset[Name], images: list[dict[Name, Size]]) -> Block:
    """Return the body for all rows: loops are fused, statements that are the same for all rows run
    once, and the others are replicated.
    """
    done: list[ImpStm] = []
    for s in body:
        match s:
            case ForStm() | WhileStm() | KernelStm():
                done.append(evolve(s, body=_jam(s.body, varying, images)))
            case IfStm() if not _controls(s).isdisjoint(varying):
                done += (t for image in images for t in subst((s,), image))
            case IfStm():
                then, orelse = (_jam(b, varying, images) for b in (s.then, s.orelse))
                done.append(evolve(s, then=then, orelse=orelse))
            case Write() | CopyElement():
                done += (t for image in images for t in subst((s,), image))
            case Declare() | Assign() | Allocate() | Read() | CallStm() | Check() | OpaqueStm():
                if {*own_assigns(s), *bound_names((s,))}.isdisjoint(varying):
                    done.append(s)
                else:
                    done += (t for image in images for t in subst((s,), image))
    return tuple(done)
