"""double-buffer: a loop's array parameters get blocks that are allocated once, before the loop.

*Why.*  A loop whose body makes the next value of an array parameter in a new block allocates in
every iteration.  This is slow on the host and impossible in a kernel.  Two blocks are enough.

*Before.*

    loop (m : mem) = m0, (x : … @ m -> L) = x0 for i < n do
      let (m1 : mem) = alloc 4*k
      let (y : … @ m1 -> L) = f x
      in (m1, y)

*After*, by rotation (``rotate.py``; the default for loops outside of kernels): the loop copies
nothing.

    let (b0 : mem) = alloc 4*k
    let (x1 : … @ b0 -> L) = copy x0
    let (b1 : mem) = alloc 4*k
    loop (m1 : mem) = b1, (m : mem) = b0, (x : … @ m -> L) = x1 for i < n do
      let (y : … @ m1 -> L) = f x
      in (m, m1, y)

If the loop passes its arrays on from one parameter to the next, the blocks rotate with them: k
parameters take k + 1 blocks at most.  If ``if`` chooses the next value of a parameter, or if sizes
vary, it is not known statically which block is free.  Such a loop on the host remains unchanged,
and a remark reports it.

*After*, by copying (``copies.py``; in kernels, which cannot allocate, and where invariant homes let
threads run side by side in vectors): the loop's blocks become invariant, and hoist moves the
allocations out.

    let (b : mem) = alloc 4*k
    let (x1 : … @ b -> R) = copy x0
    loop (x : … @ b -> R) = x1 for i < n do
      let (m1 : mem) = alloc 4*k
      let (y : … @ m1 -> L) = f x
      let (y1 : … @ b -> R) = copy y
      in (y1)

If the last use of the oldest value of a rotation precedes the first write to the next value, one
block fewer is enough (``reuse.py``).  The initial value is copied in front of the loop, unless its
block can serve as a buffer (``initial.py``) or the loop is inside another one.

A parameter that is updated in place needs neither method.  A loop without iterations returns its
initial values, which lie in the buffers as well.

*Precondition*: FUNMEM, hoisted.  *Postcondition*: no block that a loop's body allocates flows into
the loop's results, except those that a remark names.  Outside of kernels an iteration of a loop
makes no more copies than before (``copies_do_not_grow``; not with ``swap=never``).  No more blocks
are held than before, except those that begin a rotation: one for each initial value that the loop
does not need and whose block cannot serve as a buffer.
"""

from collections.abc import Iterator

from funmem.ir.fun import Ann, Body, Entry, Kernel, Loop, MemProgram, Program, Stm
from funmem.ir.logic.blocks import blocks_of
from funmem.ir.logic.derive import Homeless
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.ir.traverse import (
    map_sub_bodies,
    program_fresh,
    sub_bodies,
    with_exp,
    with_stms,
)
from funmem.passes.framework import Context, Option, mem_pass
from funmem.passes.fun.simplify.dead import without_dead_code
from funmem.passes.fun.simplify.refusals import Refusals
from funmem.passes.mem.double_buffer.carried import LoopView, Rewritten, homes_of
from funmem.passes.mem.double_buffer.copies import buffered, buffers
from funmem.passes.mem.double_buffer.promise import copies_do_not_grow
from funmem.passes.mem.double_buffer.reuse import used_before
from funmem.passes.mem.double_buffer.rotate import Rotation, rotated, rotations
from funmem.passes.mem.refusal import Refusal
from funmem.passes.mem.relocate import relocate_entry

SWAP = Option(
    "swap",
    "host",
    ("host", "never", "always"),
    "which loops exchange blocks instead of copying: those outside of kernels, none, all",
)


@mem_pass(
    "double-buffer",
    summary="loops rotate their blocks instead of allocating",
    options=(SWAP,),
    keeps=(copies_do_not_grow,),
)
def double_buffer(p: MemProgram, ctx: Context) -> MemProgram:
    """Rewrite one loop after the other, inner loops first."""
    fresh = program_fresh(p)
    return Program(tuple(_entry(e, fresh, ctx) for e in p.entries), p.functions)


def _entry(e: Entry[Ann], fresh: Fresh, ctx: Context) -> Entry[Ann]:
    e = _settled(e, fresh)
    made: list[tuple[Stm[Ann], str]] = []
    while True:
        refusals: list[Refusal] = []
        for view in views(e):
            new = _rewritten(view, fresh, ctx.text("swap"), refusals)
            if new is None:
                continue
            try:
                moved = relocate_entry(_replaced(e, view.stm, new.stms), fresh)
            except Homeless as why:
                refusals.append(
                    Refusal(view.stm, "every reshape keeps an index function", str(why))
                )
                continue
            e = without_dead_code(moved, Refusals())
            made += new.made
            break
        else:
            for s, what_for in made:
                ctx.did(s, "a loop does not allocate", what_for)
            for r in refusals:
                ctx.remark(r.at, r.condition, r.reason)
            return e


def _settled(e: Entry[Ann], fresh: Fresh) -> Entry[Ann]:
    """Return the entry point without supporting information that never varies."""
    try:
        return without_dead_code(relocate_entry(e, fresh), Refusals())
    except Homeless:
        return e


def views(e: Entry[Ann]) -> Iterator[LoopView]:
    """Yield the loops of an entry point with their surroundings, inner loops first."""
    blocks, homes = blocks_of(e.body), homes_of(e)

    params = frozenset(p.binder.name for p in e.params if p.unique)

    def inside(b: Body[Ann], in_kernel: bool, in_loop: bool) -> Iterator[LoopView]:
        for s in b.stms:
            kernel, loop = isinstance(s.exp, Kernel), isinstance(s.exp, Loop)
            for inner in sub_bodies(s.exp):
                yield from inside(inner, in_kernel or kernel, not kernel and (in_loop or loop))
            if isinstance(s.exp, Loop):
                mine = params if b is e.body else frozenset()
                yield LoopView(s, s.exp, in_kernel, in_loop, b, mine, e.body, blocks, homes)

    yield from inside(e.body, in_kernel=False, in_loop=False)


def _rewritten(
    view: LoopView, fresh: Fresh, swap: str, refusals: list[Refusal]
) -> Rewritten | None:
    """Return the statements that replace a loop; None if it remains unchanged."""
    host = not view.in_kernel
    if swap == "always" or (swap == "host" and host):
        for found in rotations(view):
            if isinstance(found, Rotation):
                return rotated(view, found, fresh, spare=used_before(found, view) is not None)
            if host:
                refusals.append(found)
        if host:
            return None
    plan = buffers(view)
    refusals += plan.refusals
    return buffered(view, plan, fresh) if plan.members else None


def _replaced(e: Entry[Ann], old: Stm[Ann], new: tuple[Stm[Ann], ...]) -> Entry[Ann]:
    """Return the entry point with statement ``old`` replaced by the statements ``new``."""

    def body(b: Body[Ann]) -> Body[Ann]:
        stms: list[Stm[Ann]] = []
        for s in b.stms:
            if s is old:
                stms += new
            else:
                stms.append(with_exp(s, map_sub_bodies(s.exp, body)))
        return with_stms(b, stms)

    return evolve(e, body=body(e.body))
