"""simplify: scalar optimisations and dead-code elimination (paper 002, end of section 3.5).

*Why.*  "We return all supporting information, even though it might not be necessary … we defer the
removal of such redundant return values to a fairly straight-forward simplifier."  Passes may
therefore generate code by the general rule and leave special cases to this one.

*Before -> after.*

    let (z_mem : mem) (z_off : i64) (z_st : i64) (z : [n]f32 @ z_mem -> z_off + {(n : z_st)}) =
      if c then … in (x_mem, 0, 1, x) else … in (y_mem, 0, 1, y)
    ->
    let (z_mem : mem) (z : [n]f32 @ z_mem -> 0 + {(n : 1)}) =
      if c then … in (x_mem, x) else … in (y_mem, y)

Two traversals alternate until a fixed point: *forward* (copy and constant propagation, common
subexpressions, equal results of branches, loop-invariant parameters: forward.py, control.py,
scalars.py) and *backward* (dead code: dead.py).  Then loop-invariant assertions move before their
kernels (assertions.py).

*Safety.*  (1) A dead statement that may trap stays: ``cannot_trap``.  (2) i64 arithmetic wraps
around and sizes do not, so a name in a size is replaced by its polynomial only if both are provably
equal: ``same_size``.  (3) Equal fresh arrays are merged only in FUN, and only if they are not
updated: ``not_updated``.  Each refusal is a remark.

*Precondition*: well typed.  *Postcondition*: well typed, same level.
"""

from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import Ann, Entry, MemProgram, Program
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.passes.framework import Context, any_pass
from funmem.passes.fun.simplify.assertions import assertions_outside
from funmem.passes.fun.simplify.dead import without_dead_code
from funmem.passes.fun.simplify.forward import forward
from funmem.passes.fun.simplify.refusals import Refusals
from funmem.passes.fun.simplify.state import Again

ROUNDS = 20
"""Largest number of rounds; no known program reaches it, and stopping early is safe."""


@any_pass("simplify", summary="copies, constants, equal expressions, dead code, invariants")
def simplify(p: MemProgram, ctx: Context) -> MemProgram:
    """Simplify every entry point to a fixed point, and once more if assertions have moved.

    Assertions move after dead code is removed, so that they are not moved twice.
    """
    done = [_simplified(e) for e in p.entries]
    small = Program(tuple(d.entry for d in done), p.functions)
    moved = assertions_outside(small)
    if moved is not small:
        both = zip(done, moved.entries, strict=True)
        done = [d if d.settled and e is d.entry else _simplified(e) for d, e in both]
    for d in done:
        for s, condition, why in d.refusals.found:
            ctx.remark(s, condition, why)
    return Program(tuple(d.entry for d in done), p.functions)


@frozen
class _Simplified:
    """A simplified entry point, and the refusals of the last round."""

    entry: Entry[Ann]
    refusals: Refusals
    settled: bool
    """True if simplifying it again makes the same entry point, with the same refusals."""


def _simplified(e: Entry[Ann]) -> _Simplified:
    pinned = frozenset[Name]()
    refusals = Refusals()
    for _ in range(ROUNDS):
        before, refusals = e, Refusals()
        e, pinned = _forward(e, pinned, refusals)
        e = without_dead_code(e, refusals)
        if e == before:
            return _Simplified(e, refusals, not pinned)
    return _Simplified(e, refusals, settled=False)


def _forward(
    e: Entry[Ann], pinned: frozenset[Name], refusals: Refusals
) -> tuple[Entry[Ann], frozenset[Name]]:
    """Return the result of the forward traversal, and the names that it must not substitute."""
    while True:
        try:
            walk = Refusals()
            result = forward(e, pinned, walk)
        except Again as again:
            if again.names <= pinned:
                raise Stuck(f"simplify: no progress with {sorted(again.names)}") from again
            pinned |= again.names
        else:
            refusals.include(walk)
            return result, pinned
