"""expand: allocations leave kernels (MemoryExpand; paper 002, sec. 5).

*Why.*  A device cannot allocate inside a kernel.  One block, allocated before it, is divided
among its threads.

*Before -> after.*

    kernel i < n do
      let (m : mem) = alloc 4*k
      let (x : [k]f32 @ m -> 0 + {(k : 1)}) = …
    ->
    let (m : mem) = alloc 4*k*n
    kernel i < n do
      let (x : [k]f32 @ m -> k*i + {(k : 1)}) = …          layout=contiguous
      let (x : [k]f32 @ m -> i + {(k : n)}) = …            layout=interleaved

*Contiguous* keeps each thread's part together (locality, for CPUs); *interleaved* makes the thread
the innermost dimension (coalescing, for GPUs): offsets and strides are all multiplied by the
number of threads (errata 7).  Threads are numbered row-major over the kernel's dimensions
(``layout.py``).  An operator's body runs once at a time for each index of the outer dimensions, so
only these number its threads.

*The size* of a thread's part is a size known outside the kernel, an upper bound that is known
outside, or the maximum over all threads, which a kernel of its own computes (``sizes.py``).  That
kernel evaluates the size of every thread before the first thread runs.  With 2^60 threads it does
not terminate in practice, even where the original kernel traps in its first thread.

*What moves* is every array in the block.  ``plan.py`` gives fresh arrays and operators' parameters
their homes.  The homes of all others -- slices, results of ``if`` and ``loop`` -- are derived
from these (``relocate``).  Supporting information that was simplified away is added again where it
is needed.

A kernel on the host keeps all its allocations if it must keep one: it cannot run on a device, and
as a loop on the host (``sequentialise``) it needs only one thread's part.

Kernels are expanded from the inside outwards: an allocation that leaves an inner kernel is hoisted
to the top of the outer kernel's body and expanded from there.

*Precondition*: FUNMEM, hoisted.  *Postcondition*: no device block is allocated in a kernel, except
those that a remark names.
"""

from collections.abc import Iterator

from funmem.ir.fun import Ann, Body, Entry, Kernel, MemProgram, Program, Stm
from funmem.ir.logic.blocks import allocation_in_kernel
from funmem.ir.logic.derive import Homeless
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.ir.traverse import (
    map_sub_bodies,
    program_fresh,
    with_exp,
    with_stms,
)
from funmem.passes.framework import Context, Option, mem_pass
from funmem.passes.mem.expand.plan import expanded, plan
from funmem.passes.mem.hoist import Position, hoist, hoist_body, hoist_entry, start_of

LAYOUT = Option(
    "layout",
    "contiguous",
    ("contiguous", "interleaved"),
    "how threads share a block: one contiguous part each, or element by element",
)


@mem_pass("expand", summary="move allocations out of kernels", options=(LAYOUT,))
def expand(p: MemProgram, ctx: Context) -> MemProgram:
    """Expand every kernel of every entry point, from the inside outwards; then hoist the
    allocations.
    """
    expansion = _Expansion(program_fresh(p), ctx, interleaved=ctx.text("layout") == "interleaved")
    quiet = hoist.context()

    def entry(e: Entry[Ann]) -> Entry[Ann]:
        body = expansion.body(e.body, start_of(e, quiet))
        return hoist_entry(evolve(e, body=body), quiet)

    return Program(tuple(map(entry, p.entries)), p.functions)


class _Expansion:
    """The traversal; its fields are constant, except for the supply of names."""

    def __init__(self, fresh: Fresh, ctx: Context, *, interleaved: bool) -> None:
        self.fresh = fresh
        self.ctx = ctx
        self.interleaved = interleaved

    def body(self, b: Body[Ann], position: Position) -> Body[Ann]:
        stms: list[Stm[Ann]] = []
        for s in b.stms:
            for t in self.statement(s, position):
                stms.append(t)
                position = position.after(t)
        return with_stms(b, stms)

    def statement(self, s: Stm[Ann], position: Position) -> Iterator[Stm[Ann]]:
        starts = iter(position.known.inside(s.exp))
        exp = map_sub_bodies(s.exp, lambda b: self.body(b, position.inside(s, next(starts))))
        s = with_exp(s, exp)
        if not isinstance(exp, Kernel):
            yield s
            return
        one = Body((s,), ())
        *left, s = hoist_body(one, evolve(position, blocks=position.blocks.including(one))).stms
        for t in left:
            yield t
            position = position.after(t)
        yield from self.kernel(s, position)

    def kernel(self, s: Stm[Ann], position: Position) -> tuple[Stm[Ann], ...]:
        """Return the allocations of a kernel's threads, and the kernel without them."""
        for interleaved in (True, False) if self.interleaved else (False,):
            found = plan(s, position.known, self.fresh, interleaved=interleaved)
            try:
                after = expanded(s, found, position.known, self.fresh)
            except Homeless as e:
                self.ctx.remark(s, "every reshape keeps an index function", str(e))
                continue
            for refusal in found.refusals:
                self.ctx.remark(refusal.at, refusal.condition, refusal.reason)
            if position.in_kernel or allocation_in_kernel(after[-1]) is None:
                for t in after:
                    if t.pat and t.pat[0].name in found.layouts:
                        shared = found.layouts[t.pat[0].name]
                        self.ctx.did(t, "one block for all threads", str(shared))
                return after
            return (s,)
        return (s,)
