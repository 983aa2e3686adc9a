"""tile: a kernel that traverses rows of one array and columns of another is tiled for the cache.

*Why.*  Reading a column touches one cache line for every element.  In a tile, the other elements of
a line are used before it is evicted.  A tile has 64 rows, for long contiguous runs in one array,
and 8 columns: lines whose distance is a power of two map to few sets of the cache, and 8 of them
fit there.

*Before -> after.*

    kernel i < n, j < m do              p <- n // 64;  q <- m // 8;
      b[i*m + j] <- a[j*n + i];         kernel bi < p, bj < q do
    done                                  kernel i < 64, j < 8 do … 64*bi + i, 8*bj + j … done
                              ->        done
                                        kernel i < n, r < m - 8*q do … j = 8*q + r … done
                                        kernel r < n - 64*p, j < 8*q do … i = 64*p + r … done

*Correct* because a kernel's iterations are independent.

*Conditions.*

    (1) straight_line      its body declares no blocks and contains no loops or branches
    (2) checks_nothing     its body has no checks: tiling changes the order of iterations, so
                           another check could fail first
    (3) transposed_access  an access has stride 1 in the dimension before the last, and a stride
                           other than 0 and 1 in the last dimension

*Precondition*: IMP.  *Postcondition*: the same statements on each element.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from funmem.ir.arith import size_exp
from funmem.ir.fun import Bin, Const
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
from funmem.ir.imp_traverse import may_end, nested, own_indices, subst
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.passes.context import usage_error
from funmem.passes.framework import Context, Option, imp_pass
from funmem.passes.imp.host_kernels import Names, at, map_host
from funmem.passes.tuning import DEFAULT

Tile: TypeAlias = tuple[int, int]
"""The numbers of rows and of columns of a tile."""


MOST = 1 << 20
"""Largest number of rows or columns of a tile."""


@imp_pass(
    "tile",
    summary="tile kernels with transposed accesses",
    options=(
        Option("tall", DEFAULT.tall, help="rows of a tile: of the dimension before the last"),
        Option("wide", DEFAULT.wide, help="columns of a tile: of the last dimension"),
    ),
)
def tile(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Tile every kernel of the host that meets the conditions.  Raises
    UsageError for a bad tile.
    """
    tile = ctx.number("tall"), ctx.number("wide")
    if not 1 <= min(tile) <= max(tile) <= MOST:
        what = f"tile{{tall=…,wide=…}} are positive numbers of rows and columns, at most {MOST}"
        raise usage_error(what)
    return map_host(p, lambda names: partial(_kernel, tile=tile, names=names, ctx=ctx))


def _kernel(s: KernelStm, tile: Tile, names: Names, ctx: Context) -> Block:
    if len(s.dims) < 2:
        return (s,)
    for condition in CONDITIONS:
        if (why := condition(s)) is not None:
            ctx.remark(f"kernel over {s.dims[-1].index}", condition.__name__, why)
            return (s,)
    return _tiled(s, tile, names)


def _tiled(s: KernelStm, tile: Tile, names: Names) -> Block:
    *outer, row, column = s.dims
    last = len(s.dims) - 1
    head: list[ImpStm] = []
    whole: list[Size] = []
    tall, wide = tile
    for dim, side in zip((row, column), tile, strict=True):
        count = names.fresh("tiles")
        head += (
            Declare(count, I64, s.at),
            Assign(count, Bin(BinOp.QUOT, size_exp(dim.bound), Const(side, I64)), s.at),
        )
        whole.append(var(count))
    i, j = names.another(row.index), names.another(column.index)
    bi, bj = names.fresh("b"), names.fresh("b")
    image = {row.index: var(bi) * tall + var(i), column.index: var(bj) * wide + var(j)}
    inner = KernelStm((ImpDim(i, const(tall)), ImpDim(j, const(wide))), subst(s.body, image), s.at)
    groups = (*outer, ImpDim(bi, whole[0]), ImpDim(bj, whole[1]))
    right, below = names.copy(s), names.copy(s)
    c, r = right.dims[-1].index, below.dims[-2].index
    right = at(right, last, whole[1] * wide + var(c), c, column.bound - whole[1] * wide)
    below = evolve(below, dims=(*below.dims[:-1], ImpDim(below.dims[-1].index, whole[1] * wide)))
    below = at(below, last - 1, whole[0] * tall + var(r), r, row.bound - whole[0] * tall)
    return (*head, KernelStm(groups, (inner,), s.at), right, below)


# ---------------------------------------------------------------------- conditions


def straight_line(s: KernelStm) -> str | None:
    """(1) The body consists of scalar assignments, calls, checks, and reads, writes and copies
    of elements.
    """
    for t in s.body:
        match t:
            case Declare(_, ScalarType()) | Assign() | Read() | Write() | CopyElement() | Check():
                pass
            case CallStm():
                pass
            case Declare() | Allocate() | IfStm() | ForStm() | WhileStm() | KernelStm():
                return "its body is not straight-line code"
            case OpaqueStm():
                return "its body is not straight-line code"
    return None


def checks_nothing(s: KernelStm) -> str | None:
    """(2) The body has no checks: in another order, another iteration could fail first."""
    return "its body has a check" if any(map(may_end, nested(s.body))) else None


def transposed_access(s: KernelStm) -> str | None:
    """(3) Some access is contiguous in the dimension before the last, but not in the last one."""
    row, column = s.dims[-2].index, s.dims[-1].index
    for t in s.body:
        for index in own_indices(t):
            along, across = _step(index, column), _step(index, row)
            if across in (-1, 1) and along not in (-1, 0, 1):
                return None
    return "no access is contiguous in the dimension before the last only"


def _step(index: Size, i: Name) -> int | None:
    """Return the stride of an index in ``i``, in elements; None if it is not a constant."""
    return (index.subst({i: var(i) + 1}) - index).as_const


Condition = Callable[[KernelStm], str | None]

CONDITIONS: tuple[Condition, ...] = (straight_line, checks_nothing, transposed_access)
