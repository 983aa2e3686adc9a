"""merge: blocks that are never needed at the same time become one.

*Why.*  ``allocate`` gives every array a block of its own, and ``hoist`` and ``expand`` move the
allocations in front of loops and kernels, where all of them exist at once.  This raises the peak
memory.

*Before -> after.*

    let (a : mem) = alloc 8*n                       let (a : mem) = alloc 8*n
    let (b : mem) = alloc 8*n                       loop … for i < k do
    loop … for i < k do                               let (x : … @ a -> L) = f …
      let (x : … @ a -> L) = f …             ->       let (s : f64) = … x …
      let (s : f64) = … x …                           let (y : … @ a -> L') = g s
      let (y : … @ b -> L') = g s

Arrays keep their index functions; only blocks are renamed.  The elements may be of different
types, since blocks count bytes.  Two blocks become one under nine conditions (``conditions.py``):

    (1) same_space               device, local, private
    (2) in_scope                 one is in scope wherever the other is allocated
    (3) stays_in_its_thread      no thread-private block is merged with one that all threads share
    (4) ends_with_its_iteration  no block that a loop passes on is merged with one in front of the
                                 loop
    (5) never_needed_together    no two arrays in them are needed at one moment (``lifetimes.py``)
    (6) threads_keep_apart       in a kernel that uses both, each thread accesses only its own part
                                 (``threads.py``)
    (7) elements_fit_together    in a kernel, elements of two sizes are not merged with
                                 layout=interleaved, nor if the block would be rounded up
    (8) size_is_known            the larger size is known or can be computed at the allocation
                                 (``sizes.py``)
    (9) peak_stays               the peak is not raised (``peak_guard.py``)

The pipeline runs the pass twice.  Before ``expand`` it merges the blocks of one thread, to which
other threads have no access.  After ``expand`` it merges the remaining blocks on the host, expanded
ones included.  With (6) a kernel may also write its result to the block of its argument:

    let (y : [n]f32 @ a -> 0 + {(n : 1)}) = kernel i < n do
      let (v : f32) = x[i]                    -- x @ a -> 0 + {(n : 1)}, used for the last time

The block of a unique argument takes part like one that is allocated before everything else; its
size is fixed.  If an array is copied to the same index function in another block and then no longer
used, merging the two blocks removes the copy (``lifetimes.py``; ``chosen.py`` for a block that is
known only at run time).

A merged block may contain old bytes where ``alloc`` would give bytes that were never written.  A
program that reads an element before writing it is invalid; the error may then be detected later.

*Precondition*: FUNMEM.  *Postcondition*: the same statements, except for allocations; the peak is
not higher.
"""

from collections.abc import Iterator

from funmem.ir.fun import Alloc, Ann, Body, Entry, Kernel, MemProgram, Program, Space
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.traverse import program_fresh, sub_bodies, walk
from funmem.passes.framework import Context, as_tree, mem_pass
from funmem.passes.mem.expand import LAYOUT, expand
from funmem.passes.mem.liveness import Names
from funmem.passes.mem.merge.apply import apply, late
from funmem.passes.mem.merge.chosen import chosen
from funmem.passes.mem.merge.lifetimes import Lifetimes
from funmem.passes.mem.merge.plan import plan, report, report_done


@mem_pass("merge", summary="blocks with disjoint lifetimes share memory", options=(LAYOUT,))
def merge(p: MemProgram, ctx: Context) -> MemProgram:
    """Merge the blocks of each entry point."""
    fresh = program_fresh(p)
    interleaved = ctx.text("layout") == "interleaved"
    entries = tuple(_entry(e, fresh, ctx, interleaved=interleaved) for e in p.entries)
    return Program(entries, p.functions)


def _entry(e: Entry[Ann], fresh: Fresh, ctx: Context, *, interleaved: bool) -> Entry[Ann]:
    lifetimes = chosen(Lifetimes.of_entry(evolve(e, body=late(e.body))), ctx)
    e = lifetimes.live.entry
    staying = left_by_expand(e, ctx)
    expandable = frozenset(blocks_in_kernels(e.body)) - staying
    found = plan(lifetimes, expandable, interleaved=interleaved)
    report(found, ctx)
    after = apply(e, found.groups, fresh)
    in_kernels = [g for g in found.groups if g.owner.in_kernel()]
    stuck = left_by_expand(after, ctx) - staying if in_kernels else frozenset()
    if not stuck:
        report_done(found.groups, ctx)
        return after
    for g in in_kernels:
        if g.name in stuck:
            ctx.remark(g.owner.at, "expand can still move the block out of its kernel", "it cannot")
    outside = tuple(g for g in found.groups if not g.owner.in_kernel())
    report_done(outside, ctx)
    return apply(e, outside, fresh)


def left_by_expand(e: Entry[Ann], ctx: Context) -> Names:
    """Return the blocks that ``expand`` leaves in kernels."""
    if not any(True for _ in blocks_in_kernels(e.body)):
        return frozenset()
    after = as_tree(expand(Program((e,)), layout=ctx.text("layout")))
    return frozenset(blocks_in_kernels(after.entries[0].body))


def blocks_in_kernels(b: Body[Ann]) -> Iterator[Name]:
    """Yield the device blocks that are allocated in kernels."""
    for s in walk(b):
        if isinstance(s.exp, Kernel):
            for inner in sub_bodies(s.exp):
                for t in walk(inner):
                    if isinstance(t.exp, Alloc) and t.exp.space is Space.DEVICE:
                        yield t.pat[0].name
