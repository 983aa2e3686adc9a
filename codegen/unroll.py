"""Which sequential loops are printed with ``FM_UNROLL``: some steps at a time.

A short body takes about as long as the counting around it.  gcc unrolls no loop by itself whose
length it does not know; LLVM does, and so PoCL, so that kernels for devices go without the word.

A loop qualifies if its body is short and has no loop in it, and if its length neither is a constant
nor comes from memory.  Rows of sparse matrices have lengths from memory: mostly few steps, of which
up to three are left over.

One compiler for OpenCL must not unroll every loop.  NVIDIA's (driver 580.159 on an H100) drops all
iterations of an inner loop but the first where the outer loop has a check before it:

    for i < n:  check …;  for j < i: …          prints #pragma unroll 1 before the inner loop

papers/decisions/unroll.md says how that was found.
"""

from funmem.ir.imp import Block, Check, Declare, ForStm, IfStm, KernelStm, Read, WhileStm
from funmem.ir.imp_traverse import nested, own_assigns, own_uses
from funmem.ir.names import Name

MOST = 20
"""Statements of a body that are worth having four times."""


def from_memory(block: Block) -> frozenset[Name]:
    """The variables whose values come from what these statements read, directly or not."""
    found: frozenset[Name] = frozenset()
    while more := frozenset(_fed(block, found)) - found:
        found |= more
    return found


def _fed(block: Block, known: frozenset[Name]) -> set[Name]:
    """What is read, or assigned from something known."""
    return {
        x
        for s in nested(block)
        if isinstance(s, Read) or not known.isdisjoint(own_uses(s))
        for x in own_assigns(s)
    }


def unrolled(s: ForStm, data: frozenset[Name]) -> bool:
    """Whether the loop qualifies; ``data`` are the variables of its kernel that memory decides."""
    inside = [t for t in nested(s.body) if not isinstance(t, Declare)]
    return (
        len(inside) <= MOST
        and s.bound.as_const is None
        and s.bound.free().isdisjoint(data)
        and not any(isinstance(t, ForStm | WhileStm | KernelStm) for t in inside)
    )


def ends_early(body: Block) -> bool:
    """True if an iteration of a loop may end the work-item: by a check that is in no inner loop."""
    return any(
        isinstance(s, Check)
        or (isinstance(s, IfStm) and (ends_early(s.then) or ends_early(s.orelse)))
        for s in body
    )
