"""Kernels that could go astray on memory that nobody has written.

A kernel that fails leaves elements unwritten, and those that follow it run before the host knows.
What they compute is lost, but they must come to an end, and stay inside their blocks:

    while                           may go on for ever
    for i < n, n from memory        may go on for longer than anybody waits
    m[i], i from memory             may be any place

Such a kernel looks at the status buffer first.  Its checks do not do instead: the fast build has
none of places, and the passes drop those that hold wherever no kernel has failed.
"""

from funmem.codegen.unroll import from_memory
from funmem.ir.imp import Block, ForStm, ImpStm, KernelStm, WhileStm
from funmem.ir.imp_traverse import nested, own_indices
from funmem.ir.names import Name


def goes_astray(block: Block) -> bool:
    """Whether what memory holds decides how long statements run, or where they read or write."""
    data = from_memory(block)
    return any(_strays(s, data) for s in nested(block))


def _strays(s: ImpStm, data: frozenset[Name]) -> bool:
    match s:
        case WhileStm():
            return True
        case ForStm(_, bound):
            return not bound.free().isdisjoint(data)
        case KernelStm(dims):
            return any(not d.bound.free().isdisjoint(data) for d in dims)
        case _:
            return any(not i.free().isdisjoint(data) for i in own_indices(s))
