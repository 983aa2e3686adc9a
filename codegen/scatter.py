"""Data-dependent conditional stores, which are printed without a branch for processors.

    if ok then                    const long on = rt_mask(ok);   all bits, or none
      ys[i] <- xs[k] : i32;  ->   ulong spare;
    fi                            rt_pick(on, ys, &spare)[i & on] = rt_pick(on, xs, &none)[k & on];

A filter keeps and drops elements in an order that branch prediction cannot learn, and a wrong
prediction costs more than twenty stores.  So a dropped element is stored as well: in a spare
variable that is never read.  The source of a copy is selected in the same way, since the source
element of a copy that does not happen need not exist.

A choice between two integers by a condition that depends on memory is computed by a mask, too, in a
loop in which each iteration depends on the one before; other loops the C compiler vectorises.

    if c then                     const long on = rt_mask(c);
      x <- a;                ->   x = (a & on) | (b & ~on);
    else
      x <- b;
    fi

Stores: it is done only where a branch chose the index: in an earlier kernel, or in this one, if the
branch may choose a negative constant.  So a program drops elements.  Computed indices are mostly
all in bounds, so their branches are predicted well.  OpenCL C 1.2 has no pointer to either global
or private memory.  So in OpenCL the branch is a macro, ``FM_IF (ok)``, which is empty where a
compiler for the processor itself has one address space for both, as PoCL's; kernels for graphics
processors keep the branch.
"""

from collections.abc import Mapping

from funmem.ir.fun import Const, MemType, Var
from funmem.ir.imp import Assign, Block, CopyElement, IfStm, ImpStm, Read, Write
from funmem.ir.imp_traverse import nested
from funmem.ir.names import Name
from funmem.ir.scalars import I64, ScalarType

MOST = 4
"""Cap on the number of stores under one condition that are printed without a branch."""


def chosen_blocks(body: Block) -> frozenset[Name]:
    """Return the blocks into which a statement writes a variable that a branch has set."""
    every = tuple(nested(body))
    branches = (t for s in every if isinstance(s, IfStm) for t in (*s.then, *s.orelse))
    chosen = {t.x for t in branches if isinstance(t, Assign)}
    return frozenset(
        s.block
        for s in every
        if isinstance(s, Write) and isinstance(s.value, Var) and s.value.name in chosen
    )


def chosen_indices(kernel: Block, entry: Block) -> frozenset[Name]:
    """Return the variables of a kernel that hold indices that a branch chose, in the kernel or, for
    indices in memory, anywhere in the entry point.

    A branch that chooses a negative constant drops an element.
    """
    branches = (s for s in nested(kernel) if isinstance(s, IfStm))
    both = ((t for b in (s.then, s.orelse) for t in b if isinstance(t, Assign)) for s in branches)
    drops = (t.x for ts in both for t in ts if isinstance(t.value, Const) and _negative(t.value))
    return read_from(kernel, chosen_blocks(entry)).union(drops)


def _negative(k: Const) -> bool:
    return k.type is I64 and k.value < 0


def read_from(body: Block, blocks: frozenset[Name]) -> frozenset[Name]:
    """Return the variables that are read from ``blocks``."""
    return frozenset(s.x for s in nested(body) if isinstance(s, Read) and s.block in blocks)


def branchless(s: IfStm, chosen: frozenset[Name], data: frozenset[Name]) -> bool:
    """True if a conditional consists of a few stores to chosen indices.

    ``chosen``: variables that are chosen indices; ``data``: variables that depend on memory.
    """
    return (
        not s.orelse
        and isinstance(s.cond, Var)
        and 0 < len(s.then) <= MOST
        and all(_store(t, chosen, data) for t in s.then)
    )


def _store(s: ImpStm, chosen: frozenset[Name], data: frozenset[Name]) -> bool:
    """True for a store whose operands are safe to compute if the condition is false.

    They contain no arithmetic on data, so they cannot trap or overflow.
    """
    if isinstance(s, Write):
        return isinstance(s.value, Var | Const) and s.index.as_name in chosen
    if isinstance(s, CopyElement):
        return s.dst_index.as_name in chosen and s.src_index.free().isdisjoint(data)
    return False


def chosen_scalar(
    s: IfStm, data: frozenset[Name], types: Mapping[Name, ScalarType | MemType]
) -> bool:
    """True if a conditional chooses between two integers that are variables or constants, by a
    variable in ``data``.
    """
    match s:
        case IfStm(Var(c), (Assign(x, Var() | Const()),), (Assign(y, Var() | Const()),)):
            t = types[x]
            return x == y and c in data and isinstance(t, ScalarType) and t.is_int
        case _:
            return False
