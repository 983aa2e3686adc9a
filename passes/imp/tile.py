"""tile: a kernel that goes along rows of one array and columns of another does so in tiles.

*Why.*  Whoever reads a column touches a line of the cache for every element.  In tiles
the other elements of a line are used before it goes.  They are 64 rows tall, so that runs along the
one array are long, and 8 columns wide: lines that lie a power of two apart fall into the same few
places of the cache, and those of 8 rows fit there.

*Before -> after.*

    kernel i < n, j < m do              p <- n // 64;  q <- m // 8;
      b[i*m + j] <- a[j*n + i];         kernel bi < p, bj < q do
    done                                  kernel i < 64, j < 8 do … 64*bi + i, 8*bj + j … done
                              ->        done
                                        kernel i < n, r < m - 8*q do … j = 8*q + r … done
                                        kernel r < n - 64*p, j < 8*q do … i = 64*p + r … done

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
from typing import TypeAlias

from funmem.ir.arith import size_exp
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
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.passes.context import usage_error
from funmem.passes.framework import Context, Option, imp_pass
from funmem.passes.imp.host_kernels import Names, at, map_host
from funmem.passes.tuning import DEFAULT

Tile: TypeAlias = tuple[int, int]
"""Rows and columns."""


MOST = 1 << 20
"""No tile has more rows or columns; beyond that, an array is one tile."""


@imp_pass(
    "tile",
    summary="kernels that cross the order of memory run in tiles",
    options=(
        Option("tall", DEFAULT.tall, help="rows of a tile: of the dimension before the last"),
        Option("wide", DEFAULT.wide, help="columns of a tile: of the last dimension"),
    ),
)
def tile(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Every kernel of the host that meets the conditions.  Raises UsageError for a bad tile."""
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
