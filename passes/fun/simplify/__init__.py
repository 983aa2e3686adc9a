"""simplify: the same program, smaller.  FUN to FUN, FUNMEM to FUNMEM (paper 002, sec. 3.5, end).

*Why.*  "We return all supporting information, even though it might not be necessary … we defer the
removal of such redundant return values to a fairly straight-forward simplifier."  Passes may
therefore generate code by the general rule and leave special cases to this one.

*Before -> after.*

    let (z_mem : mem) (z_off : i64) (z_st : i64) (z : [n]f32 @ z_mem -> z_off + {(n : z_st)}) =
      if c then … in (x_mem, 0, 1, x) else … in (y_mem, 0, 1, y)
    ->
    let (z_mem : mem) (z : [n]f32 @ z_mem -> 0 + {(n : 1)}) =
      if c then … in (x_mem, x) else … in (y_mem, y)

Two walks alternate until nothing changes: *forward* (copies, constants, equal expressions, what
branches agree on, what loops never change: forward.py, control.py, scalars.py) and *backward*
(what nobody uses: dead.py).  Then assertions that say the same in all iterations of a kernel go in
front of it (assertions.py).

*Safety.*  (1) what can trap stays: ``cannot_trap``; (2) i64 arithmetic wraps and sizes do not, so
a name becomes its polynomial in a size only where both agree: ``same_size``; (3) fresh arrays are
made one only in FUN, and only if nobody updates them: ``not_updated``.  Each refusal is a remark.

*Precondition*: well typed.  *Postcondition*: well typed, same level.
"""

from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import Ann, Entry, MemProgram, Program
from funmem.ir.names import Name
from funmem.passes.framework import Context, any_pass
from funmem.passes.fun.simplify.assertions import assertions_outside
from funmem.passes.fun.simplify.dead import without_dead_code
from funmem.passes.fun.simplify.forward import forward
from funmem.passes.fun.simplify.refusals import Refusals
from funmem.passes.fun.simplify.state import Again

ROUNDS = 20
"""An upper bound that no program is known to reach; stopping early is safe."""


@any_pass("simplify", summary="copies, constants, equal expressions, dead code, invariants")
def simplify(p: MemProgram, ctx: Context) -> MemProgram:
    """Every entry point, to a fixed point; once more if assertions have moved.  Those that were
    made before are gone by then, so that they are not made twice.
    """
    done = [_simplified(e) for e in p.entries]
    small = Program(tuple(e for e, _ in done))
    moved = assertions_outside(small)
    if moved is not small:
        done = [_simplified(e) for e in moved.entries]
    for _, refusals in done:
        for s, condition, why in refusals.found:
            ctx.remark(s, condition, why)
    return Program(tuple(e for e, _ in done))


def _simplified(e: Entry[Ann]) -> tuple[Entry[Ann], Refusals]:
    """Forward and backward in turn until nothing changes; and what did not change, and why."""
    pinned = frozenset[Name]()
    refusals = Refusals()
    for _ in range(ROUNDS):
        before, refusals = e, Refusals()
        e, pinned = _forward(e, pinned, refusals)
        e = without_dead_code(e, refusals)
        if e == before:
            break
    return e, refusals


def _forward(
    e: Entry[Ann], pinned: frozenset[Name], refusals: Refusals
) -> tuple[Entry[Ann], frozenset[Name]]:
    """The forward walk, with as many names left alone as it needs; these are the second result."""
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
