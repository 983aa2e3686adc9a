"""nest: nested kernels become perfect nests, kernels of several dimensions (FUN -> FUN).

*Why.*  Only the kernels at the top level are divided among threads; a thread runs the kernels
inside sequentially.  Source programs have nested parallelism: a map over rows of a map over a row.

*Before -> after.*

(N0) A kernel or loop in a branch that all iterations but one take moves in front of the branch
     (hoist_branches.py).

     kernel i < n, j < m do r = if i == j then … else s = kernel …; … in (s)
     ->  kernel i < n, j < m do s = kernel …; r = if i == j then … else … in (s)

(N1) A kernel whose body is a kernel becomes one kernel.  The statements before the inner kernel are
     repeated by every inner iteration: scalars and views, cheap and unable to trap (perfect.py).

     kernel i < n do a; kernel j < m do b in (y)    ->    kernel i < n, j < m do a; b in (y)

     An inner reduce or scan becomes a segmented one, ``kernel i < n, j < m reduce …``, if only
     views stand before it.  ``schedule`` folds a segment in one thread in either form, so a
     collective that is not alone in the body stays where it is.

(N2) Rows that are results as they are (a view, ``iota``, ``replicate``, ``copy``) become a kernel
     over their elements, and then (N1) applies.

(N3) Loop distribution: a body of several parts becomes one kernel per part, if one of these is a
     map.  The values that a part needs from an earlier one are stored for all iterations, as they
     would be anyway when the memory of arrays in kernels is expanded (distribute.py).

     kernel i < n do r = kernel j < m do b in (u); s = loop … r …; t = kernel l < m do … s … in (t)
     ->  rs = kernel i < n, j < m do b in (u)
         ss = kernel i < n do r = rs[i, 0 : m]; s = loop … r … in (s)
         ts = kernel i < n, l < m do s = ss[i] … in (t)

     A concatenation of the results of maps becomes one concatenation of all rows: the maps may then
     write their parts directly into the result.

     kernel i < n do r = kernel j < m do b in (u); s = [0]; t = concat 0 r s in (t)
     ->  rs = kernel i < n, j < m do b in (u);  ss = kernel i < n do s = [0] in (s)
         ts = concat 1 rs ss

     A view of stored rows (transposed or reversed) becomes one view of the rows of all iterations,
     and the kernel's result a copy of it, which short-circuiting may remove.

(N4) Loop interchange: a counted loop in a kernel with a map in its body becomes a loop around
     kernels (interchange.py).  It is profitable if the loop carries arrays, because these are in
     memory in either form.

     kernel i < n do loop (a = as[i]) for t < k do kernel j < m do b in (a')
     ->  loop (as' = as) for t < k do kernel i < n, j < m do b

(N5) A collective at the top level over a nest becomes the nest as a map, and then the collective
     over its result, because a collective is divided among few threads only.

     kernel i < n reduce (op) (ne) do x = kernel j < m reduce … in (x)
     ->  xs = kernel i < n, j < m reduce …;  kernel i < n reduce (op) (ne) do x = xs[i] in (x)

All other kernels stay as they are: those over rows of varying length, which ``schedule`` divides
into rows, pieces and chunks, and which would have to store what kernels inside compute for all
elements; those with sizes that differ from iteration to iteration, loops
that update arrays, or inner maps of a few iterations only.  Each condition is a function in
conditions.py, and each refusal is a remark.

*Traps.*  Iterations of a kernel have no order, but statements have one: (N3) and (N4) are not
applied if two parts may raise different kinds of trap.

Precondition: well-typed FUN.  Postcondition: well-typed FUN.
"""

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Body,
    DerivedArray,
    Entry,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Map,
    MemProgram,
    Opaque,
    Program,
    RaggedKernel,
    Scalar,
    Stm,
)
from funmem.ir.logic.body_facts import At, BodyFacts
from funmem.ir.logic.facts import PointFacts, of_entry
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
from funmem.passes.fun.nest.conditions import PERFECT, WORTH, has_inner_kernel
from funmem.passes.fun.nest.distribute import Distribute, Kind, plan, with_own_operands
from funmem.passes.fun.nest.hoist_branches import hoist_branches
from funmem.passes.fun.nest.interchange import interchange
from funmem.passes.fun.nest.perfect import Stms, flatten
from funmem.passes.fun.schedule.builder import Builder
from funmem.passes.fun.schedule.maps import maps_first


@fun_pass("nest", summary="nested kernels become kernels of several dimensions")
def nest(p: MemProgram, ctx: Context) -> MemProgram:
    """Apply the rules of the module docstring to every entry point."""
    fresh = program_fresh(p)
    return Program(tuple(_entry(e, fresh, ctx) for e in p.entries), p.functions)


def _entry(e: Entry[Ann], fresh: Fresh, ctx: Context) -> Entry[Ann]:
    if not any(isinstance(s.exp, Kernel) for s in walk(e.body)):
        return e
    e = hoist_branches(e, ctx)
    walker = _Nest(fresh, Aliases(e), ctx)
    return evolve(e, body=walker.body(e.body, lambda: of_entry(e)))


class _Nest:
    """Traverses the statements outside kernels."""

    def __init__(self, fresh: Fresh, aliases: Aliases, ctx: Context) -> None:
        self.fresh = fresh
        self.aliases = aliases
        self.ctx = ctx

    def body(self, b: Body[Ann], start: At) -> Body[Ann]:
        """Return a body with the kernels in it rewritten."""
        places = BodyFacts(b.stms, start)
        out: list[Stm[Ann]] = []
        for q, s in enumerate(b.stms):
            match s.exp:
                case Kernel() as e:
                    out += self.kernel(s, e, places.at(q))
                case If() | Loop() as e:
                    out.append(self.control(s, e, q, places))
                case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace():
                    out.append(s)
                case Assert() | Alloc():
                    out.append(s)
                case RaggedKernel() | Opaque():
                    out.append(s)
        return evolve(b, stms=tuple(out))

    def control(self, s: Stm[Ann], e: If[Ann] | Loop[Ann], q: int, places: BodyFacts) -> Stm[Ann]:
        """Rewrite a branch or a loop at the top level; its bodies are at the top level, too."""
        bodies = sub_bodies(e)
        if not any(map(has_inner_kernel, bodies)):
            return s
        new = [self.body(b, places.inside(q, e, k)) for k, b in enumerate(bodies)]
        return evolve(s, exp=with_bodies(e, new))

    def kernel(self, s: Stm[Ann], e: Kernel[Ann], known: PointFacts) -> Stms:
        """Return the statements that a kernel becomes."""
        if isinstance(e.collective, Map):
            return self.map(s, e, known)
        if len(e.dims) > 1 or not any(isinstance(t.exp, Kernel) for t in e.body.stms):
            return (s,)
        out = Builder(self.fresh, frozenset(), s.at)
        rest, _ = maps_first(out, s, e)  # (N5)
        (first,) = out.stms
        assert isinstance(first.exp, Kernel)
        return (*self.map(first, first.exp, known), rest)

    def map(self, s: Stm[Ann], e: Kernel[Ann], known: PointFacts) -> Stms:
        """Return a map as one kernel, one kernel per part, a loop around kernels, or unchanged."""
        flat = flatten(s, e, known, self.fresh, self.aliases)
        if not isinstance(flat, Refusal):
            return self.flattened(flat, known)
        if not has_inner_kernel(e.body):
            return (s,)
        outside = interchange(s, e, known, self.fresh)
        if not isinstance(outside, Refusal):
            return self.body(Body(outside, ()), lambda: known).stms
        own = with_own_operands(e, known, self.fresh)
        parts = plan(own, known, self.aliases)
        if not isinstance(parts, Refusal):
            split = self.split(Distribute(s, own, parts, self.fresh).kernels(), known)
            if split is not None:
                return self.body(Body(split, ()), lambda: known).stms
            parts = Refusal(WORTH, "no part of the body becomes a kernel of its own")
        for no in (flat, outside, parts):
            if no is flat or no.condition != PERFECT:  # a body without a loop is no reason
                self.ctx.remark(s, no.condition, no.reason)
        return (s,)

    def split(self, kernels: list[tuple[Kind, Stm[Ann]]], known: PointFacts) -> Stms | None:
        """Return the kernels of the parts; None if no part with a map has become more parallel."""
        out: list[Stm[Ann]] = []
        gained = False
        for kind, s in kernels:
            new: Stms | Refusal = (s,)
            if isinstance(s.exp, Kernel):
                new = flatten(s, s.exp, known, self.fresh, self.aliases)
                if isinstance(new, Refusal) and kind is Kind.LOOP:
                    new = interchange(s, s.exp, known, self.fresh)
            if isinstance(new, Refusal):
                new = (s,)
            else:
                gained = gained or kind in (Kind.MAP, Kind.LOOP)
            out += new
            known = known.after_all(new)
        return tuple(out) if gained else None

    def flattened(self, stms: Stms, known: PointFacts) -> Stms:
        """Apply the rules again to the kernels that (N1) has made."""
        out: list[Stm[Ann]] = []
        for s in stms:
            if isinstance(s.exp, Kernel) and isinstance(s.exp.collective, Map):
                out += self.map(s, s.exp, known)
            else:
                out.append(s)
            known = known.after(s)
        return tuple(out)
