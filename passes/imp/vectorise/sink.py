"""Code sinking: a value that is used only after a loop is computed there, and so not kept through
it.

    x <- cs[i*m + j];                              sum <- 0.0;
    sum <- 0.0;                                    for k < d do … done
    for k < d do … done                    ->      x <- cs[i*m + j];
    cs[i*m + j] <- x - sum;                        cs[i*m + j] <- x - sum;

A statement moves down to the first use of its variable if the statements in between assign neither
its operands nor its variable, and write no memory if the statement is a read.
"""

from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    CopyElement,
    ForStm,
    ImpStm,
    KernelStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import nested, own_assigns, own_uses


def sink_statements(body: Block) -> Block:
    """Return the body with assignments and reads moved below loops that do not need them."""
    stms = list(body)
    for k in reversed(range(len(stms))):
        s = stms[k]
        if isinstance(s, Assign | Read) and (to := _distance(s, stms[k + 1 :])):
            stms[k : k + to + 1] = [*stms[k + 1 : k + to + 1], s]
    return tuple(stms)


def _distance(s: Assign | Read, later: list[ImpStm]) -> int:
    """Return the number of statements below which ``s`` moves; 0 if none of them is a loop."""
    uses = own_uses(s)
    loops = False
    for k, t in enumerate(later):
        inside = tuple(nested((t,)))
        used = any(s.x in own_uses(u) for u in inside)
        assigned = {x for u in inside for x in own_assigns(u)}
        stays = s.x in assigned or not uses.isdisjoint(assigned)
        writes = isinstance(s, Read) and any(
            isinstance(u, Write | CopyElement | Allocate) for u in inside
        )
        if used or stays or writes:
            return k if loops else 0
        loops = loops or isinstance(t, ForStm | WhileStm | KernelStm)
    return 0
