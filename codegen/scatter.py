"""Stores that happen or not, as data say, and that C prints without a branch.

    if ok then                    const long on = rt_mask(ok);   all bits, or none
      ys[i] <- xs[k] : i32;  ->   ulong spare;
    fi                            rt_pick(on, ys, &spare)[i & on] = rt_pick(on, xs, &none)[k & on];

A filter keeps about as many elements as it leaves out, in no order that a processor could predict,
and a wrong guess costs more than twenty stores.  So what is left out is stored, too: in a variable
that nobody reads.  A copy's source is picked in the same way, since an element that is not copied
need not exist.

Only where a branch chose the place, in whatever kernel wrote it: that is how a program leaves out
some.  Places that are computed are mostly all inside, and the guess is right.  OpenCL C has no
pointer that may point to global or to private memory, so that kernels for devices keep the branch.
"""

from funmem.ir.fun import Const, Var
from funmem.ir.imp import Assign, Block, CopyElement, IfStm, ImpStm, Read, Write
from funmem.ir.imp_traverse import nested
from funmem.ir.names import Name

MOST = 4
"""Stores under one condition that are worth doing in any case."""


def chosen_blocks(body: Block) -> frozenset[Name]:
    """The blocks into which some statement writes what a branch has chosen."""
    every = tuple(nested(body))
    branches = (t for s in every if isinstance(s, IfStm) for t in (*s.then, *s.orelse))
    chosen = {t.x for t in branches if isinstance(t, Assign)}
    return frozenset(
        s.block
        for s in every
        if isinstance(s, Write) and isinstance(s.value, Var) and s.value.name in chosen
    )


def read_from(body: Block, blocks: frozenset[Name]) -> frozenset[Name]:
    """The variables that are elements of these blocks."""
    return frozenset(s.x for s in nested(body) if isinstance(s, Read) and s.block in blocks)


def branchless(s: IfStm, chosen: frozenset[Name], data: frozenset[Name]) -> bool:
    """Whether there is nothing but stores to chosen places; ``data`` is all that memory decides."""
    return (
        not s.orelse
        and isinstance(s.cond, Var)
        and 0 < len(s.then) <= MOST
        and all(_store(t, chosen, data) for t in s.then)
    )


def _store(s: ImpStm, chosen: frozenset[Name], data: frozenset[Name]) -> bool:
    """A store whose operands cannot go wrong where it does not happen: no arithmetic on data."""
    match s:
        case Write(_, index, Var() | Const()):
            return index.as_name in chosen
        case CopyElement(_, index, _, source):
            return index.as_name in chosen and source.free().isdisjoint(data)
        case _:
            return False
