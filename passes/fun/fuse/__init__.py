"""fuse: kernel fusion, so that an array between two kernels is never stored (FUN -> FUN).

*Why.*  A source program says ``map f (map g xs)`` and each ``map`` is a kernel.  An array between
two kernels costs a pass over memory to write it and another one to read it, which is most of what
simple kernels do.

*Before -> after.*

(F0) The check of the offsets of a kernel over rows becomes a kernel of its own, and a map of the
     elements alone becomes one over these (over_rows.py).

(F1) Rematerialisation: cheap elements are computed again wherever they are read (recompute.py):
     ``iota``, ``replicate`` of a scalar, maps of a few scalar operations that read no array.

(F2) A read of a reversal, permutation or slice of a kernel's result reads the result itself; so
     does one of a reshape that adds or removes dimensions of size 1.  A map that only makes the
     columns of a matrix is such a view of it.

(F3) Vertical fusion: a map becomes part of a kernel whose iteration i reads only element i of its
     result (vertical.py).  The consumer may be a map, reduce, scan or hist.

     let (ys : [n]f32) = kernel i < n do b in (y)
     let (s : f32) = kernel j < n reduce (op) (ne) do let (v : f32) = ys[j]  c in (r)
     ->
     let (s : f32) = kernel j < n reduce (op) (ne) do b[i := j]  c[v := y] in (r)

     If ``ys`` has other uses and the consumer is a map, the new kernel makes both arrays.  If ``b``
     is cheap and every use of ``ys`` is such a consumer, each of them computes ``ys`` (again.py).
     Kernels over rows fuse with kernels over the same rows, and with maps of the elements of all
     rows.

(F4) Horizontal fusion: independent kernels over the same iterations that read a common array become
     one kernel (horizontal.py).  Maps become a map with all results, and reductions (or scans) one
     with the product of their operators.

     let (a : f32) = kernel i < n reduce (f) (ne1) do b in (x)
     let (c : f32) = kernel j < n reduce (g) (ne2) do d in (y)
     ->
     let (a : f32) (c : f32) = kernel i < n reduce (f x g) (ne1, ne2) do b  d[j := i] in (x, y)

(F5) The last element of a scan of integers is computed as their reduction (scans.py).

(F6) A scan moves to the map that reads it, so that ``schedule`` computes both at once (scans.py).

*No costly work is duplicated*: (F3) evaluates the producer's body as often as before, for the same
indices, so no trap is lost; more often only if it cannot trap and costs no more than a read.  The
numbered conditions are in conditions.py, again.py and horizontal.py; each refusal is a remark.

*Traps.*  Iterations of one kernel have no order (see ``schedule``); two kernels have one.  If
producer and consumer, or a statement between, may raise different kinds of trap, they are not
fused.

Outer bodies are fused before inner ones, because fusing outer kernels brings inner ones together.

Precondition: well-typed FUN.  Postcondition: well-typed FUN.
"""

from collections.abc import Iterable

from funmem.ir.fun import (
    Ann,
    Body,
    Entry,
    Kernel,
    MemProgram,
    Program,
    RaggedKernel,
    Scan,
    Stm,
)
from funmem.ir.logic.body_facts import At, BodyFacts
from funmem.ir.logic.facts import of_entry
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.ir.traverse import (
    program_fresh,
    sub_bodies,
    walk,
    with_bodies,
)
from funmem.passes.framework import Context, fun_pass
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.conditions import Refusal
from funmem.passes.fun.fuse.horizontal import Horizontal
from funmem.passes.fun.fuse.over_rows import checks_apart, checks_joined
from funmem.passes.fun.fuse.recompute import recompute
from funmem.passes.fun.fuse.scans import beside_maps, with_totals
from funmem.passes.fun.fuse.vertical import Vertical, Work

ROUNDS = 8
"""Largest number of rounds of (F3) and (F4) in a body; each one but the last joins kernels."""


@fun_pass("fuse", summary="kernels that make and read an array become one")
def fuse(p: MemProgram, ctx: Context) -> MemProgram:
    """Apply the rules of the module docstring to every entry point."""
    fresh = program_fresh(p)
    return Program(tuple(_entry(e, fresh, ctx) for e in p.entries), p.functions)


def _entry(e: Entry[Ann], fresh: Fresh, ctx: Context) -> Entry[Ann]:
    kernels = [s.exp for s in walk(e.body) if isinstance(s.exp, Kernel | RaggedKernel)]
    e = recompute(e, lambda: of_entry(e), fresh, Aliases(e))
    if len(kernels) < 2 and not any(isinstance(k.collective, Scan) for k in kernels):
        return e
    walker = _Fuse(fresh, Aliases(e), ctx)
    return evolve(e, body=walker.body(e.body, lambda: of_entry(e), inside=False))


class _Fuse:
    """Traverses bodies, outer ones first."""

    def __init__(self, fresh: Fresh, aliases: Aliases, ctx: Context) -> None:
        self.fresh = fresh
        self.aliases = aliases
        self.ctx = ctx

    def body(self, b: Body[Ann], start: At, *, inside: bool) -> Body[Ann]:
        """Fuse the kernels of a body, then those of the bodies in it;
        ``inside`` a kernel or not.
        """
        if sum(isinstance(s.exp, Kernel | RaggedKernel) for s in b.stms) > 1:
            rows = any(isinstance(s.exp, RaggedKernel) for s in b.stms)
            if rows:
                b = checks_apart(b, BodyFacts(b.stms, start), self.fresh)
            w = Work(b, start)
            for _ in range(ROUNDS):
                refusals = list(Vertical(w, self.fresh, self.aliases, inside=inside).run())
                horizontal = Horizontal(w, self.aliases)
                side_by_side = list(horizontal.run())
                if not horizontal.changed:
                    break  # else several consumers of an array may have become one
            self.note(refusals)
            self.note(side_by_side)
            b = w.result(b)
            if rows:
                b = checks_joined(b, BodyFacts(b.stms, start))
        if not inside:
            b = beside_maps(with_totals(b, start, self.fresh), start, self.aliases)
        places = BodyFacts(b.stms, start)
        stms = tuple(
            self.statement(s, q, places, inside=inside or isinstance(s.exp, Kernel | RaggedKernel))
            for q, s in enumerate(b.stms)
        )
        return evolve(b, stms=stms)

    def statement(self, s: Stm[Ann], q: int, places: BodyFacts, *, inside: bool) -> Stm[Ann]:
        """Return a statement with the kernels in its bodies fused."""
        bodies = sub_bodies(s.exp)
        if not any(isinstance(t.exp, Kernel | RaggedKernel) for b in bodies for t in walk(b)):
            return s
        new = [
            self.body(b, places.inside(q, s.exp, k), inside=inside) for k, b in enumerate(bodies)
        ]
        return evolve(s, exp=with_bodies(s.exp, new))

    def note(self, refusals: Iterable[tuple[Stm[Ann], Refusal]]) -> None:
        """Record each refusal as a remark."""
        for s, refusal in refusals:
            self.ctx.remark(s, refusal.condition, refusal.reason)
