"""tiles: a kernel that goes along rows of one array and columns of another does so in tiles.

*Why.*  Whoever reads a column touches a line of the cache for every element.  In tiles of 32 x 32
the other elements of a line are used before it goes.

*Before -> after.*

    kernel i < n, j < m do              p <- n // 32;  q <- m // 32;
      b[i*m + j] <- a[j*n + i];         kernel bi < p, bj < q do
    done                                  kernel i < 32, j < 32 do … 32*bi + i, 32*bj + j … done
                              ->        done
                                        kernel i < n, r < m - 32*q do … j = 32*q + r … done
                                        kernel r < n - 32*p, j < 32*q do … i = 32*p + r … done

*Correct* because a kernel's iterations are independent.

*Conditions.*

    (1) straight        its body has no loops, branches or blocks of its own
    (2) checks_nothing  so that the first iteration that fails is no other
    (3) crosses         an access has neighbours in the last dimension far apart, and those in the
                        one before it side by side

*Precondition*: IMP.  *Postcondition*: the same statements on each element.
"""

from collections.abc import Callable
from functools import partial

from funmem.ir.arith import size_exp
from funmem.ir.frozen import evolve
from funmem.ir.fun import Bin, Const
from funmem.ir.imp import (
    Assign,
    Block,
    Check,
    CopyElement,
    Declare,
    ImpDim,
    ImpProgram,
    ImpStm,
    KernelStm,
    Read,
    Write,
)
from funmem.ir.imp_traverse import nested, own_indices, subst
from funmem.ir.names import Name
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.passes.context import usage_error
from funmem.passes.framework import Context, Option, imp_pass
from funmem.passes.host_kernels import Names, at, map_host
from funmem.passes.tuning import DEFAULT


@imp_pass(
    "tiles",
    summary="kernels that cross the order of memory run in tiles",
    options=(Option("side", DEFAULT.side, help="rows and columns of a tile"),),
)
def tiles(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Every kernel of the host that meets the conditions.  Raises UsageError for a bad side."""
    side = ctx.number("side")
    if side < 1:
        raise usage_error("tiles{side=…} is a positive number of rows and columns")
    return map_host(p, lambda names: partial(_kernel, side=side, names=names, ctx=ctx))


def _kernel(s: KernelStm, side: int, names: Names, ctx: Context) -> Block:
    if len(s.dims) < 2:
        return (s,)
    for condition in CONDITIONS:
        if (why := condition(s)) is not None:
            ctx.remark(f"kernel over {s.dims[-1].index}", condition.__name__, why)
            return (s,)
    return _tiled(s, side, names)


def _tiled(s: KernelStm, side: int, names: Names) -> Block:
    *outer, row, column = s.dims
    last = len(s.dims) - 1
    head: list[ImpStm] = []
    whole: list[Size] = []
    for dim in (row, column):
        count = names.fresh("tiles")
        names.types[count] = I64
        head += (
            Declare(count, I64, s.at),
            Assign(count, Bin(BinOp.QUOT, size_exp(dim.bound), Const(side, I64)), s.at),
        )
        whole.append(var(count))
    i, j = names.another(row.index), names.another(column.index)
    bi, bj = names.fresh("b"), names.fresh("b")
    image = {row.index: var(bi) * side + var(i), column.index: var(bj) * side + var(j)}
    inner = KernelStm((ImpDim(i, const(side)), ImpDim(j, const(side))), subst(s.body, image), s.at)
    groups = (*outer, ImpDim(bi, whole[0]), ImpDim(bj, whole[1]))
    right, below = names.copy(s), names.copy(s)
    c, r = right.dims[-1].index, below.dims[-2].index
    right = at(right, last, whole[1] * side + var(c), c, column.bound - whole[1] * side)
    below = evolve(below, dims=(*below.dims[:-1], ImpDim(below.dims[-1].index, whole[1] * side)))
    below = at(below, last - 1, whole[0] * side + var(r), r, row.bound - whole[0] * side)
    return (*head, KernelStm(groups, (inner,), s.at), right, below)


# ---------------------------------------------------------------------- conditions


def straight(s: KernelStm) -> str | None:
    """(1) Nothing but scalars, reads, writes and copies of elements."""
    for t in s.body:
        match t:
            case Declare(_, ScalarType()) | Assign() | Read() | Write() | CopyElement() | Check():
                pass
            case _:
                return "its body is not straight"
    return None


def checks_nothing(s: KernelStm) -> str | None:
    """(2) In tiles another iteration than the first in order might fail first."""
    return "it checks something" if any(isinstance(t, Check) for t in nested(s.body)) else None


def crosses(s: KernelStm) -> str | None:
    """(3) Else rows are right."""
    row, column = s.dims[-2].index, s.dims[-1].index
    for t in s.body:
        for index in own_indices(t):
            along, across = _step(index, column), _step(index, row)
            if across in (-1, 1) and along not in (-1, 0, 1):
                return None
    return "no access goes along the other dimension"


def _step(index: Size, i: Name) -> int | None:
    """How far apart neighbours are, if that is a number."""
    return (index.subst({i: var(i) + 1}) - index).as_const


Condition = Callable[[KernelStm], str | None]

CONDITIONS: tuple[Condition, ...] = (straight, checks_nothing, crosses)
