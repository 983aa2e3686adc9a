"""Chooses the sequential loops that are printed with ``FM_UNROLL``, and those not to be unrolled.

In a short body the loop control takes about as long as the body itself.  gcc does not unroll a loop
of unknown trip count by itself.  LLVM, and so PoCL, does if the loop becomes vectors or has no
branch; OpenCL kernels for processors have the macro only for other loops (``for_llvm``).

A loop qualifies if its body is short and contains no loop, and if its trip count is neither a
constant nor read from memory.  Trip counts from memory are excluded because of sparse matrices:
their rows are mostly short, and up to three iterations would run in the remainder loop.

One OpenCL compiler must not unroll every loop.  NVIDIA's (driver 580.159 on an H100) drops all
iterations of an inner loop but the first if the outer loop has a check before it:

    for i < n:  check …;  for j < i: …          prints #pragma unroll 1 before the inner loop

papers/decisions/unroll.md says how that was found.
"""

from funmem.ir.imp import (
    Block,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    KernelStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import exp_names, may_end, nested, own_assigns, own_uses
from funmem.ir.names import Name

MOST = 20
"""Cap on the number of statements in a body that is unrolled; the factor is four."""


def from_memory(block: Block) -> frozenset[Name]:
    """Return the variables whose values depend on elements that the statements read."""
    found: frozenset[Name] = frozenset()
    while more := frozenset(_fed(block, found)) - found:
        found |= more
    return found


def _fed(block: Block, known: frozenset[Name]) -> set[Name]:
    """Return the variables that are read from memory, or assigned from ``known`` ones."""
    return {
        x
        for s in nested(block)
        if isinstance(s, Read) or not known.isdisjoint(own_uses(s))
        for x in own_assigns(s)
    }


def unrolled(s: ForStm, data: frozenset[Name]) -> bool:
    """True if the loop qualifies; ``data``: variables of its kernel that depend on memory."""
    inside = [t for t in nested(s.body) if not isinstance(t, Declare)]
    return (
        len(inside) <= MOST
        and s.bound.as_const is None
        and s.bound.free().isdisjoint(data)
        and not any(isinstance(t, ForStm | WhileStm | KernelStm) for t in inside)
    )


def for_llvm(s: ForStm) -> bool:
    """True if LLVM may unroll a loop before all else: one that stays scalar, without a branch on
    what no iteration changes.

    It obeys the macro before it makes vectors and before it takes such branches out of loops.
    """
    every = tuple(nested(s.body))
    changed = frozenset(x for t in every for x in own_assigns(t))
    return any(isinstance(t, Write | CopyElement) for t in every) and not any(
        isinstance(t, IfStm) and exp_names(t.cond).isdisjoint(changed) for t in every
    )


def ends_early(body: Block) -> bool:
    """True if a check or call outside of inner loops may end the work-item in an iteration."""
    return any(
        may_end(s) or (isinstance(s, IfStm) and (ends_early(s.then) or ends_early(s.orelse)))
        for s in body
    )
